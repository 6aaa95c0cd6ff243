//! What can be asked of what was kept? The flags of the verbs that record pages and look back at them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use store::{Kind, Nearest, ReaderId};

use super::deltas::OutputArgs;
use super::reading::{LIMITS, amount};

pub const KEPT: &str = "Where versions are kept";

// Where versions are kept.
#[derive(Debug, Clone, Default, Args)]
pub struct StoreArgs {
    /// The folder that versions are kept in [default: $DELTAIC_DATA, else `deltaic` where programs keep data]
    #[arg(long, value_name = "DIR", conflicts_with = "database", help_heading = KEPT)]
    pub data: Option<PathBuf>,
    /// The PostgreSQL database that versions are kept in: `postgresql://user:password@host/name`; with `?sslmode=verify-full`
    /// the connection is encrypted and the host has to prove its name, to the authorities of `&sslrootcert=FILE` or of the system;
    /// `verify-ca`, `require`, `prefer` (the default) and `disable` ask for less [default: $DELTAIC_DATABASE]
    #[arg(long, value_name = "URL", help_heading = KEPT)]
    pub database: Option<String>,
    /// Who is looking, for `@seen`: up to 32 digits of 0-9 and a-f [default: $DELTAIC_READER, else 0]
    #[arg(long, value_name = "ID", help_heading = KEPT)]
    pub reader: Option<ReaderId>,
}

#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The address of the page; of one that a form gives, `POST URL [BODY]`
    pub page: String,
    /// What was there, one version a file, the earliest first; `-` is standard input
    #[arg(required_unless_present_any = ["from_git", "failed"])]
    pub files: Vec<PathBuf>,
    /// When it was there: a time for every file, in UTC unless it names a zone, or `modified` for the times of the files
    /// [default: now]
    #[arg(long, value_name = "TIME", conflicts_with = "from_git")]
    pub at: Vec<String>,
    /// Record what was in a file at every commit of the first parents of HEAD, following renames
    #[arg(long, num_args = 2, value_names = ["REPO", "PATH"], conflicts_with = "files")]
    pub from_git: Option<Vec<OsString>>,
    /// The HTTP status that it came with; 200 to 299 bring a version, 304 says that the latest is still there, others are failed checks
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(100..1000))]
    pub status: u16,
    /// A header that it came with
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// What it is, such as `text/html; charset=utf-8` [default: by its address, else by the file's name, else by its first bytes]
    #[arg(long, value_name = "TYPE")]
    pub media_type: Option<String>,
    /// Record that the page could not be had, and why
    #[arg(long, value_name = "MESSAGE", conflicts_with_all = ["files", "from_git", "headers", "media_type", "status"])]
    pub failed: Option<String>,
    /// Write JSON: an object a line for everything recorded
    #[arg(long)]
    pub json: bool,
    /// The most bytes to read of a file
    #[arg(long, value_name = "N", value_parser = amount, default_value = "1G", help_heading = LIMITS)]
    pub max_bytes: usize,
    #[command(flatten)]
    pub store: StoreArgs,
}

fn header(written: &str) -> Result<(String, String), String> {
    let (name, value) = written.split_once(':').ok_or("expected NAME: VALUE, such as `ETag: \"x\"`")?;
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_of_name) {
        return Err(format!("`{name}` is no name of a header"));
    }
    Ok((name.to_owned(), value.trim().to_owned()))
}

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// The page
    pub page: String,
    /// Write JSON: an object a line for every version and every row of checks that found nothing new
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The page, and which version of it: URL, URL@7, URL@-1, URL@2026-11-01T12:00, URL@seen
    pub page: String,
    /// Which version is meant by a time: the one in force then, the first that came later, or whichever is nearer
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub nearest: NearestArg,
    /// Write what is known of the version as JSON, instead of its content
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum NearestArg {
    #[default]
    Before,
    After,
    Closest,
}

impl From<NearestArg> for Nearest {
    fn from(nearest: NearestArg) -> Self {
        match nearest {
            NearestArg::Before => Nearest::Before,
            NearestArg::After => Nearest::After,
            NearestArg::Closest => Nearest::Closest,
        }
    }
}

#[derive(Debug, Args)]
pub struct PagesArgs {
    /// Which pages: a URL, in which `*` stands for anything
    #[arg(default_value = "*")]
    pub pattern: String,
    /// Write JSON: an object a line for every page
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct SeenArgs {
    /// The pages that were looked at, and which versions of them [default: say what is new]
    pub pages: Vec<String>,
    /// Mark these versions, to find them again
    #[arg(long, requires = "pages")]
    pub mark: bool,
    /// Save these versions: nothing drops them then
    #[arg(long, requires = "pages", conflicts_with = "mark")]
    pub save: bool,
    /// With --mark or --save: what is to be known of them
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// These versions are no longer marked or saved
    #[arg(long, requires = "pages", conflicts_with_all = ["mark", "save", "note"])]
    pub remove: bool,
    /// List what is marked and saved
    #[arg(long, conflicts_with_all = ["pages", "mark", "save", "note", "remove"])]
    pub list: bool,
    /// Notes were lost, as `verify` or `prune` said: go on with those that are there. What was saved and is not there may be
    /// dropped from then on
    #[arg(long, conflicts_with_all = ["pages", "mark", "save", "note", "remove", "list"])]
    pub recount: bool,
    /// Write JSON: an object a line for every page
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct CompactArgs {
    /// Write JSON: one object with the bytes on disk before and after
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Which pages: a URL, in which `*` stands for anything
    #[arg(default_value = "*")]
    pub pattern: String,
    /// Keep so many of the newest versions of a page
    #[arg(long, value_name = "N")]
    pub keep: Option<u32>,
    /// Keep versions that are not older than this: `90d`, `2 weeks`, or a time
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
    /// Of versions older than AGE, keep the last of every stretch of time: `30d:1d` keeps one a day
    #[arg(long, value_name = "AGE:TIME")]
    pub thin: Vec<String>,
    /// Say what would be dropped, and drop nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write JSON: an object a line for every page of which something is dropped
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Write JSON: one object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Write JSON: one object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct ChangesArgs {
    /// Which pages: a URL, in which `*` stands for anything
    #[arg(default_value = "*")]
    pub pattern: String,
    /// Changes since then: a time, or how long ago, such as `7d` or `2 weeks`
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Changes before then
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Changes of this kind: insert, delete, move, update, attribute or doctype
    #[arg(long = "op", value_name = "KIND", value_delimiter = ',')]
    pub kinds: Vec<Kind>,
    /// Changes of what such a path leads to, or in it: `//table/tr`, `/html/head/title`, `@href`
    ///
    /// As an XPath without predicates: names, `@name`, `*`, `@*`, `text()`, `comment()` and `node()` between slashes. One that
    /// begins with no slash is looked for anywhere. What came or went in a larger piece is found as well.
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Changes with this text before or after them; its case and white space do not count
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Write JSON: an object a line for every change
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// The page; with --life, which version of it
    pub page: String,
    /// What to follow: an XPath 1.0 expression, such as `//tr[td = "Tea"]/td[2]` or `count(//item)`
    #[arg(value_name = "XPATH")]
    pub expression: String,
    /// Draw it as SVG, where a version has one number: `4`, `€ 1,234.50`, `EUR4,50`, `1 234 km`, `−3 °C`, `42 %`, `Price: 5`.
    /// Not `v2` or `A4`, where a letter stands before it, nor `1.2.3`, `4 of 5`, `12:30` and `2026-11-01`. A comma before three
    /// digits groups them
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Say when what is selected came, changed, moved and left: the same nodes, whatever their path is in other versions.
    /// The text of an element is a node of its own: `//price/text()` tells when a price changed
    #[arg(long, conflicts_with = "plot")]
    pub life: bool,
    /// Write JSON: an object a line for versions in a row that have the same values, or for everything that happened
    #[arg(long)]
    pub json: bool,
    /// Bind a namespace prefix
    #[arg(long = "ns", value_name = "PREFIX=URI", value_parser = super::binding)]
    pub namespaces: Vec<(String, String)>,
    /// The most steps that the expression may take in a version
    #[arg(long, value_name = "N", value_parser = amount, default_value = "100000000", help_heading = LIMITS)]
    pub max_steps: usize,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct BlameArgs {
    /// The page, and which version of it
    pub page: String,
    /// Write JSON: an object a line for every sentence, element or line
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The archive that is written; `-` is standard output
    pub file: PathBuf,
    /// Leave out what is hurt, and name it; the exit code is then 1
    #[arg(long)]
    pub skip_hurt: bool,
    /// Write JSON: one object with what is in it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The archive; `-` is standard input
    pub file: PathBuf,
    /// Write JSON: one object with what came in
    #[arg(long)]
    pub json: bool,
    /// The most bytes that an archive may have when it is unpacked
    #[arg(long, value_name = "N", value_parser = amount, default_value = "64G", help_heading = LIMITS)]
    pub max_bytes: usize,
    /// The most entries that an archive may have
    #[arg(long, value_name = "N", value_parser = amount, default_value = "20000000", help_heading = LIMITS)]
    pub max_entries: usize,
    #[command(flatten)]
    pub store: StoreArgs,
}

#[derive(Debug, Args)]
pub struct BackupArgs {
    /// A folder that is empty or not there yet
    pub folder: PathBuf,
    /// Write JSON: one object with what is in it
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

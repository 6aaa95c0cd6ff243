//! What changed in a page, for its readers? Both versions as one page, side by side, or what changed alone.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Deserialize;
use treediff::matching::{self, Matching};
use treediff::render::html::{self, Options, Origin};
use treediff::render::{EXCERPT, Summary, printable};
use treediff::text::{Addresses, Changes, Entities};
use treediff::tree::{Document, Format};

use crate::args::{HtmldiffArgs, ViewArg};
use crate::exit::{Ending, Trouble, is_broken_pipe};
use crate::input::{self, Source};
use crate::output;

pub fn run(args: &HtmldiffArgs) -> anyhow::Result<Ending> {
    if args.json && args.view != ViewArg::Summary {
        bail!("--json is for --view summary");
    }
    if (args.reverse || args.no_deleted) && args.view != ViewArg::Merged {
        bail!("--reverse and --no-deleted are for --view merged");
    }
    let mut options = options(args)?;
    let mut entities = args.entities.as_deref().map(|file| entities(file, args)).transpose()?.unwrap_or_default();
    let [before, after] = versions(args)?;
    know_as_written(&mut entities, [&before, &after], args)?;
    let matching = matching::auto(&before, &after, &matching::Options::default());
    let resolve = [&before, &after].map(|page| html::addresses(page, args.base.as_deref()));
    let addresses = resolve.each_ref().map(|resolve| Addresses::new(resolve));
    let changes = Changes::at([&before, &after], &matching, &entities, addresses);
    options.all_changes = all_changes(args, &changes);
    let view = View { changes: &changes, matching: &matching, options: &options, args };
    match view.written() {
        // Whoever closed the pipe has seen enough to know that there was something.
        Err(error) if !is_broken_pipe(&error) => Err(error),
        _ => Ok(ending(&changes)),
    }
}

fn options(args: &HtmldiffArgs) -> anyhow::Result<Options> {
    if let Some(base) = &args.base {
        base.parse::<Origin>().context("--base")?;
    }
    Ok(Options {
        names: names([&args.before, &args.after]),
        base: args.base.clone(),
        allowed: args.allowed.clone(),
        reverse: args.reverse,
        without_deleted: args.no_deleted,
        most_changes: args.max_changes.map_or(Options::default().most_changes, NonZeroUsize::get),
        side_by_side: Some(command(args, &["--view", "side-by-side", "--open"])),
        all_changes: None,
    })
}

/// What the versions are called: their files, without the folder that both are in.
fn names(files: [&PathBuf; 2]) -> [String; 2] {
    let is_one_folder = files[0].parent() == files[1].parent();
    files.map(|file| match file.file_name().filter(|_| is_one_folder) {
        _ if file.as_os_str() == "-" => "standard input".to_owned(),
        Some(name) => Path::new(name).display().to_string(),
        None => file.display().to_string(),
    })
}

/// The command that lists all changes, where there are too many for a list.
fn all_changes(args: &HtmldiffArgs, changes: &Changes<'_>) -> Option<String> {
    let view = match args.view {
        ViewArg::Changes => "changes",
        ViewArg::Summary => "summary",
        ViewArg::Merged | ViewArg::SideBySide => return None,
    };
    let json = if args.json { &["--json"][..] } else { &[] };
    let count = changes.list().len().max(changes.formats().len()).to_string();
    Some(command(args, &[&["--view", view][..], json, &["--max-changes", &count]].concat()))
}

/// A command that shows the same versions in another way, as they are read and shown now.
fn command(args: &HtmldiffArgs, way: &[&str]) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./:=@%+,".contains(character);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let mut words: Vec<String> = way.iter().map(|word| (*word).to_owned()).collect();
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    option("--base", args.base.clone());
    args.allowed.iter().for_each(|origin| option("--allow", Some(origin.to_string())));
    option("--entities", args.entities.as_ref().map(|file| file.display().to_string()));
    option("--as", args.reading.format.map(|format| input::name(Format::from(format)).to_ascii_lowercase()));
    option("--encoding", args.reading.encoding.clone());
    let files = [&args.before, &args.after].map(|file| file.display().to_string());
    // What begins with a dash would be an option.
    words.extend(files.iter().any(|file| file.len() > 1 && file.starts_with('-')).then(|| "--".to_owned()));
    words.extend(files);
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    format!("deltaic htmldiff {}", words.join(" "))
}

/// `--entities`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `before` and `after`")]
struct Checksums {
    before: HashMap<String, String>,
    after: HashMap<String, String>,
}

fn entities(file: &Path, args: &HtmldiffArgs) -> anyhow::Result<Entities> {
    let named = || format!("--entities {}", file.display());
    let bytes = input::bytes(file, args.reading.options().limits.max_bytes).with_context(named)?;
    let read = serde_json::from_slice(&bytes).map_err(|error| {
        let hint = r#"expected {"before": {"/logo.png": "checksum"}, "after": {"/logo.png": "checksum"}}"#;
        Trouble::new(error.to_string(), hint)
    });
    let Checksums { before, after } = read.with_context(named)?;
    Ok(Entities { before, after })
}

/// Adds the checksums of whole addresses under the references that pages have for them, and says of which addresses there are none: they are
/// misspelt, or meant for another page.
fn know_as_written(entities: &mut Entities, pages: [&Document; 2], args: &HtmldiffArgs) -> io::Result<()> {
    let mut idle: BTreeSet<String> = entities.before.keys().chain(entities.after.keys()).cloned().collect();
    if idle.is_empty() {
        return Ok(());
    }
    for (checksums, page) in [&mut entities.before, &mut entities.after].into_iter().zip(pages) {
        // A whole address may be written in several ways, and so may a reference to it.
        let whole = html::addresses(page, args.base.as_deref());
        let by_whole: HashMap<String, String> =
            checksums.keys().filter_map(|address| Some((whole(address)?, address.clone()))).collect();
        for reference in page.nodes().filter(|node| node.is_element()).flat_map(Entities::addresses_of) {
            idle.remove(&reference);
            let Some(told) = whole(&reference).and_then(|whole| by_whole.get(&whole)) else { continue };
            idle.remove(told);
            if let Some(checksum) = checksums.get(told).filter(|_| !checksums.contains_key(&reference)).cloned() {
                checksums.insert(reference, checksum);
            }
        }
    }
    let Some(first) = idle.first() else { return Ok(()) };
    let more = match idle.len() {
        1 => String::new(),
        count => format!(" nor to {} more", count - 1),
    };
    let message = format!("--entities: neither page refers to `{}`{more}", printable(first));
    writeln!(
        io::stderr(),
        "deltaic: warning: {message}\nhint: addresses are written as in the pages, or whole with --base"
    )
}

fn versions(args: &HtmldiffArgs) -> anyhow::Result<[Document; 2]> {
    if [&args.before, &args.after].iter().all(|file| file.as_os_str() == "-") {
        bail!("only one of the versions can come from standard input");
    }
    Ok([page(&args.before, args)?, page(&args.after, args)?])
}

fn page(file: &Path, args: &HtmldiffArgs) -> anyhow::Result<Document> {
    let document = input::read_source(Source { is_page: true, ..Source::new(file) }, &args.reading)?.document;
    if document.format() != Format::Html {
        let message = format!("{}: found {}, expected a page", file.display(), input::name(document.format()));
        let hint = "--as html reads it as a page, and deltaic diff compares any documents";
        return Err(Trouble::new(message, hint).into());
    }
    Ok(document)
}

fn ending(changes: &Changes<'_>) -> Ending {
    let is_same = changes.list().is_empty() && changes.formats().is_empty() && changes.notices().is_empty();
    if is_same { Ending::Done } else { Ending::Different }
}

/// What is shown, and where.
struct View<'v> {
    changes: &'v Changes<'v>,
    matching: &'v Matching,
    options: &'v Options,
    args: &'v HtmldiffArgs,
}

impl View<'_> {
    fn written(&self) -> anyhow::Result<()> {
        let to = |file: Option<&Path>| output::write(file, |out| self.write(out));
        if !self.args.open {
            return to(self.args.output.file.as_deref());
        }
        match self.args.output.file.as_deref().filter(|file| file.as_os_str() != "-") {
            Some(file) => {
                to(Some(file))?;
                open(file)
            }
            None => {
                let file = self.temporary()?;
                output::write(None, |out| Ok(writeln!(out, "{}", file.display())?))?;
                open(&file)
            }
        }
    }

    /// Writes it piece by piece: it may be larger than both pages.
    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let View { changes, matching, options, args } = self;
        output::as_text(out, |out| {
            match args.view {
                ViewArg::Merged => html::merged_to(changes, matching, options, out)?,
                ViewArg::SideBySide => html::side_by_side_to(changes, matching, options, out)?,
                ViewArg::Changes => html::listing_to(changes, options, out)?,
                ViewArg::Summary if args.json => out.write_str(&self.summary().json())?,
                ViewArg::Summary => self.write_summary(out)?,
            }
            Ok(())
        })
    }

    fn summary(&self) -> Summary {
        Summary::of_first(self.changes, self.options.most_changes, EXCERPT)
    }

    /// The summary, and how one gets the rest of it.
    fn write_summary(&self, out: &mut impl std::fmt::Write) -> std::fmt::Result {
        let summary = self.summary();
        write!(out, "{summary}")?;
        match self.options.all_changes.as_ref().filter(|_| summary.untold() > 0) {
            Some(way) => writeln!(out, "hint: {way}"),
            None => Ok(()),
        }
    }

    /// A file that stays, since the browser reads it when it pleases.
    fn temporary(&self) -> anyhow::Result<PathBuf> {
        let suffix = match self.args.view {
            ViewArg::Summary if self.args.json => ".json",
            ViewArg::Summary => ".txt",
            _ => ".html",
        };
        let mut file = tempfile::Builder::new().prefix("deltaic-").suffix(suffix).tempfile()?;
        self.write(&mut file)?;
        let (_, path) = file.keep()?;
        Ok(path)
    }
}

/// Has a browser show a file, and waits only for as long as it takes to say that there is none.
fn open(file: &Path) -> anyhow::Result<()> {
    let file = std::path::absolute(file)?;
    let (program, leading) = browser();
    let mut command = Command::new(&program);
    command.args(leading).arg(&file).stdin(Stdio::null()).stdout(Stdio::null());
    let failure = match command.spawn() {
        Ok(mut browser) => soon_failed(&mut browser).map(|status| status.to_string()),
        Err(error) => Some(error.to_string()),
    };
    let Some(why) = failure else { return Ok(()) };
    let hint = format!("BROWSER names another program; the view is in {}", file.display());
    Err(Trouble::new(format!("`{}`: {why}", program.to_string_lossy()), hint).into())
}

/// How a program ended that could not do what it was asked for; one that runs on is doing it.
fn soon_failed(program: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match program.try_wait() {
            Ok(Some(status)) => return Some(status).filter(|status| !status.success()),
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Err(_) => return None,
        }
    }
    None
}

/// How long a program that opens pages takes to find out that it cannot: `xdg-open` asks one browser after the other.
const PATIENCE: Duration = Duration::from_secs(2);

/// The program that opens a page, and what it is told before the file: the first of $BROWSER, or that of the system.
fn browser() -> (OsString, &'static [&'static str]) {
    let told = std::env::var_os("BROWSER").filter(|browser| !browser.is_empty());
    match told.map(|browsers| std::env::split_paths(&browsers).next().unwrap_or_default()) {
        Some(browser) if !browser.as_os_str().is_empty() => (browser.into_os_string(), &[]),
        _ if cfg!(target_os = "macos") => ("open".into(), &[]),
        _ if cfg!(windows) => ("cmd".into(), &["/C", "start", ""]),
        _ => ("xdg-open".into(), &[]),
    }
}

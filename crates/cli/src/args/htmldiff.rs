//! What can be asked of pages? The flags of the verb that shows what changed in them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use treediff::render::html::Origin;

use super::Reading;
use super::deltas::OutputArgs;
use super::reading::FormatArg;

#[derive(Debug, Args)]
#[command(mut_arg("whitespace", |whitespace| whitespace.default_value("exact").hide(true)))]
#[command(mut_arg("recover", |recover| recover.hide(true)))]
#[command(mut_arg("as", |format| format.value_parser(page_formats())))]
pub struct HtmldiffArgs {
    /// The version before; `-` is standard input
    pub before: PathBuf,
    /// The version after; `-` is standard input
    pub after: PathBuf,
    /// What to show
    #[arg(long, value_name = "VIEW", default_value = "merged")]
    pub view: ViewArg,
    /// With --view summary: write JSON
    #[arg(long)]
    pub json: bool,
    /// The address of the page: relative addresses in it are meant by it, and its origin may be loaded from
    #[arg(long, value_name = "URL")]
    pub base: Option<String>,
    /// Let the view load images and styles of the page from here, such as `https://static.example.org`
    #[arg(long = "allow", value_name = "ORIGIN")]
    pub allowed: Vec<Origin>,
    /// With --view merged: show BEFORE with what is new put in, rather than AFTER with what is gone
    #[arg(long)]
    pub reverse: bool,
    /// With --view merged: leave out what is gone; with --reverse, what is new
    #[arg(long)]
    pub no_deleted: bool,
    /// Checksums of what the pages refer to: {"before": {URL: CHECKSUM, …}, "after": {…}}
    ///
    /// An image whose address stayed while its checksum changed counts as changed, and a script or style is told of. Addresses
    /// are written as in the pages.
    #[arg(long, value_name = "FILE.json")]
    pub entities: Option<PathBuf>,
    /// More changes are too many to go through one by one: lists and links end with these, and the view says so [default: 500]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_changes: Option<NonZeroUsize>,
    /// Open it in a browser: $BROWSER, or the usual one
    ///
    /// Without --output it is written to a temporary file, whose name is printed.
    #[arg(long)]
    pub open: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub reading: Reading,
}

/// What a page may be written in.
pub fn page_formats() -> impl TypedValueParser<Value = FormatArg> {
    PossibleValuesParser::new(["html", "xml"]).try_map(|name| FormatArg::from_str(&name, false))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// One page with what is gone and what is new in it
    Merged,
    /// Both pages beside each other, scrolled together
    SideBySide,
    /// The changes alone, under their headings
    Changes,
    /// Text for a notice, or JSON with --json
    Summary,
}

fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number, 1 or more".to_owned())
}

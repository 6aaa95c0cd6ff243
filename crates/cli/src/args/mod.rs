//! What can be asked for? Every verb and flag, once: help, completions and man pages are made from here.

mod deltas;
mod htmldiff;
mod reading;
mod store;

pub use deltas::{
    AlgorithmArg, ColorArg, ComposeArgs, DeltaFormatArg, DiffArgs, InvertArgs, PatchArgs, SimulateArgs, WrittenArgs,
};
pub use htmldiff::{HtmldiffArgs, ViewArg};
pub use reading::{Reading, SizeLimits};
pub use store::{
    BackupArgs, BlameArgs, ChangesArgs, CompactArgs, ExportArgs, HistoryArgs, ImportArgs, PagesArgs, PruneArgs,
    RecordArgs, SeenArgs, ShowArgs, StatsArgs, StoreArgs, TraceArgs, VerifyArgs,
};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use reading::{LIMITS, amount};

/// Change management for the web: tree diffs of XML, HTML and JSON, and every version of every page.
///
/// Wherever a document is read it can be a file, `-` for standard input, or a page that was recorded: URL for its latest
/// version, URL@7 for the seventh, URL@-1 for the one before the latest, URL@2026-11-01T12:00 for what was there then, in
/// UTC, and URL@seen for what you saw last.
///
/// Data goes to standard output, messages to standard error. Exit status: 0 done, 1 different (verbs that compare),
/// 2 trouble.
#[derive(Debug, Parser)]
#[command(name = "deltaic", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

// Flags of a verb are made when it is asked for: to make those of all took more than a quarter of the time of two small files. So groups
// of flags have no doc comments, since what they say would come after what their verb says, and be told in its place.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Verb {
    /// Say what changed between two versions of a document
    ///
    /// For people a tree diff with the surroundings of every change; for programs a XyDelta, which `deltaic patch`
    /// applies in either direction. Exit status: 0 the same, 1 different, 2 trouble. Versions that differ in white space
    /// between elements alone are the same, unless --whitespace says otherwise.
    ///
    /// Called by git with its seven arguments, it shows the tree diff: `git config diff.deltaic.command 'deltaic diff'`
    /// and a line `*.xml diff=deltaic` in .gitattributes. The exit status is 0 then, unless --trust-exit-code.
    #[command(override_usage = "deltaic diff [OPTIONS] <BEFORE> <AFTER>")]
    Diff(DiffArgs),
    /// Show what changed between two versions of a page, in the page itself
    ///
    /// Writes one HTML file that needs nothing else: the page with what is gone and what is new in it, both versions side by
    /// side, or the changes alone; or a summary as text or JSON. Scripts of the page do not run, and nothing is loaded from
    /// anywhere unless --base or --allow says so. Keys in the page: n next change, p previous, Home first, End last. Exit
    /// status: 0 the same to a reader, 1 different, if only in formatting or in what is not seen (the title, scripts, where
    /// something leads to), 2 trouble.
    Htmldiff(HtmldiffArgs),
    /// Apply a delta to a document, forwards or backwards
    ///
    /// Deltas of every format that deltaic reads are told apart by their content. A delta that does not fit the document
    /// is refused, and nothing is written.
    Patch(PatchArgs),
    /// Turn a delta round, so that it leads from the later version to the earlier
    Invert(InvertArgs),
    /// Make one delta of several that follow one another
    Compose(ComposeArgs),
    /// Change a document by chance, and say what happened
    ///
    /// Rates are shares of the document's nodes, from 0 to 1, that hold on average: of a small document one seed may change twice as
    /// much as another, or nothing. The same seed gives the same version. A page may change less than it should: what an HTML parser
    /// would read as something else is given up.
    Simulate(SimulateArgs),
    /// Show a document as the tree that deltaic sees
    Tree(TreeArgs),
    /// Write a document in its canonical form: documents with equal content look alike
    ///
    /// XML as exclusive canonical XML with comments, HTML as the WHATWG serialisation with attributes sorted by name and the
    /// doctype as it is written,
    /// JSON by RFC 8785 except that numbers stay as written. White space counts unless --whitespace says otherwise. Nothing is
    /// written behind the form, so that digests can be taken of it, but a line end on a terminal.
    ///
    /// A canonical form of XML has no DOCTYPE. References to entities that only a DTD outside of the document could
    /// declare stay as they are, with a warning: the form cannot be read again without that DTD. Of a document with
    /// faults that --recover reads over, the form may not be well-formed either.
    Canon(CanonArgs),
    /// Print what a CSS selector or an XPath expression selects
    ///
    /// Nodes are printed as they stand in the source, attributes as their values, each followed by a line end. White
    /// space counts unless --whitespace says otherwise.
    Select(SelectArgs),
    /// Say where parts of a document are in a later version of it
    ///
    /// For every node or attribute that a selector or an expression selects in BEFORE: its fate, how sure that is, its path
    /// and the path in AFTER, each an XPath that selects it alone; of what is more than 32 levels deep, the last 32 steps behind
    /// `/…`. Fates are unchanged, changed, moved, moved and changed, and gone; of what is gone, the place is named that has
    /// most of what was in it, with its share. An attribute is where its element is, if that still has it. Exit status: 0 all
    /// of them are unchanged, 1 not all are, 2 trouble.
    Locate(LocateArgs),
    /// Keep what was found at a page as its next version
    ///
    /// What is as in the latest version costs a few bytes and is known as a check. Versions of a page are recorded in the
    /// order of their times. Prints the number of each, and how many operations lead to it.
    Record(RecordArgs),
    /// List the versions of a page, and the checks that found nothing new
    History(HistoryArgs),
    /// Write a version of a page, exactly as it was
    Show(ShowArgs),
    /// List the pages that have a history, with the number of their latest version
    Pages(PagesArgs),
    /// Say what is new since you last looked, or that you have looked
    ///
    /// Without pages: those that have changed since, of all that you have ever looked at. With pages: you have seen these
    /// versions now.
    Seen(SeenArgs),
    /// Follow a value through the versions of a page
    ///
    /// Prints what an expression selects in every version that is a tree, once for versions in a row that have the same.
    Trace(TraceArgs),
    /// Say which version brought each sentence or element of a page
    ///
    /// Sentences of a page of HTML, elements and values of data, lines of plain text, each with the version in which it took its
    /// present form. What has only moved is not new.
    Blame(BlameArgs),
    /// Find changes by their kind, place, text and time, over all pages
    Changes(ChangesArgs),
    /// Say how much is kept, and how much space it takes
    Stats(StatsArgs),
    /// Look whether everything that is kept is as it was
    ///
    /// Every content by its hash, every step by applying it to the version before. Names what is hurt, and ends with 2 then.
    Verify(VerifyArgs),
    /// Drop versions that no rule keeps
    ///
    /// Of the rules that are given every one has to let a version go. The latest version of a page is never dropped, nor one
    /// that a reader saved. Space is given back by `deltaic compact`.
    Prune(PruneArgs),
    /// Make a copy of the store that is a store itself, while others go on recording
    Backup(BackupArgs),
    /// Write everything that is kept as one archive, which common tools can open
    Export(ExportArgs),
    /// Take in an archive, all of it or nothing
    ///
    /// Nothing in it is believed: every content is checked by its hash, every step by applying it. Pages that are here already
    /// must have the same history there.
    Import(ImportArgs),
    /// Make the store as small as it can be; recording and reading go on meanwhile
    Compact(CompactArgs),
    /// Write completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page, of all or of one verb
    Man {
        /// The verb
        verb: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct TreeArgs {
    /// The document; `-` is standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Show numbers about the document instead
    #[arg(long)]
    pub stats: bool,
    /// Write JSON: an object a line for every node in document order, or one object with --stats
    ///
    /// Members of a node: depth, kind, name, namespace, attributes, value, hash, size (nodes in the subtree), weight,
    /// range (bytes of the source in UTF-8: an element from tag to tag, an object or array from bracket to bracket, and of
    /// everything else the value alone, without quotes or what marks a comment). Those that a node does not have are left out.
    #[arg(long)]
    pub json: bool,
    /// Shorten lines to N columns, but not to less than 30 behind their indentation; 0 for never [default: the terminal's
    /// width, or 80]
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
    #[command(flatten)]
    pub output: OutputLimit,
}

#[derive(Debug, Args)]
#[command(mut_arg("whitespace", |whitespace| whitespace.default_value("exact")))]
pub struct CanonArgs {
    /// The document; `-` is standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub output: OutputLimit,
}

#[derive(Debug, Args)]
#[command(mut_arg("whitespace", |whitespace| whitespace.default_value("exact")))]
pub struct SelectArgs {
    /// The document; `-` is standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub selection: Selection,
    /// Print only how many nodes are selected
    #[arg(long)]
    pub count: bool,
    /// Write JSON: an object a line for everything selected, as `deltaic tree --json` does, with its source
    #[arg(long, conflicts_with = "count")]
    pub json: bool,
    #[command(flatten)]
    pub output: OutputLimit,
}

// How much is written of a document that says little and means much.
#[derive(Debug, Args)]
pub struct OutputLimit {
    /// The most bytes to write: what is once in the source may be in the result once for every node
    #[arg(long, value_name = "N", value_parser = amount, default_value = "4G", help_heading = LIMITS)]
    pub max_output_bytes: usize,
}

#[derive(Debug, Args)]
pub struct LocateArgs {
    /// The version before; `-` is standard input
    pub before: PathBuf,
    /// The version after; `-` is standard input
    pub after: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// How to find out who is who
    ///
    /// Without it, as `auto` does for `diff`; and what is gone by that is looked for as `goodmatch` does, by content, attributes and
    /// place of its leaves, wherever they are now.
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<AlgorithmArg>,
    /// Write JSON: an object a line for everything selected
    ///
    /// Members: before and after (paths; after is null where nothing is left), fate, criterion (how sure, from 0 to 1) and
    /// share (of what was in it, what is at that place).
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub reading: Reading,
}

// Which nodes are meant.
#[derive(Debug, Args)]
pub struct Selection {
    /// A CSS selector or an XPath 1.0 expression
    ///
    /// It is read as XPath where it has what no selector has outside of strings: `/`, `@`, `::`, a `|` with a blank behind it, a
    /// number or a call in brackets; where it starts with `(`, `..` or the call of a function, such as `count(a)`; and where
    /// it is `.` alone. Otherwise it is read as CSS.
    ///
    /// In HTML a name without a prefix means an HTML element in XPath; `svg:` and `math:` stand before the names of others. In
    /// JSON a value is an element that its key names; the root value and the items of arrays have no key, and are `*`.
    pub expression: String,
    /// Read the expression as a CSS selector
    #[arg(long, conflicts_with = "xpath")]
    pub css: bool,
    /// Read the expression as XPath
    #[arg(long)]
    pub xpath: bool,
    /// Bind a namespace prefix; an empty one is the default namespace of CSS
    #[arg(long = "ns", value_name = "PREFIX=URI", value_parser = binding)]
    pub namespaces: Vec<(String, String)>,
    /// The most steps that a selection may take
    #[arg(long, value_name = "N", value_parser = amount, default_value = "100000000", help_heading = LIMITS)]
    pub max_steps: usize,
}

fn binding(written: &str) -> Result<(String, String), String> {
    let (prefix, uri) = written.split_once('=').ok_or("expected PREFIX=URI, such as svg=http://www.w3.org/2000/svg")?;
    Ok((prefix.to_owned(), uri.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use treediff::parse::{Limits, Whitespace};

    use super::*;

    #[test]
    fn the_flags_agree_with_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_a_verb_does_is_told_by_the_verb_and_not_by_its_flags() {
        let mut with_flags = Cli::command();
        with_flags.build();
        for verb in Cli::command().get_subcommands() {
            let built = with_flags.find_subcommand(verb.get_name()).expect("a verb that is there without its flags");
            assert_eq!(verb.get_about().map(ToString::to_string), built.get_about().map(ToString::to_string));
            assert_eq!(verb.get_long_about().map(ToString::to_string), built.get_long_about().map(ToString::to_string));
        }
    }

    #[test]
    fn the_limits_are_those_of_the_library() {
        let Cli { verb: Verb::Canon(canon) } = Cli::parse_from(["deltaic", "canon", "-"]) else {
            panic!("canon is a verb")
        };
        assert_eq!(canon.reading.options().limits, Limits::default());
        let Cli { verb: Verb::Invert(invert) } = Cli::parse_from(["deltaic", "invert", "-"]) else {
            panic!("invert is a verb")
        };
        assert_eq!(invert.limits.limits(), Limits::default());
    }

    /// A canonical form is of all that is there; the other verbs are for people.
    #[test]
    fn white_space_counts_for_canon_alone() {
        let whitespace = |arguments: &[&str]| match Cli::parse_from(arguments).verb {
            Verb::Tree(tree) => tree.reading.options().whitespace,
            Verb::Canon(canon) => canon.reading.options().whitespace,
            Verb::Select(select) => select.reading.options().whitespace,
            _ => panic!("a verb that reads"),
        };
        assert_eq!(whitespace(&["deltaic", "canon", "-"]), Whitespace::Exact);
        assert_eq!(whitespace(&["deltaic", "canon", "-", "--whitespace", "layout"]), Whitespace::Layout);
        assert_eq!(whitespace(&["deltaic", "tree", "-"]), Whitespace::Layout);
        assert_eq!(whitespace(&["deltaic", "select", "-", "a"]), Whitespace::Exact);
    }
}

//! What can be asked of deltas? The flags of the verbs that make, apply and combine them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValue};
use clap::{Args, ValueEnum};
use treediff::matching::Algorithm;

use super::reading::{LIMITS, amount};
use super::{OutputLimit, Reading, SizeLimits};

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The version before; `-` is standard input
    pub before: PathBuf,
    /// The version after; `-` is standard input
    // Git gives a single argument for a path that is not merged; everybody else gives two.
    #[arg(required_unless_present = "before")]
    pub after: Option<PathBuf>,
    /// What git gives beyond two arguments
    #[arg(hide = true, num_args = 0..=7)]
    pub git: Vec<OsString>,
    /// What to write [default: tree on a terminal, xydelta otherwise]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<DeltaFormatArg>,
    /// How to find out who is who
    #[arg(long, value_name = "NAME", default_value = Algorithm::ALL[0].name())]
    pub algorithm: AlgorithmArg,
    /// What identifies nodes: an XPath that selects them, and one that gives the name of each, as in `//item=@sku`
    ///
    /// Several fields make one name by `concat`: `//item=concat(@maker, " ", model)`. In JSON a value is an element that its key
    /// names; the root value and the items of arrays have no key, and are `*`: `/*/items/*=sku`, or `//items/*=sku`.
    #[arg(long = "key", value_name = "PATH=FIELD")]
    pub keys: Vec<String>,
    /// For kfdiff: an attribute or child of this name identifies what has it, before `id`, `name`, `title` and the like
    #[arg(long = "key-name", value_name = "NAME", value_parser = key_name)]
    pub key_names: Vec<String>,
    /// The order of siblings means nothing
    ///
    /// Versions that differ by it alone are the same. A delta leads to a version that is AFTER but for the order of
    /// siblings that were in BEFORE, which stay as they stood. In mixed content, texts beside elements, order counts all the
    /// same, of which there is a warning. `auto`, `unordered`, `goodmatch` and `kfdiff` look for partners wherever they stand; the
    /// other algorithms compare in order, and what then differs in order alone is left out.
    #[arg(long)]
    pub unordered: bool,
    /// Leave out what changes in the nodes or attributes that an XPath selects
    ///
    /// The rest is compared as if they were not there. They count neither for the exit status nor for --stats, and are in
    /// no output. A delta leads to a version that is AFTER but for the ignored parts, which stay as they were in BEFORE.
    /// Changes are only left out where the rest can be applied without them.
    ///
    /// In JSON a value is an element that its key names; the root value and the items of arrays have no key, and are `*`. So
    /// what a summary calls `/items/0/price` is `/*/items/*[1]/price`, `//price` is every price, and `//*[name() = 'a b']`
    /// whatever has a key that is no name.
    #[arg(long, value_name = "XPATH")]
    pub ignore: Vec<String>,
    /// Leave out the change of the document type declaration, which XUpdate, XDL and XML patches cannot tell
    ///
    /// A delta leads to a version that is AFTER but for the declaration, which is that of BEFORE.
    #[arg(long)]
    pub ignore_doctype: bool,
    /// Bind a namespace prefix for --key and --ignore
    #[arg(long = "ns", value_name = "PREFIX=URI", value_parser = super::binding)]
    pub namespaces: Vec<(String, String)>,
    /// Write what moves as deleted and inserted
    #[arg(long)]
    pub no_moves: bool,
    /// The identities of the nodes of BEFORE: a map such as `(1-7;9)`, a file with one, or the delta that led to BEFORE
    ///
    /// Deltas of a history compose when each takes them from the one before it. A map may have the next XID behind it,
    /// `(1-7;9|12)`, so that none of nodes that are gone is used again. [default: 1, 2, 3 … in post-order]
    #[arg(long, value_name = "MAP|DELTA", value_parser = NonEmptyStringValueParser::new())]
    pub xids: Option<String>,
    /// With two versions of one page: what was recorded between them, rather than what comparing them anew would find
    ///
    /// The delta is composed of those from version to version and has the identities that nodes have in the whole history.
    #[arg(long, conflicts_with_all = ["algorithm", "keys", "key_names", "unordered", "no_moves", "xids", "as"])]
    pub recorded: bool,
    /// Write numbers to standard error, as one line of JSON: operations by kind, edit_cost, where a budget was
    /// exhausted and what was done instead, milliseconds
    #[arg(long)]
    pub stats: bool,
    /// With --format xydelta: beside both texts of an update, the words that changed
    ///
    /// They are for those who read the delta. What `invert` and `compose` make of it has both texts alone.
    #[arg(long)]
    pub words: bool,
    /// Siblings that a tree diff shows on either side of a change
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub context: usize,
    /// With --format annotated: the whole document rather than what changed
    #[arg(long)]
    pub full: bool,
    /// When to use colours; NO_COLOR is honoured
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColorArg,
    /// Called by git: exit with 1 where the versions differ, for git's `trustExitCode`
    #[arg(long)]
    pub trust_exit_code: bool,
    /// The most steps that --key and --ignore may take each
    #[arg(long, value_name = "N", value_parser = amount, default_value = "100000000", help_heading = LIMITS)]
    pub max_steps: usize,
    /// The most memory that `optimal` takes for pairs of nodes; what needs more goes to a temporary file. 64k at
    /// least [default: 1G]
    #[arg(long, value_name = "N", value_parser = amount, help_heading = LIMITS)]
    pub max_memory: Option<usize>,
    /// The most pairs of nodes that `optimal` looks at, some ten million in a second; where it takes more, what `auto` finds
    /// without moves is written, with a warning [default: 1G]
    #[arg(long, value_name = "N", value_parser = amount, help_heading = LIMITS)]
    pub max_cells: Option<usize>,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub output_limit: OutputLimit,
    #[command(flatten)]
    pub reading: Reading,
}

/// What may be the name of an attribute, an element or a member; what nothing is called is found out later.
fn key_name(written: &str) -> Result<String, String> {
    let is_name = !written.trim().is_empty() && !written.contains(char::is_control);
    is_name
        .then(|| written.to_owned())
        .ok_or_else(|| "expected the name of an attribute or child, such as sku".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeltaFormatArg {
    /// XML that is complete in both directions
    Xydelta,
    /// The same in few bytes
    Binary,
    /// For people: both versions as one tree
    Tree,
    /// For people: a line for every change
    Summary,
    /// The operations as JSON
    Json,
    /// XUpdate
    Xupdate,
    /// The diffgram of Microsoft XML Diff
    Xdl,
    /// The document with its changes marked, in the manner of DeltaXML
    Annotated,
    /// An XML patch (RFC 5261)
    Xmlpatch,
    /// A JSON patch (RFC 6902)
    Jsonpatch,
}

/// The library's algorithms, as values of a flag.
#[derive(Debug, Clone, Copy)]
pub struct AlgorithmArg(pub Algorithm);

impl ValueEnum for AlgorithmArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: [AlgorithmArg; Algorithm::ALL.len()] = {
            let mut all = [AlgorithmArg(Algorithm::ALL[0]); Algorithm::ALL.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = AlgorithmArg(Algorithm::ALL[at]);
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.summary()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal
    Auto,
    Always,
    Never,
}

// Where the result goes.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Write to a file, whole or not at all, instead of standard output
    #[arg(id = "output", short = 'o', long = "output", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PatchArgs {
    /// The document; `-` is standard input
    pub document: PathBuf,
    /// The delta; `-` is standard input
    pub delta: PathBuf,
    /// Apply it backwards, to the later version
    #[arg(long)]
    pub reverse: bool,
    /// Apply it although the document is another than the one it was made for
    ///
    /// That one must have as many nodes, and every operation must find the node, the place and the content that it speaks
    /// of: all of it is done, or nothing.
    #[arg(long)]
    pub force: bool,
    /// Say what would happen, and write nothing
    #[arg(long, conflicts_with = "output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct InvertArgs {
    /// The delta; `-` is standard input
    pub delta: PathBuf,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub limits: SizeLimits,
}

#[derive(Debug, Args)]
pub struct ComposeArgs {
    /// The deltas, the earliest first; `-` is standard input
    #[arg(num_args = 2.., required = true, value_name = "DELTA")]
    pub deltas: Vec<PathBuf>,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub limits: SizeLimits,
}

// How a delta that was made of others is written.
#[derive(Debug, Args)]
pub struct WrittenArgs {
    /// Write the compact form
    #[arg(long)]
    pub binary: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The document; `-` is standard input
    pub file: PathBuf,
    /// The share of nodes that are deleted
    #[arg(long, value_name = "P", value_parser = share, default_value = "0", allow_negative_numbers = true)]
    pub delete: f64,
    /// The share of texts that are updated
    #[arg(long, value_name = "P", value_parser = share, default_value = "0", allow_negative_numbers = true)]
    pub update: f64,
    /// The share of nodes that are inserted
    #[arg(long, value_name = "P", value_parser = share, default_value = "0", allow_negative_numbers = true)]
    pub insert: f64,
    /// The share of nodes that are moved
    #[arg(long = "move", value_name = "P", value_parser = share, default_value = "0", allow_negative_numbers = true)]
    pub moved: f64,
    /// What chance starts from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write the delta that says what happened, and no more
    #[arg(long, value_name = "FILE")]
    pub delta: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub reading: Reading,
}

fn share(written: &str) -> Result<f64, String> {
    let share = written.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1, such as 0.05".to_owned())
}

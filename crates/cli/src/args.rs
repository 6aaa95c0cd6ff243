//! What can be asked for? Every verb and flag, once: help, completions and man pages are made from here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use treediff::parse::{Limits, Options};
use treediff::tree::Format;

/// Change management for the web: tree diffs of XML, HTML and JSON.
///
/// Data goes to standard output, messages to standard error. Exit status: 0 done, 1 different (verbs that compare),
/// 2 trouble.
#[derive(Debug, Parser)]
#[command(name = "deltaic", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show a document as the tree that deltaic sees
    Tree(TreeArgs),
    /// Write a document in its canonical form: documents with equal content look alike
    ///
    /// XML as exclusive canonical XML with comments, HTML as the WHATWG serialisation with attributes sorted by name,
    /// JSON by RFC 8785 except that numbers stay as written. White space counts unless --whitespace says otherwise.
    #[command(mut_arg("whitespace", |whitespace| whitespace.default_value("exact")))]
    Canon(CanonArgs),
    /// Print what a CSS selector or an XPath expression selects
    ///
    /// Nodes are printed as they stand in the source, attributes as their values, each followed by a line end. White
    /// space counts unless --whitespace says otherwise.
    #[command(mut_arg("whitespace", |whitespace| whitespace.default_value("exact")))]
    Select(SelectArgs),
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
    #[command(flatten)]
    pub reading: Reading,
    /// Show numbers about the document instead
    #[arg(long)]
    pub stats: bool,
    /// Write JSON: an object a line for every node in document order, or one object with --stats
    ///
    /// Members of a node: depth, kind, name, namespace, attributes, value, hash, size (nodes in the subtree), weight,
    /// range (bytes of the source in UTF-8). Those that a node does not have are left out.
    #[arg(long)]
    pub json: bool,
    /// Shorten lines to N columns, 0 for never [default: the terminal's width, or 80]
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
}

#[derive(Debug, Args)]
pub struct CanonArgs {
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct SelectArgs {
    #[command(flatten)]
    pub reading: Reading,
    /// A CSS selector or an XPath 1.0 expression
    ///
    /// It is read as XPath where it starts with `/`, `./`, `..`, `(` or `@`, contains `//` or `::`, or calls a
    /// function, such as `count(//a)`; and as CSS otherwise.
    pub expression: String,
    /// Read the expression as a CSS selector
    #[arg(long, conflicts_with = "xpath")]
    pub css: bool,
    /// Read the expression as XPath
    #[arg(long)]
    pub xpath: bool,
    /// Print only how many there are
    #[arg(long)]
    pub count: bool,
    /// Write JSON: an object a line for everything selected, as `deltaic tree --json` does, with its source
    #[arg(long, conflicts_with = "count")]
    pub json: bool,
    /// Bind a namespace prefix; an empty one is the default namespace of CSS
    #[arg(long = "ns", value_name = "PREFIX=URI", value_parser = binding)]
    pub namespaces: Vec<(String, String)>,
    /// The most steps that a selection may take
    #[arg(long, value_name = "N", value_parser = amount, default_value = "100000000", help_heading = LIMITS)]
    pub max_steps: usize,
}

/// How a document is read.
#[derive(Debug, Args)]
pub struct Reading {
    /// The document; `-` is standard input
    pub file: PathBuf,
    /// What it is written in [default: by its name, else by its first bytes]
    #[arg(long = "as", value_name = "FORMAT")]
    pub format: Option<FormatArg>,
    /// Read over what is wrong and say so, instead of giving up
    #[arg(long)]
    pub recover: bool,
    /// Whether white space between elements counts
    #[arg(long, value_name = "HOW", default_value = "layout")]
    pub whitespace: WhitespaceArg,
    /// The encoding, as a Content-Type would name it [default: what the document says]
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
}

impl Reading {
    pub fn options(&self) -> Options {
        Options {
            whitespace: self.whitespace.into(),
            recover: self.recover,
            encoding: self.encoding.clone(),
            limits: self.limits.limits(),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FormatArg {
    Xml,
    Html,
    Json,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Format {
        match format {
            FormatArg::Xml => Format::Xml,
            FormatArg::Html => Format::Html,
            FormatArg::Json => Format::Json,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum WhitespaceArg {
    /// White space between elements is layout
    Layout,
    /// Every text is a node
    Exact,
}

impl From<WhitespaceArg> for treediff::parse::Whitespace {
    fn from(whitespace: WhitespaceArg) -> Self {
        match whitespace {
            WhitespaceArg::Layout => Self::Layout,
            WhitespaceArg::Exact => Self::Exact,
        }
    }
}

const LIMITS: &str = "Limits (k, M and G behind a number: times 1024, its square, its cube)";

/// What no document may exceed.
#[derive(Debug, Args)]
struct LimitArgs {
    /// The most bytes to read
    #[arg(long, value_name = "N", value_parser = amount, default_value = "1G", help_heading = LIMITS)]
    max_bytes: usize,
    /// The most nodes, and in HTML the most attributes of all elements
    #[arg(long, value_name = "N", value_parser = amount, default_value = "32M", help_heading = LIMITS)]
    max_nodes: usize,
    /// The deepest nesting
    #[arg(long, value_name = "N", value_parser = amount, default_value = "8M", help_heading = LIMITS)]
    max_depth: usize,
    /// The most attributes of one element
    #[arg(long, value_name = "N", value_parser = amount, default_value = "64k", help_heading = LIMITS)]
    max_attributes: usize,
    /// The most bytes that entities may expand to
    #[arg(long, value_name = "N", value_parser = amount, default_value = "10M", help_heading = LIMITS)]
    max_entity_bytes: usize,
    /// The most levels of entities in entities
    #[arg(long, value_name = "N", value_parser = amount, default_value = "500", help_heading = LIMITS)]
    max_entity_depth: usize,
    /// The most formatting elements of HTML that are opened again
    #[arg(long, value_name = "N", value_parser = amount, default_value = "1M", help_heading = LIMITS)]
    max_reopened: usize,
    /// The most issues to list
    #[arg(long, value_name = "N", value_parser = amount, default_value = "1000", help_heading = LIMITS)]
    max_issues: usize,
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        Limits {
            max_bytes: self.max_bytes,
            max_nodes: self.max_nodes,
            max_depth: self.max_depth,
            max_attributes: self.max_attributes,
            max_entity_bytes: self.max_entity_bytes,
            max_entity_depth: self.max_entity_depth,
            max_reopened: self.max_reopened,
            max_issues: self.max_issues,
        }
    }
}

/// A number with `k`, `M` or `G` behind it for powers of 1024.
fn amount(written: &str) -> Result<usize, String> {
    let (digits, power) = match written.char_indices().last() {
        Some((at, 'k' | 'K')) => (&written[..at], 1),
        Some((at, 'M')) => (&written[..at], 2),
        Some((at, 'G')) => (&written[..at], 3),
        _ => (written, 0),
    };
    let number: usize = digits.parse().map_err(|_| "expected a number such as 5000, 64k, 10M or 2G".to_owned())?;
    number.checked_mul(1 << (10 * power)).ok_or_else(|| "the number is too large".to_owned())
}

fn binding(written: &str) -> Result<(String, String), String> {
    let (prefix, uri) = written.split_once('=').ok_or("expected PREFIX=URI, such as svg=http://www.w3.org/2000/svg")?;
    Ok((prefix.to_owned(), uri.to_owned()))
}

#[cfg(test)]
mod tests {
    use treediff::parse::Whitespace;

    use super::*;

    #[test]
    fn the_flags_agree_with_each_other() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn the_limits_are_those_of_the_library() {
        let Cli { verb: Verb::Canon(canon) } = Cli::parse_from(["deltaic", "canon", "-"]) else {
            panic!("canon is a verb")
        };
        assert_eq!(canon.reading.options().limits, Limits::default());
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

    #[test]
    fn amounts_have_suffixes() {
        assert_eq!(amount("12"), Ok(12));
        assert_eq!(amount("64k"), Ok(65_536));
        assert_eq!(amount("2G"), Ok(2 << 30));
        for wrong in ["", "k", "-1", "1.5M", "12é", "99999999999999999999", "99999999999999G"] {
            assert!(amount(wrong).is_err(), "{wrong}");
        }
    }
}

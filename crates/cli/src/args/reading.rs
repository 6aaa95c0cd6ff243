//! How is a document to be read? Flags that all verbs share.

use clap::{Args, ValueEnum};
use treediff::parse::{Limits, Options};
use treediff::tree::Format;

use super::store::StoreArgs;

// How a document is read.
#[derive(Debug, Args)]
pub struct Reading {
    /// What it is written in [default: by its name, else by its first bytes]
    #[arg(id = "as", long = "as", value_name = "FORMAT")]
    pub format: Option<FormatArg>,
    /// Read over what is wrong and say so, instead of giving up
    #[arg(long)]
    pub recover: bool,
    /// Whether white space between elements counts
    #[arg(long, value_name = "HOW", default_value = "layout")]
    pub whitespace: WhitespaceArg,
    /// The encoding, as on the web: latin1 is windows-1252 [default: what the document says]
    #[arg(long, value_name = "LABEL", value_parser = encoding)]
    pub encoding: Option<String>,
    #[command(flatten)]
    pub store: StoreArgs,
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

fn encoding(label: &str) -> Result<String, String> {
    let known = treediff::parse::is_encoding(label).then(|| label.to_owned());
    known.ok_or_else(|| "no encoding of the web has this label; utf-8, latin1 and shift_jis are some".to_owned())
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

pub const LIMITS: &str = "Limits (k, M and G behind a number: times 1024, its square, its cube)";

// What nothing that is read may exceed, a document or a delta.
#[derive(Debug, Args)]
pub struct SizeLimits {
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
    /// The most bytes that entities may expand to; defaults of attributes may add as many
    #[arg(long, value_name = "N", value_parser = amount, default_value = "10M", help_heading = LIMITS)]
    max_entity_bytes: usize,
    /// The most levels of entities in entities
    #[arg(long, value_name = "N", value_parser = amount, default_value = "500", help_heading = LIMITS)]
    max_entity_depth: usize,
}

// What no document may exceed.
#[derive(Debug, Args)]
struct LimitArgs {
    #[command(flatten)]
    sizes: SizeLimits,
    /// The most formatting elements of HTML that are opened again
    #[arg(long, value_name = "N", value_parser = amount, default_value = "1M", help_heading = LIMITS)]
    max_reopened: usize,
    /// The most bytes of attributes that those have again
    #[arg(long, value_name = "N", value_parser = amount, default_value = "64M", help_heading = LIMITS)]
    max_reopened_bytes: usize,
    /// The most issues to list
    #[arg(long, value_name = "N", value_parser = amount, default_value = "1000", help_heading = LIMITS)]
    max_issues: usize,
}

impl SizeLimits {
    pub fn limits(&self) -> Limits {
        Limits {
            max_bytes: self.max_bytes,
            max_nodes: self.max_nodes,
            max_depth: self.max_depth,
            max_attributes: self.max_attributes,
            max_entity_bytes: self.max_entity_bytes,
            max_entity_depth: self.max_entity_depth,
            ..Limits::default()
        }
    }
}

impl LimitArgs {
    fn limits(&self) -> Limits {
        Limits {
            max_reopened: self.max_reopened,
            max_reopened_bytes: self.max_reopened_bytes,
            max_issues: self.max_issues,
            ..self.sizes.limits()
        }
    }
}

/// A number with `k`, `M` or `G` behind it for powers of 1024.
pub fn amount(written: &str) -> Result<usize, String> {
    let (digits, power) = match written.char_indices().last() {
        Some((at, 'k' | 'K')) => (&written[..at], 1),
        Some((at, 'M')) => (&written[..at], 2),
        Some((at, 'G')) => (&written[..at], 3),
        _ => (written, 0),
    };
    let number: usize = digits.parse().map_err(|_| "expected a number such as 5000, 64k, 10M or 2G".to_owned())?;
    number.checked_mul(1 << (10 * power)).ok_or_else(|| "the number is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! What is a state of a page that is kept? A [`Version`].

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use treediff::tree::Format;

/// What is known of a version, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its number among the versions of its page, from 1.
    pub number: u32,
    /// When it was first seen.
    pub time: Timestamp,
    /// The blake3 hash of its content.
    pub hash: blake3::Hash,
    /// The bytes of its content.
    pub length: u64,
    /// The HTTP status that it came with.
    pub status: u16,
    /// What came with it.
    pub details: Details,
    /// The number of the content in the store, which versions share that are the same.
    pub(crate) content: i64,
}

impl Version {
    /// Whether some bytes are its content.
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        self.length == bytes.len() as u64 && self.hash == blake3::hash(bytes)
    }
}

/// What a capture said beside its content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// The title of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The media type, by its header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The encoding that the transport names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// What it was read as; nothing where it is no tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// The headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

/// The format of a version that is a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tree {
    /// XML.
    Xml,
    /// HTML.
    Html,
    /// JSON.
    Json,
}

impl From<Tree> for Format {
    fn from(tree: Tree) -> Self {
        match tree {
            Tree::Xml => Format::Xml,
            Tree::Html => Format::Html,
            Tree::Json => Format::Json,
        }
    }
}

impl From<Format> for Tree {
    fn from(format: Format) -> Self {
        match format {
            Format::Xml => Tree::Xml,
            Format::Html => Tree::Html,
            Format::Json => Tree::Json,
        }
    }
}

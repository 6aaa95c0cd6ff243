//! What does a program want to know of a version?

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use store::{Address, Tree, Version};

/// A version in `--json` output.
#[derive(Debug, Serialize)]
pub struct VersionFacts<'a> {
    page: String,
    version: u32,
    time: Timestamp,
    bytes: u64,
    /// blake3.
    hash: String,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
    /// What it was read as.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Tree>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> VersionFacts<'a> {
    pub fn of(address: &Address, version: &'a Version) -> Self {
        let details = &version.details;
        let mut headers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, value) in &details.headers {
            headers.entry(name).or_default().push(value);
        }
        VersionFacts {
            page: address.to_string(),
            version: version.number,
            time: version.time,
            bytes: version.length,
            hash: version.hash.to_hex().to_string(),
            status: version.status,
            title: details.title.as_deref(),
            media_type: details.media_type.as_deref(),
            tree: details.tree,
            headers,
        }
    }
}

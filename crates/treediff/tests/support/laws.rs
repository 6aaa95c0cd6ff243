//! Which laws does a delta have to keep? Those of its description, asked of one delta and the two versions it is of.

#![allow(dead_code)] // every test binary uses its own part

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use treediff::delta::{ApplyError, ApplyOptions, Delta, document_hash};
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Format};
use treediff::write;

/// A page that says to be ISO-2022-JP, whose next versions do not say so and have the escape character in names: that
/// cannot be written in the encoding that the page has.
const IN_ESCAPES: &str = "httpd-manual-legacy-enc/docs_manual_mod_index.html.ja.jis/001-";

pub struct Version {
    pub file: PathBuf,
    pub document: Arc<Document>,
    /// Whether it is well-formed, and its successors can be written in its encoding.
    pub is_sound: bool,
}

impl Version {
    /// The document in a file; what is not well-formed is read over.
    pub fn read(file: &Path, format: Format, whitespace: Whitespace) -> Version {
        let source = fs::read(file).expect("a readable file");
        let options = Options { whitespace, ..Options::default() };
        let strict = parse::parse(source.clone(), format, &options);
        let is_sound = strict.is_ok() && !file.to_string_lossy().contains(IN_ESCAPES);
        let parsed = strict.or_else(|_| parse::parse(source, format, &Options { recover: true, ..options }));
        let document = Arc::new(parsed.expect("a recovered document").document.with_sorted_members());
        Version { file: file.to_owned(), document, is_sound }
    }

    /// A document that is well-formed.
    pub fn of(document: Arc<Document>) -> Version {
        Version { file: PathBuf::new(), document, is_sound: true }
    }
}

/// What was asked, beyond what does or does not hold.
#[derive(Default)]
pub struct Seen {
    /// Deltas that could not be read and results that could not be written, where a version is no document of its
    /// format to begin with.
    pub refused: usize,
    /// Canonical forms that were compared.
    pub canonical: usize,
    /// Results whose canonical form is not that of the version after, for the sake of prefixes.
    pub other_prefixes: usize,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.refused += other.refused;
        self.canonical += other.canonical;
        self.other_prefixes += other.other_prefixes;
    }
}

pub fn check_delta(delta: &Delta, before: &Version, after: &Version, seen: &mut Seen) -> Result<(), String> {
    match Delta::read(delta.to_xydelta(), &Default::default()) {
        Err(_) if !(before.is_sound && after.is_sound) => seen.refused += 1,
        read => check_written(delta, &read.map_err(|error| error.to_string())?)?,
    }
    let inverse = delta.inverted();
    law(inverse.inverted().same_as(delta), "inverted twice")?;
    law(composed(delta, &inverse)?.is_empty(), "a delta and its inverse")?;
    law(composed(&inverse, delta)?.is_empty(), "an inverse and its delta")?;
    check_applied(&inverse, after, before, seen)?;
    check_applied(delta, before, after, seen)
}

/// A delta is what is read of its file, and of its script.
fn check_written(delta: &Delta, read: &Delta) -> Result<(), String> {
    law(read.same_as(delta), "written and read")?;
    law(read.to_xydelta() == delta.to_xydelta(), "written, read and written")?;
    let script = delta.to_script().to_delta().map_err(|error| error.to_string())?;
    law(script.same_as(delta), "a script of a delta")
}

pub fn check_applied(delta: &Delta, before: &Version, after: &Version, seen: &mut Seen) -> Result<(), String> {
    let patched = match delta.apply(&before.document, &ApplyOptions::default()) {
        Err(ApplyError::Unreadable(_) | ApplyError::ReadsDifferently { .. })
            if !(before.is_sound && after.is_sound) =>
        {
            seen.refused += 1;
            return Ok(());
        }
        outcome => outcome.map_err(|error| error.to_string())?,
    };
    law(patched.document.root().same_content(after.document.root()), "applied: the tree of the other version")?;
    law(document_hash(&patched.document) == delta.to_hash(), "applied: its hash")?;
    law(document_hash(&after.document) == delta.to_hash(), "the hash of the version after")?;
    law(patched.xids == *delta.to_xids(), "applied: its XIDs")?;
    law(patched.next_xid == delta.next_xid(), "applied: the next XID")?;
    if delta.format() == Format::Xml && delta.whitespace() == Whitespace::Exact {
        let is_same = write::canonical(&patched.document) == write::canonical(&after.document);
        law(is_same || prefixes(&before.document) != prefixes(&after.document), "applied: its canonical form")?;
        seen.canonical += 1;
        seen.other_prefixes += usize::from(!is_same);
    }
    Ok(())
}

/// The prefixes that names are written with, and what they stand for.
fn prefixes(document: &Document) -> BTreeSet<(&str, &str)> {
    let elements = document.nodes().filter(|node| node.is_element());
    let names = elements.flat_map(|node| {
        let of_attributes = node.attributes().map(|attribute| (attribute.prefix(), attribute.name().namespace));
        of_attributes.chain([(node.prefix(), node.name().namespace)])
    });
    names.collect()
}

pub fn composed(first: &Delta, second: &Delta) -> Result<Delta, String> {
    first.compose(second).map_err(|error| format!("composing: {error}"))
}

pub fn law(holds: bool, name: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(name.to_owned()) }
}

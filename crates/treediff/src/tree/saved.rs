//! How is a document kept without parsing it again? As its arrays, one section each, that are mapped back in place.
//!
//! [`Document::save`] writes them, and [`Saved::open`] looks at the header alone. From there are two ways on:
//! [`Saved::document`] checks everything and hands out a document whose arrays are views of the given bytes: nothing is
//! copied but the names. [`Saved::root`] leads to a node and to a document of its subtree alone, and whatever is read on
//! the way is checked there and then, so that one record of a large document costs next to nothing.
//! The bytes are not trusted: besides checksums over every block, whatever an accessor relies on is checked, so a
//! file made on purpose gives an error or a strange document, but no panic. The layout is `docs/formats/saved.md`.

mod blocks;
mod check;
mod columns;
mod extract;
mod layout;
mod node;

pub use node::{SavedChildren, SavedNode};

use std::borrow::Cow;
use std::io;

use bytemuck::Pod;
use bytes::Bytes;
use encoding_rs::Encoding;

use super::column::{Column, Text};
use super::sums::ByteSums;
use super::{Document, Format, Names, NodeId};
use columns::Columns;
use layout::{Header, Layout, SectionName};

/// Why there is no document in some bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// The bytes are something else.
    #[error("found no saved document: the first bytes are not those of one")]
    NotSaved,
    /// They are of another version of the format.
    #[error(
        "found a document saved in format {found}, expected format {} or less; parse the source again",
        layout::VERSION
    )]
    Version {
        /// The version that the bytes name.
        found: u32,
    },
    /// There are fewer or more bytes than there should be.
    #[error("the saved document is damaged: found {found} bytes, expected {expected}; parse the source again")]
    Length {
        /// Bytes that the header promises.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A part of it is not as it was written.
    #[error("the saved document is damaged: section `{section}` {flaw}; parse the source again")]
    Damaged {
        /// The part.
        section: String,
        /// What is wrong with it.
        flaw: &'static str,
    },
    /// The arrays are little-endian and are not converted.
    #[error("saved documents can be read on little-endian machines only; parse the source again")]
    BigEndian,
}

/// The section of learned key fields.
const KEYS: &str = "keys";

fn damaged(section: &str, flaw: &'static str) -> SavedError {
    SavedError::Damaged { section: section.to_owned(), flaw }
}

/// A saved document whose header has been read; the rest is checked as it is asked for.
#[derive(Debug, Clone)]
pub struct Saved {
    header: Header,
    format: Format,
    encoding: &'static Encoding,
    layout: Layout,
    columns: Columns,
}

impl Saved {
    /// Reads the header; takes the same time however large the document is, unless the bytes are not aligned to 8 in
    /// memory and have to be copied.
    ///
    /// ```
    /// use treediff::parse::{self, Options};
    /// use treediff::tree::Saved;
    ///
    /// let document = parse::json(br#"{"tea": 2}"#, &Options::default())?.document;
    /// let saved = Saved::open(document.save())?;
    /// assert_eq!(saved.root_hash(), document.root().hash());
    /// assert_eq!(saved.document()?.source(), document.source());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(bytes: impl Into<Bytes>) -> Result<Saved, SavedError> {
        if cfg!(target_endian = "big") {
            return Err(SavedError::BigEndian);
        }
        let (header, layout) = Layout::open(bytes.into())?;
        let format = header.format().ok_or(damaged(layout::HEADER, "names an unknown format"))?;
        let encoding = header.encoding().ok_or(damaged(layout::HEADER, "names an unknown encoding"))?;
        let columns = Columns::find(&layout)?;
        Ok(Saved { header, format, encoding, layout, columns })
    }

    /// What the document was written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.header.nodes as usize
    }

    /// The hash of the whole document: that of its root node.
    pub fn root_hash(&self) -> u64 {
        self.header.root_hash
    }

    /// The key fields that were saved with the document, as they were given; `None` where there are none.
    pub fn keys(&self) -> Result<Option<Bytes>, SavedError> {
        self.layout.has_section(KEYS).then(|| self.section(KEYS)).transpose()
    }

    /// Checks everything and maps the document.
    pub fn document(&self) -> Result<Document, SavedError> {
        let document = Document {
            format: self.format,
            encoding: self.encoding,
            has_byte_order_mark: self.header.has_byte_order_mark != 0,
            original: self.layout.has_section("original").then(|| self.section("original")).transpose()?,
            text: Text::mapped(self.section("text")?).ok_or(damaged("text", "is not UTF-8"))?,
            source_len: self.header.source_len,
            names: self.names()?,
            labels: self.column("labels")?,
            parents: self.column("parents")?,
            ends: self.column("ends")?,
            spans: self.column("spans")?,
            hashes: self.column("hashes")?,
            weights: self.sums("weights", "weight-sums")?,
            attribute_counts: self.sums("attribute-counts", "attribute-sums")?,
            wide: self.column("wide")?,
            attributes: self.column("attributes")?,
            declarations: self.column("declarations")?,
            origins: self.column("origins")?,
            id_attributes: self.column("id-attributes")?,
            doctype: self.header.doctype(),
            places_of_kept: Default::default(),
        };
        check::check(&document, self.node_count(), self.root_hash())
            .map_err(|(section, flaw)| damaged(section, flaw))?;
        Ok(document)
    }

    /// The document node, from which all others are reached; what is read on the way is checked then.
    ///
    /// ```
    /// use treediff::parse;
    /// use treediff::tree::Saved;
    ///
    /// let shop = "<shop><item n='1'>tea</item><item n='2'><b>milk</b></item></shop>";
    /// let saved = Saved::open(parse::xml(shop, &Default::default())?.document.save())?;
    /// for item in saved.root()?.children().next().unwrap()?.children() {
    ///     let item = item?;
    ///     if item.attribute("", "n")?.as_deref() == Some("2") {
    ///         assert_eq!(item.document()?.source(), "<item n='2'><b>milk</b></item>");
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn root(&self) -> Result<SavedNode<'_>, SavedError> {
        self.node(NodeId::DOCUMENT)
    }

    /// The node at a place of the document that was saved.
    pub fn node(&self, id: NodeId) -> Result<SavedNode<'_>, SavedError> {
        SavedNode::read(self, id, self.header.nodes)
    }

    fn section(&self, name: &'static str) -> Result<Bytes, SavedError> {
        self.layout.section(name)
    }

    fn column<T: Pod>(&self, name: &'static str) -> Result<Column<T>, SavedError> {
        Column::mapped(self.section(name)?).ok_or(damaged(name, "is not a whole number of entries"))
    }

    fn sums(&self, values: &'static str, bases: &'static str) -> Result<ByteSums, SavedError> {
        Ok(ByteSums { values: self.column(values)?, bases: self.column(bases)? })
    }

    fn names(&self) -> Result<Names, SavedError> {
        let text = self.section("name-text")?;
        let text = std::str::from_utf8(&text).map_err(|_| damaged("name-text", "is not UTF-8"))?;
        Names::restored(text, &self.column("namespaces")?, &self.column("names")?)
            .ok_or(damaged("names", "is not a list of different names"))
    }
}

impl Document {
    /// The document in the form that [`Saved::open`] reads.
    pub fn save(&self) -> Vec<u8> {
        let mut saved = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.save_to(&mut saved);
        saved
    }

    /// Writes the document in the form that [`Saved::open`] reads.
    pub fn save_to(&self, out: impl io::Write) -> io::Result<()> {
        layout::write(self.header(), &self.sections(), out)
    }

    /// The same with the key fields that were learned from the document, so that the next comparison does not seek them
    /// again: whatever they are written as comes back by [`Saved::keys`].
    ///
    /// ```
    /// use treediff::matching::{KeyFields, Kfdiff};
    /// use treediff::parse;
    /// use treediff::tree::Saved;
    ///
    /// let document = parse::xml("<l><i n='1'>x</i><i n='2'>x</i></l>", &Default::default())?.document;
    /// let keys = Kfdiff::sorting().learned(&document, &Default::default());
    /// let saved = Saved::open(document.save_with_keys(&keys.to_string()))?;
    /// assert_eq!(KeyFields::of_saved(&saved)?.unwrap().field("/l/i"), Some("@n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_with_keys(&self, keys: &str) -> Vec<u8> {
        let mut sections = self.sections();
        sections.push((KEYS, Cow::from(keys.as_bytes())));
        let mut saved = Vec::new();
        // Writing to memory cannot fail.
        let _ = layout::write(self.header(), &sections, &mut saved);
        saved
    }

    fn header(&self) -> Header {
        let mut header = Header::new(self.format, self.encoding, self.doctype);
        header.nodes = self.len() as u32;
        header.source_len = self.source_len;
        header.has_byte_order_mark = self.has_byte_order_mark.into();
        header.root_hash = self.hashes[0];
        header
    }

    fn sections(&self) -> Vec<(SectionName, Cow<'_, [u8]>)> {
        let (name_text, namespaces, names) = self.names.to_saved();
        let original = self.original.iter().map(|bytes| ("original", Cow::from(bytes.as_ref())));
        let mut sections = vec![
            ("text", Cow::from(self.text.as_bytes())),
            ("name-text", name_text.as_bytes().into()),
            ("namespaces", owned(&namespaces)),
            ("names", owned(&names)),
            ("labels", self.labels.as_bytes().into()),
            ("parents", self.parents.as_bytes().into()),
            ("ends", self.ends.as_bytes().into()),
            ("spans", self.spans.as_bytes().into()),
            ("hashes", self.hashes.as_bytes().into()),
            ("weights", self.weights.values.as_bytes().into()),
            ("weight-sums", self.weights.bases.as_bytes().into()),
            ("attribute-counts", self.attribute_counts.values.as_bytes().into()),
            ("attribute-sums", self.attribute_counts.bases.as_bytes().into()),
            ("wide", self.wide.as_bytes().into()),
            ("attributes", self.attributes.as_bytes().into()),
            ("declarations", self.declarations.as_bytes().into()),
            ("origins", self.origins.as_bytes().into()),
            ("id-attributes", self.id_attributes.as_bytes().into()),
        ];
        sections.extend(original);
        sections
    }
}

fn owned<T: Pod>(values: &[T]) -> Cow<'static, [u8]> {
    Cow::Owned(bytemuck::cast_slice(values).to_vec())
}

#[cfg(test)]
mod tests;

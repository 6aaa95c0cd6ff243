//! What does one entry of a section say? Read with its block checked, without looking at the rest of the section.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use super::super::sums;
use super::super::{Declaration, Label, Origin, Span, StoredAttribute, WideElement};
use super::layout::{Layout, Section, SectionName};
use super::{SavedError, damaged};

/// A section of entries that are checked when they are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lazy<T> {
    name: SectionName,
    section: Section,
    len: usize,
    entry: PhantomData<T>,
}

impl<T: Pod> Lazy<T> {
    fn find(layout: &Layout, name: SectionName) -> Result<Self, SavedError> {
        let section = layout.find(name)?;
        let bytes = layout.len(section);
        if !bytes.is_multiple_of(size_of::<T>()) {
            return Err(damaged(name, "is not a whole number of entries"));
        }
        Ok(Lazy { name, section, len: bytes / size_of::<T>(), entry: PhantomData })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, layout: &Layout, at: usize) -> Result<T, SavedError> {
        self.slice(layout, at..at.saturating_add(1)).map(|entries| entries[0])
    }

    pub(super) fn slice<'l>(&self, layout: &'l Layout, range: Range<usize>) -> Result<&'l [T], SavedError> {
        let byte = |at: usize| at.saturating_mul(size_of::<T>());
        let bytes = layout.read(self.section, byte(range.start)..byte(range.end))?;
        bytemuck::try_cast_slice(bytes).map_err(|_| damaged(self.name, "is not aligned"))
    }

    /// Where the entries end that come before something, in a section that is sorted by it.
    pub(super) fn partition_point(&self, layout: &Layout, is_before: impl Fn(&T) -> bool) -> Result<usize, SavedError> {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(&self.get(layout, middle)?) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }
}

/// All sections that a document is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) text: Lazy<u8>,
    pub(super) name_text: Lazy<u8>,
    pub(super) namespaces: Lazy<[u32; 2]>,
    pub(super) names: Lazy<[u32; 3]>,
    pub(super) labels: Lazy<Label>,
    pub(super) parents: Lazy<u32>,
    pub(super) ends: Lazy<u32>,
    pub(super) spans: Lazy<Span>,
    pub(super) hashes: Lazy<u64>,
    pub(super) weights: Lazy<u8>,
    pub(super) attribute_counts: Lazy<u8>,
    pub(super) attribute_sums: Lazy<u32>,
    pub(super) wide: Lazy<WideElement>,
    pub(super) attributes: Lazy<StoredAttribute>,
    pub(super) declarations: Lazy<Declaration>,
    pub(super) origins: Lazy<Origin>,
    pub(super) id_attributes: Lazy<[u32; 2]>,
}

impl Columns {
    /// Finds them; nothing of them is read.
    pub(super) fn find(layout: &Layout) -> Result<Self, SavedError> {
        Ok(Columns {
            text: Lazy::find(layout, "text")?,
            name_text: Lazy::find(layout, "name-text")?,
            namespaces: Lazy::find(layout, "namespaces")?,
            names: Lazy::find(layout, "names")?,
            labels: Lazy::find(layout, "labels")?,
            parents: Lazy::find(layout, "parents")?,
            ends: Lazy::find(layout, "ends")?,
            spans: Lazy::find(layout, "spans")?,
            hashes: Lazy::find(layout, "hashes")?,
            weights: Lazy::find(layout, "weights")?,
            attribute_counts: Lazy::find(layout, "attribute-counts")?,
            attribute_sums: Lazy::find(layout, "attribute-sums")?,
            wide: Lazy::find(layout, "wide")?,
            attributes: Lazy::find(layout, "attributes")?,
            declarations: Lazy::find(layout, "declarations")?,
            origins: Lazy::find(layout, "origins")?,
            id_attributes: Lazy::find(layout, "id-attributes")?,
        })
    }

    /// How many attributes the nodes before one have, those that a byte cannot count left out.
    pub(super) fn attributes_before(&self, layout: &Layout, node: usize) -> Result<u64, SavedError> {
        // That of the node before has an entry whatever the node is: it may be the end of all.
        let block = node.saturating_sub(1) / sums::BLOCK;
        let before = u64::from(self.attribute_sums.get(layout, block)?);
        let counts = self.attribute_counts.slice(layout, block * sums::BLOCK..node)?;
        Ok(before + counts.iter().map(|&count| u64::from(count)).sum::<u64>())
    }
}

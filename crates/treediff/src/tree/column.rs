//! Where do a document's arrays live? In memory of their own, or in the bytes of a saved form.

use std::ops::Deref;

use bytemuck::Pod;
use bytes::Bytes;

/// An array of plain values, owned or a view of saved bytes.
#[derive(Debug, Clone)]
pub(crate) enum Column<T> {
    Owned(Vec<T>),
    /// Aligned and of a whole number of values, which [`Column::mapped`] has checked.
    Mapped(Bytes),
}

impl<T: Pod> Column<T> {
    /// A view of saved bytes; `None` where they are not aligned or not a whole number of values.
    pub(crate) fn mapped(bytes: Bytes) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(&bytes).ok()?;
        Some(Column::Mapped(bytes))
    }

    /// The values in memory of their own.
    pub(crate) fn into_vec(self) -> Vec<T> {
        match self {
            Column::Owned(values) => values,
            Column::Mapped(_) => self.to_vec(),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    /// Bytes of memory of its own.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Column::Owned(values) => values.capacity() * size_of::<T>(),
            Column::Mapped(_) => 0,
        }
    }
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Column::Owned(Vec::new())
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Column::Owned(values)
    }
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Column::Owned(values) => values,
            Column::Mapped(bytes) => bytemuck::cast_slice(bytes),
        }
    }
}

/// A document's text: the source, then whatever could not be had as a piece of it.
#[derive(Debug, Clone)]
pub(crate) enum Text {
    Owned(String),
    /// Valid UTF-8, which [`Text::mapped`] has checked.
    Mapped(Bytes),
}

impl Text {
    pub(crate) fn mapped(bytes: Bytes) -> Option<Self> {
        simdutf8::basic::from_utf8(&bytes).ok()?;
        Some(Text::Mapped(bytes))
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    #[allow(unsafe_code)]
    fn deref(&self) -> &str {
        match self {
            Text::Owned(text) => text,
            // SAFETY: `mapped` is the only maker of this variant and has checked these very bytes, and `Bytes` is
            // immutable. Checking again at every access would make each look at a text linear in the document.
            Text::Mapped(bytes) => unsafe { std::str::from_utf8_unchecked(bytes) },
        }
    }
}

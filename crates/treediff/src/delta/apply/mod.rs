//! What does the document become? A delta applied to the version before gives the version after, or an error that
//! names the operation that does not fit.
//!
//! Everything that an operation says of the version before is checked first, then all of them are done at once to a
//! draft. What the draft writes is parsed again: its hash and its XIDs have to be those that the delta names.

mod additions;
mod changes;
mod error;
mod numbering;
mod removals;
#[cfg(test)]
mod tests;

pub use error::{ApplyError, Fault};

use std::borrow::Cow;

use self::additions::Additions;
use self::error::OperationFault;
use self::numbering::Numbering;
use self::removals::Removals;
use super::{Delta, Operation, Xid, XidMap, document_hash};
use crate::draft::{Draft, FinishError, Reading};
use crate::parse::Limits;
use crate::tree::{Document, Format};

/// How to apply a delta.
#[derive(Debug, Clone, Default)]
pub struct ApplyOptions {
    /// Apply it to a document that is not the one it was made from, if every operation finds what it expects.
    pub force: bool,
    /// The document was read with [`recover`](crate::parse::Options::recover), and so is the new one.
    pub recover: bool,
    /// What the new document may not exceed.
    pub limits: Limits,
}

/// What a delta made of a document.
#[derive(Debug, Clone)]
pub struct Patched {
    /// The version after, with a source of its own in which unchanged parts have the bytes that they had.
    pub document: Document,
    /// The identities of its nodes.
    pub xids: XidMap,
    /// The identity that the next new node will get.
    pub next_xid: Xid,
}

impl Delta {
    /// The version after, made of the version before.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use treediff::delta::{ApplyOptions, Delta, Options};
    /// use treediff::{matching, parse, write};
    ///
    /// let [before, after] = ["<a>\n  <b  x = '1'/>\n</a>\n", "<a><b x='1'/><c>new</c></a>"]
    ///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document)));
    /// let (before, after) = (before?, after?);
    /// let matching = matching::auto(&before, &after, &Default::default());
    /// let delta = Delta::between(&before, &after, &matching, &Options::default())?;
    ///
    /// let patched = delta.apply(&before, &ApplyOptions::default())?;
    /// assert!(patched.document.root().same_content(after.root()));
    /// assert_eq!(write::source(&patched.document), b"<a>\n  <b  x = '1'/>\n  <c>new</c>\n</a>\n");
    ///
    /// let error = delta.apply(&after, &ApplyOptions::default()).map(|_| ()).unwrap_err();
    /// assert!(error.to_string().starts_with("the delta starts from a document with the hash"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Nothing is believed: where an operation does not find what it says (a node, its place, its content), where the
    /// result would not have the hash and the identities that the delta names, there is an error and no document.
    pub fn apply(&self, before: &Document, options: &ApplyOptions) -> Result<Patched, ApplyError> {
        let before = sorted(before);
        let is_expected = self.check_source(&before, options)?;
        let numbering = Numbering::new(&before, &self.from_xids)?;
        let mut draft = Draft::new(&before);
        let (xids, additions) = self.edit(&numbering, &mut draft)?;
        if is_expected && xids != self.to_xids {
            return Err(ApplyError::ResultXids { expected: self.to_xids.to_string(), found: xids.to_string() });
        }
        let hash = is_expected.then_some(self.to_hash);
        let reading = Reading { whitespace: self.whitespace, recover: options.recover, limits: &options.limits, hash };
        let document = draft.finish(&reading).or_else(|error| {
            // Which operation is to blame is worth a look where there is nothing else to give.
            self.named(additions.check(&draft))?;
            self.named(changes::check(&numbering, &self.operations))?;
            Err(self.unfinished(error))
        })?;
        let behind = xids.max().map_or(Xid::FIRST, Xid::next);
        Ok(Patched { document, next_xid: self.next_xid.max(behind), xids })
    }

    fn unfinished(&self, error: FinishError) -> ApplyError {
        match error {
            FinishError::Unreadable(error) => ApplyError::Unreadable(error),
            FinishError::ReadsDifferently { format, at } => ApplyError::ReadsDifferently { format, at },
            FinishError::Encoding(encoding) => ApplyError::Encoding(encoding),
            FinishError::Hash(found) => ApplyError::ResultHash { expected: self.to_hash, found },
        }
    }

    /// Whether the document is the one that the delta was made from; an error where it is not and has to be.
    fn check_source(&self, before: &Document, options: &ApplyOptions) -> Result<bool, ApplyError> {
        if before.format() != self.format {
            return Err(ApplyError::Format { expected: self.format, found: before.format() });
        }
        let found = document_hash(before);
        match found == self.from_hash {
            false if !options.force => Err(ApplyError::SourceHash { expected: self.from_hash, found }),
            is_expected => Ok(is_expected),
        }
    }

    /// Does all operations to the draft; gives the XIDs of what it is then, and what came to it.
    fn edit<'d>(
        &'d self,
        numbering: &Numbering<'d>,
        draft: &mut Draft<'d>,
    ) -> Result<(XidMap, Additions<'d>), ApplyError> {
        let removals = self.named(Removals::find(numbering, &self.operations))?;
        self.named(changes::make(numbering, &removals, &self.operations, draft))?;
        let additions = self.named(Additions::find(numbering, &removals, &self.operations, draft))?;
        removals.detach(draft);
        self.named(additions.attach(draft))?;
        let xids = self.named(additions.xids(numbering, draft))?;
        Ok((xids, additions))
    }

    /// A fault with the operation that has it, in words.
    fn named<T>(&self, result: Result<T, OperationFault>) -> Result<T, ApplyError> {
        result.map_err(|OperationFault { operation, fault }| ApplyError::Operation {
            operation: self.operations.get(operation).map(error::described).unwrap_or_default(),
            fault,
        })
    }
}

/// Positions in JSON count members in the order of their names.
fn sorted(before: &Document) -> Cow<'_, Document> {
    match before.format() {
        Format::Json => Cow::Owned(before.clone().with_sorted_members()),
        Format::Xml | Format::Html => Cow::Borrowed(before),
    }
}

/// The fault of the operation with this number.
fn fault_of(operation: usize, fault: Fault) -> OperationFault {
    OperationFault { operation, fault }
}

/// The operations with their numbers.
fn numbered(operations: &[Operation]) -> impl Iterator<Item = (usize, &Operation)> {
    operations.iter().enumerate()
}

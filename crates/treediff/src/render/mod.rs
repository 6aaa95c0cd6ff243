//! What changed, for people? Two versions of a document as one tree, line by line, of which only the surroundings of
//! the changes are shown.
//!
//! A [`TreeDiff`] knows what changed from the delta alone and never compares nodes. It walks the version after, and at
//! the places where something is gone the version before; what has no change in or near it is passed over in one step,
//! so the work is that of reading what is shown and counting the children of what is around it.
//!
//! ```text
//!   <menu>
//! →   <dish id="cake">…</dish>  moved (1) to position 1 of /menu/desserts
//!     <dish id="soup">
//! -     <status>Not available</status>
//! ~     <price eur="[-4.50-]{+4.80+}"/>
//!     </dish>
//!     …
//!     <desserts>
//! ←     <dish id="cake">…</dish>  moved (1) from position 1 of /menu
//!     </desserts>
//!   </menu>
//! ```

mod changes;
mod describe;
pub mod html;
mod line;
mod siblings;
mod summary;
mod visible;
mod walk;

pub use line::{Line, Mark, Role, Run};
pub use summary::{Cell, Direction, EXCERPT, Entry, Piece, Place, Section, Summary};
pub use visible::{printable, push_visible};

use std::fmt;

use crate::delta::{Delta, document_hash};
use crate::matching::Fallbacks;
use crate::tree::Document;
use changes::Changes;
use walk::Walker;

/// How much is shown around the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Siblings on either side of a change.
    pub siblings: usize,
    /// Ancestors above a change; the root element is always there.
    pub ancestors: usize,
    /// Characters of a text that did not change, and of a changed one on either side of a change.
    pub text: usize,
    /// Characters of a text that is deleted or inserted.
    pub changed_text: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { siblings: 2, ancestors: 8, text: 40, changed_text: 400 }
    }
}

/// The delta does not lead from the one document to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the delta leads from {from:016x} to {to:016x}, the documents are {before:016x} and {after:016x}")]
pub struct OtherDocuments {
    from: u64,
    to: u64,
    before: u64,
    after: u64,
}

/// The difference of two documents, for people.
///
/// It is written line by line, so that whoever has seen enough can stop; colours are for whoever writes the lines.
/// Shown as text, it is as in `git diff --word-diff`: `[-gone-]{+new+}`.
#[derive(Debug)]
pub struct TreeDiff<'d> {
    changes: Changes<'d>,
    options: Options,
    /// Those of the comparison, where anything changed.
    fallbacks: Fallbacks,
}

impl<'d> TreeDiff<'d> {
    /// Finds the nodes that the operations speak of.
    pub fn new(
        before: &'d Document,
        after: &'d Document,
        delta: &'d Delta,
        options: Options,
    ) -> Result<Self, OtherDocuments> {
        let found = [document_hash(before), document_hash(after)];
        if found != [delta.from_hash(), delta.to_hash()] {
            let [before, after] = found;
            return Err(OtherDocuments { from: delta.from_hash(), to: delta.to_hash(), before, after });
        }
        let fallbacks = if delta.is_empty() { Fallbacks::default() } else { delta.fallbacks() };
        Ok(TreeDiff { changes: Changes::new(before, after, delta), options, fallbacks })
    }

    /// Gives the lines to `show`, one by one, until it fails; the last has the fallbacks of the comparison, if there were any.
    pub fn for_each_line<E>(&self, mut show: impl FnMut(Line) -> Result<(), E>) -> Result<(), E> {
        Walker::new(&self.changes, self.options, &mut show).walk()?;
        let Some(told) = self.fallbacks.told() else { return Ok(()) };
        let mut line = Line::new(Mark::Omitted, 0);
        line.push(Role::Note, &told);
        show(line)
    }
}

impl fmt::Display for TreeDiff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.for_each_line(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests;

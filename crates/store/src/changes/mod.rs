//! Which changes match? The operations of a step by their kind, their place and their text.
//!
//! A question over all pages is asked of every step there is, and most of them have no answer. So the kinds are asked first, then the
//! paths, then the delta as it is written ([`text`]); it is read only where all of them may match.

mod inside;
mod pattern;
mod search;
mod text;

pub use pattern::{PathPattern, PatternError};
pub use search::{Changed, Search};

use std::borrow::Cow;
use std::sync::Arc;

use inside::inside;
use pattern::Taken;
use text::Needle;
use treediff::delta::{Fragment, Operation, Xid};
use treediff::tree;

use crate::steps::{Described, Kind, Kinds, Step, StepError};

/// Which changes are meant.
///
/// ```
/// use store::{Filter, Kind, Kinds};
///
/// let filter = Filter::new(Kinds::from(Kind::Update), Some("//price".parse()?), Some("299"));
/// assert!(filter.kinds().has(Kind::Update));
/// # Ok::<(), store::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Filter {
    kinds: Kinds,
    path: Option<PathPattern>,
    text: Option<Needle>,
}

/// An operation that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What happened.
    pub kind: Kind,
    /// Where: the label path of the node, [`crate::LabelPaths::written`].
    pub path: Arc<str>,
    /// The node.
    pub xid: Xid,
    /// What was there before: a value, or all text of what was deleted. A move has neither.
    pub before: Option<String>,
    /// What is there after.
    pub after: Option<String>,
}

impl Default for Filter {
    /// All changes.
    fn default() -> Self {
        Filter::new(Kinds::ALL, None, None)
    }
}

impl Filter {
    /// Changes of these kinds, at these places, that have this text before or after; its case and white space do not count.
    pub fn new(kinds: Kinds, path: Option<PathPattern>, text: Option<&str>) -> Self {
        Filter { kinds, path, text: text.and_then(Needle::new) }
    }

    /// The kinds, by which a database can leave out most steps.
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Which operations of a step are of the right kind, and at the right place or above it.
    fn marked(&self, step: &Step<'_>) -> Vec<Mark> {
        let Some(path) = &self.path else {
            let mark = |operation: &Described| if self.kinds.has(operation.kind) { Mark::All } else { Mark::Nothing };
            return step.operations().iter().map(mark).collect();
        };
        let taken = path.taken(step.paths());
        let written = step.delta_text().unwrap_or_default();
        let mut may_be_below = None;
        let mark = |operation: &Described| match (operation.kind, taken[operation.path]) {
            (kind, _) if !self.kinds.has(kind) => Mark::Nothing,
            (_, taken) if path.is_whole(taken) => Mark::All,
            (Kind::Insert | Kind::Delete, taken)
                if taken.is_on_the_way() && *may_be_below.get_or_insert_with(|| path.may_be_written(written)) =>
            {
                Mark::Inside(taken)
            }
            _ => Mark::Nothing,
        };
        step.operations().iter().map(mark).collect()
    }

    fn may_have_text(&self, step: &Step<'_>) -> bool {
        let delta = step.delta_text().unwrap_or_default();
        self.text.as_ref().is_none_or(|text| text.may_be_in(delta))
    }
}

/// What of an operation may be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Nothing,
    All,
    /// Some of the nodes that it brings or takes away, at whose root these steps of the pattern were taken.
    Inside(Taken),
}

/// The operations of a stored step that match, in the order of its delta.
pub fn matching(step: &[u8], filter: &Filter) -> Result<Vec<Change>, StepError> {
    let step = Step::from_bytes(step)?;
    if (step.kinds() & filter.kinds).is_empty() {
        return Ok(Vec::new());
    }
    let marked = filter.marked(&step);
    if marked.iter().all(|mark| *mark == Mark::Nothing) || !filter.may_have_text(&step) {
        return Ok(Vec::new());
    }
    Ok(changes(&step, &step.told()?, &marked, filter))
}

fn changes(step: &Step<'_>, operations: &[Operation], marked: &[Mark], filter: &Filter) -> Vec<Change> {
    let mut written: Vec<Option<Arc<str>>> = vec![None; step.paths().count()];
    let mut changes = Vec::new();
    for ((operation, described), mark) in operations.iter().zip(step.operations()).zip(marked) {
        let mut path = || {
            let path = written[described.path].get_or_insert_with(|| step.paths().written(described.path).into());
            Arc::clone(path)
        };
        match mark {
            Mark::Nothing => {}
            Mark::All => changes.extend(whole(operation, described.kind, filter, path)),
            Mark::Inside(taken) => changes.extend(parts(operation, described.kind, filter, *taken, &path())),
        }
    }
    changes
}

/// The change that an operation is, if it has the text.
fn whole(operation: &Operation, kind: Kind, filter: &Filter, mut path: impl FnMut() -> Arc<str>) -> Option<Change> {
    let sides = sides(operation);
    let has = |text: &Needle| sides.iter().flatten().any(|side| side.has(text));
    filter.text.as_ref().is_none_or(has).then(|| {
        let [before, after] = sides.map(|side| side.map(Texts::spaced));
        Change { kind, path: path(), xid: operation.node(), before, after }
    })
}

/// The changes that parts of what comes or goes are.
fn parts(operation: &Operation, kind: Kind, filter: &Filter, taken: Taken, path: &str) -> Vec<Change> {
    let (Operation::Delete { content, xids, .. } | Operation::Insert { content, xids, .. }, Some(pattern)) =
        (operation, &filter.path)
    else {
        return Vec::new();
    };
    let mut met = inside(pattern, taken, content, xids);
    met.retain(|met| filter.text.as_ref().is_none_or(|text| met.texts.has(text)));
    let change = |met: inside::Met<'_>| {
        let text = Some(met.texts.spaced());
        let (before, after) = if kind == Kind::Delete { (text, None) } else { (None, text) };
        Change { kind, path: format!("{path}{}", met.path).into(), xid: met.xid, before, after }
    };
    met.into_iter().map(change).collect()
}

/// What is there before and after an operation.
fn sides(operation: &Operation) -> [Option<Texts<'_>>; 2] {
    let one = |text| Some(Texts(vec![Cow::Borrowed(text)]));
    match operation {
        Operation::Delete { content, .. } => [Some(Texts::of(content)), None],
        Operation::Insert { content, .. } => [None, Some(Texts::of(content))],
        Operation::Move { .. } => [None, None],
        Operation::Update { before, after, .. } => [one(before), one(after)],
        Operation::Attribute { change, .. } => {
            let (before, after) = change.values();
            [before.and_then(one), after.and_then(one)]
        }
        Operation::Doctype { before, after } => [before, after].map(|text| text.as_deref().and_then(one)),
    }
}

/// The texts of one or more nodes, in order.
struct Texts<'o>(Vec<Cow<'o, str>>);

impl<'o> Texts<'o> {
    /// Those of a piece of a document, without comments and the like; but a comment that is all of it has its own.
    fn of(content: &'o Fragment) -> Self {
        let root = content.root();
        if !root.kind().is_container() {
            return Texts(vec![root.value()]);
        }
        let texts = content.nodes().filter(|node| is_text(node.kind()));
        Texts(texts.map(|node| node.value()).collect())
    }

    fn has(&self, text: &Needle) -> bool {
        match self.0.as_slice() {
            [one] => text.is_in(one),
            several => text.is_in(&several.join(" ")) || text.is_in(&several.concat()),
        }
    }

    fn spaced(mut self) -> String {
        match (self.0.len(), self.0.pop()) {
            (1, Some(one)) => one.into_owned(),
            (_, last) => {
                self.0.extend(last);
                self.0.join(" ")
            }
        }
    }
}

/// Whether a node's value is what one reads.
fn is_text(kind: tree::Kind) -> bool {
    matches!(kind, tree::Kind::Text | tree::Kind::String | tree::Kind::Number | tree::Kind::Literal)
}

#[cfg(test)]
mod tests;

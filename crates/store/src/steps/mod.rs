//! What is kept between two versions of a page? A [`Step`]: the delta, and where in the page each of its operations is.
//!
//! ```text
//!   1                          a delta (0: a break)
//!   kinds                      a bit for every kind of operation
//!   n, n × (depth·8 + kind, name?)   the distinct label paths, as a tree in document order
//!   n, n × (path·8 + kind)     the operations, in the order of the delta
//!   text                       the XyDelta, to the end
//! ```
//!
//! All numbers are of variable length ([`numbers`]). The delta is text so that it is compressed well beside the page that it
//! is of; labels are kept by their depth rather than by the number of what is above, so that a path more or less leaves the
//! bytes of all others as they are. Who asks what changed where reads the head alone, and the delta where that may match.
//!
//! The path of what is deleted is that in the version before, all others are those in the version after.

mod kind;
mod numbers;
mod paths;
pub(crate) mod rows;

pub use kind::{Kind, KindError, Kinds};
pub(crate) use paths::SHOWN;
pub use paths::{Label, LabelKind, LabelPaths};

use std::borrow::Cow;

use paths::{Found, Passed};
use treediff::delta::{ApplyOptions, Delta, DeltaError, Identities, Operation, Xid, XidMap, find_nodes};
use treediff::parse::Limits;
use treediff::tree::Document;

/// What leads from one version of a page to the next.
///
/// ```
/// use std::sync::Arc;
/// use store::{Kind, Step};
/// use treediff::delta::Delta;
/// use treediff::{matching, parse};
///
/// let before = Arc::new(parse::xml("<menu><soup price='4'>hot</soup></menu>", &Default::default())?.document);
/// let after = Arc::new(parse::xml("<menu><soup price='5'>hot</soup></menu>", &Default::default())?.document);
/// let matching = matching::auto(&before, &after, &Default::default());
/// let delta = Delta::between(&before, &after, &matching, &Default::default())?;
///
/// let bytes = Step::of_delta(&delta, &before, &after).to_bytes();
/// let step = Step::from_bytes(&bytes)?;
/// assert!(step.kinds().has(Kind::Attribute));
/// let places: Vec<String> = step.operations().iter().map(|operation| step.paths().written(operation.path)).collect();
/// assert_eq!(places, ["/menu/soup/@price"]);
/// assert_eq!(step.identities()?.xids, *delta.to_xids());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'s> {
    form: Form<'s>,
    kinds: Kinds,
    operations: Vec<Described>,
    paths: LabelPaths<'s>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form<'s> {
    Delta(Cow<'s, str>),
    Break(Identities),
}

/// What is known of an operation without its delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Described {
    /// What happens.
    pub kind: Kind,
    /// Where, as one of [`Step::paths`].
    pub path: usize,
}

/// Why bytes are no step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// A part of it cannot be read.
    #[error("the step is damaged: {0} cannot be read")]
    Damaged(&'static str),
    /// Its delta cannot be read.
    #[error("the delta of the step cannot be read: {0}")]
    Delta(#[from] DeltaError),
}

const BREAK: u8 = 0;
const DELTA: u8 = 1;

impl<'s> Step<'s> {
    /// The step of a delta between these two versions.
    pub fn of_delta(delta: &'s Delta, before: &'s Document, after: &'s Document) -> Self {
        let is_deletion = |operation: &&Operation| matches!(operation, Operation::Delete { .. });
        let operations = delta.operations();
        let deleted = operations.iter().filter(is_deletion).map(Operation::node);
        let in_before = find_nodes(before, delta.from_xids(), deleted);
        let others = operations.iter().filter(|operation| !is_deletion(operation)).map(Operation::node);
        let in_after = find_nodes(after, delta.to_xids(), others);
        let mut found = Found::default();
        let mut passed = [Passed::new(), Passed::new()];
        let described = operations.iter().map(|operation| {
            let [passed_before, passed_after] = &mut passed;
            let node = operation.node();
            let path = match operation {
                Operation::Delete { .. } => in_before.get(&node).map(|id| found.node(before.node(*id), passed_before)),
                _ => in_after.get(&node).map(|id| found.node(after.node(*id), passed_after)),
            };
            let path = match operation {
                Operation::Attribute { name, .. } => found.below(path.unwrap_or(0), Label::attribute(&name.local)),
                _ => path.unwrap_or(0),
            };
            (Kind::of(operation), path)
        });
        let described: Vec<(Kind, u32)> = described.collect();
        let (paths, numbers) = found.in_order();
        let described =
            described.into_iter().map(|(kind, path)| Described { kind, path: numbers[path as usize] as usize });
        Step::new(Form::Delta(delta.to_xydelta().into()), paths, described.collect())
    }

    /// The step of a delta that can be read back, and then leads from the one version to the other: a recovered document may
    /// have what cannot be written.
    pub(crate) fn of_sound_delta(delta: &'s Delta, before: &'s Document, after: &'s Document) -> Option<Self> {
        let step = Step::of_delta(delta, before, after);
        let options = ApplyOptions { recover: true, ..ApplyOptions::default() };
        let is_sound = matches!(step.delta(), Ok(Some(read)) if read.apply(before, &options).is_ok());
        is_sound.then_some(step)
    }

    /// The step to a version with these identities, of which no more is known: it has no tree, none that can be compared
    /// with the one before, or what was before it is no longer kept.
    pub fn broken(identities: Identities) -> Self {
        Step::new(Form::Break(identities), LabelPaths::default(), Vec::new())
    }

    fn new(form: Form<'s>, paths: LabelPaths<'s>, operations: Vec<Described>) -> Self {
        let kinds = Kinds::of(operations.iter().map(|operation| operation.kind));
        Step { form, kinds, operations, paths }
    }

    /// The step as it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match &self.form {
            Form::Break(Identities { xids, next }) => {
                out.push(BREAK);
                numbers::write(&mut out, next.0);
                out.extend_from_slice(xids.to_string().as_bytes());
            }
            Form::Delta(delta) => {
                out.extend([DELTA, self.kinds.bits()]);
                self.paths.write(&mut out);
                numbers::write(&mut out, self.operations.len() as u64);
                for operation in &self.operations {
                    numbers::write(&mut out, (operation.path as u64) << 3 | operation.kind as u64);
                }
                out.extend_from_slice(delta.as_bytes());
            }
        }
        out
    }

    /// Reads what is stored; the delta itself is not looked into.
    pub fn from_bytes(bytes: &'s [u8]) -> Result<Self, StepError> {
        match bytes.split_first() {
            Some((&BREAK, rest)) => read_break(rest).ok_or(StepError::Damaged("its break")),
            Some((&DELTA, rest)) => read_delta(rest),
            _ => Err(StepError::Damaged("its form")),
        }
    }

    /// The kinds of its operations.
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Where its operations are, and of which kind, in the order of its delta.
    pub fn operations(&self) -> &[Described] {
        &self.operations
    }

    /// The paths of its operations, each once, and those above them.
    pub fn paths(&self) -> &LabelPaths<'s> {
        &self.paths
    }

    /// Whether the versions have no nodes in common, so that there is no delta.
    pub fn is_break(&self) -> bool {
        matches!(self.form, Form::Break(_))
    }

    /// The delta as XyDelta; of a break there is none.
    pub fn delta_text(&self) -> Option<&str> {
        match &self.form {
            Form::Delta(delta) => Some(delta),
            Form::Break(_) => None,
        }
    }

    /// The delta; of a break there is none.
    pub fn delta(&self) -> Result<Option<Delta>, StepError> {
        let Some(text) = self.delta_text() else { return Ok(None) };
        let delta = Delta::read(text, &Limits::default())?;
        self.check_kinds(delta.operations())?;
        Ok(Some(delta))
    }

    /// The operations of its delta, which was read and applied before it was stored: what they say, and no more.
    pub(crate) fn told(&self) -> Result<Vec<Operation>, StepError> {
        let Some(text) = self.delta_text() else { return Ok(Vec::new()) };
        let operations = Delta::read_operations(text, &Limits::default())?;
        self.check_kinds(&operations)?;
        Ok(operations)
    }

    fn check_kinds(&self, operations: &[Operation]) -> Result<(), StepError> {
        let is_as_listed = operations.iter().map(Kind::of).eq(self.operations.iter().map(|operation| operation.kind));
        if is_as_listed { Ok(()) } else { Err(StepError::Damaged("its list of operations")) }
    }

    /// The identities of the nodes of the version after.
    pub fn identities(&self) -> Result<Identities, StepError> {
        match &self.form {
            Form::Break(identities) => Ok(identities.clone()),
            Form::Delta(delta) => {
                let read = Identities::read(delta.as_bytes(), &Limits::default())?;
                read.ok_or(StepError::Damaged("the first tag of its delta"))
            }
        }
    }
}

fn read_break(mut bytes: &[u8]) -> Option<Step<'_>> {
    let next = Xid(numbers::read(&mut bytes)?);
    let xids: XidMap = std::str::from_utf8(bytes).ok()?.parse().ok()?;
    let is_possible = next.0 > 0 && xids.max().is_none_or(|most| most < next) && xids.first_twice().is_none();
    is_possible.then(|| Step::broken(Identities { xids, next }))
}

fn read_delta(bytes: &[u8]) -> Result<Step<'_>, StepError> {
    let (&kinds, mut bytes) = bytes.split_first().ok_or(StepError::Damaged("its kinds"))?;
    let paths = LabelPaths::read(&mut bytes)?;
    let operations = read_operations(&mut bytes, paths.count()).ok_or(StepError::Damaged("its list of operations"))?;
    let text = std::str::from_utf8(bytes).map_err(|_| StepError::Damaged("the text of its delta"))?;
    let step = Step::new(Form::Delta(text.into()), paths, operations);
    if step.kinds.bits() == kinds { Ok(step) } else { Err(StepError::Damaged("its kinds")) }
}

fn read_operations(bytes: &mut &[u8], paths: usize) -> Option<Vec<Described>> {
    let count = usize::try_from(numbers::read(bytes)?).ok()?;
    // Each takes a byte or more, so that nobody can ask for more memory than the bytes are long.
    if count > bytes.len() {
        return None;
    }
    let operation = |_| {
        let number = numbers::read(bytes)?;
        let kind = *Kind::ALL.get((number & 7) as usize)?;
        let path = usize::try_from(number >> 3).ok().filter(|path| *path < paths)?;
        Some(Described { kind, path })
    };
    (0..count).map(operation).collect()
}

#[cfg(test)]
mod tests;

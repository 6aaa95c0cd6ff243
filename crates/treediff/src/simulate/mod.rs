//! What would a changed version look like? A version made by chance, and the matching that says what became of what.
//!
//! This is the change simulator of the XyDiff papers (thesis, section 3.6.1), which measures a comparison against what
//! is known to have happened. Three phases: subtrees are taken out; texts that are left are updated; and children are
//! inserted below elements that are left, some of them new and some of them what was taken out, which makes a move.
//! New elements are named as a sibling, a cousin or the parent is, so that names stay distributed as they were, and no
//! text ever comes to stand beside another. In JSON strings and numbers are the texts, new items of arrays are of the
//! kind of another item, and new members have names of their own.
//!
//! - `plan` decides what happens, `places` where something can come in, `version` makes the new
//!   version, of which all that did not change keeps its bytes.
//! - Rates are shares of nodes, not chances of nodes. A chance to be taken out, subtree and all, would take away half
//!   of the nodes of depth seven at 10 %; so the chance is chosen for which the share is the one asked for, and
//!   subtrees that are larger than that share stay.
//! - In the paper what moves is taken from what was deleted, and nothing moves where nothing is deleted. Here what
//!   moves is taken out in addition, so that both rates mean what they say.
//! - White space alone is neither updated nor moved, and deleted only where it must be: where a text would come to
//!   stand beside it, or where it would be no node any more.

mod places;
mod plan;
mod random;
mod version;

use std::sync::Arc;

use crate::draft::FinishError;
use crate::matching::Matching;
use crate::parse::{Options, ParseError, Whitespace};
use crate::tree::{Document, Format, Node, NodeId};
use plan::Plan;
use random::Random;
use version::{Version, version};

/// How much changes, in shares from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// Of all nodes, those that are deleted.
    pub delete: f64,
    /// Of the texts, those that are updated.
    pub update: f64,
    /// New nodes, as a share of the nodes there were.
    pub insert: f64,
    /// Of all nodes, those that are moved, with the subtree that they are in.
    pub moved: f64,
}

impl Rates {
    /// The same rate for all that can happen.
    pub fn all(rate: f64) -> Self {
        Rates { delete: rate, update: rate, insert: rate, moved: rate }
    }

    fn bounded(self) -> Self {
        let bounded = |rate: f64| if rate > 0.0 { rate.min(1.0) } else { 0.0 };
        let Rates { delete, update, insert, moved } = self;
        Rates { delete: bounded(delete), update: bounded(update), insert: bounded(insert), moved: bounded(moved) }
    }
}

/// A version made by chance.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The new version.
    pub document: Arc<Document>,
    /// What became of the nodes of the version before; a delta made from it is the perfect one.
    pub matching: Matching,
}

/// Why no version could be made.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// Pages are not changed by chance: what an HTML parser makes of them is hard to foresee.
    #[error("found a document of format {0}; changes are simulated on XML and JSON")]
    Format(Format),
    /// The new version exceeds a limit.
    #[error("the simulated version is not read: {0}")]
    Parse(ParseError),
    /// The new version is not read as it was meant.
    #[error(
        "the simulated version is not read as it was meant; \
         give the options that the document was parsed with, and a document that is well-formed"
    )]
    Differs,
}

impl From<ParseError> for SimulateError {
    fn from(error: ParseError) -> Self {
        SimulateError::Parse(error)
    }
}

impl From<FinishError> for SimulateError {
    fn from(error: FinishError) -> Self {
        match error {
            FinishError::Unreadable(error) => SimulateError::Parse(error),
            FinishError::ReadsDifferently(_) | FinishError::Encoding(_) | FinishError::Hash(_) => {
                SimulateError::Differs
            }
        }
    }
}

/// Changes a document by chance: the same seed, rates and document give the same version on every machine. `options`
/// are those that the document was parsed with; JSON has its members in order ([`Document::with_sorted_members`]).
///
/// ```
/// use std::sync::Arc;
/// use treediff::parse::{self, Options};
/// use treediff::simulate::{Rates, simulate};
///
/// let options = Options::default();
/// let before = Arc::new(parse::xml("<a><b>one</b><b>two</b><c/></a>", &options)?.document);
/// let changed = simulate(&before, &Rates { update: 1.0, ..Rates::default() }, 7, &options)?;
/// assert_eq!(changed.document.source(), "<a><b>new text 7.1</b><b>new text 7.2</b><c/></a>");
/// assert_eq!(changed.matching.pairs().count(), before.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the document is HTML, was parsed with other options, or was not well-formed and read all the same.
pub fn simulate(
    document: &Arc<Document>,
    rates: &Rates,
    seed: u64,
    options: &Options,
) -> Result<Simulated, SimulateError> {
    if document.format() == Format::Html {
        return Err(SimulateError::Format(document.format()));
    }
    let is_exact = options.whitespace == Whitespace::Exact;
    let plan = Plan::new(document, rates.bounded(), &mut Random::new(seed), is_exact);
    let Version { document: after, origins } = version(document, &plan, seed, options)?;
    let matching = matched(document, &after, &origins);
    Ok(Simulated { document: Arc::new(after), matching })
}

/// Pairs the nodes of the new version with what they were.
fn matched(before: &Document, after: &Document, origins: &[Option<NodeId>]) -> Matching {
    let mut matching = Matching::new(before, after);
    for (node, origin) in after.nodes().zip(origins).skip(1) {
        if let Some(origin) = *origin {
            matching.pair(origin, node.id());
        }
    }
    matching
}

/// The declaration of the namespace that an element is in.
fn namespace_of(element: Node<'_>) -> String {
    let (prefix, uri) = (element.prefix(), element.name().namespace);
    let colon = if prefix.is_empty() { "" } else { ":" };
    let uri = uri.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    format!(" xmlns{colon}{prefix}=\"{uri}\"")
}

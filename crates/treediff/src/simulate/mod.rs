//! What would a changed version look like? A version made by chance, and the matching that says what became of what.
//!
//! This is the change simulator of the XyDiff papers (thesis, section 3.6.1), which measures a comparison against what
//! is known to have happened. Three phases: subtrees are taken out; texts that are left are updated; and children are
//! inserted below elements that are left, some of them new and some of them what was taken out, which makes a move.
//! New elements are named as a sibling, a cousin or the parent is, so that names stay distributed as they were, and no
//! text ever comes to stand beside another. In JSON strings and numbers are the texts, new items of arrays are of the
//! kind of another item, and new members have names of their own.
//!
//! - `plan` decides what happens, `rules` say what may happen where, `places` are where something can come in, `version`
//!   makes the new version, of which all that did not change keeps its bytes (a page that would be read differently then
//!   is written anew).
//! - What an HTML parser makes of changed markup is hard to foresee. Of a page little is chosen that it would read otherwise
//!   (`rules`); the new version is read, and its delta applied in both directions; and where that leads elsewhere,
//!   the operations around are given up (`retreat`), a bounded number of times. So a page may change less than was asked
//!   for, above all by moves, for which there are fewest places.
//! - Rates are shares of nodes, not chances of nodes. A chance to be taken out, subtree and all, would take away half
//!   of the nodes of depth seven at 10 %; so the chance is chosen for which the share is the one asked for, and
//!   subtrees that are larger than that share stay.
//! - In the paper what moves is taken from what was deleted, and nothing moves where nothing is deleted. Here what
//!   moves is taken out in addition, so that both rates mean what they say. What finds no place stays where it is, and
//!   so does what cannot go without a text beside it being deleted; how much moved is told.
//! - White space alone is neither updated nor moved, and deleted only where it must be: where a text would come to
//!   stand beside it, or where it would be no node any more.

mod places;
mod plan;
mod random;
mod retreat;
mod rules;
mod version;

use std::sync::Arc;

use crate::delta::{self, ApplyError, ApplyOptions, Delta};
use crate::matching::Matching;
use crate::parse::{Options, ParseError, Whitespace};
use crate::tree::{Document, Format, Node, NodeId};
use plan::{Decisions, Plan};
use random::Random;
use rules::Rules;
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
    /// Of all nodes, those that were taken elsewhere. It is less than was asked for where there were too few places: the more
    /// moves, the less is left to move to.
    pub moved: f64,
}

/// Why no version could be made.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
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

/// What keeps a plan from becoming a version.
#[derive(Debug)]
enum Obstacle {
    Parse(ParseError),
    /// It would be read differently, near this node of the version before.
    DiffersAt(u32),
}

impl From<ParseError> for Obstacle {
    fn from(error: ParseError) -> Self {
        Obstacle::Parse(error)
    }
}

impl From<Obstacle> for SimulateError {
    fn from(obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::Parse(error) => SimulateError::Parse(error),
            Obstacle::DiffersAt(_) => SimulateError::Differs,
        }
    }
}

/// Changes a document by chance: the same seed, rates and document give the same version on every machine. `options`
/// are those that the document was parsed with; JSON has its members in order ([`Document::with_sorted_members`]).
///
/// In a page changes are below `body` alone, and those that an HTML parser would read as something else are given up. Over
/// many pages the shares of updates and insertions come close to those asked for, that of deletions is somewhat higher and
/// that of moves lower, since an element moves only to where its like is; single pages, small ones above all, are off by
/// more.
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
/// Where the document was parsed with other options, or was not well-formed and read all the same; and where the new
/// version exceeds a limit.
pub fn simulate(
    document: &Arc<Document>,
    rates: &Rates,
    seed: u64,
    options: &Options,
) -> Result<Simulated, SimulateError> {
    let rules = Rules::new(document, options.whitespace == Whitespace::Exact);
    let mut decisions = Decisions::new(document, rates.bounded(), &mut Random::new(seed), &rules);
    let mut tries = 0;
    loop {
        let plan = Plan::new(document, &decisions, &rules);
        match planned(document, &plan, seed, options) {
            Ok(simulated) => return Ok(simulated),
            // Each time there is less to give up, so this ends.
            Err(Obstacle::DiffersAt(place)) if rules.is_page && decisions.retreat(document, place, tries) => tries += 1,
            Err(obstacle) => return Err(obstacle.into()),
        }
    }
}

/// The version of a plan. That of a page has a perfect delta that leads to both versions: a tree that an HTML parser made
/// can be one that no markup but the page's own is read as, and the delta has markup of its own.
fn planned(document: &Arc<Document>, plan: &Plan<'_>, seed: u64, options: &Options) -> Result<Simulated, Obstacle> {
    let Version { document: after, origins } = version(document, plan, seed, options)?;
    let matching = matched(document, &after, &origins);
    let simulated = Simulated { document: Arc::new(after), matching, moved: plan.moved(document) };
    if document.format() == Format::Html {
        check_delta(document, &simulated, options).map_err(|direction| match direction {
            Direction::Forwards(at) => Obstacle::DiffersAt(plan.place_before(document, at, &origins)),
            Direction::Backwards(at) => Obstacle::DiffersAt(at),
        })?;
    }
    Ok(simulated)
}

/// In which direction a delta does not lead to where it should, from which node of the version there on.
enum Direction {
    Forwards(u32),
    Backwards(u32),
}

fn check_delta(before: &Arc<Document>, simulated: &Simulated, options: &Options) -> Result<(), Direction> {
    let after = &simulated.document;
    let writing = delta::Options { whitespace: options.whitespace, ..Default::default() };
    let applying = ApplyOptions { force: false, recover: options.recover, limits: options.limits.clone() };
    let delta = Delta::between(before, after, &simulated.matching, &writing).map_err(|_| Direction::Forwards(END))?;
    delta.apply(before, &applying).map_err(|error| Direction::Forwards(place_of(&error)))?;
    delta.inverted().apply(after, &applying).map_err(|error| Direction::Backwards(place_of(&error)))?;
    Ok(())
}

/// The end of any document.
const END: u32 = u32::MAX;

fn place_of(error: &ApplyError) -> u32 {
    match error {
        ApplyError::ReadsDifferently { at, .. } => *at,
        _ => END,
    }
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

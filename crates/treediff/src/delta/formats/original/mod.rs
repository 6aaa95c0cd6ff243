//! What do the deltas of the original XyDiff say? Both of its formats, as deltas of ours.
//!
//! In 2001 a delta is `<unit_delta><t from="…" to="…">` with `d` and `i` for what went and came, each half of a move
//! with `move="yes"` and each half of an update with `update="yes"`, and `ad`, `ai`, `au` for attributes. The later
//! ones are in a namespace, and have `u` for updates, with the pieces of the text that changed. Positions are those of
//! the version before for what went, and of the version after for what came, as ours are.
//!
//! Such a delta lacks what ours has: the other half of what it says is in the document. So it is carried out on a
//! draft of the document, and the delta is made of the two versions and of who is who in them. What is deleted
//! and where it was is checked on the way.
//!
//! XyDiff numbers the nodes from the root element on; white space between elements is numbered in 2001, and not
//! later. An updated text gets a new number there and keeps its identity here.

mod changes;
mod children;
mod content;
mod fault;
mod finish;
mod numbering;
mod patch;
mod script;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

use crate::delta::{Delta, DeltaError, Identities, Operation, Place, Xid, XidMap};
use crate::matching::Matching;
use crate::parse::{self, Limits, Whitespace};
use crate::tree::{Document, Format, Step};
use fault::Fault;
use finish::Patched;
use numbering::Numbering;
use patch::Patch;
use script::Dialect;

/// How to read a delta of the original XyDiff.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What white space was when the document was parsed. The deltas of 2001 count all of it.
    pub whitespace: Whitespace,
    /// The identities of the document's nodes, as XyDiff numbered them (in its `.xidmap` files) or of all nodes. Where
    /// they are not given, those that the delta names, or else those of a first version.
    pub xids: Option<XidMap>,
    /// What neither the delta nor the version after may exceed.
    pub limits: Limits,
}

/// Reads a delta of the original XyDiff, in its format of 2001 or the later one, for the document that it starts from.
///
/// ```
/// use std::sync::Arc;
/// use treediff::delta::formats::original;
/// use treediff::parse;
///
/// let before = Arc::new(parse::xml("<a><b>old</b></a>", &Default::default())?.document);
/// let written = r#"<unit_delta><t from="a.xml" to="b.xml">
///   <d par="2" pos="1" xm="(1)" update="yes">old</d><i par="2" pos="1" xm="(4)" update="yes">new</i>
/// </t></unit_delta>"#;
/// let delta = original::read(written, &before, &Default::default())?;
/// assert_eq!(delta.stats().updated, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where it is no such delta, or does not fit the document.
pub fn read(source: impl Into<Vec<u8>>, before: &Arc<Document>, options: &Options) -> Result<Delta, DeltaError> {
    if before.format() != Format::Xml {
        return Err(DeltaError::Header("it is one of XyDiff, which is for XML alone".to_owned()));
    }
    let exact =
        parse::Options { whitespace: Whitespace::Exact, limits: options.limits.clone(), ..parse::Options::default() };
    let document = parse::xml(source, &exact)?.document;
    let deltas = script::deltas(&document)?;
    let dialect = Dialect::of(deltas[0]);
    let scripts: Vec<Vec<script::Operation<'_>>> =
        deltas.iter().map(|&delta| script::Operation::all(delta, dialect)).collect::<Result<_, _>>()?;
    let numbering = Numbering::new(before, dialect, options.xids.as_ref(), deltas[0], &scripts[0])?;
    let template = changes::template(&scripts, before, &options.limits)?;
    let mut patch = Patch::new(before, &numbering, dialect, options.whitespace, template.as_ref());
    scripts.iter().try_for_each(|script| patch.apply(script))?;
    let patched = patch.finish(&options.limits)?;
    delta(before, numbering, patched, options.whitespace)
}

fn delta(
    before: &Arc<Document>,
    numbering: Numbering,
    patched: Patched,
    whitespace: Whitespace,
) -> Result<Delta, DeltaError> {
    let Patched { document, matching, new_xids } = patched;
    let after = Arc::new(document);
    let next = numbering.next;
    let above = above_all(&new_xids, next, after.len())?;
    let identities = Some(Identities { xids: numbering.xids, next });
    let options = crate::delta::Options { whitespace, identities, ..crate::delta::Options::default() };
    let delta = Delta::between(before, &after, &matching, &options);
    let delta = delta.map_err(|error| DeltaError::Header(error.to_string()))?;
    let given = given_xids(&after, &matching, &new_xids, &delta, above);
    Ok(renumbered(delta, next, &given))
}

/// The first identity that nobody has; as many as there are nodes can be given out from there on.
fn above_all(new_xids: &[u64], next: Xid, nodes: usize) -> Result<Xid, DeltaError> {
    let above = new_xids.iter().max().map_or(0, |highest| highest.saturating_add(1)).max(next.0);
    match above.checked_add(nodes as u64) {
        Some(end) if end < u64::MAX => Ok(Xid(above)),
        _ => Err(DeltaError::Header(Fault::NoXids(above.saturating_sub(1)).to_string())),
    }
}

/// The identities that new nodes get, in post-order: what XyDiff gave them, unless that is somebody else's; then those
/// from `above` on.
fn given_xids(after: &Document, matching: &Matching, new_xids: &[u64], delta: &Delta, above: Xid) -> Vec<Xid> {
    let taken = delta.from_xids().places();
    let is_free = |xid: &Xid| *xid != Xid::DOCUMENT && taken.find(*xid).is_none();
    let mut fresh = (above.0..).map(Xid);
    let nodes = after.root().walk().filter_map(|step| match step {
        Step::Enter(node) => (!node.kind().is_container()).then_some(node),
        Step::Leave(node) => Some(node),
    });
    let new = nodes.filter(|node| matching.before_of(node.id()).is_none());
    let given = |xid: Xid| Some(xid).filter(is_free);
    new.filter_map(|node| given(Xid(new_xids[node.id().index()])).or_else(|| fresh.next())).collect()
}

/// The delta with the identities that are `given` in place of those from `first` on.
fn renumbered(mut delta: Delta, first: Xid, given: &[Xid]) -> Delta {
    let renumber = |xid: Xid| match xid.0.checked_sub(first.0) {
        Some(at) => given.get(at as usize).copied().unwrap_or(xid),
        None => xid,
    };
    let renumber_all = |xids: &XidMap| xids.iter().map(renumber).collect::<XidMap>();
    let renumber_place = |place: &mut Place| place.parent = renumber(place.parent);
    for operation in &mut delta.operations {
        match operation {
            Operation::Insert { place, xids, .. } => {
                renumber_place(place);
                *xids = renumber_all(xids);
            }
            Operation::Move { to, .. } => renumber_place(to),
            _ => {}
        }
    }
    delta.to_xids = renumber_all(&delta.to_xids);
    let above = given.iter().map(|xid| xid.next()).max().unwrap_or(first);
    delta.next_xid = above.max(first);
    delta
}

//! Which node has this XID? Answered for many at once by going to them in post-order, past all other subtrees.

use std::collections::HashMap;

use crate::delta::{Xid, XidMap};
use crate::tree::{Document, NodeId};

/// The nodes of a document that have these XIDs; those that it does not have are left out. Always has the document node.
///
/// ```
/// use treediff::delta::{Xid, XidMap, find_nodes};
/// use treediff::parse;
///
/// let menu = parse::xml("<menu><tea/><milk/></menu>", &Default::default())?.document;
/// let found = find_nodes(&menu, &XidMap::first_version(3), [Xid(2)].into_iter());
/// assert_eq!(menu.node(found[&Xid(2)]).name().local, "milk");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn nodes(document: &Document, xids: &XidMap, wanted: impl Iterator<Item = Xid>) -> HashMap<Xid, NodeId> {
    let mut found = HashMap::from([(Xid::DOCUMENT, NodeId::DOCUMENT)]);
    let places = xids.places();
    let mut wanted: Vec<(u64, Xid)> = wanted.filter_map(|xid| Some((places.find(xid)?, xid))).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut wanted = wanted.into_iter().peekable();
    let ends = document.ends();
    let mut open: Vec<u32> = vec![0];
    let mut next: u32 = 1;
    // How many nodes come before the next one in post-order.
    let mut passed: u64 = 0;
    while let (Some(&(place, xid)), Some(&innermost)) = (wanted.peek(), open.last()) {
        if next < ends[innermost as usize] {
            let end = ends[next as usize];
            let size = u64::from(end - next);
            if place >= passed + size {
                passed += size;
                next = end;
            } else {
                open.push(next);
                next += 1;
            }
        } else {
            if place == passed && innermost != 0 {
                found.insert(xid, NodeId(innermost));
                wanted.next();
            }
            open.pop();
            passed += 1;
        }
    }
    found
}

//! What of a subtree that came or went as a whole is meant by a pattern? It has no operation of its own, but it came or went
//! all the same: who looks for prices wants those of a new item.

use std::borrow::Cow;

use treediff::delta::{Fragment, Xid, XidMap};
use treediff::tree::{Node, Step};

use super::pattern::{PathPattern, Taken};
use super::{Texts, is_text};
use crate::steps::{Label, SHOWN};

/// A node or attribute in the subtree.
pub(super) struct Met<'f> {
    /// The node, or that of the attribute.
    pub(super) xid: Xid,
    /// Where it is, below the subtree's root.
    pub(super) path: String,
    pub(super) texts: Texts<'f>,
}

/// All that a pattern means in a subtree, at whose root these of its steps were taken. What is in something that is meant is a
/// part of that.
pub(super) fn inside<'f>(pattern: &PathPattern, taken: Taken, content: &'f Fragment, xids: &'f XidMap) -> Vec<Met<'f>> {
    let mut walk = Walk { pattern, open: Vec::new(), met: Vec::new(), texts_of: None, xids: xids.iter() };
    for step in content.steps() {
        match step {
            Step::Enter(node) => walk.enter(node, taken),
            Step::Leave(_) => walk.leave(),
        }
    }
    walk.met
}

struct Walk<'p, 'f, Xids> {
    pattern: &'p PathPattern,
    open: Vec<Open<'f>>,
    met: Vec<Met<'f>>,
    /// What is meant and still open.
    texts_of: Option<usize>,
    /// The identities that are left, in post-order.
    xids: Xids,
}

/// A node that was entered.
struct Open<'f> {
    label: Label<'f>,
    taken: Taken,
    /// What was met before it; whatever was met at the node itself waits for its identity.
    met_before: usize,
    met_at: usize,
}

impl<'f, Xids: Iterator<Item = Xid>> Walk<'_, 'f, Xids> {
    fn enter(&mut self, node: Node<'f>, at_root: Taken) {
        let label = Label::of(node);
        let taken = self.open.last().map_or(at_root, |above| self.pattern.advanced(above.taken, label));
        let met_before = self.met.len();
        self.open.push(Open { label, taken, met_before, met_at: met_before });
        match self.texts_of {
            Some(met) => self.met[met].texts.0.extend(text(node, false)),
            None => self.look_at(node, taken),
        }
        if let Some(open) = self.open.last_mut() {
            open.met_at = self.met.len();
        }
        if !node.kind().is_container() {
            self.leave();
        }
    }

    fn look_at(&mut self, node: Node<'f>, taken: Taken) {
        if self.pattern.is_whole(taken) {
            self.texts_of = Some(self.met.len());
            let texts = text(node, true).into_iter().collect();
            self.met.push(Met { xid: Xid::DOCUMENT, path: self.path(None), texts: Texts(texts) });
            return;
        }
        for attribute in node.attributes() {
            let label = Label::attribute(attribute.name().local);
            if self.pattern.is_whole(self.pattern.advanced(taken, label)) {
                let texts = Texts(vec![attribute.value()]);
                self.met.push(Met { xid: Xid::DOCUMENT, path: self.path(Some(label)), texts });
            }
        }
    }

    fn leave(&mut self) {
        let (Some(open), xid) = (self.open.pop(), self.xids.next()) else { return };
        for met in &mut self.met[open.met_before..open.met_at] {
            met.xid = xid.unwrap_or(Xid::DOCUMENT);
        }
        if self.texts_of == Some(open.met_before) {
            self.texts_of = None;
        }
    }

    /// The path below the subtree's root; of what is deeper than anybody wants to read the end.
    fn path(&self, attribute: Option<Label<'f>>) -> String {
        let below = self.open.get(1..).unwrap_or_default();
        let hidden = below.len().saturating_sub(SHOWN);
        let labels = below[hidden..].iter().map(|open| open.label).chain(attribute);
        let start = if hidden > 0 { "/…" } else { "" };
        labels.fold(start.to_owned(), |path, label| format!("{path}/{label}"))
    }
}

/// The text of a node, if it has one: a comment's only where that is all that is meant.
fn text(node: Node<'_>, is_all: bool) -> Option<Cow<'_, str>> {
    let kind = node.kind();
    (is_text(kind) || is_all && !kind.is_container()).then(|| node.value())
}

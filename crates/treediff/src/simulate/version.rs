//! How does a plan become a version? As a draft of the one before, into which new elements come from a document of
//! their own.

use std::fmt::Write;

use super::plan::{Addition, Content, Fate, Plan};
use super::{Obstacle, namespace_of};
use crate::draft::{Draft, DraftNode, FinishError, Part, Reading};
use crate::parse::{self, Options, ParseError, Whitespace};
use crate::tree::{Document, Format, Kind, Node, NodeId};

/// A new version, and for each of its nodes in document order what it was before.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) document: Document,
    pub(super) origins: Vec<Option<NodeId>>,
}

/// The version that comes of a plan.
pub(super) fn version(before: &Document, plan: &Plan<'_>, seed: u64, options: &Options) -> Result<Version, Obstacle> {
    let mut texts = Texts { seed, count: 0 };
    let new = new_elements(before, plan, &mut texts, options)?;
    let mut draft = Draft::new(before);
    update(&mut draft, plan, &mut texts);
    take_out(&mut draft, before, plan);
    bring_in(&mut draft, before, plan, &new, &mut texts);
    let origins = origins(&draft);
    let Options { whitespace, recover, limits, .. } = options;
    let reading = Reading { whitespace: *whitespace, recover: *recover, limits, hash: None };
    let document = draft.finish(&reading).map_err(|error| obstacle(error, before, plan, &origins))?;
    Ok(Version { document, origins })
}

/// What keeps a draft from being read as it was meant.
fn obstacle(error: FinishError, before: &Document, plan: &Plan<'_>, origins: &[Option<NodeId>]) -> Obstacle {
    match error {
        FinishError::Unreadable(error) => Obstacle::Parse(error),
        FinishError::ReadsDifferently { at, .. } => Obstacle::DiffersAt(plan.place_before(before, at, origins)),
        FinishError::Encoding(_) | FinishError::Hash(_) => Obstacle::DiffersAt(before.len() as u32),
    }
}

/// Texts that no document has: they are counted.
struct Texts {
    seed: u64,
    count: usize,
}

impl Texts {
    fn next(&mut self) -> String {
        self.count += 1;
        format!("new text {}.{}", self.seed, self.count)
    }

    /// The token of a new value of JSON.
    fn value(&mut self, like: Kind) -> String {
        match like {
            Kind::Object => "{}".to_owned(),
            Kind::Array => "[]".to_owned(),
            Kind::Literal => "null".to_owned(),
            Kind::Number => {
                self.count += 1;
                self.count.to_string()
            }
            _ => format!("\"{}\"", self.next()),
        }
    }
}

/// A document that has the new elements, or values of JSON, as the children of its root, in the order of the plan. Those
/// of a page are in XML, which holds any of them whatever is around it.
fn new_elements(
    before: &Document,
    plan: &Plan<'_>,
    texts: &mut Texts,
    options: &Options,
) -> Result<Document, ParseError> {
    let (source, format) = match before.format() {
        Format::Json => (new_values(before, plan, texts), Format::Json),
        Format::Xml | Format::Html => (new_markup(before, plan, texts), Format::Xml),
    };
    let options = Options { whitespace: Whitespace::Exact, encoding: None, ..options.clone() };
    Ok(parse::parse(source, format, &options)?.document)
}

/// It has the DTD of the version before, so that elements have the attributes which that gives them.
fn new_markup(before: &Document, plan: &Plan<'_>, texts: &mut Texts) -> String {
    let doctype = before.doctype().filter(|_| before.format() == Format::Xml);
    let mut source = format!("{}<new>", doctype.unwrap_or_default());
    for addition in plan.additions {
        let Content::Element { like, has_text } = addition.content else { continue };
        let like = before.node(like);
        let (name, text) = (like.qualified_name(), if has_text { texts.next() } else { String::new() });
        // Writing to a string cannot fail.
        let _ = write!(source, "<{name}{}>{text}</{name}>", namespace_of(like));
    }
    source + "</new>"
}

/// Each new value is in an array or an object of its own, as the one that it will come into.
fn new_values(before: &Document, plan: &Plan<'_>, texts: &mut Texts) -> String {
    let mut values = Vec::new();
    for addition in plan.additions {
        let Content::Element { like, .. } = addition.content else { continue };
        let value = texts.value(before.node(like).kind());
        values.push(match before.node(addition.parent).kind() {
            Kind::Object => format!("{{\"{}\":{value}}}", texts.next()),
            _ => format!("[{value}]"),
        });
    }
    format!("[{}]", values.join(","))
}

fn update(draft: &mut Draft<'_>, plan: &Plan<'_>, texts: &mut Texts) {
    let updated = plan.fates.iter().enumerate().filter(|(_, fate)| **fate == Fate::Updated);
    for (id, _) in updated {
        let node = draft.node(NodeId(id as u32));
        let value = match draft.kind(node) {
            Kind::Text => texts.next(),
            kind => texts.value(kind),
        };
        draft.set_value(node, value);
    }
}

/// Takes out what leaves; this comes before anything comes in, since what moves must have no parent then.
fn take_out(draft: &mut Draft<'_>, before: &Document, plan: &Plan) {
    let mut next = 0;
    while next < before.len() {
        let parent = before.node(NodeId(next as u32));
        next += 1;
        if plan.fates[parent.id().index()] == Fate::Leaves || !plan.is_changed[parent.id().index()] {
            next = parent.end() as usize;
            continue;
        }
        let stays = |child: &Node<'_>| plan.fates[child.id().index()] != Fate::Leaves;
        if parent.children().any(|child| !stays(&child)) {
            let staying = parent.children().filter(stays).map(|child| draft.node(child.id())).collect();
            draft.set_children(draft.node(parent.id()), staying);
        }
    }
}

/// Brings in what comes, parent by parent.
fn bring_in<'d>(draft: &mut Draft<'d>, before: &Document, plan: &Plan<'_>, new: &'d Document, texts: &mut Texts) {
    let of_root = new.root_element().into_iter().flat_map(Node::children);
    let mut elements = of_root.filter_map(|child| if child.is_element() { Some(child) } else { child.first_child() });
    for additions in plan.additions.chunk_by(|a, b| a.parent == b.parent) {
        let parent = draft.node(additions[0].parent);
        let mut pending = additions.iter().peekable();
        let mut children = Vec::new();
        let end = before.node(additions[0].parent).end();
        let old: Vec<DraftNode> = draft.children(parent).collect();
        for child in old.into_iter().map(Some).chain([None]) {
            let place = child.and_then(|child| draft.written(child)).map_or(end, |child| child.id().0);
            while let Some(addition) = pending.next_if(|addition| addition.before <= place) {
                children.extend(added(draft, addition, &mut elements, texts));
            }
            children.extend(child);
        }
        if draft.kind(parent) == Kind::Object {
            children.sort_by(|&a, &b| draft.name(a).local.cmp(draft.name(b).local));
        }
        draft.set_children(parent, children);
    }
}

fn added<'d>(
    draft: &mut Draft<'d>,
    addition: &Addition,
    elements: &mut impl Iterator<Item = Node<'d>>,
    texts: &mut Texts,
) -> Option<DraftNode> {
    match addition.content {
        Content::Text => Some(draft.new_text(texts.next())),
        Content::Element { .. } => elements.next().map(|element| draft.graft(element, Vec::new())),
        Content::Moved(node) => Some(draft.node(node)),
    }
}

/// What the nodes of a draft were, in document order.
fn origins(draft: &Draft<'_>) -> Vec<Option<NodeId>> {
    let mut origins = Vec::new();
    for part in draft.parts() {
        let (node, is_whole) = match part {
            Part::Whole(node) => (node, true),
            Part::Enter(node) => (node, false),
            Part::Leave(_) => continue,
        };
        let size = draft.written(node).filter(|_| is_whole).map_or(1, Node::size);
        match draft.written(node).filter(|_| draft.is_base(node)) {
            Some(node) => origins.extend((node.id().0..node.id().0 + size).map(|id| Some(NodeId(id)))),
            None => origins.extend((0..size).map(|_| None)),
        }
    }
    origins
}

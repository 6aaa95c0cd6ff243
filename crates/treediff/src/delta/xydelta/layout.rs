//! Which white space of a payload is a node, and which is its look?

use crate::delta::Fragment;
use crate::parse::Whitespace;
use crate::tree::{Format, Kind, NameId, Node, NodeId, Step, XML_NAMESPACE, is_blank};

/// Whether an operation has to say that its payload has no layout: a blank text in it is a node, but would be taken for
/// layout where it stands now.
pub(super) fn needs_preserve(content: &Fragment, whitespace: Whitespace, is_html: bool) -> bool {
    if whitespace == Whitespace::Exact || content.document().format() == Format::Json {
        return false;
    }
    let root = content.root();
    if root.kind() == Kind::Text {
        // It is the only child of its operation, and so no layout; but who reads XML may want to be told.
        return is_blank_text(root) && !is_html;
    }
    let space = SpaceAttribute::of(root);
    let mut open = vec![Children::default()];
    for step in content.steps() {
        match step {
            Step::Enter(node) => {
                let inherited = open.last().is_some_and(|parent| parent.preserves);
                if let Some(parent) = open.last_mut() {
                    parent.add(node);
                }
                if node.kind().is_container() {
                    open.push(Children { preserves: space.on(node).unwrap_or(inherited), ..Children::default() });
                }
            }
            Step::Leave(_) if open.pop().is_some_and(|children| children.would_lose_text()) => return true,
            Step::Leave(_) => {}
        }
    }
    false
}

/// What decides whether blank texts of one parent are layout.
#[derive(Debug, Default)]
struct Children {
    count: u32,
    has_blank_text: bool,
    has_solid_text: bool,
    preserves: bool,
}

impl Children {
    fn add(&mut self, child: Node<'_>) {
        self.count += 1;
        if child.kind() == Kind::Text {
            let is_blank = is_blank_text(child);
            self.has_blank_text |= is_blank;
            self.has_solid_text |= !is_blank;
        }
    }

    fn would_lose_text(&self) -> bool {
        self.has_blank_text && !self.has_solid_text && !self.preserves && self.count > 1
    }
}

pub(super) fn is_blank_text(text: Node<'_>) -> bool {
    is_blank(text.value().as_bytes())
}

/// The attribute `xml:space` of a document, if it has any.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpaceAttribute(Option<NameId>);

impl SpaceAttribute {
    /// Where nobody listens to it.
    const UNHEARD: Self = SpaceAttribute(None);

    pub(super) fn of(node: Node<'_>) -> Self {
        SpaceAttribute(node.document().names().find(XML_NAMESPACE, "space"))
    }

    /// Whether it says on this element that white space is preserved; `None` where it says nothing.
    pub(super) fn on(self, element: Node<'_>) -> Option<bool> {
        let name = self.0?;
        let attribute = element.attributes().find(|attribute| attribute.name_id() == name)?;
        match &*attribute.value() {
            "preserve" => Some(true),
            "default" => Some(false),
            _ => None,
        }
    }
}

/// The layout of a fragment, found on the way through it.
#[derive(Debug)]
pub(super) struct Layout<'f> {
    /// The parents of what is left out, whose layout is left out too: it might become a text. In document order.
    incomplete: Vec<NodeId>,
    /// Unheard where no layout is wanted: an element that asks for the default would bring it back.
    space: SpaceAttribute,
    open: Vec<Open>,
    source: &'f str,
}

/// A parent that is being written.
#[derive(Debug, Clone, Copy)]
struct Open {
    has_layout: bool,
    /// What `xml:space` says to whoever reads the payload.
    preserves: bool,
    is_empty: bool,
    /// Where its last child ended in the source, unless that is a text or was not there.
    child_end: Option<usize>,
}

impl<'f> Layout<'f> {
    /// The layout of a fragment; none where `is_wanted` is not.
    pub(super) fn new(content: &'f Fragment, is_wanted: bool) -> Self {
        let document = content.document();
        let parents = content.holes().iter().filter_map(|&hole| document.node(hole).parent());
        let mut incomplete: Vec<NodeId> = parents.map(Node::id).collect();
        incomplete.sort_unstable();
        let top = Open { has_layout: false, preserves: !is_wanted, is_empty: true, child_end: None };
        let space = if is_wanted { SpaceAttribute::of(content.root()) } else { SpaceAttribute::UNHEARD };
        Layout { incomplete, space, open: vec![top], source: document.source() }
    }

    /// The layout before a node that is entered now.
    pub(super) fn before(&mut self, node: Node<'f>) -> &'f str {
        let stands_at = node.outer_range();
        let Some(parent) = self.open.last_mut() else { return "" };
        let parent_preserves = parent.preserves;
        let layout = match (parent.child_end, &stands_at) {
            _ if !parent.has_layout || node.kind() == Kind::Text => "",
            (Some(end), Some(range)) => self.source.get(end..range.start).unwrap_or(""),
            (None, Some(range)) if parent.is_empty => blank_end(&self.source[..range.start]),
            _ => "",
        };
        parent.is_empty = false;
        parent.child_end = stands_at.map(|range| range.end).filter(|_| node.kind() != Kind::Text);
        if node.kind().is_container() {
            let preserves = self.space.on(node).unwrap_or(parent_preserves);
            let has_layout = !preserves && self.has_layout(node);
            self.open.push(Open { has_layout, preserves, is_empty: true, child_end: None });
        }
        if is_blank(layout.as_bytes()) { layout } else { "" }
    }

    /// Whether there can be layout in an element: not beside texts, where it would be one of them. HTML may well have
    /// both, since it reads over a line end at the start of `pre`.
    fn has_layout(&self, element: Node<'_>) -> bool {
        self.incomplete.binary_search(&element.id()).is_err()
            && element.children().all(|child| child.kind() != Kind::Text)
    }

    /// The layout before the end of an element that is left now.
    pub(super) fn at_end(&mut self) -> &'f str {
        let end = self.open.pop().filter(|element| element.has_layout).and_then(|element| element.child_end);
        end.and_then(|end| self.source.get(end..)).map_or("", blank_start)
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

fn blank_start(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(BLANKS).len()]
}

fn blank_end(text: &str) -> &str {
    &text[text.trim_end_matches(BLANKS).len()..]
}

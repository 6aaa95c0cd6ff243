//! What may happen where? In XML and JSON nearly anything; in a page what its parser will most likely read as it is meant.
//!
//! Markup of a page is read by rules that move, close and drop elements, so places and names that these rules are known
//! to touch are not chosen in the first place:
//!
//! | rule | why |
//! |---|---|
//! | changes are below `body` alone | `html`, `head` and `body` are there whatever is written, and in `head` little may be |
//! | nothing changes in scripts, styles, `textarea`, `title`, `noscript`, `template` | their text is read by rules of its own |
//! | what has no tag stays, and its first child too | it is there because of that child, as `tbody` is because of a row |
//! | an element comes only where such elements are | so rows stay in tables, items in lists, and foreign elements among their like |
//! | a text comes only where texts are | text in a table is moved out of it |
//! | no block comes into a `p`, no `a`, `button`, `form`, heading, `nobr` or `select` into another | it would close it |
//!
//! What is read differently all the same is found when the new version is read (see `retreat`).

use std::collections::HashMap;

use super::plan::is_blank_text;
use crate::parse::html::names::{class, classes_of};
use crate::tree::{Document, Format, HTML_NAMESPACE, Kind, Label, Node, NodeId, XML_NAMESPACE};

/// What may happen to the nodes of a document.
#[derive(Debug)]
pub(super) struct Rules {
    /// Whether the document is a page.
    pub(super) is_page: bool,
    /// Whether a node is white space alone.
    pub(super) is_blank: Vec<bool>,
    /// Whether white space in a node is nodes, whatever stands beside it.
    pub(super) preserves: Vec<bool>,
    /// Whether a node has white space as a child that is a node only because of what stands beside it.
    has_blanks: Vec<bool>,
    /// Whether something may happen to the children of a node.
    is_open: Vec<bool>,
    /// Of a page, what is in the subtree of a node that cannot be just anywhere, and what cannot be below the node.
    holds: Vec<u8>,
    refuses: Vec<u8>,
    /// Of a page, how many nodes of a label can change.
    alike: HashMap<Label, usize>,
}

impl Rules {
    pub(super) fn new(document: &Document, is_exact: bool) -> Self {
        let is_page = document.format() == Format::Html;
        let mut rules = Rules {
            is_page,
            is_blank: document.nodes().map(|node| node.kind() == Kind::Text && is_blank_text(node)).collect(),
            preserves: preserved(document, is_exact),
            has_blanks: vec![false; document.len()],
            is_open: document.nodes().map(is_written).collect(),
            holds: Vec::new(),
            refuses: Vec::new(),
            alike: HashMap::new(),
        };
        for (id, &parent) in document.parents().iter().enumerate().skip(1) {
            rules.has_blanks[parent as usize] |= rules.is_blank[id] && !rules.preserves[parent as usize];
        }
        if is_page {
            rules.read_page(document);
        }
        rules
    }

    fn read_page(&mut self, document: &Document) {
        let exclusions = document.nodes().map(exclusion_of);
        (self.holds, self.refuses) = exclusions.map(|exclusion| (exclusion.holds, exclusion.refuses)).unzip();
        for node in document.nodes() {
            let (id, parent) = (node.id().index(), document.parents()[node.id().index()] as usize);
            self.is_open[id] = is_body(node) || (id > 0 && self.is_open[parent] && !is_closed(node));
            self.refuses[id] |= if id > 0 { self.refuses[parent] } else { 0 };
            if self.can_change(node) {
                *self.alike.entry(node.label()).or_default() += 1;
            }
        }
        for id in (1..document.len()).rev() {
            self.holds[document.parents()[id] as usize] |= self.holds[id];
        }
    }

    /// Whether something may happen to the children of a node.
    pub(super) fn is_open(&self, parent: NodeId) -> bool {
        self.is_open[parent.index()]
    }

    /// Whether something may happen to a node: not white space alone, and not in what an entity brought, since that is
    /// written elsewhere.
    pub(super) fn can_change(&self, node: Node<'_>) -> bool {
        !self.is_blank[node.id().index()] && node.parent().is_some_and(|parent| self.is_open(parent.id()))
    }

    /// Whether a node may be taken out of where it is.
    pub(super) fn can_leave(&self, node: Node<'_>) -> bool {
        let is_needed = || {
            let is_first = |parent: &Node<'_>| parent.first_child().map(Node::id) == Some(node.id());
            !is_written(node) || node.parent().filter(is_first).is_some_and(|parent| !is_written(parent))
        };
        self.can_change(node) && !(self.is_page && is_needed())
    }

    /// Whether a node of a page cannot move, so that it does not have to be taken out for that: it comes only where its like
    /// is.
    pub(super) fn is_alone(&self, node: Node<'_>) -> bool {
        self.is_page && self.alike.get(&node.label()).is_none_or(|&count| count < 2)
    }

    /// Whether a node is a text that white space beside it may need to be a node.
    pub(super) fn keeps_blanks(&self, node: Node<'_>) -> bool {
        node.kind() == Kind::Text && node.parent().is_some_and(|parent| self.has_blanks[parent.id().index()])
    }

    /// Whether all that a node has is white space that would be no node beside another.
    pub(super) fn is_blank_alone(&self, parent: Node<'_>) -> bool {
        self.has_blanks[parent.id().index()] && parent.size() == 2
    }

    /// Whether new nodes can be like this one: an element, or any value of JSON; of a page an element whose name is a
    /// plain one and whose content is nothing special.
    pub(super) fn is_model(&self, node: Node<'_>) -> bool {
        let is_plain = |name: &str| name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
        node.kind() != Kind::Text
            && !is_aside(node.kind())
            && (!self.is_page || (is_plain(node.name().local) && !is_closed(node)))
    }

    /// Whether a subtree can be below a node, as far as other elements above and in it are concerned.
    pub(super) fn fits(&self, subtree: NodeId, parent: NodeId) -> bool {
        !self.is_page || self.holds[subtree.index()] & self.refuses[parent.index()] == 0
    }

    /// Whether a new element that is named like another can be below a node.
    pub(super) fn fits_new(&self, like: Node<'_>, parent: NodeId) -> bool {
        !self.is_page || exclusion_of(like).holds & self.refuses[parent.index()] == 0
    }
}

/// Whether a kind is none that anything is modelled on.
pub(super) fn is_aside(kind: Kind) -> bool {
    matches!(kind, Kind::Comment | Kind::ProcessingInstruction | Kind::Reference)
}

/// Whether a node stands in the source itself: not in an entity, and with a tag where it is an element of a page.
pub(super) fn is_written(node: Node<'_>) -> bool {
    node.parent().is_none() || node.source_range().is_some()
}

/// Whether white space between the children of a node is nodes, whatever they are.
fn preserved(document: &Document, is_exact: bool) -> Vec<bool> {
    let mut preserves = vec![is_exact; document.len()];
    let is_page = document.format() == Format::Html;
    if is_exact || !(is_page || document.names().find(XML_NAMESPACE, "space").is_some()) {
        return preserves;
    }
    for node in document.nodes().skip(1) {
        let inherited = preserves[document.parents()[node.id().index()] as usize];
        let own = if is_page { preserves_in_page(node) } else { preserves_in_xml(node) };
        preserves[node.id().index()] = own.unwrap_or(inherited);
    }
    preserves
}

fn preserves_in_page(node: Node<'_>) -> Option<bool> {
    (is_html(node) && classes_of(node.name().local) & class::PRESERVES != 0).then_some(true)
}

fn preserves_in_xml(node: Node<'_>) -> Option<bool> {
    match node.attribute(XML_NAMESPACE, "space").as_deref() {
        Some("preserve") => Some(true),
        Some("default") => Some(false),
        _ => None,
    }
}

fn is_html(node: Node<'_>) -> bool {
    node.is_element() && node.name().namespace == HTML_NAMESPACE
}

fn is_body(node: Node<'_>) -> bool {
    let root = node.parent().filter(|root| root.parent().is_some_and(|document| document.parent().is_none()));
    is_html(node) && node.name().local == "body" && root.is_some()
}

/// Whether the content of an element of a page is read by rules of its own.
fn is_closed(node: Node<'_>) -> bool {
    let name = node.name().local;
    let is_special = || matches!(name, "textarea" | "title" | "noscript" | "template");
    is_html(node) && (is_special() || classes_of(name) & class::RAW_TEXT != 0)
}

/// What cannot be in one another, as bits: what an element brings, and what it refuses below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Exclusion {
    holds: u8,
    refuses: u8,
}

fn exclusion_of(node: Node<'_>) -> Exclusion {
    const BLOCK: u8 = 1;
    let itself = |bit: u8| Exclusion { holds: bit, refuses: bit };
    let block = |exclusion: Exclusion| Exclusion { holds: exclusion.holds | BLOCK, ..exclusion };
    match node.name().local {
        _ if !is_html(node) => Exclusion::default(),
        "p" => itself(BLOCK),
        "a" => itself(2),
        "button" => itself(4),
        "form" => block(itself(8)),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => block(itself(16)),
        "nobr" => itself(32),
        "select" => itself(64),
        "address" | "article" | "aside" | "blockquote" | "center" | "dd" | "details" | "dialog" | "dir" | "div"
        | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "header" | "hgroup" | "hr" | "li"
        | "listing" | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section" | "summary" | "table" | "ul"
        | "plaintext" | "xmp" => block(Exclusion::default()),
        _ => Exclusion::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{self, Options};

    fn check(source: &str, expected: &str, says: impl Fn(&Rules, Node<'_>) -> bool) {
        let document = parse::html(source, &Options::default()).unwrap().document;
        let rules = Rules::new(&document, false);
        let name = |node: Node<'_>| match node.is_element() {
            true => node.name().local.to_owned(),
            false => node.value().into_owned(),
        };
        let found: Vec<String> = document.nodes().filter(|node| says(&rules, *node)).map(name).collect();
        assert_eq!(found.join(" "), expected, "{source}");
    }

    #[test]
    fn changes_are_in_the_body_and_not_in_what_is_read_otherwise() {
        let source = "<title>t</title><body><p>a</p><script>b</script><textarea>c</textarea><template>d</template>\
                      <noscript>e</noscript><svg><title>f</title></svg></body><!--g-->";
        check(source, "p a script textarea template noscript svg title f", |rules, node| rules.can_change(node));
    }

    #[test]
    fn what_has_no_tag_stays_with_its_first_child() {
        check("<body><table><tr><td>1<td>2<tr><td>3</table>", "table td 1 td 2 tr td 3", |rules, node| {
            rules.can_leave(node)
        });
    }

    #[test]
    fn new_elements_have_plain_names_and_no_content_of_a_kind_of_its_own() {
        let source = "<body><p>a<o:p>b</o:p></p><style>c</style><x-y></x-y><!--d-->";
        check(source, "p x-y", |rules, node| rules.can_change(node) && rules.is_model(node));
    }

    #[test]
    fn what_would_close_another_does_not_come_into_it() {
        let source = "<body><p>1</p><a>2<b>3</b></a><div>4<a>5</a></div><h1>6</h1><i>7</i>";
        let parent = |rules: &Rules, node: Node<'_>, name: &str| {
            let parent = node.document().nodes().find(|node| node.name().local == name).unwrap();
            rules.can_leave(node) && node.is_element() && rules.fits(node.id(), parent.id())
        };
        check(source, "a b a i", |rules, node| parent(rules, node, "p"));
        check(source, "p b h1 i", |rules, node| parent(rules, node, "b"));
        check(source, "p a b div a h1 i", |rules, node| parent(rules, node, "div"));
        check(source, "p a b div a i", |rules, node| parent(rules, node, "h1"));
    }

    #[test]
    fn white_space_counts_in_pre() {
        check("<body><pre><b>a</b></pre><p>c", "pre b a", |rules, node| rules.preserves[node.id().index()]);
    }
}

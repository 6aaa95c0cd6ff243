//! Which expression selects this node, and no other? Absolute paths such as `/menu/dish[2]/name/text()`.
//!
//! How many siblings share a name is counted once for every parent on some path, not once for every path.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};

use super::well_known;
use crate::tree::{Document, Format, Kind, Label, Name, Node, NodeId, XML_NAMESPACE};

/// So many steps of a path are shown.
const SHOWN: usize = 32;

/// The paths to some nodes of a document.
///
/// ```
/// use treediff::parse;
/// use treediff::select::{self, Paths, Value};
///
/// let menu = parse::xml("<menu><tea/><tea><with>milk</with></tea></menu>", &Default::default())?.document;
/// let milk = select::css(&menu, "with")?[0];
/// let no_prefixes = Default::default();
/// let paths = Paths::to([milk], &menu, &no_prefixes);
/// assert_eq!(paths.xpath(milk), "/menu/tea[2]/with");
/// let Value::NodeSet(found) = select::xpath(&menu, &paths.xpath(milk))? else { panic!("nodes") };
/// assert_eq!(found, [select::Selected::Node(milk)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Paths<'d> {
    ordinals: HashMap<NodeId, Ordinal>,
    /// By namespace.
    prefixes: HashMap<&'d str, &'d str>,
}

/// Which of its like a node is, from 1.
#[derive(Debug, Clone, Copy, Default)]
struct Ordinal {
    /// Among those that its own test selects.
    place: u32,
    /// Whether that selects nobody else.
    is_alone: bool,
    /// Among all siblings that `*` selects, or `node()` where it is none of them.
    among_all: u32,
}

impl<'d> Paths<'d> {
    /// Paths to these nodes and to their ancestors. Names in a namespace are written with the prefixes that are bound
    /// here, or that every HTML document has; those that have none by their place among all.
    pub fn to(
        nodes: impl IntoIterator<Item = Node<'d>>,
        document: &'d Document,
        namespaces: &'d BTreeMap<String, String>,
    ) -> Self {
        let mut ordinals: HashMap<NodeId, Ordinal> = HashMap::new();
        let mut parents = Vec::new();
        for node in nodes {
            let mut next = Some(node);
            while let Some(node) = next.filter(|node| !ordinals.contains_key(&node.id())) {
                ordinals.insert(node.id(), Ordinal::default());
                next = node.parent();
                parents.extend(next.map(Node::id));
            }
        }
        parents.sort_unstable();
        parents.dedup();
        parents.into_iter().for_each(|parent| number_children(document.node(parent), &mut ordinals));
        let bound = namespaces.iter().filter(|(prefix, _)| !prefix.is_empty());
        let mut prefixes: HashMap<&str, &str> = bound.map(|(prefix, uri)| (uri.as_str(), prefix.as_str())).collect();
        let known = ["html", "svg", "math"].into_iter().filter(|prefix| !namespaces.contains_key(*prefix));
        for prefix in known.filter(|_| document.format() == Format::Html) {
            well_known(prefix).into_iter().for_each(|uri| _ = prefixes.entry(uri).or_insert(prefix));
        }
        Paths { ordinals, prefixes }
    }

    /// The XPath that selects one of the nodes, or an ancestor of them, and no other.
    pub fn xpath(&self, node: Node<'_>) -> String {
        let mut steps: Vec<Node<'_>> = std::iter::once(node).chain(node.ancestors()).collect();
        steps.pop();
        if steps.is_empty() {
            return "/".to_owned();
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            // Writing to a string cannot fail.
            let _ = self.write_step(step, &mut path);
        }
        path
    }

    /// The same, but of a deep node the last steps alone, `/…/a/b`: the paths of all nodes would be the square of the document.
    pub fn shown(&self, node: Node<'_>) -> String {
        let way = std::iter::once(node).chain(node.ancestors()).take_while(|node| node.id() != NodeId::DOCUMENT);
        let mut steps: Vec<Node<'_>> = way.take(SHOWN + 1).collect();
        if steps.len() <= SHOWN {
            return self.xpath(node);
        }
        steps.truncate(SHOWN);
        let mut path = "/…".to_owned();
        for step in steps.into_iter().rev() {
            let _ = self.write_step(step, &mut path);
        }
        path
    }

    /// The last step of the XPath that selects an attribute: `/@id`; by its name as a text where an expression has no other way.
    pub fn attribute_step(&self, Name { namespace, local }: Name<'_>) -> String {
        let prefix = match namespace {
            "" => Some(""),
            XML_NAMESPACE => Some("xml"),
            _ => self.prefixes.get(namespace).copied(),
        };
        match prefix.filter(|_| is_ncname(local)) {
            Some("") => format!("/@{local}"),
            Some(prefix) => format!("/@{prefix}:{local}"),
            None => {
                let quote = if local.contains('\'') { '"' } else { '\'' };
                format!("/@*[local-name()={quote}{local}{quote}]")
            }
        }
    }

    fn write_step(&self, node: Node<'_>, out: &mut String) -> fmt::Result {
        let ordinal = self.ordinals.get(&node.id()).copied().unwrap_or_default();
        match node.kind() {
            Kind::Text => out.write_str("/text()")?,
            Kind::Comment => out.write_str("/comment()")?,
            Kind::ProcessingInstruction => write!(out, "/processing-instruction('{}')", node.name().local)?,
            Kind::Reference | Kind::Document => return write!(out, "/node()[{}]", ordinal.among_all),
            _ => match self.named(node) {
                Some(("", local)) => write!(out, "/{local}")?,
                Some((prefix, local)) => write!(out, "/{prefix}:{local}")?,
                None => return write!(out, "/*[{}]", ordinal.among_all),
            },
        }
        if ordinal.is_alone { Ok(()) } else { write!(out, "[{}]", ordinal.place) }
    }

    /// Prefix and name by which an expression can name a node.
    fn named<'n>(&self, node: Node<'n>) -> Option<(&'d str, &'n str)> {
        let Name { namespace, local } = node.name();
        if !is_ncname(local) {
            return None;
        }
        if namespace.is_empty() { Some(("", local)) } else { Some((self.prefixes.get(namespace)?, local)) }
    }
}

/// Whether an expression can have this name; those with rarer characters are not asked for, and selected by place.
fn is_ncname(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn number_children(parent: Node<'_>, ordinals: &mut HashMap<NodeId, Ordinal>) {
    let mut counts: HashMap<Test, u32> = HashMap::new();
    let (mut elements, mut all) = (0, 0);
    for child in parent.children() {
        let count = counts.entry(Test::of(child)).or_default();
        *count += 1;
        elements += u32::from(is_principal(child.kind()));
        all += 1;
        if let Some(ordinal) = ordinals.get_mut(&child.id()) {
            ordinal.place = *count;
            ordinal.among_all = if is_principal(child.kind()) { elements } else { all };
        }
    }
    for child in parent.children() {
        if let Some(ordinal) = ordinals.get_mut(&child.id()) {
            ordinal.is_alone = counts.get(&Test::of(child)) == Some(&1);
        }
    }
}

/// What a step asks for: nodes of one kind and name; values of JSON by their names alone.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Test {
    Label(Label),
    Named(u32),
}

impl Test {
    fn of(node: Node<'_>) -> Self {
        let label = node.label();
        if is_principal(node.kind()) { Test::Named(label.name().0) } else { Test::Label(label) }
    }
}

/// Whether `*` selects it.
fn is_principal(kind: Kind) -> bool {
    !matches!(kind, Kind::Document | Kind::Text | Kind::Comment | Kind::ProcessingInstruction | Kind::Reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::select::{Context, Expression, Selected};

    /// The path of every node selects that node alone.
    fn check(source: &str, format: Format, namespaces: &[(&str, &str)], expected_last: &str) {
        let document = parse::parse(source, format, &Default::default()).unwrap().document;
        let bound = |&(prefix, uri): &(&str, &str)| (prefix.to_owned(), uri.to_owned());
        let context = Context { namespaces: namespaces.iter().map(bound).collect(), ..Context::default() };
        let paths = Paths::to(document.nodes(), &document, &context.namespaces);
        for node in document.nodes() {
            let path = paths.xpath(node);
            let found = Expression::parse(&path).unwrap().evaluate(document.root(), &context).unwrap().into_nodes();
            assert_eq!(found, [Selected::Node(node)], "{path}");
        }
        assert_eq!(paths.xpath(document.nodes().last().unwrap()), expected_last);
    }

    #[test]
    fn every_path_selects_its_node_alone() {
        check("<a/>", Format::Xml, &[], "/a");
        check("<a><b/>x<!--c--><?p d?><b/>y<b>z</b></a>", Format::Xml, &[], "/a/b[3]/text()");
        check("<a xmlns='urn:a'><b/><b xmlns=''/><b><c/></b></a>", Format::Xml, &[], "/*[1]/*[3]/*[1]");
        check("<a xmlns='urn:a'><b/><b xmlns=''/><b><c/></b></a>", Format::Xml, &[("p", "urn:a")], "/p:a/p:b[2]/p:c");
        check("<p>x<svg><g/></svg>", Format::Html, &[], "/html:html/html:body/html:p/svg:svg/svg:g");
        check("<d><x\"y>1</x\"y><d>2", Format::Html, &[], "/html:html/html:body/html:d/html:d/text()");
        check("{\"a\":[1,\"x\",{\"b c\":2,\"d\":null}],\"f\":true}", Format::Json, &[], "/*[1]/f");
    }

    #[test]
    fn of_deep_nodes_the_end_is_shown() {
        let shown = |depth: usize| {
            let source = "<a>".repeat(depth) + "<b id='1'/>" + &"</a>".repeat(depth);
            let document = parse::xml(source, &Default::default()).unwrap().document;
            let (last, none) = (document.nodes().last().unwrap(), Default::default());
            Paths::to([last], &document, &none).shown(last)
        };
        assert_eq!(shown(31), "/a".repeat(31) + "/b");
        assert_eq!(shown(32), format!("/…{}/b", "/a".repeat(31)));
        assert_eq!(shown(5000), format!("/…{}/b", "/a".repeat(31)));
    }

    #[test]
    fn every_step_of_an_attribute_selects_it_alone() {
        let source = "<a id='1' xml:lang='en' p:q='2' xmlns:p='urn:p' é='3'/>";
        let document = parse::xml(source, &Default::default()).unwrap().document;
        let context = Context::default();
        let root = document.root_element().unwrap();
        let paths = Paths::to([root], &document, &context.namespaces);
        let mut steps = Vec::new();
        for attribute in root.attributes().filter(|attribute| attribute.name().local != "p") {
            let step = paths.attribute_step(attribute.name());
            let found = Expression::parse(&format!("/a{step}")).unwrap().evaluate(document.root(), &context).unwrap();
            let values: Vec<String> = found.into_nodes().iter().map(|one| one.string_value().into_owned()).collect();
            assert_eq!(values, [attribute.value()], "{step}");
            steps.push(step);
        }
        steps.sort_unstable();
        assert_eq!(steps, ["/@*[local-name()='q']", "/@*[local-name()='é']", "/@id", "/@xml:lang"]);
    }

    #[test]
    fn references_that_are_kept_have_a_place() {
        let source = "<!DOCTYPE a SYSTEM 'x'><a>t&one;<b/>&two;</a>";
        check(source, Format::Xml, &[], "/a/node()[4]");
    }
}

//! How does XUpdate say it? As a sequence of modifications, each with an XPath that is right when its turn comes.
//!
//! 1. Values and attributes are changed while everything is where it was: paths are those of the version before.
//! 2. What goes away is removed backwards, in reverse document order, so that all before it is still as it was and its
//!    path is again that of the version before. What moves is kept in a variable.
//! 3. What comes is inserted forwards, in document order, so that all before it is already as it will be: it is put
//!    behind its sibling before, by the path that has in the version after, or, where it is the first, before the
//!    first of those that stayed, or into its parent.
//!
//! Two texts must not be side by side in between: some processors make one of them. Where that could happen, the texts
//! of that parent are removed and inserted anew.

mod locations;
mod plan;
#[cfg(test)]
mod tests;

use std::fmt::{self, Write};

use super::FormatError;
use super::markup::{Markup, Named, plain};
use super::paths::Paths;
use super::versions::Versions;
use crate::delta::{AttributeChange, AttributeName, Delta, Operation};
use crate::tree::{Attribute, Document, Format, Kind, Node, Step, XMLNS_NAMESPACE};
use locations::{Locations, prefixes};
use plan::{Anchor, Arrival, Content, Plan};

const NAME: &str = "XUpdate";
const XUPDATE: &str = "http://www.xmldb.org/xupdate";

/// Writes a delta as XUpdate, version 1.0.
///
/// Paths use prefixes that are declared at the root. Where white space is layout it may be left behind or be missing
/// in what comes out; the change of a document type declaration cannot be said, nor a reference in an attribute that nobody
/// followed, and a delta that brings one is refused.
pub fn xupdate(delta: &Delta, before: &Document, after: &Document, out: &mut impl Write) -> Result<(), FormatError> {
    if delta.format() == Format::Json {
        return Err(FormatError::NotForFormat { name: NAME, format: delta.format() });
    }
    FormatError::refuse_doctype(delta, NAME)?;
    FormatError::refuse_same_values(delta)?;
    let versions = Versions::new(delta, before, after)?;
    refuse_references(delta, &versions)?;
    let plan = Plan::new(delta, &versions)?;
    let mut writer = Writer::new(&plan, out);
    writer.markup.doctype("xupdate:modifications", &versions.after.coming_references())?;
    writer.markup.fallbacks(delta.fallbacks())?;
    writer.open()?;
    for change in &plan.changes {
        writer.change(change)?;
    }
    for &parent in &plan.cleared {
        let select = format!("{}/text()", writer.before.xpath(parent));
        writer.empty("remove", &select)?;
    }
    for &node in plan.removals.iter().rev() {
        writer.remove(node)?;
    }
    for arrival in &plan.arrivals {
        writer.insert(arrival)?;
    }
    Ok(writer.close()?)
}

/// Refuses references in attributes that come or change.
fn refuse_references(delta: &Delta, versions: &Versions<'_>) -> Result<(), FormatError> {
    for operation in delta.operations() {
        match operation {
            Operation::Insert { .. } => {
                FormatError::refuse_references_below(versions.after.node(operation.node())?, NAME)?;
            }
            Operation::Attribute { node, name, .. } => {
                let is_it = |attribute: &Attribute<'_>| {
                    let found = attribute.name();
                    (found.namespace, found.local) == (&*name.namespace, &*name.local)
                };
                let come = versions.after.node(*node)?.attributes().find(is_it);
                come.map_or(Ok(()), |attribute| FormatError::refuse_reference(attribute, NAME))?;
            }
            _ => {}
        }
    }
    Ok(())
}

struct Writer<'p, 'd, 'o, W> {
    plan: &'p Plan<'d>,
    before: Locations<'d>,
    after: Locations<'d>,
    markup: Markup<'o, W>,
}

impl<'p, 'd, 'o, W: Write> Writer<'p, 'd, 'o, W> {
    fn new(plan: &'p Plan<'d>, out: &'o mut W) -> Self {
        let changed = plan.changes.iter().map(|(node, _)| *node);
        let places = changed.chain(plan.cleared.iter().copied()).chain(plan.removals.iter().copied());
        let anchors = plan.arrivals.iter().map(|arrival| match arrival.anchor {
            Anchor::Behind(node) | Anchor::BeforeFirst(node) | Anchor::Into(node) => node,
        });
        let prefixes = prefixes([plan.before, plan.after]);
        let is_html = plan.before.format() == Format::Html;
        Writer {
            plan,
            before: Locations { paths: Paths::to(places, plan.before), is_html, prefixes: prefixes.clone() },
            after: Locations { paths: Paths::to(anchors, plan.after), is_html, prefixes },
            markup: Markup::of_format(out, plan.before.format(), XUPDATE),
        }
    }

    fn open(&mut self) -> fmt::Result {
        let mut declared: Vec<_> = self.before.prefixes.iter().map(|(uri, prefix)| (prefix.as_str(), *uri)).collect();
        declared.sort_unstable();
        self.markup.start_declaring(named("modifications"), [(plain("version"), "1.0")], &declared)
    }

    fn close(&mut self) -> fmt::Result {
        self.markup.raw("\n")?;
        self.markup.end()?;
        self.markup.raw("\n")
    }

    /// Opens an operation on a line of its own.
    fn start(&mut self, operation: &str, select: &str) -> fmt::Result {
        self.markup.raw("\n")?;
        self.markup.start(named(operation), [(plain("select"), select)])
    }

    fn empty(&mut self, operation: &str, select: &str) -> fmt::Result {
        self.start(operation, select)?;
        self.markup.end()
    }

    fn update(&mut self, select: &str, value: &str) -> fmt::Result {
        self.start("update", select)?;
        self.markup.text(value)?;
        self.markup.end()
    }

    fn change(&mut self, (node, operation): &(Node<'d>, &Operation)) -> fmt::Result {
        let path = self.before.xpath(*node);
        match operation {
            Operation::Update { after, .. } => self.update(&path, after),
            Operation::Attribute { name, change, .. } => self.attribute(&path, name, change),
            _ => Ok(()),
        }
    }

    fn attribute(&mut self, path: &str, name: &AttributeName, change: &AttributeChange) -> fmt::Result {
        let qualified = self.before.qualified(&name.namespace, &name.local);
        match change {
            AttributeChange::Delete(_) => self.empty("remove", &format!("{path}/@{qualified}")),
            AttributeChange::Modify { after, .. } => self.update(&format!("{path}/@{qualified}"), after),
            AttributeChange::Insert(value) => {
                self.start("append", path)?;
                let has_none = matches!(&*name.namespace, "" | XMLNS_NAMESPACE);
                let namespace = (!has_none).then_some((plain("namespace"), &*name.namespace));
                let attributes = [(plain("name"), &*qualified)].into_iter().chain(namespace);
                self.markup.start(named("attribute"), attributes)?;
                self.markup.text(value)?;
                self.markup.end()?;
                self.markup.end()
            }
        }
    }

    fn remove(&mut self, node: Node<'d>) -> fmt::Result {
        let path = self.before.xpath(node);
        if let Some(number) = self.plan.variables.get(&node.id()) {
            self.markup.raw("\n")?;
            let name = format!("moved{number}");
            self.markup.start(named("variable"), [(plain("name"), &name), (plain("select"), &path)])?;
            self.markup.end()?;
        }
        self.empty("remove", &path)
    }

    fn insert(&mut self, arrival: &Arrival<'d>) -> fmt::Result {
        match arrival.anchor {
            Anchor::Behind(node) => self.start("insert-after", &self.after.xpath(node))?,
            Anchor::BeforeFirst(node) => {
                let mut path = node.parent().map_or(String::new(), |parent| self.after.xpath(parent));
                self.after.step(node, 1, &mut path)?;
                self.start("insert-before", &path)?;
            }
            Anchor::Into(parent) if parent.parent().is_none() => self.start("append", "/")?,
            Anchor::Into(parent) => self.start("append", &self.after.xpath(parent))?,
        }
        match &arrival.content {
            Content::New => self.content(arrival.node)?,
            Content::Kept(number) => {
                self.markup.start(named("value-of"), [(plain("select"), format!("$moved{number}"))])?;
                self.markup.end()?;
            }
        }
        self.markup.end()
    }

    /// A subtree of the version after, without what arrives by itself.
    fn content(&mut self, root: Node<'d>) -> fmt::Result {
        if !root.is_element() {
            return self.leaf(root);
        }
        let mut walk = root.walk();
        loop {
            if walk.peek_entering().is_some_and(|node| node != root && self.plan.arrives(node)) {
                walk.skip_subtree();
                continue;
            }
            match walk.next() {
                Some(Step::Enter(element)) if element.is_element() => self.markup.start_as_written(element)?,
                Some(Step::Enter(leaf)) => self.markup.leaf(leaf, &leaf.value())?,
                Some(Step::Leave(_)) => self.markup.end()?,
                None => return Ok(()),
            }
        }
    }

    /// A node that is no element, as XUpdate constructs it.
    fn leaf(&mut self, node: Node<'_>) -> fmt::Result {
        match node.kind() {
            Kind::Comment => self.markup.start(named("comment"), NONE)?,
            Kind::ProcessingInstruction => {
                self.markup.start(named("processing-instruction"), [(plain("name"), node.name().local)])?;
            }
            Kind::Reference => return self.markup.leaf(node, ""),
            _ => self.markup.start(named("text"), NONE)?,
        }
        self.markup.text(&node.value())?;
        self.markup.end()
    }
}

const NONE: [(Named<'static>, &str); 0] = [];

fn named(local: &str) -> Named<'_> {
    Named { prefix: "xupdate", namespace: XUPDATE, local }
}

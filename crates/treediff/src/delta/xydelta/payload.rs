//! How is a piece of a document written within another? Node by node, with the namespaces that it needs.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::escape;
use super::layout::Layout;
use super::namespaces::{Namespaces, Scope, declared_name, uses};
use super::setting::Style;
use super::{GAP_DATA, GAP_TARGET};
use crate::delta::Fragment;
use crate::parse::escapes::is_ncname;
use crate::tree::{Attribute, Kind, Node, Step, XMLNS_NAMESPACE};
use crate::write::attributes_as_written;

/// Writes content of an XML or HTML document; `keeps_layout` where its white space may be layout.
pub(super) fn write(
    out: &mut impl Write,
    content: &Fragment,
    style: Style,
    namespaces: &Namespaces,
    keeps_layout: bool,
) -> fmt::Result {
    let (layout, scope) = (Layout::new(content, keeps_layout), namespaces.scope());
    let mut writer = Writer { out, style, layout, scope, is_in_tag: false, is_behind_text: false };
    content.steps().try_for_each(|step| match step {
        Step::Enter(node) => writer.enter(node),
        Step::Leave(node) => writer.leave(node),
    })
}

#[derive(Debug)]
struct Writer<'f, 'o, W> {
    out: &'o mut W,
    style: Style,
    layout: Layout<'f>,
    scope: Scope<'f>,
    /// Whether a start tag has no end yet: it may turn out to be an empty one.
    is_in_tag: bool,
    /// Whether what was written last is a text, with which another would run together.
    is_behind_text: bool,
}

impl<'f, W: Write> Writer<'f, '_, W> {
    fn enter(&mut self, node: Node<'f>) -> fmt::Result {
        if std::mem::take(&mut self.is_in_tag) {
            self.out.write_char('>')?;
        }
        let was_behind_text = std::mem::replace(&mut self.is_behind_text, node.kind() == Kind::Text);
        self.out.write_str(self.layout.before(node))?;
        match node.kind() {
            Kind::Element => self.start_tag(node),
            Kind::Text => self.text(node, was_behind_text),
            Kind::Comment => write!(self.out, "<!--{}-->", self.markup(node)),
            Kind::ProcessingInstruction => self.instruction(node),
            Kind::Reference => write!(self.out, "&{};", self.name(node.name().local)),
            // Nothing else is in XML and HTML.
            _ => Ok(()),
        }
    }

    fn leave(&mut self, element: Node<'f>) -> fmt::Result {
        self.scope.close();
        self.is_behind_text = false;
        let layout = self.layout.at_end();
        if std::mem::take(&mut self.is_in_tag) {
            return self.out.write_str("/>");
        }
        write!(self.out, "{layout}</")?;
        self.element_name(element)?;
        self.out.write_char('>')
    }

    fn text(&mut self, node: Node<'f>, is_behind_text: bool) -> fmt::Result {
        if is_behind_text {
            write!(self.out, "<?{GAP_TARGET} {GAP_DATA}?>")?;
        }
        escape::text(self.out, &node.value(), self.style.version)
    }

    fn instruction(&mut self, node: Node<'f>) -> fmt::Result {
        let target = self.name(node.name().local);
        let data = self.markup(node);
        let blanks = match &*data {
            "" => "",
            // One blank more than a gap has, so that nobody takes it for one.
            GAP_DATA if target == GAP_TARGET => "  ",
            _ => " ",
        };
        write!(self.out, "<?{target}{blanks}{data}?>")
    }

    /// The value of a comment or an instruction.
    fn markup(&self, node: Node<'f>) -> Cow<'f, str> {
        let is_comment = node.kind() == Kind::Comment;
        match node.value() {
            value if !self.style.has_escapes => value,
            Cow::Borrowed(value) => escape::html_markup(value, is_comment),
            Cow::Owned(value) => Cow::Owned(escape::html_markup(&value, is_comment).into_owned()),
        }
    }

    fn name<'n>(&self, local: &'n str) -> Cow<'n, str> {
        if self.style.has_escapes { escape::html_name(local) } else { Cow::Borrowed(local) }
    }

    fn start_tag(&mut self, element: Node<'f>) -> fmt::Result {
        self.out.write_char('<')?;
        self.element_name(element)?;
        self.scope.open();
        for (prefix, uri) in element.declarations() {
            // Documents that are not well-formed have others: nothing can have the one, and a name that is none is in no namespace,
            // whatever its tag declares.
            let is_against_itself = || uses(element).any(|(used, other)| used == prefix && other != uri);
            if (prefix.is_empty() || is_ncname(&prefix)) && !is_against_itself() {
                self.declare(prefix, uri)?;
            }
        }
        for (prefix, uri) in uses(element) {
            if self.scope.uri(prefix) != uri {
                self.declare(prefix.into(), uri.into())?;
            }
        }
        for attribute in attributes_as_written(element) {
            let name = self.attribute_name(attribute);
            escape::attribute(self.out, &name, &attribute.value(), self.style.version)?;
        }
        self.is_in_tag = true;
        Ok(())
    }

    fn element_name(&mut self, element: Node<'f>) -> fmt::Result {
        let prefix = element.prefix();
        if !prefix.is_empty() {
            write!(self.out, "{prefix}:")?;
        }
        let local = self.name(element.name().local);
        self.out.write_str(&local)
    }

    fn attribute_name(&self, attribute: Attribute<'f>) -> Cow<'f, str> {
        let local = attribute.name().local;
        match attribute.name().namespace {
            "" => self.name(local),
            // In HTML these are attributes. No name begins with a blank, so that this one says where the name is from.
            XMLNS_NAMESPACE => Cow::Owned(self.name(&format!(" {local}")).into_owned()),
            _ if attribute.prefix().is_empty() => self.name(local),
            _ => Cow::Owned(format!("{}:{}", attribute.prefix(), self.name(local))),
        }
    }

    fn declare(&mut self, prefix: Cow<'f, str>, uri: Cow<'f, str>) -> fmt::Result {
        escape::attribute(self.out, &declared_name(&prefix), &uri, self.style.version)?;
        self.scope.bind(prefix, uri);
        Ok(())
    }
}

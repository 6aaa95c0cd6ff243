//! How is content written within a patch? With the namespaces that it needs, whatever is around it.

use std::collections::HashMap;
use std::fmt::{self, Write};

use crate::tree::{Kind, Node, Step, XML_NAMESPACE};
use crate::write::{attributes_as_written, write_attribute, write_text};

/// Writes a subtree as it stands in its document.
pub(super) fn write(node: Node<'_>, out: &mut impl Write) -> fmt::Result {
    let mut writer = Writer { out, scope: HashMap::new(), declared: Vec::new(), is_in_tag: false };
    node.walk().try_for_each(|step| match step {
        Step::Enter(node) => writer.enter(node),
        Step::Leave(node) => writer.leave(node),
    })
}

struct Writer<'d, 'o, W> {
    out: &'o mut W,
    /// For each prefix what it stands for, innermost last.
    scope: HashMap<String, Vec<String>>,
    /// The prefixes that the open elements declare, by element.
    declared: Vec<Vec<&'d str>>,
    /// Whether a start tag has no end yet: it may turn out to be an empty one.
    is_in_tag: bool,
}

impl<'d, W: Write> Writer<'d, '_, W> {
    fn enter(&mut self, node: Node<'d>) -> fmt::Result {
        if std::mem::take(&mut self.is_in_tag) {
            self.out.write_char('>')?;
        }
        match node.kind() {
            Kind::Element => self.start_tag(node),
            Kind::Text => write_text(self.out, &node.value()),
            Kind::Comment => write!(self.out, "<!--{}-->", node.value()),
            Kind::Reference => write!(self.out, "&{};", node.name().local),
            Kind::ProcessingInstruction => instruction(node, self.out),
            _ => Ok(()),
        }
    }

    fn start_tag(&mut self, element: Node<'d>) -> fmt::Result {
        write!(self.out, "<{}", element.qualified_name())?;
        self.declared.push(Vec::new());
        for (prefix, uri) in element.declarations() {
            // A prefix is a piece of the source.
            let prefix = match prefix {
                std::borrow::Cow::Borrowed(prefix) => prefix,
                std::borrow::Cow::Owned(_) => continue,
            };
            self.declare(prefix, &uri)?;
        }
        let attributes = attributes_as_written(element);
        self.need(element.prefix(), element.name().namespace)?;
        for attribute in attributes.iter().filter(|attribute| !attribute.prefix().is_empty()) {
            self.need(attribute.prefix(), attribute.name().namespace)?;
        }
        for attribute in attributes {
            write!(self.out, " {}=\"", attribute.qualified_name())?;
            write_attribute(self.out, &attribute.value())?;
            self.out.write_char('"')?;
        }
        self.is_in_tag = true;
        Ok(())
    }

    fn need(&mut self, prefix: &'d str, uri: &str) -> fmt::Result {
        let in_force = self.scope.get(prefix).and_then(|uris| uris.last()).map_or("", String::as_str);
        if uri == XML_NAMESPACE || in_force == uri { Ok(()) } else { self.declare(prefix, uri) }
    }

    fn declare(&mut self, prefix: &'d str, uri: &str) -> fmt::Result {
        declaration(prefix, uri, self.out)?;
        self.scope.entry(prefix.to_owned()).or_default().push(uri.to_owned());
        self.declared.last_mut().into_iter().for_each(|own| own.push(prefix));
        Ok(())
    }

    fn leave(&mut self, element: Node<'d>) -> fmt::Result {
        for prefix in self.declared.pop().unwrap_or_default() {
            self.scope.get_mut(prefix).and_then(Vec::pop);
        }
        if std::mem::take(&mut self.is_in_tag) {
            return self.out.write_str("/>");
        }
        write!(self.out, "</{}>", element.qualified_name())
    }
}

/// Writes a namespace declaration, with a blank before it.
pub(super) fn declaration(prefix: &str, uri: &str, out: &mut impl Write) -> fmt::Result {
    let colon = if prefix.is_empty() { "" } else { ":" };
    write!(out, " xmlns{colon}{prefix}=\"")?;
    write_attribute(out, uri)?;
    out.write_char('"')
}

fn instruction(node: Node<'_>, out: &mut impl Write) -> fmt::Result {
    let (target, value) = (node.name().local, node.value());
    let blank = if value.is_empty() { "" } else { " " };
    write!(out, "<?{target}{blank}{value}?>")
}

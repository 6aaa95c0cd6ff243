//! Does a node pass a node test? The names of an expression, looked up in the document once before evaluation.

use super::super::axes::is_element;
use super::super::{Context, SelectError};
use super::ast::{Axis, AxisTest, NodeTest};
use super::item::{Item, Part};
use crate::tree::{Document, Format, HTML_NAMESPACE, Kind, Label, NameId, XML_NAMESPACE};

/// A node test in the terms of one document.
#[derive(Debug)]
pub(super) enum Test {
    /// `node()`.
    Any,
    Nothing,
    /// Texts, comments or processing instructions.
    Kind(Kind),
    /// Elements or processing instructions of one name.
    Label(Label),
    Elements,
    /// Values of one key, which may be of any kind.
    Key(NameId),
    /// Elements whose name is marked.
    ElementsNamed(Vec<bool>),
    Attributes,
    Attribute(NameId),
    /// Attributes whose name is marked.
    AttributesNamed(Vec<bool>),
    Namespaces,
    /// The namespace of one prefix.
    Prefix(String),
}

impl Test {
    pub(super) fn resolve(wanted: &AxisTest, document: &Document, context: &Context<'_>) -> Result<Test, SelectError> {
        let resolver = Resolver { document, context };
        Ok(match (&wanted.test, wanted.axis) {
            (NodeTest::Node, _) => Test::Any,
            (NodeTest::Text, _) => Test::Kind(Kind::Text),
            (NodeTest::Comment, _) => Test::Kind(Kind::Comment),
            (NodeTest::ProcessingInstruction(None), _) => Test::Kind(Kind::ProcessingInstruction),
            (NodeTest::ProcessingInstruction(Some(target)), _) => resolver
                .name("", target)
                .map_or(Test::Nothing, |id| Test::Label(Label::new(Kind::ProcessingInstruction, id))),
            (test, Axis::Attribute) => resolver.attribute(test)?,
            (test, Axis::Namespace) => resolver.namespace(test)?,
            (test, _) => resolver.element(test)?,
        })
    }

    #[inline]
    pub(super) fn accepts_label(&self, label: Label) -> bool {
        match self {
            Test::Any => true,
            Test::Kind(kind) => label.kind() == *kind,
            Test::Label(wanted) => label == *wanted,
            Test::Elements => is_element(label),
            Test::Key(name) => label.name() == *name && is_element(label),
            Test::ElementsNamed(marked) => is_element(label) && marked[label.name().index()],
            _ => false,
        }
    }

    pub(super) fn accepts(&self, document: &Document, item: Item) -> bool {
        match item.part() {
            Part::Node => self.accepts_label(document.labels()[item.node as usize]),
            Part::Attribute(index) => match self {
                Test::Any | Test::Attributes => true,
                Test::Attribute(name) => document.attribute(index).name_id() == *name,
                Test::AttributesNamed(marked) => marked[document.attribute(index).name_id().index()],
                _ => false,
            },
            Part::Namespace(declaration) => match self {
                Test::Any | Test::Namespaces => true,
                Test::Prefix(wanted) => match declaration {
                    Some(index) => document.declaration(index).0 == wanted.as_str(),
                    None => wanted == "xml",
                },
                _ => false,
            },
        }
    }
}

struct Resolver<'a> {
    document: &'a Document,
    context: &'a Context<'a>,
}

impl Resolver<'_> {
    fn element(&self, test: &NodeTest) -> Result<Test, SelectError> {
        Ok(match test {
            NodeTest::PrefixStar(prefix) => Test::ElementsNamed(self.names_in(self.uri(prefix)?)),
            NodeTest::Name { prefix, local } => match self.element_name(prefix.as_deref(), local)? {
                None => Test::Nothing,
                Some(id) if self.document.format() == Format::Json => Test::Key(id),
                Some(id) => Test::Label(Label::new(Kind::Element, id)),
            },
            _ => Test::Elements,
        })
    }

    fn element_name(&self, prefix: Option<&str>, local: &str) -> Result<Option<NameId>, SelectError> {
        Ok(match prefix {
            Some(prefix) => self.name(self.uri(prefix)?, local),
            None if self.document.format() == Format::Html => self.name(HTML_NAMESPACE, &local.to_ascii_lowercase()),
            None => self.name("", local),
        })
    }

    fn attribute(&self, test: &NodeTest) -> Result<Test, SelectError> {
        Ok(match test {
            NodeTest::PrefixStar(prefix) => Test::AttributesNamed(self.names_in(self.uri(prefix)?)),
            NodeTest::Name { prefix, local } => {
                let namespace = prefix.as_deref().map_or(Ok(""), |prefix| self.uri(prefix))?;
                self.name(namespace, local).map_or(Test::Nothing, Test::Attribute)
            }
            _ => Test::Attributes,
        })
    }

    /// A namespace node is named by its prefix, in no namespace.
    fn namespace(&self, test: &NodeTest) -> Result<Test, SelectError> {
        Ok(match test {
            NodeTest::Name { prefix: None, local } => Test::Prefix(local.clone()),
            NodeTest::Name { prefix: Some(prefix), .. } | NodeTest::PrefixStar(prefix) => {
                self.uri(prefix)?;
                Test::Nothing
            }
            _ => Test::Namespaces,
        })
    }

    fn name(&self, namespace: &str, local: &str) -> Option<NameId> {
        self.document.names().find(namespace, local)
    }

    fn names_in(&self, namespace: &str) -> Vec<bool> {
        self.document.names().iter().map(|(_, name)| name.namespace == namespace).collect()
    }

    fn uri(&self, prefix: &str) -> Result<&str, SelectError> {
        if prefix == "xml" {
            return Ok(XML_NAMESPACE);
        }
        self.context.namespace(self.document, prefix).ok_or_else(|| SelectError::UnknownPrefix(prefix.to_owned()))
    }
}

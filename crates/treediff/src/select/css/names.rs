//! Which of a document's names does a selector mean?

use super::super::{Context, SelectError};
use super::ast::{NameRef, NamespaceRef};
use crate::tree::{Document, Format, HTML_NAMESPACE, Name, NameId, XML_NAMESPACE};

/// The names of a document that a selector's name stands for.
#[derive(Debug)]
pub(super) enum NameTest {
    Any,
    /// By the place of the name.
    Marked(Vec<bool>),
}

impl NameTest {
    pub(super) fn resolve(wanted: &NameRef, document: &Document, context: &Context<'_>) -> Result<Self, SelectError> {
        let namespace = namespace(wanted, document, context)?;
        if wanted.local.is_none() && namespace.is_none() {
            return Ok(NameTest::Any);
        }
        let local = wanted.local.as_deref().map(|local| Spelling::new(local, document));
        let is_meant = |name: Name<'_>| {
            namespace.is_none_or(|namespace| name.namespace == namespace)
                && local.as_ref().is_none_or(|local| local.is(name))
        };
        Ok(NameTest::Marked(document.names().iter().map(|(_, name)| is_meant(name)).collect()))
    }

    #[inline]
    pub(super) fn accepts(&self, name: NameId) -> bool {
        match self {
            NameTest::Any => true,
            NameTest::Marked(marked) => marked[name.index()],
        }
    }
}

/// The namespace that a name must be in, `None` where it may be in any.
fn namespace<'a>(
    wanted: &NameRef,
    document: &Document,
    context: &'a Context<'_>,
) -> Result<Option<&'a str>, SelectError> {
    match &wanted.namespace {
        NamespaceRef::Any => Ok(None),
        NamespaceRef::None => Ok(Some("")),
        NamespaceRef::Default => Ok(context.namespaces.get("").map(String::as_str)),
        NamespaceRef::Prefix(prefix) => {
            let known = if prefix == "xml" { Some(XML_NAMESPACE) } else { context.namespace(document, prefix) };
            known.map(Some).ok_or_else(|| SelectError::UnknownPrefix(prefix.clone()))
        }
    }
}

/// A local name, and how HTML spells it.
struct Spelling<'a> {
    written: &'a str,
    /// In HTML documents, the names of HTML elements and of attributes are in lower case however they are written.
    in_html: Option<String>,
}

impl<'a> Spelling<'a> {
    fn new(written: &'a str, document: &Document) -> Self {
        let in_html = (document.format() == Format::Html).then(|| written.to_ascii_lowercase());
        Spelling { written, in_html }
    }

    fn is(&self, name: Name<'_>) -> bool {
        match &self.in_html {
            Some(lower) if name.namespace == HTML_NAMESPACE => name.local == lower,
            Some(lower) if name.namespace.is_empty() => name.local == lower || name.local == self.written,
            _ => name.local == self.written,
        }
    }
}

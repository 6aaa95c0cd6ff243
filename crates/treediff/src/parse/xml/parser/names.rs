//! What is a name called in full? Prefixes and namespaces, resolved once per name and scope.

use std::borrow::Cow;

use super::{Parse, Parser};
use crate::parse::issue::short;
use crate::parse::xml::escapes;
use crate::parse::xml::raw_names::{RawId, Resolved, Role};
use crate::tree::{NameId, NamespaceId, Span, XML_NAMESPACE, XMLNS_NAMESPACE};

impl<'s> Parser<'s> {
    #[inline(never)]
    pub(super) fn unprefixed(&mut self, raw: RawId) -> NameId {
        let text = self.raw_names.get(raw).text.clone();
        let local = self.read_name(&text);
        let name = match local.strip_prefix(' ') {
            // No name begins with a space: what the deltas of HTML write so is in a namespace that has no prefix.
            Some(declared) => self.builder.names.intern(XMLNS_NAMESPACE, declared),
            None => self.builder.names.intern("", &local),
        };
        // Without a prefix an attribute is in no namespace in any scope; 0 is the outermost.
        let hash = self.builder.names.hash(name);
        let entry = self.raw_names.get_mut(raw);
        entry.as_attribute = Resolved { scope: 0, name, hash };
        entry.is_plain_attribute = entry.role == Role::Plain;
        name
    }

    #[inline(never)]
    pub(super) fn resolve_prefixed(&mut self) -> Parse<()> {
        let prefixed = std::mem::take(&mut self.prefixed);
        for attribute in &prefixed {
            let name = self.attribute_name(attribute.name, attribute.at)?;
            self.builder.attribute(name, attribute.value, attribute.hash);
        }
        self.prefixed = prefixed;
        self.prefixed.clear();
        Ok(())
    }

    pub(super) fn attribute_name(&mut self, raw: RawId, at: usize) -> Parse<NameId> {
        let scope = self.scopes.current();
        let entry = self.raw_names.get(raw);
        if entry.as_attribute.scope == scope {
            return Ok(entry.as_attribute.name);
        }
        let text = entry.text.clone();
        let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
        let namespace = if prefix.is_empty() { None } else { self.namespace_of(prefix, at)? };
        let local = self.read_name(if namespace.is_some() { local } else { &text });
        let name = self.builder.names.intern_in(namespace.unwrap_or(NamespaceId::NONE), &local);
        let hash = self.builder.names.hash(name);
        self.raw_names.get_mut(raw).as_attribute = Resolved { scope, name, hash };
        Ok(name)
    }

    #[inline(never)]
    pub(super) fn resolve_element(&mut self, raw: RawId, at: usize) -> Parse<Resolved> {
        let entry = self.raw_names.get(raw);
        let name = if entry.prefix_len == 0 && !self.has_escapes {
            match self.scopes.namespace("") {
                Some(namespace) => self.builder.names.intern_in(namespace, &entry.text),
                None => self.builder.names.intern_hashed(NamespaceId::NONE, &entry.text, entry.plain_hash),
            }
        } else {
            let text = entry.text.clone();
            self.element_name(&text, at)?
        };
        let hash = self.builder.names.hash(name);
        let resolved = Resolved { scope: self.scopes.current(), name, hash };
        self.raw_names.get_mut(raw).as_element = resolved;
        Ok(resolved)
    }

    fn element_name(&mut self, text: &str, at: usize) -> Parse<NameId> {
        let (prefix, local) = text.split_once(':').unwrap_or(("", text));
        let namespace = if prefix.is_empty() { self.scopes.namespace("") } else { self.namespace_of(prefix, at)? };
        let local = self.read_name(if namespace.is_none() { text } else { local });
        Ok(self.builder.names.intern_in(namespace.unwrap_or(NamespaceId::NONE), &local))
    }

    /// A name with its escapes read, where there are any.
    pub(super) fn read_name<'n>(&self, written: &'n str) -> Cow<'n, str> {
        if self.has_escapes { escapes::unescaped(written) } else { Cow::Borrowed(written) }
    }

    /// Whether a prefix means something; `xml` always does.
    pub(super) fn is_declared(&self, prefix: &str) -> bool {
        prefix == "xml" || self.scopes.namespace(prefix).is_some()
    }

    fn namespace_of(&mut self, prefix: &str, at: usize) -> Parse<Option<NamespaceId>> {
        if prefix == "xml" {
            return Ok(Some(self.builder.names.intern_namespace(XML_NAMESPACE)));
        }
        let namespace = self.scopes.namespace(prefix);
        if namespace.is_none() {
            let prefix = short(prefix);
            self.complain(at, || {
                format!("prefix `{prefix}` is not declared; expected `xmlns:{prefix}` here or further out")
            })?;
        }
        Ok(namespace)
    }

    #[inline(never)]
    pub(super) fn declare_namespace(&mut self, raw: RawId, value: Span, at: usize) -> Parse<()> {
        let uri = self.value_text(value);
        let text = self.raw_names.get(raw).text.clone();
        let prefix = text.strip_prefix("xmlns:").unwrap_or("");
        if let Some(fault) = declaration_fault(prefix, &uri) {
            self.complain(at, || fault)?;
            return Ok(());
        }
        let element = self.builder.len() as u32;
        if self.scopes.is_bound_by(prefix, element) {
            return self.complain(at, || format!("found the attribute `{}` twice", short(&text)));
        }
        let prefix_span = self.keep(prefix);
        self.builder.declaration(prefix_span, value);
        let namespace = self.builder.names.intern_namespace(&uri);
        self.scopes.bind(prefix, namespace, element);
        Ok(())
    }

    /// Makes the namespace declarations that the DTD has as defaults.
    #[inline(never)]
    pub(super) fn add_default_namespaces(&mut self, element: RawId, at: usize) -> Parse<()> {
        let Some(declared) = self.dtd.element(&self.raw_names.get(element).text) else { return Ok(()) };
        for attribute in declared.default_namespaces() {
            let prefix = attribute.name.strip_prefix("xmlns:").unwrap_or("");
            let (raw, fault) = self.raw_names.intern_alone(&attribute.name);
            if fault.is_some() || self.scopes.is_bound_by(prefix, self.builder.len() as u32) {
                continue;
            }
            if let Some(span) = self.default_span(attribute, at)? {
                self.declare_namespace(raw, span, at)?;
            }
        }
        Ok(())
    }
}

/// What is wrong with binding `prefix` to `uri`.
fn declaration_fault(prefix: &str, uri: &str) -> Option<String> {
    match (prefix, uri) {
        ("xmlns", _) => Some("prefix `xmlns` cannot be declared".into()),
        ("xml", XML_NAMESPACE) => None,
        ("xml", _) => Some(format!("prefix `xml` cannot mean `{}`", short(uri))),
        ("", XML_NAMESPACE | XMLNS_NAMESPACE) => Some(format!("`{uri}` cannot be the default namespace")),
        (_, XML_NAMESPACE | XMLNS_NAMESPACE) => Some(format!("`{uri}` cannot be bound to `{}`", short(prefix))),
        ("", _) => None,
        (_, "") => Some(format!("prefix `{}` cannot be undeclared", short(prefix))),
        _ => None,
    }
}

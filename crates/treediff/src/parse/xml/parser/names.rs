//! What is a name called in full? Prefixes and namespaces, resolved once per name and scope.

use std::rc::Rc;

use super::{Parse, Parser};
use crate::parse::xml::raw_names::{RawId, Resolved, Role};
use crate::tree::{NameId, Span, XML_NAMESPACE, XMLNS_NAMESPACE};

impl<'s> Parser<'s> {
    #[inline(never)]
    pub(super) fn unprefixed(&mut self, raw: RawId) -> NameId {
        let name = self.builder.names.intern("", &self.raw_names.get(raw).text);
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
        let uri = if prefix.is_empty() { None } else { self.uri_of(prefix, at)? };
        let name = self.builder.names.intern(uri.as_deref().unwrap_or(""), if uri.is_some() { local } else { &text });
        let hash = self.builder.names.hash(name);
        self.raw_names.get_mut(raw).as_attribute = Resolved { scope, name, hash };
        Ok(name)
    }

    #[inline(never)]
    pub(super) fn resolve_element(&mut self, raw: RawId, at: usize) -> Parse<Resolved> {
        let text = self.raw_names.get(raw).text.clone();
        let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
        let uri = if prefix.is_empty() { self.scopes.uri("") } else { self.uri_of(prefix, at)? };
        let local = if uri.is_none() && !prefix.is_empty() { &text } else { local };
        let name = self.builder.names.intern(uri.as_deref().unwrap_or(""), local);
        let hash = self.builder.names.hash(name);
        let resolved = Resolved { scope: self.scopes.current(), name, hash };
        self.raw_names.get_mut(raw).as_element = resolved;
        Ok(resolved)
    }

    pub(super) fn uri_of(&mut self, prefix: &str, at: usize) -> Parse<Option<Rc<str>>> {
        let uri = self.scopes.uri(prefix);
        if uri.is_none() {
            self.complain(at, || format!("prefix `{prefix}` is not declared"))?;
        }
        Ok(uri)
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
            return self.complain(at, || format!("found the attribute `{text}` twice"));
        }
        let prefix_span = self.keep(prefix);
        self.builder.declaration(prefix_span, value);
        self.scopes.bind(prefix, &uri, element);
        Ok(())
    }

    /// Makes the namespace declarations that the DTD has as defaults.
    #[inline(never)]
    pub(super) fn add_default_namespaces(&mut self, element: RawId, at: usize) -> Parse<()> {
        let element_text = self.raw_names.get(element).text.clone();
        for declared in self.dtd.attributes_of(&element_text) {
            let prefix = match declared.name.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) if rest.starts_with(':') => &rest[1..],
                _ => continue,
            };
            let Some(default) = &declared.default else { continue };
            if self.scopes.is_bound_by(prefix, self.builder.len() as u32) {
                continue;
            }
            let (raw, fault) = self.raw_names.intern_alone(&declared.name);
            let span = self.keep_attribute(&declared.name, default);
            if fault.is_none() {
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
        ("xml", _) => Some(format!("prefix `xml` cannot mean `{uri}`")),
        (_, XML_NAMESPACE | XMLNS_NAMESPACE) => Some(format!("`{uri}` cannot be bound to `{prefix}`")),
        ("", _) => None,
        (_, "") => Some(format!("prefix `{prefix}` cannot be undeclared")),
        _ => None,
    }
}

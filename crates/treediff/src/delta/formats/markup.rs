//! How is XML written piece by piece? Tags with the namespaces they need, and text that a parser reads as it was.
//!
//! Pieces of several documents meet in one output, so prefixes are wishes: a namespace is declared where the output
//! does not have it in force, and gets another prefix where one tag would need the same for two.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::{self, Write};

use crate::delta::AttributeName;
use crate::delta::xydelta::escape::{has_forbidden, html_markup, html_name, is_forbidden};
use crate::matching::Fallbacks;
use crate::tree::{Attribute, Format, Kind, Node, XML_NAMESPACE, XMLNS_NAMESPACE};
use crate::write::{attributes_as_written, write_attribute, write_text};

/// A name with the prefix it would like to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'n> {
    pub(super) prefix: &'n str,
    pub(super) namespace: &'n str,
    pub(super) local: &'n str,
}

impl<'n> Named<'n> {
    pub(super) fn of_element(element: Node<'n>) -> Self {
        let name = element.name();
        Named { prefix: element.prefix(), namespace: name.namespace, local: name.local }
    }

    pub(super) fn of_attribute(attribute: Attribute<'n>) -> Self {
        let name = attribute.name();
        Named { prefix: attribute.prefix(), namespace: name.namespace, local: name.local }
    }
}

/// A name in no namespace.
pub(super) fn plain(local: &str) -> Named<'_> {
    Named { prefix: "", namespace: "", local }
}

impl<'n> From<&'n AttributeName> for Named<'n> {
    fn from(name: &'n AttributeName) -> Self {
        Named { prefix: &name.prefix, namespace: &name.namespace, local: &name.local }
    }
}

/// The prefixes of a tag that is being written.
#[derive(Debug, Default)]
struct TagPrefixes {
    declared: Vec<String>,
    /// With what they stand for settled, be it here or outside.
    used: HashSet<String>,
    /// How many had to be made up.
    made: usize,
}

impl TagPrefixes {
    /// A prefix that the tag does not use yet.
    fn make_up(&mut self) -> String {
        loop {
            let prefix = format!("ns{}", self.made);
            self.made += 1;
            if !self.used.contains(&prefix) {
                return prefix;
            }
        }
    }
}

/// XML that is being written.
#[derive(Debug)]
pub(super) struct Markup<'o, W> {
    out: &'o mut W,
    /// For each prefix the namespaces that it stands for in the open elements, innermost last.
    in_force: HashMap<String, Vec<String>>,
    /// The open elements: the name as written, and the prefixes that the element declares.
    open: Vec<(String, Vec<String>)>,
    /// Whether the last start tag still lacks its `>`.
    is_in_tag: bool,
    /// Whether names and values may be such as XML does not have.
    is_html: bool,
    /// The namespace of the words of the format that is written, which no document has.
    vocabulary: &'static str,
}

impl<'o, W: Write> Markup<'o, W> {
    pub(super) fn new(out: &'o mut W) -> Self {
        Markup { out, in_force: HashMap::new(), open: Vec::new(), is_in_tag: false, is_html: false, vocabulary: "" }
    }

    /// What is written is from documents of this format, with words of a namespace around it. What XML does not allow
    /// in the names, comments and instructions of HTML is escaped as in XyDeltas, and characters that it does not have
    /// are replaced.
    pub(super) fn of_format(out: &'o mut W, format: Format, vocabulary: &'static str) -> Self {
        Markup { is_html: format == Format::Html, vocabulary, ..Markup::new(out) }
    }

    /// Declares the entities that are referred to: their names are all that is known of them.
    pub(super) fn doctype(&mut self, root: &str, entities: &BTreeSet<&str>) -> fmt::Result {
        if entities.is_empty() {
            return Ok(());
        }
        write!(self.out, "<!DOCTYPE {root} [")?;
        for name in entities {
            write!(self.out, "<!ENTITY {name} SYSTEM \"{name}\">")?;
        }
        self.out.write_str("]>\n")
    }

    /// Says in a comment which fallbacks the comparison took, if any.
    pub(super) fn fallbacks(&mut self, fallbacks: Fallbacks) -> fmt::Result {
        fallbacks.told().map_or(Ok(()), |told| writeln!(self.out, "<!-- {told} -->"))
    }

    /// Opens an element with its attributes.
    pub(super) fn start<'n, V: AsRef<str>>(
        &mut self,
        name: Named<'n>,
        attributes: impl IntoIterator<Item = (Named<'n>, V)>,
    ) -> fmt::Result {
        self.start_declaring(name, attributes, &[])
    }

    /// Opens an element that declares these prefixes, whoever needs them.
    pub(super) fn start_declaring<'n, V: AsRef<str>>(
        &mut self,
        name: Named<'n>,
        attributes: impl IntoIterator<Item = (Named<'n>, V)>,
        declarations: &[(&str, &str)],
    ) -> fmt::Result {
        self.finish_tag()?;
        let mut prefixes = TagPrefixes::default();
        for (prefix, namespace) in declarations {
            self.in_force.entry((*prefix).to_owned()).or_default().push((*namespace).to_owned());
            prefixes.declared.push((*prefix).to_owned());
            prefixes.used.insert((*prefix).to_owned());
        }
        let prefix = self.prefix_for(name, true, &mut prefixes);
        let written = qualified(&prefix, &self.local(name));
        let mut tag = String::new();
        for (attribute, value) in attributes {
            let prefix = self.prefix_for(attribute, false, &mut prefixes);
            write!(tag, " {}=\"", qualified(&prefix, &self.local(attribute)))?;
            write_attribute(&mut tag, &self.allowed(value.as_ref()))?;
            tag.push('"');
        }
        write!(self.out, "<{written}")?;
        for prefix in &prefixes.declared {
            self.declaration(prefix)?;
        }
        self.out.write_str(&tag)?;
        self.open.push((written, prefixes.declared));
        self.is_in_tag = true;
        Ok(())
    }

    /// Opens an element of a document with the attributes it has there.
    pub(super) fn start_as_written(&mut self, element: Node<'_>) -> fmt::Result {
        let attributes = attributes_as_written(element);
        let attributes = attributes.into_iter().map(|attribute| (Named::of_attribute(attribute), attribute.value()));
        self.start(Named::of_element(element), attributes)
    }

    /// Closes the innermost element.
    pub(super) fn end(&mut self) -> fmt::Result {
        let Some((name, declared)) = self.open.pop() else { return Ok(()) };
        for prefix in declared {
            if let Some(namespaces) = self.in_force.get_mut(&prefix) {
                namespaces.pop();
            }
        }
        if std::mem::take(&mut self.is_in_tag) { self.out.write_str("/>") } else { write!(self.out, "</{name}>") }
    }

    /// Character data.
    pub(super) fn text(&mut self, value: &str) -> fmt::Result {
        if value.is_empty() {
            return Ok(());
        }
        self.finish_tag()?;
        let value = self.allowed(value);
        write_text(self.out, &value)
    }

    /// What is markup already: a line end, a declaration.
    pub(super) fn raw(&mut self, markup: &str) -> fmt::Result {
        self.finish_tag()?;
        self.out.write_str(markup)
    }

    /// A node without children, with its own value or another.
    pub(super) fn leaf(&mut self, node: Node<'_>, value: &str) -> fmt::Result {
        match node.kind() {
            Kind::Comment => self.comment(value),
            Kind::ProcessingInstruction => self.instruction(node.name().local, value),
            Kind::Reference => self.raw(&format!("&{};", node.name().local)),
            _ => self.text(value),
        }
    }

    pub(super) fn comment(&mut self, value: &str) -> fmt::Result {
        self.finish_tag()?;
        let value = self.value(value, true);
        write!(self.out, "<!--{value}-->")
    }

    pub(super) fn instruction(&mut self, target: &str, value: &str) -> fmt::Result {
        self.finish_tag()?;
        let space = if value.is_empty() { "" } else { " " };
        let target = self.local(plain(target));
        let value = self.value(value, false);
        write!(self.out, "<?{target}{space}{value}?>")
    }

    /// A local name as XML can have it.
    fn local<'n>(&self, name: Named<'n>) -> Cow<'n, str> {
        let is_own = !self.vocabulary.is_empty() && name.namespace == self.vocabulary;
        if self.is_html && !is_own { html_local(name) } else { Cow::Borrowed(name.local) }
    }

    /// The name of an attribute as a path or a value tells it.
    pub(super) fn told(&self, name: Named<'_>) -> String {
        let prefix = if name.namespace == XMLNS_NAMESPACE { "" } else { name.prefix };
        qualified(prefix, &self.local(name))
    }

    /// The value of a comment or an instruction as XML can have it.
    fn value<'v>(&self, value: &'v str, is_comment: bool) -> Cow<'v, str> {
        if self.is_html { html_markup(value, is_comment) } else { Cow::Borrowed(value) }
    }

    /// A text with the characters that XML can have.
    fn allowed<'v>(&self, value: &'v str) -> Cow<'v, str> {
        match self.is_html && has_forbidden(value) {
            true => Cow::Owned(value.chars().map(|c| if is_forbidden(c) { '\u{FFFD}' } else { c }).collect()),
            false => Cow::Borrowed(value),
        }
    }

    fn finish_tag(&mut self) -> fmt::Result {
        if std::mem::take(&mut self.is_in_tag) { self.out.write_char('>') } else { Ok(()) }
    }

    fn declaration(&mut self, prefix: &str) -> fmt::Result {
        let namespace = self.in_force.get(prefix).and_then(|namespaces| namespaces.last()).map_or("", String::as_str);
        let colon = if prefix.is_empty() { "" } else { ":" };
        write!(self.out, " xmlns{colon}{prefix}=\"")?;
        write_attribute(self.out, namespace)?;
        self.out.write_char('"')
    }

    /// The prefix that stands for a name's namespace in the tag that is being opened, declared there if it must be.
    fn prefix_for(&mut self, name: Named<'_>, is_element: bool, prefixes: &mut TagPrefixes) -> String {
        if name.namespace == XML_NAMESPACE {
            return "xml".to_owned();
        }
        let has_none = name.namespace.is_empty() && (!is_element || self.namespace_of("").is_empty());
        if has_none || name.namespace == XMLNS_NAMESPACE {
            return String::new();
        }
        let wish = if name.namespace.is_empty() { "" } else { name.prefix };
        let is_possible = (is_element || !wish.is_empty()) && wish != "xml" && wish != "xmlns";
        let in_force = is_possible && self.namespace_of(wish) == name.namespace;
        let prefix = if in_force || (is_possible && !prefixes.used.contains(wish)) {
            wish.to_owned()
        } else {
            prefixes.make_up()
        };
        if !in_force {
            self.in_force.entry(prefix.clone()).or_default().push(name.namespace.to_owned());
            prefixes.declared.push(prefix.clone());
        }
        prefixes.used.insert(prefix.clone());
        prefix
    }

    fn namespace_of(&self, prefix: &str) -> &str {
        self.in_force.get(prefix).and_then(|namespaces| namespaces.last()).map_or("", String::as_str)
    }
}

/// A local name of HTML as XML can have it.
pub(super) fn html_local(name: Named<'_>) -> Cow<'_, str> {
    match name.namespace {
        // Declarations are attributes in HTML, and none may be made of them here.
        XMLNS_NAMESPACE => Cow::Owned(html_name(&format!(" {}", name.local)).into_owned()),
        _ => html_name(name.local),
    }
}

fn qualified(prefix: &str, local: &str) -> String {
    if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn named<'n>(prefix: &'n str, namespace: &'n str, local: &'n str) -> Named<'n> {
        Named { prefix, namespace, local }
    }

    #[test]
    fn namespaces_are_declared_where_they_are_needed() {
        let mut out = String::new();
        let mut markup = Markup::new(&mut out);
        markup.start(named("p", "u", "a"), [(named("p", "v", "b"), "1"), (named("", "w", "c"), "2")]).unwrap();
        markup.start(named("", "", "d"), [(named("p", "u", "e"), "<\n")]).unwrap();
        markup.end().unwrap();
        markup.start(named("p", "u", "h"), [(named("p", "v", "i"), "3")]).unwrap();
        markup.end().unwrap();
        markup.start(named("", "u", "f"), [] as [(Named<'_>, &str); 0]).unwrap();
        markup.start(named("", "", "g"), [(named("xml", XML_NAMESPACE, "lang"), "en")]).unwrap();
        markup.text("x & y").unwrap();
        markup.end().unwrap();
        markup.end().unwrap();
        markup.end().unwrap();
        let expected = "<p:a xmlns:p=\"u\" xmlns:ns0=\"v\" xmlns:ns1=\"w\" ns0:b=\"1\" ns1:c=\"2\">\
            <d p:e=\"&lt;&#xA;\"/><p:h xmlns:ns0=\"v\" ns0:i=\"3\"/><f xmlns=\"u\"><g xmlns=\"\" xml:lang=\"en\">x &amp; y</g></f></p:a>";
        assert_eq!(out, expected);
        parse::xml(out, &Default::default()).unwrap();
    }
}

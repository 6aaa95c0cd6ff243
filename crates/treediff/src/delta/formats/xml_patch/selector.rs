//! What does a selector say? The part of XPath that RFC 5261 has: steps down from the root or from an ID, by name, kind,
//! position and value; and at its end perhaps an attribute or a namespace.

use std::collections::HashMap;

use super::error::{Condition, Trouble, shortened};
use crate::tree::{Node, XML_NAMESPACE};

/// A selector.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Selector {
    /// The ID of the element that it starts from, instead of the document.
    pub(super) id: Option<String>,
    pub(super) steps: Vec<Step>,
    pub(super) last: Last,
}

/// What of the selected node is meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// The node itself.
    Node,
    Attribute(ExpandedName),
    /// The declaration of a prefix.
    Namespace(String),
}

/// A step to children.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) test: Test,
    pub(super) predicates: Vec<Predicate>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// Any element.
    Any,
    Named(ExpandedName),
    Text,
    Comment,
    /// A processing instruction, of a target or of any.
    Instruction(Option<String>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    /// The place among what is left, from 1.
    Position(usize),
    Attribute(ExpandedName, String),
    /// A child element with this value.
    Child(ExpandedName, String),
    /// The element's own value.
    Value(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ExpandedName {
    pub(super) namespace: String,
    pub(super) prefix: String,
    pub(super) local: String,
}

/// The namespaces in force where a selector stands.
#[derive(Debug)]
pub(super) struct Scope {
    uris: HashMap<String, String>,
}

impl Scope {
    pub(super) fn at(element: Node<'_>) -> Self {
        let mut uris = HashMap::from([("xml".to_owned(), XML_NAMESPACE.to_owned())]);
        for element in std::iter::once(element).chain(element.ancestors()).filter(|node| node.is_element()) {
            for (prefix, uri) in element.declarations() {
                uris.entry(prefix.into_owned()).or_insert_with(|| uri.into_owned());
            }
        }
        Scope { uris }
    }

    /// The name that `written` is; without a prefix it is in `default`.
    fn expanded(&self, written: &str, default: &str) -> Result<ExpandedName, Trouble> {
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        let namespace = match self.uris.get(prefix) {
            _ if prefix.is_empty() => default,
            Some(uri) if !uri.is_empty() => uri,
            _ => {
                let words = format!("the patch does not declare the prefix `{}`", shortened(prefix));
                return Err(Trouble::new(Condition::InvalidNamespacePrefix, words));
            }
        };
        Ok(ExpandedName { namespace: namespace.to_owned(), prefix: prefix.to_owned(), local: local.to_owned() })
    }

    /// A name of an element: without a prefix it is in the default namespace of the patch, unlike in XPath.
    fn element(&self, written: &str) -> Result<ExpandedName, Trouble> {
        self.expanded(written, self.uris.get("").map_or("", String::as_str))
    }

    fn attribute(&self, written: &str) -> Result<ExpandedName, Trouble> {
        self.expanded(written, "")
    }
}

/// Reads a `sel` attribute.
pub(super) fn selector(written: &str, scope: &Scope) -> Result<Selector, Trouble> {
    let mut reader = Reader { rest: written.trim(), written, scope };
    reader.take("/");
    let mut selector = Selector { id: None, steps: Vec::new(), last: Last::Node };
    if reader.take("id(") {
        selector.id = Some(reader.quoted()?);
        reader.expect(")")?;
        if reader.rest.is_empty() {
            return Ok(selector);
        }
        reader.expect("/")?;
    }
    loop {
        if let Some(last) = reader.last()? {
            selector.last = last;
            break;
        }
        selector.steps.push(reader.step()?);
        if reader.rest.is_empty() {
            break;
        }
        reader.expect("/")?;
    }
    if !reader.rest.is_empty() {
        return Err(reader.fault());
    }
    if selector.steps.is_empty() && selector.id.is_none() {
        return Err(Trouble::new(Condition::InvalidAttributeValue, "the document itself has no attributes"));
    }
    Ok(selector)
}

/// Reads a `type` attribute: an attribute or a namespace.
pub(super) fn kind_of_addition(written: &str, scope: &Scope) -> Result<Last, Trouble> {
    let mut reader = Reader { rest: written.trim(), written, scope };
    match reader.last()? {
        Some(Last::Attribute(name)) if name.local == "xmlns" && name.prefix.is_empty() => {
            let words = "a declaration is no attribute: `namespace::prefix` adds one, and the default namespace of an \
                         element cannot be another";
            Err(Trouble::new(Condition::InvalidAttributeValue, words))
        }
        Some(last) if reader.rest.is_empty() => Ok(last),
        _ => {
            let words = format!("`{}` is no type: that is `@name` or `namespace::prefix`", shortened(written));
            Err(Trouble::new(Condition::InvalidAttributeValue, words))
        }
    }
}

struct Reader<'s> {
    rest: &'s str,
    written: &'s str,
    scope: &'s Scope,
}

impl<'s> Reader<'s> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), Trouble> {
        if self.take(token) { Ok(()) } else { Err(self.fault()) }
    }

    fn fault(&self) -> Trouble {
        let at = self.written.trim_end().len().saturating_sub(self.rest.len());
        let words = format!("`{}` is no selector at character {}", shortened(self.written), at + 1);
        Trouble::new(Condition::InvalidAttributeValue, words)
    }

    /// An attribute or a namespace.
    fn last(&mut self) -> Result<Option<Last>, Trouble> {
        if self.take("@") {
            let name = self.name()?;
            return Ok(Some(Last::Attribute(self.scope.attribute(name)?)));
        }
        if self.take("namespace::") {
            return Ok(Some(Last::Namespace(self.name()?.to_owned())));
        }
        Ok(None)
    }

    fn step(&mut self) -> Result<Step, Trouble> {
        let test = self.test()?;
        let mut predicates = Vec::new();
        while self.take("[") {
            predicates.push(self.predicate()?);
            self.expect("]")?;
        }
        let is_element = matches!(test, Test::Any | Test::Named(_));
        if !is_element && predicates.iter().any(|predicate| !matches!(predicate, Predicate::Position(_))) {
            return Err(self.fault());
        }
        Ok(Step { test, predicates })
    }

    fn test(&mut self) -> Result<Test, Trouble> {
        if self.take("*") {
            return Ok(Test::Any);
        }
        if self.take("text()") {
            return Ok(Test::Text);
        }
        if self.take("comment()") {
            return Ok(Test::Comment);
        }
        if self.take("processing-instruction(") {
            let target = if self.rest.starts_with(')') { None } else { Some(self.quoted()?) };
            self.expect(")")?;
            return Ok(Test::Instruction(target));
        }
        let name = self.name()?;
        Ok(Test::Named(self.scope.element(name)?))
    }

    fn predicate(&mut self) -> Result<Predicate, Trouble> {
        let digits = self.rest.len() - self.rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        if digits > 0 {
            let (number, rest) = self.rest.split_at(digits);
            self.rest = rest;
            // Beyond all numbers is beyond all children.
            return Ok(Predicate::Position(number.parse().unwrap_or(usize::MAX)));
        }
        if self.take("@") {
            let name = self.name()?;
            let name = self.scope.attribute(name)?;
            return Ok(Predicate::Attribute(name, self.value()?));
        }
        if self.take(".") {
            return Ok(Predicate::Value(self.value()?));
        }
        let name = self.name()?;
        let name = self.scope.element(name)?;
        Ok(Predicate::Child(name, self.value()?))
    }

    fn value(&mut self) -> Result<String, Trouble> {
        self.rest = self.rest.trim_start();
        self.expect("=")?;
        self.rest = self.rest.trim_start();
        self.quoted()
    }

    fn quoted(&mut self) -> Result<String, Trouble> {
        let quote = self.rest.chars().next().filter(|first| matches!(first, '"' | '\'')).ok_or_else(|| self.fault())?;
        let (value, rest) = self.rest[1..].split_once(quote).ok_or_else(|| self.fault())?;
        self.rest = rest;
        Ok(value.to_owned())
    }

    /// A name, perhaps with a prefix.
    fn name(&mut self) -> Result<&'s str, Trouble> {
        let is_in_name = |character: char| {
            character.is_alphanumeric() || !character.is_ascii() || matches!(character, '_' | '-' | '.')
        };
        let end_of = |text: &str| text.find(|character| !is_in_name(character)).unwrap_or(text.len());
        let mut end = end_of(self.rest);
        if self.rest[end..].starts_with(':') && !self.rest[end..].starts_with("::") {
            let local = end_of(&self.rest[end + 1..]);
            end = if local == 0 { 0 } else { end + 1 + local };
        }
        let (name, rest) = self.rest.split_at(end);
        let begins_well = |part: &str| part.starts_with(|first: char| !matches!(first, '0'..='9' | '-' | '.'));
        if !name.split(':').all(begins_well) {
            return Err(self.fault());
        }
        self.rest = rest;
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn read(written: &str) -> Result<Selector, Trouble> {
        let patch = "<d xmlns='urn:d' xmlns:p='urn:p'/>";
        let document = parse::xml(patch, &Default::default()).unwrap().document;
        selector(written, &Scope::at(document.root_element().unwrap()))
    }

    #[test]
    fn selectors_are_read() {
        let name = |namespace: &str, prefix: &str, local: &str| ExpandedName {
            namespace: namespace.into(),
            prefix: prefix.into(),
            local: local.into(),
        };
        let selector = read("/doc/*[2]/p:note[@x='1'][p:y=\"2\"][.='3'][4]/text()[5]").unwrap();
        let step = |test, predicates| Step { test, predicates };
        assert_eq!(
            selector.steps,
            [
                step(Test::Named(name("urn:d", "", "doc")), vec![]),
                step(Test::Any, vec![Predicate::Position(2)]),
                step(
                    Test::Named(name("urn:p", "p", "note")),
                    vec![
                        Predicate::Attribute(name("", "", "x"), "1".into()),
                        Predicate::Child(name("urn:p", "p", "y"), "2".into()),
                        Predicate::Value("3".into()),
                        Predicate::Position(4),
                    ]
                ),
                step(Test::Text, vec![Predicate::Position(5)]),
            ]
        );
        assert_eq!(read("a/@p:b").unwrap().last, Last::Attribute(name("urn:p", "p", "b")));
        assert_eq!(read("a/namespace::q").unwrap().last, Last::Namespace("q".into()));
        assert_eq!(read("id('x')/@b").unwrap().id.as_deref(), Some("x"));
        assert_eq!(read("id(\"x\")").unwrap().steps, []);
        let last = read("a/processing-instruction('t')[2]").unwrap().steps.pop().unwrap();
        assert_eq!(last, step(Test::Instruction(Some("t".into())), vec![Predicate::Position(2)]));
    }

    #[test]
    fn what_is_no_selector() {
        for written in [
            "",
            "/",
            "//a",
            "a/",
            "a//b",
            "a[",
            "a[]",
            "a[1",
            "a[x]",
            "a[-1]",
            "@b",
            "a/@",
            "a/@b/c",
            "a[last()]",
            "a|b",
            "1a",
            "a:",
            ":a",
            "p:b:c",
            "a/text()[.='x']",
            "id(x)",
            "id('x')b",
            "a[@b=c]",
            "a[@b='c]",
            "..",
            ".",
            "ancestor::a",
        ] {
            let trouble = read(written).expect_err(written);
            assert_eq!(trouble.condition, Condition::InvalidAttributeValue, "{written}");
        }
        assert_eq!(read("q:a").unwrap_err().condition, Condition::InvalidNamespacePrefix);
    }
}

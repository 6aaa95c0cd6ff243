//! What do the functions of the core library give? XPath 1.0, section 4.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::super::SelectError;
use super::super::axes::normalise;
use super::ast::Expr;
use super::eval::{Evaluator, Focus, Object};
use super::functions::Function;
use super::item::{Item, Part};
use super::number;
use crate::tree::{Format, NodeId, XML_NAMESPACE};

const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// The arguments of a call, with the context that they are evaluated in.
struct Arguments<'a, 'e> {
    evaluator: &'a Evaluator<'e>,
    exprs: &'e [Expr],
    focus: Focus,
}

impl<'e> Evaluator<'e> {
    pub(super) fn call(&self, function: Function, exprs: &'e [Expr], focus: Focus) -> Result<Object<'e>, SelectError> {
        use Function::*;
        let arguments = Arguments { evaluator: self, exprs, focus };
        Ok(match function {
            Last => Object::Number(focus.size as f64),
            Position => Object::Number(focus.position as f64),
            Count => Object::Number(arguments.nodes(0)?.len() as f64),
            Sum => Object::Number(self.sum(&arguments.nodes(0)?)?),
            Id => Object::Nodes(Rc::new(self.by_id(arguments.value(0)?)?)),
            LocalName | NamespaceUri | Name => {
                let name = self.name_of(function, arguments.first_node()?);
                self.tree.meter.charge_bytes(name.len())?;
                Object::String(name)
            }
            Boolean => Object::Boolean(arguments.truth(0)?),
            Not => Object::Boolean(!arguments.truth(0)?),
            True => Object::Boolean(true),
            False => Object::Boolean(false),
            Lang => Object::Boolean(self.is_in_language(focus.item, &arguments.string(0)?)?),
            Number => Object::Number(self.number(arguments.value_or_context(0)?)?),
            Floor => Object::Number(arguments.number(0)?.floor()),
            Ceiling => Object::Number(arguments.number(0)?.ceil()),
            Round => Object::Number(number::round(arguments.number(0)?)),
            _ => self.string_function(function, &arguments)?,
        })
    }

    fn string_function(&self, function: Function, arguments: &Arguments<'_, 'e>) -> Result<Object<'e>, SelectError> {
        let text = arguments.string_or_context(0)?;
        self.tree.meter.charge_bytes(text.len())?;
        Ok(match function {
            Function::StartsWith => Object::Boolean(text.starts_with(&*arguments.wanted()?)),
            Function::Contains => Object::Boolean(text.contains(&*arguments.wanted()?)),
            Function::StringLength => Object::Number(text.chars().count() as f64),
            Function::String => Object::String(text),
            Function::Concat => Object::String(Cow::Owned(arguments.concatenated(text.into_owned())?)),
            Function::SubstringBefore => {
                let end = text.find(&*arguments.wanted()?).unwrap_or(0);
                Object::String(Cow::Owned(text[..end].to_owned()))
            }
            Function::SubstringAfter => {
                let mark = arguments.wanted()?;
                let start = text.find(&*mark).map_or(text.len(), |at| at + mark.len());
                Object::String(Cow::Owned(text[start..].to_owned()))
            }
            Function::Substring => {
                let len = if arguments.exprs.len() > 2 { Some(arguments.number(2)?) } else { None };
                Object::String(Cow::Owned(substring(&text, arguments.number(1)?, len)))
            }
            Function::NormalizeSpace => Object::String(Cow::Owned(normalised(&text))),
            _ => {
                let (from, to) = (arguments.string(1)?, arguments.string(2)?);
                self.tree.meter.charge_bytes(from.len() + to.len())?;
                let translated = translate(&text, &from, &to);
                self.tree.meter.charge_bytes(translated.len())?;
                Object::String(Cow::Owned(translated))
            }
        })
    }

    fn sum(&self, items: &[Item]) -> Result<f64, SelectError> {
        items.iter().try_fold(0.0, |sum, &item| Ok(sum + number::parse(&self.string_value(item)?)))
    }

    fn name_of(&self, function: Function, item: Option<Item>) -> Cow<'e, str> {
        let Some(item) = item else { return Cow::Borrowed("") };
        let node = item.owner(self.document);
        match (item.part(), function) {
            (Part::Node, Function::LocalName) => Cow::Borrowed(node.name().local),
            (Part::Node, Function::NamespaceUri) => Cow::Borrowed(node.name().namespace),
            (Part::Node, _) => node.qualified_name(),
            (Part::Attribute(index), Function::LocalName) => Cow::Borrowed(self.document.attribute(index).name().local),
            (Part::Attribute(index), Function::NamespaceUri) => {
                Cow::Borrowed(self.document.attribute(index).name().namespace)
            }
            (Part::Attribute(index), _) => self.document.attribute(index).qualified_name(),
            (Part::Namespace(_), Function::NamespaceUri) => Cow::Borrowed(""),
            (part, _) => part.namespace(self.document).map(|(prefix, _)| prefix).unwrap_or_default(),
        }
    }

    fn by_id(&self, value: Object<'e>) -> Result<Vec<Item>, SelectError> {
        let mut items = Vec::new();
        if let Object::Nodes(references) = value {
            for &reference in references.iter() {
                self.add_by_id(&self.string_value(reference)?, &mut items)?;
            }
        } else {
            self.add_by_id(&self.string(value)?, &mut items)?;
        }
        normalise(&mut items);
        Ok(items)
    }

    fn add_by_id(&self, references: &str, items: &mut Vec<Item>) -> Result<(), SelectError> {
        let ids = self.ids()?;
        self.tree.meter.charge_bytes(references.len())?;
        for id in references.split(BLANK).filter(|id| !id.is_empty()) {
            self.tree.meter.charge_bytes(id.len())?;
            items.extend(ids.get(id).map(|&node| Item::node(node)));
        }
        Ok(())
    }

    /// The elements by their IDs, the first in document order where two have the same.
    fn ids(&self) -> Result<&HashMap<Cow<'e, str>, u32>, SelectError> {
        if let Some(ids) = self.ids.get() {
            return Ok(ids);
        }
        self.tree.meter.charge(self.document.len())?;
        let mut ids = HashMap::new();
        for node in self.document.nodes() {
            if let Some(id) = node.id_value() {
                self.tree.meter.charge_bytes(id.len())?;
                ids.entry(id).or_insert(node.id().index() as u32);
            }
        }
        Ok(self.ids.get_or_init(|| ids))
    }

    fn is_in_language(&self, item: Item, wanted: &str) -> Result<bool, SelectError> {
        let mut next = Some(item.node);
        while let Some(node) = next {
            self.tree.meter.charge(1 + self.document.node(NodeId(node)).attribute_count() as usize)?;
            if let Some(language) = self.language(node) {
                self.tree.meter.charge_bytes(language.len() + wanted.len())?;
                return Ok(is_sublanguage(&language, wanted));
            }
            next = self.tree.parent(node);
        }
        Ok(false)
    }

    fn language(&self, node: u32) -> Option<Cow<'e, str>> {
        let node = self.document.node(NodeId(node));
        let html = || node.attribute("", "lang").filter(|_| self.document.format() == Format::Html);
        node.attribute(XML_NAMESPACE, "lang").or_else(html)
    }
}

impl<'e> Arguments<'_, 'e> {
    fn value(&self, at: usize) -> Result<Object<'e>, SelectError> {
        self.evaluator.eval(&self.exprs[at], self.focus)
    }

    /// The context node where the argument is left out.
    fn value_or_context(&self, at: usize) -> Result<Object<'e>, SelectError> {
        match self.exprs.get(at) {
            Some(expr) => self.evaluator.eval(expr, self.focus),
            None => self.evaluator.string_value(self.focus.item).map(Object::String),
        }
    }

    fn string_or_context(&self, at: usize) -> Result<Cow<'e, str>, SelectError> {
        self.evaluator.string(self.value_or_context(at)?)
    }

    fn nodes(&self, at: usize) -> Result<Rc<Vec<Item>>, SelectError> {
        self.evaluator.nodes(&self.exprs[at], self.focus)
    }

    /// The first node of the argument, or the context node where it is left out.
    fn first_node(&self) -> Result<Option<Item>, SelectError> {
        if self.exprs.is_empty() { Ok(Some(self.focus.item)) } else { Ok(self.nodes(0)?.first().copied()) }
    }

    fn truth(&self, at: usize) -> Result<bool, SelectError> {
        self.evaluator.truth(&self.exprs[at], self.focus)
    }

    fn string(&self, at: usize) -> Result<Cow<'e, str>, SelectError> {
        self.evaluator.string(self.value(at)?)
    }

    /// What is looked for in the first argument; it is gone through before the search, however short that is.
    fn wanted(&self) -> Result<Cow<'e, str>, SelectError> {
        let wanted = self.string(1)?;
        self.evaluator.tree.meter.charge_bytes(wanted.len())?;
        Ok(wanted)
    }

    fn number(&self, at: usize) -> Result<f64, SelectError> {
        self.evaluator.number(self.value(at)?)
    }

    fn concatenated(&self, mut text: String) -> Result<String, SelectError> {
        for at in 1..self.exprs.len() {
            let more = self.string(at)?;
            self.evaluator.tree.meter.charge_bytes(more.len())?;
            text.push_str(&more);
        }
        Ok(text)
    }
}

/// The characters whose position, from 1, is at least `start` and less than `start + len`, all rounded.
fn substring(text: &str, start: f64, len: Option<f64>) -> String {
    let start = number::round(start);
    // Not a sum where there is no length: minus infinity and infinity would make NaN, which nothing is less than.
    let end = len.map_or(f64::INFINITY, |len| start + number::round(len));
    let is_inside = |position: f64| position >= start && position < end;
    (1u32..).zip(text.chars()).filter(|(position, _)| is_inside(f64::from(*position))).map(|(_, c)| c).collect()
}

fn normalised(text: &str) -> String {
    let mut words = text.split(BLANK).filter(|word| !word.is_empty());
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        joined.push(' ');
        joined.push_str(word);
    }
    joined
}

fn translate(text: &str, from: &str, to: &str) -> String {
    let mut table = HashMap::new();
    let mut to = to.chars();
    for character in from.chars() {
        let replacement = to.next();
        table.entry(character).or_insert(replacement);
    }
    text.chars().filter_map(|character| table.get(&character).copied().unwrap_or(Some(character))).collect()
}

fn is_sublanguage(language: &str, wanted: &str) -> bool {
    let (language, wanted) = (language.to_ascii_lowercase(), wanted.to_ascii_lowercase());
    language.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

//! What does `&name;` stand for? The entities that the internal subset declares, and what they expand to.
//!
//! Replacement texts lie in one buffer that becomes part of the document's text, so that nodes inside an entity are
//! ranges as all others are, however often the entity is used.

use std::collections::HashMap;
use std::ops::Range;

use super::chars;
use super::decode::{allowed, character_reference};
use super::scan::is_space;

/// What a name was declared as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entity {
    /// The replacement text, as a range of [`Entities::text`].
    Internal(Range<usize>),
    /// Content elsewhere, which is never loaded.
    External,
    /// Not XML.
    Unparsed,
}

/// The general entities of a document.
#[derive(Debug, Default)]
pub(super) struct Entities {
    by_name: HashMap<String, Entity>,
    text: String,
}

/// Why a reference cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntityFault {
    NotAReference,
    Undeclared(String),
    External(String),
    Unparsed(String),
    Recursive(String),
    LessThan(String),
    /// More levels than the options allow.
    TooDeep,
    /// More bytes than the options allow.
    TooMuch,
}

impl EntityFault {
    pub(super) fn message(&self) -> String {
        match self {
            EntityFault::NotAReference => {
                "found `&` without a reference; expected `&name;` or `&#number;`, or `&amp;` for the character".into()
            }
            EntityFault::Undeclared(name) => format!("entity `{name}` is not declared"),
            EntityFault::External(name) => format!("entity `{name}` is external, and an attribute may not refer to it"),
            EntityFault::Unparsed(name) => format!("entity `{name}` is unparsed and cannot be referred to"),
            EntityFault::Recursive(name) => format!("entity `{name}` refers to itself"),
            EntityFault::LessThan(name) => format!("entity `{name}` has `<`, which an attribute may not contain"),
            EntityFault::TooDeep => "entities are nested too deep in others".into(),
            EntityFault::TooMuch => "entities expand to too much".into(),
        }
    }
}

impl Entities {
    /// Declares an entity; the first declaration of a name is the one that counts.
    pub(super) fn declare(&mut self, name: String, entity: Declared) {
        if self.by_name.contains_key(&name) {
            return;
        }
        let entity = match entity {
            Declared::Internal(replacement) => {
                let start = self.text.len();
                self.text.push_str(&replacement);
                Entity::Internal(start..self.text.len())
            }
            Declared::External => Entity::External,
            Declared::Unparsed => Entity::Unparsed,
        };
        self.by_name.insert(name, entity);
    }

    /// Keeps the default of an attribute among the texts, written as in a tag, since an attribute's prefix is looked
    /// for before its value; gives the place of the value.
    pub(super) fn keep_attribute(&mut self, name: &str, value: &str) -> Range<usize> {
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
        let start = self.text.len();
        self.text.push_str(value);
        self.text.push('"');
        start..start + value.len()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entity> {
        self.by_name.get(name)
    }

    /// All replacement texts, one after the other.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Writes the value of an attribute to `out`, references followed and white space made spaces. `budget` is what
    /// replacement texts may still amount to, `max_depth` how deep they may be nested.
    pub(super) fn expand_attribute(
        &self,
        written: &str,
        out: &mut String,
        budget: &mut usize,
        max_depth: usize,
    ) -> Result<(), EntityFault> {
        let mut inputs = vec![Input { text: written, entity: "" }];
        while let Some(input) = inputs.last_mut() {
            let Some(c) = input.text.chars().next() else {
                inputs.pop();
                continue;
            };
            match c {
                '&' => {
                    if let Some((c, len)) = character_reference(input.text) {
                        out.push(c);
                        input.text = &input.text[len..];
                    } else {
                        let next = self.enter(input)?;
                        if inputs.iter().any(|input| input.entity == next.entity) {
                            return Err(EntityFault::Recursive(next.entity.into()));
                        }
                        if inputs.len() > max_depth {
                            return Err(EntityFault::TooDeep);
                        }
                        *budget = budget.checked_sub(next.text.len()).ok_or(EntityFault::TooMuch)?;
                        inputs.push(next);
                    }
                    continue;
                }
                '<' => return Err(EntityFault::LessThan(input.entity.into())),
                // The line ends of an entity were read with its declaration; a CR in it was written as a reference.
                '\r' if input.entity.is_empty() && input.text[1..].starts_with('\n') => input.text = &input.text[1..],
                _ => {}
            }
            let c = if c.is_ascii() && is_space(c as u8) { ' ' } else { allowed(c) };
            out.push(c);
            input.text = &input.text[input.text.chars().next().map_or(0, char::len_utf8)..];
        }
        Ok(())
    }

    /// Passes the reference that `input` stands at and gives what it refers to.
    fn enter<'t>(&'t self, input: &mut Input<'t>) -> Result<Input<'t>, EntityFault> {
        let name = referred_name(input.text).ok_or(EntityFault::NotAReference)?;
        input.text = &input.text[name.len() + 2..];
        match self.get(name) {
            Some(Entity::Internal(range)) => Ok(Input { text: &self.text[range.clone()], entity: name }),
            Some(Entity::External) => Err(EntityFault::External(name.into())),
            Some(Entity::Unparsed) => Err(EntityFault::Unparsed(name.into())),
            None => Err(EntityFault::Undeclared(name.into())),
        }
    }
}

/// A text that is being read, and the entity that it is of.
struct Input<'t> {
    text: &'t str,
    entity: &'t str,
}

/// What a declaration says an entity is.
#[derive(Debug)]
pub(super) enum Declared {
    Internal(String),
    External,
    Unparsed,
}

/// The name in a reference `&name;` that `text` begins with.
pub(super) fn referred_name(text: &str) -> Option<&str> {
    let after = text.strip_prefix('&')?;
    let len = after.find(|c| !chars::is_name_char(c))?;
    let name = &after[..len];
    (after[len..].starts_with(';') && chars::is_name(name)).then_some(name)
}

//! What does `&name;` stand for? The entities that the internal subset declares, and what they expand to.
//!
//! Replacement texts lie in one buffer that becomes part of the document's text, so that nodes inside an entity are
//! ranges as all others are, however often the entity is used.

use std::collections::HashMap;
use std::ops::Range;

use super::chars;
use super::decode::{allowed, any_character_reference, character_reference, reference_len};
use super::scan::is_space;
use crate::parse::issue::short;

/// What a name was declared as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entity {
    /// The replacement text, as a range of [`Entities::text`].
    Internal(Range<usize>),
    /// Content elsewhere, which is never loaded.
    External,
    /// Not XML.
    Unparsed,
    /// In a delta: a name that the document refers to and nobody has said what for.
    Kept,
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
    /// No character has the number, or XML has not the character; what is written.
    NotACharacter(String),
    Undeclared(String),
    External(String),
    Unparsed(String),
    Recursive(String),
    /// A `<` in the attribute itself.
    LessThan,
    /// One in an entity that the attribute refers to.
    LessThanIn(String),
    /// More levels than the options allow.
    TooDeep,
    /// More bytes than the options allow.
    TooMuch,
}

impl EntityFault {
    /// What is wrong with a text that begins with `&` and with no reference.
    pub(super) fn of_no_reference(text: &str) -> EntityFault {
        if !text.starts_with("&#") {
            return EntityFault::NotAReference;
        }
        let len = reference_len(text.as_bytes()).unwrap_or(text.len());
        EntityFault::NotACharacter(short(&text[..len + usize::from(text[len..].starts_with(';'))]))
    }

    pub(super) fn message(&self) -> String {
        match self {
            EntityFault::NotAReference => {
                "found `&` without a reference; expected `&name;` or `&#number;`, or `&amp;` for the character".into()
            }
            EntityFault::NotACharacter(written) => {
                format!("found `{written}`; expected `&#number;` or `&#xnumber;` with the number of a character of XML")
            }
            EntityFault::Undeclared(name) => {
                format!("entity `{name}` is not declared; expected `<!ENTITY {name} …>` in the DOCTYPE")
            }
            EntityFault::External(name) => format!("entity `{name}` is external, and an attribute may not refer to it"),
            EntityFault::Unparsed(name) => format!("entity `{name}` is unparsed and cannot be referred to"),
            EntityFault::Recursive(name) => format!("entity `{name}` refers to itself"),
            EntityFault::LessThan => "found `<` in the value of an attribute; expected `&lt;`".into(),
            EntityFault::LessThanIn(name) => format!("entity `{name}` has `<`, which an attribute may not contain"),
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

    /// Keeps references to what is declared to be empty: a delta declares so what its documents refer to.
    pub(super) fn keep_empty(&mut self) {
        for entity in self.by_name.values_mut() {
            if matches!(entity, Entity::Internal(range) if range.start == range.end) {
                *entity = Entity::Kept;
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entity> {
        self.by_name.get(name)
    }

    /// All replacement texts, one after the other.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Begins to read the value of an attribute, references followed and white space made spaces.
    pub(super) fn expansion<'t>(&'t self, written: &'t str, rules: ExpansionRules) -> Expansion<'t> {
        Expansion {
            entities: self,
            rules,
            len: written.len(),
            inputs: vec![Input { text: written, entity: "" }],
            at: 0,
            value: String::with_capacity(written.len()),
            has_kept: false,
        }
    }
}

/// How references in an attribute are followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpansionRules {
    /// How deep entities may be nested.
    pub(super) max_depth: usize,
    /// Whether what is not declared here may be declared elsewhere: then a reference to it stays.
    pub(super) keeps_undeclared: bool,
    /// Whether references may be to characters that XML does not have.
    pub(super) allows_any_character: bool,
}

/// The value of an attribute in the making.
pub(super) struct Expansion<'t> {
    entities: &'t Entities,
    rules: ExpansionRules,
    /// The length of what is written.
    len: usize,
    /// The attribute, and on top of it the entities being read.
    inputs: Vec<Input<'t>>,
    /// Where in what is written the character or the reference being read stands.
    at: usize,
    pub(super) value: String,
    /// Whether there is a reference in it that stayed.
    pub(super) has_kept: bool,
}

impl<'t> Expansion<'t> {
    /// Reads on to the next fault, and says where in what is written it shows: inside an entity, at the outermost
    /// reference. Without one, the value is whole. `budget` is what replacement texts may still amount to.
    pub(super) fn next_fault(&mut self, budget: &mut usize) -> Option<(usize, EntityFault)> {
        loop {
            let is_outermost = self.inputs.len() == 1;
            let input = self.inputs.last_mut()?;
            if is_outermost {
                self.at = self.len - input.text.len();
            }
            let read = match input.text.chars().next() {
                None => {
                    self.inputs.pop();
                    Ok(())
                }
                Some('&') => self.reference(budget),
                Some('<') => Err(self.less_than()),
                Some(c) => {
                    self.value.push(input.character(c));
                    Ok(())
                }
            };
            if let Err(fault) = read {
                return Some((self.at, fault));
            }
        }
    }

    /// Passes a `<`; of an entity with one, all the rest, since one word about it is enough.
    fn less_than(&mut self) -> EntityFault {
        match self.inputs.last_mut() {
            Some(input) if !input.entity.is_empty() => {
                let entity = short(input.entity);
                self.inputs.truncate(1);
                EntityFault::LessThanIn(entity)
            }
            Some(input) => {
                input.text = &input.text[1..];
                EntityFault::LessThan
            }
            None => EntityFault::LessThan,
        }
    }

    /// Follows the reference that the innermost text begins with; one that cannot be followed is passed.
    fn reference(&mut self, budget: &mut usize) -> Result<(), EntityFault> {
        let Some(input) = self.inputs.last_mut() else { return Ok(()) };
        let read = if self.rules.allows_any_character { any_character_reference } else { character_reference };
        if let Some((c, len)) = read(input.text) {
            self.value.push(c);
            input.text = &input.text[len..];
            return Ok(());
        }
        let Some(name) = referred_name(input.text) else {
            let fault = EntityFault::of_no_reference(input.text);
            input.text = &input.text[1..];
            return Err(fault);
        };
        let (reference, rest) = input.text.split_at(name.len() + 2);
        input.text = rest;
        match self.entities.get(name) {
            Some(Entity::Internal(range)) => self.enter(name, range.clone(), budget),
            Some(Entity::External) => Err(EntityFault::External(short(name))),
            Some(Entity::Unparsed) => Err(EntityFault::Unparsed(short(name))),
            Some(Entity::Kept) => {
                self.keep(reference);
                Ok(())
            }
            None if self.rules.keeps_undeclared => {
                self.keep(reference);
                Ok(())
            }
            None => Err(EntityFault::Undeclared(short(name))),
        }
    }

    fn keep(&mut self, reference: &str) {
        self.value.push_str(reference);
        self.has_kept = true;
    }

    fn enter(&mut self, name: &'t str, range: Range<usize>, budget: &mut usize) -> Result<(), EntityFault> {
        if self.inputs.iter().any(|input| input.entity == name) {
            return Err(EntityFault::Recursive(short(name)));
        }
        if self.inputs.len() > self.rules.max_depth {
            return Err(EntityFault::TooDeep);
        }
        *budget = budget.checked_sub(range.len()).ok_or(EntityFault::TooMuch)?;
        self.inputs.push(Input { text: &self.entities.text[range], entity: name });
        Ok(())
    }
}

/// A text that is being read, and the entity that it is of.
struct Input<'t> {
    text: &'t str,
    entity: &'t str,
}

impl Input<'_> {
    /// Passes the character `c` that the text begins with and gives what stands for it in a value.
    fn character(&mut self, c: char) -> char {
        // The line ends of an entity were read with its declaration; a CR in it was written as a reference.
        let is_pair = c == '\r' && self.entity.is_empty() && self.text[1..].starts_with('\n');
        self.text = &self.text[if is_pair { 2 } else { c.len_utf8() }..];
        if c.is_ascii() && is_space(c as u8) { ' ' } else { allowed(c) }
    }
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

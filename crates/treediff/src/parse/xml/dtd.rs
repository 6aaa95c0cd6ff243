//! What does the DOCTYPE declare? The internal subset, checked in full; entities, defaults and types of attributes.
//!
//! External subsets and external parameter entities are never loaded. Once one has been skipped, later declarations
//! of entities and attributes may be others than they seem, so they no longer count (section 5.1 of the standard),
//! unless the document says that it stands alone.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::chars;
use super::decode::character_reference;
use super::entities::{Declared, Entities, EntityFault, ExpansionRules, referred_name};
use super::raw_names::name_fault;
use crate::parse::issue::short;

/// What a document type declaration says.
#[derive(Debug, Default)]
pub(super) struct Dtd {
    pub(super) entities: Entities,
    elements: HashMap<String, ElementDeclaration>,
    /// Whether there may be declarations elsewhere: then a reference to what is not declared here is no fault.
    pub(super) is_partial: bool,
}

/// What is declared for the attributes of an element.
#[derive(Debug, Default)]
pub(super) struct ElementDeclaration {
    by_name: HashMap<String, AttributeDeclaration>,
    /// Those with a default, namespace declarations apart, and the IDs, in the order of the declarations: what has
    /// to be gone through for elements must not be long for free.
    defaults: Vec<String>,
    default_namespaces: Vec<String>,
    ids: Vec<String>,
}

/// A declared attribute.
#[derive(Debug)]
pub(super) struct AttributeDeclaration {
    pub(super) name: String,
    /// Any type but CDATA: white space around and between tokens is of no matter.
    pub(super) is_tokenized: bool,
    is_id: bool,
    /// Where the default stands among the texts of the entities, written as in a tag.
    pub(super) default: Option<Range<usize>>,
}

impl Dtd {
    /// What is declared for an element.
    pub(super) fn element(&self, name: &str) -> Option<&ElementDeclaration> {
        self.elements.get(name)
    }

    pub(super) fn declares_attributes(&self) -> bool {
        !self.elements.is_empty()
    }

    /// Declares an attribute; the first declaration counts.
    fn declare(&mut self, element: &str, attribute: AttributeDeclaration) {
        let declared = self.elements.entry(element.to_owned()).or_default();
        if declared.by_name.contains_key(&attribute.name) {
            return;
        }
        if attribute.is_id {
            declared.ids.push(attribute.name.clone());
        }
        if attribute.default.is_some() {
            let is_namespace = attribute.name == "xmlns" || attribute.name.starts_with("xmlns:");
            let list = if is_namespace { &mut declared.default_namespaces } else { &mut declared.defaults };
            list.push(attribute.name.clone());
        }
        declared.by_name.insert(attribute.name.clone(), attribute);
    }
}

impl ElementDeclaration {
    pub(super) fn attribute(&self, name: &str) -> Option<&AttributeDeclaration> {
        self.by_name.get(name)
    }

    pub(super) fn defaults(&self) -> impl Iterator<Item = &AttributeDeclaration> {
        self.defaults.iter().filter_map(|name| self.attribute(name))
    }

    pub(super) fn default_namespaces(&self) -> impl Iterator<Item = &AttributeDeclaration> {
        self.default_namespaces.iter().filter_map(|name| self.attribute(name))
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &AttributeDeclaration> {
        self.ids.iter().filter_map(|name| self.attribute(name))
    }
}

/// What is wrong in a declaration, and where in the source.
#[derive(Debug)]
pub(super) struct DtdFault {
    pub(super) at: usize,
    /// How far the source had been read: what is wrong may stand in the midst of a literal, or of an entity.
    pub(super) read_to: usize,
    pub(super) message: String,
    /// The limit that was passed, if that is it.
    pub(super) exceeded: Option<Exceeded>,
}

/// A limit on entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exceeded {
    Bytes,
    Depth,
}

/// Reads the declaration that `source` begins with; gives its length too, where it is right. What was read before a
/// fault is kept.
pub(super) fn read(
    source: &str,
    standalone: bool,
    budget: &mut usize,
    max_depth: usize,
) -> (Dtd, Result<usize, DtdFault>) {
    let mut reader = Reader {
        dtd: Dtd::default(),
        parameters: HashMap::new(),
        inputs: vec![Input { text: InputText::Source(source), at: 0, entity: String::new(), entered_at: 0 }],
        skipped: false,
        standalone,
        budget,
        max_depth,
    };
    let result = reader.doctype().and_then(|()| reader.check_characters());
    let end = reader.inputs[0].at;
    (reader.dtd, result.map(|()| end))
}

struct Reader<'s, 'b> {
    dtd: Dtd,
    /// Parameter entities; `None` where external.
    parameters: HashMap<String, Option<Rc<str>>>,
    /// The source, and on top of it the parameter entities being read. Never empty.
    inputs: Vec<Input<'s>>,
    /// Whether something external was left out.
    skipped: bool,
    standalone: bool,
    /// What entities may still expand to.
    budget: &'b mut usize,
    max_depth: usize,
}

struct Input<'s> {
    text: InputText<'s>,
    at: usize,
    entity: String,
    /// Where the reference to it stands in the text around it.
    entered_at: usize,
}

enum InputText<'s> {
    Source(&'s str),
    Entity(Rc<str>),
}

/// A text in quotes, and where it begins in the text being read.
struct Literal {
    text: String,
    at: usize,
}

type Read<T> = Result<T, DtdFault>;

impl Reader<'_, '_> {
    // ---- the grammar, from the top

    fn doctype(&mut self) -> Read<()> {
        self.expect("<!DOCTYPE")?;
        self.require_space("after `<!DOCTYPE`")?;
        self.name("the name of the root element")?;
        if self.space() && (self.rest().starts_with("SYSTEM") || self.rest().starts_with("PUBLIC")) {
            self.external_id()?;
            self.space();
            self.dtd.is_partial = !self.standalone;
        }
        if self.eat("[") {
            self.subset()?;
            self.space();
        }
        self.expect(">")
    }

    fn subset(&mut self) -> Read<()> {
        loop {
            self.space();
            if self.rest().is_empty() && self.inputs.len() > 1 {
                self.inputs.pop();
            } else if self.inputs.len() == 1 && self.eat("]") {
                return Ok(());
            } else if self.rest().starts_with('%') {
                self.parameter_reference()?;
            } else {
                self.declaration()?;
            }
        }
    }

    fn declaration(&mut self) -> Read<()> {
        if self.rest().starts_with("<!--") {
            self.comment()
        } else if self.rest().starts_with("<?") {
            self.processing_instruction()
        } else if self.eat("<!ELEMENT") {
            self.element()
        } else if self.eat("<!ATTLIST") {
            self.attribute_list()
        } else if self.eat("<!ENTITY") {
            self.entity()
        } else if self.eat("<!NOTATION") {
            self.notation()
        } else {
            self.unexpected("a declaration, a comment or `]`")
        }
    }

    fn parameter_reference(&mut self) -> Read<()> {
        let at = self.at();
        self.expect("%")?;
        let name = self.name("the name of a parameter entity")?;
        self.expect(";")?;
        self.dtd.is_partial = !self.standalone;
        match self.parameters.get(&name).cloned() {
            // Something else may declare it, as this reference itself shows.
            None if !self.standalone => {
                self.skipped = true;
                Ok(())
            }
            None => self.fault_at(at, format!("parameter entity `{}` is not declared", short(&name))),
            Some(None) => {
                self.skipped = true;
                Ok(())
            }
            Some(Some(_)) if self.inputs.iter().any(|input| input.entity == name) => {
                self.fault_at(at, format!("parameter entity `{}` refers to itself", short(&name)))
            }
            Some(Some(text)) => self.enter(name, text, at),
        }
    }

    fn enter(&mut self, entity: String, text: Rc<str>, entered_at: usize) -> Read<()> {
        if self.inputs.len() > self.max_depth {
            return self.exceeded(entered_at, Exceeded::Depth);
        }
        match self.budget.checked_sub(text.len()) {
            Some(left) => *self.budget = left,
            None => return self.exceeded(entered_at, Exceeded::Bytes),
        }
        self.inputs.push(Input { text: InputText::Entity(text), at: 0, entity, entered_at });
        Ok(())
    }

    fn comment(&mut self) -> Read<()> {
        let at = self.at();
        self.expect("<!--")?;
        match self.rest().find("--") {
            Some(len) if self.rest()[len + 2..].starts_with('>') => {
                self.skip(len + 3);
                Ok(())
            }
            Some(len) => self.fault_at(self.at() + len, "found `--` inside a comment; expected `-->`".into()),
            None => self.fault_at(at, "found a comment without its end `-->`".into()),
        }
    }

    fn processing_instruction(&mut self) -> Read<()> {
        let at = self.at();
        self.expect("<?")?;
        let target_at = self.at();
        let target = self.name("the target of a processing instruction")?;
        if target.contains(':') {
            let message = format!("found `:` in the target `{}` of a processing instruction", short(&target));
            return self.fault_at(target_at, message);
        }
        if target.eq_ignore_ascii_case("xml") {
            let message = format!("`{target}` is not allowed as the target of a processing instruction");
            return self.fault_at(target_at, message);
        }
        if !self.rest().starts_with("?>") {
            self.require_space("behind the target of a processing instruction")?;
        }
        match self.rest().find("?>") {
            Some(at) => {
                self.skip(at + 2);
                Ok(())
            }
            None => self.fault_at(at, "found a processing instruction without its end `?>`".into()),
        }
    }

    // ---- elements

    fn element(&mut self) -> Read<()> {
        self.require_space("after `<!ELEMENT`")?;
        self.qualified_name("the name of an element")?;
        self.require_space("before the content of an element")?;
        if !self.eat("EMPTY") && !self.eat("ANY") {
            self.content_model()?;
        }
        self.space();
        self.expect(">")
    }

    fn content_model(&mut self) -> Read<()> {
        self.expect("(")?;
        self.space();
        if self.eat("#PCDATA") { self.mixed() } else { self.children() }
    }

    fn mixed(&mut self) -> Read<()> {
        let mut has_names = false;
        loop {
            self.space();
            if self.eat(")") {
                break;
            }
            self.expect("|")?;
            self.space();
            self.name("the name of an element")?;
            has_names = true;
        }
        if !self.eat("*") && has_names {
            return self.unexpected("`*` behind mixed content");
        }
        Ok(())
    }

    /// Groups of alternatives or sequences, nested to any depth; `separators` has that of each open group.
    fn children(&mut self) -> Read<()> {
        let mut separators: Vec<Option<char>> = vec![None];
        loop {
            self.space();
            if self.eat("(") {
                separators.push(None);
                continue;
            }
            self.name("the name of an element or `(`")?;
            self.occurrence();
            loop {
                self.space();
                if self.eat(")") {
                    self.occurrence();
                    separators.pop();
                    if separators.is_empty() {
                        return Ok(());
                    }
                } else {
                    self.separator(&mut separators)?;
                    break;
                }
            }
        }
    }

    fn separator(&mut self, separators: &mut [Option<char>]) -> Read<()> {
        let found = self.peek().filter(|c| matches!(c, ',' | '|'));
        let (Some(found), Some(group)) = (found, separators.last_mut()) else {
            return self.unexpected("`,`, `|` or `)`");
        };
        if group.is_some_and(|used| used != found) {
            return self.fault("found `,` and `|` in one group".into());
        }
        *group = Some(found);
        self.skip(1);
        Ok(())
    }

    fn occurrence(&mut self) {
        if matches!(self.peek(), Some('?' | '*' | '+')) {
            self.skip(1);
        }
    }

    // ---- attributes

    fn attribute_list(&mut self) -> Read<()> {
        self.require_space("after `<!ATTLIST`")?;
        let element = self.qualified_name("the name of an element")?;
        loop {
            let spaced = self.space();
            if self.eat(">") {
                return Ok(());
            }
            if !spaced {
                return self.unexpected("white space or `>`");
            }
            let attribute = self.attribute()?;
            if !self.counts() {
                continue;
            }
            self.dtd.declare(&element, attribute);
        }
    }

    fn attribute(&mut self) -> Read<AttributeDeclaration> {
        let name = self.qualified_name("the name of an attribute")?;
        self.require_space("before the type of an attribute")?;
        let attribute_type = self.attribute_type()?;
        self.require_space("before the default of an attribute")?;
        let is_tokenized = attribute_type != "CDATA";
        let default = self.default(is_tokenized)?.map(|value| self.dtd.entities.keep_attribute(&name, &value));
        Ok(AttributeDeclaration { name, is_tokenized, is_id: attribute_type == "ID", default })
    }

    fn attribute_type(&mut self) -> Read<&'static str> {
        const TYPES: [&str; 8] = ["CDATA", "IDREFS", "IDREF", "ID", "ENTITIES", "ENTITY", "NMTOKENS", "NMTOKEN"];
        if let Some(found) = TYPES.into_iter().find(|name| self.eat(name)) {
            return Ok(found);
        }
        let is_notation = self.eat("NOTATION");
        if is_notation {
            self.require_space("after `NOTATION`")?;
        }
        self.enumeration(is_notation)?;
        Ok("enumeration")
    }

    fn enumeration(&mut self, of_names: bool) -> Read<()> {
        self.expect("(")?;
        loop {
            self.space();
            if of_names {
                self.name("the name of a notation")?
            } else {
                self.name_token()?
            };
            self.space();
            if self.eat(")") {
                return Ok(());
            }
            self.expect("|")?;
        }
    }

    fn default(&mut self, is_tokenized: bool) -> Read<Option<String>> {
        if self.eat("#REQUIRED") || self.eat("#IMPLIED") {
            return Ok(None);
        }
        if self.eat("#FIXED") {
            self.require_space("after `#FIXED`")?;
        }
        let written = self.literal("a default value in quotes")?;
        let rules = ExpansionRules {
            max_depth: self.max_depth,
            keeps_undeclared: self.dtd.is_partial,
            allows_any_character: false,
        };
        let mut expansion = self.dtd.entities.expansion(&written.text, rules);
        match expansion.next_fault(self.budget) {
            None => {}
            Some((offset, EntityFault::TooMuch)) => return self.exceeded(written.at + offset, Exceeded::Bytes),
            Some((offset, EntityFault::TooDeep)) => return self.exceeded(written.at + offset, Exceeded::Depth),
            Some((offset, fault)) => return self.fault_at(written.at + offset, fault.message()),
        }
        let value = expansion.value;
        Ok(Some(if is_tokenized { collapse_spaces(&value) } else { value }))
    }

    // ---- entities and notations

    fn entity(&mut self) -> Read<()> {
        self.require_space("after `<!ENTITY`")?;
        let is_parameter = self.eat("%");
        if is_parameter {
            self.require_space("after `%`")?;
        }
        let name = self.unprefixed_name("the name of an entity")?;
        self.require_space("behind the name of an entity")?;
        let declared = self.entity_definition(is_parameter)?;
        self.space();
        self.expect(">")?;
        if !self.counts() {
            return Ok(());
        }
        match (is_parameter, declared) {
            (false, declared) => self.dtd.entities.declare(name, declared),
            (true, Declared::Internal(text)) => {
                self.parameters.entry(name).or_insert_with(|| Some(text.into()));
            }
            (true, _) => {
                self.parameters.entry(name).or_insert(None);
            }
        }
        Ok(())
    }

    fn entity_definition(&mut self, is_parameter: bool) -> Read<Declared> {
        if matches!(self.peek(), Some('"' | '\'')) {
            let written = self.literal("the value of an entity")?;
            return self.replacement(written).map(Declared::Internal);
        }
        self.external_id()?;
        let spaced = self.space();
        if is_parameter || !self.rest().starts_with("NDATA") {
            return Ok(Declared::External);
        }
        if !spaced {
            return self.unexpected("white space before `NDATA`");
        }
        self.skip("NDATA".len());
        self.require_space("after `NDATA`")?;
        self.name("the name of a notation")?;
        Ok(Declared::Unparsed)
    }

    /// The replacement text of an entity: characters by number are put in, other references stay.
    fn replacement(&mut self, written: Literal) -> Read<String> {
        let mut text = String::with_capacity(written.text.len());
        let mut rest = written.text.as_str();
        while let Some(at) = rest.find(['&', '%', '\r']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let at = written.at + written.text.len() - rest.len();
            let len = match rest.as_bytes()[0] {
                b'%' => {
                    let message = "found `%` in the value of an entity; here `&#37;` stands for it";
                    return self.fault_at(at, message.into());
                }
                b'\r' => {
                    text.push('\n');
                    if rest[1..].starts_with('\n') { 2 } else { 1 }
                }
                _ => self.copy_reference(rest, at, &mut text)?,
            };
            rest = &rest[len..];
        }
        text.push_str(rest);
        Ok(text)
    }

    /// Copies the reference that `rest` begins with, which stands at `at`, and gives its length.
    fn copy_reference(&mut self, rest: &str, at: usize, text: &mut String) -> Read<usize> {
        if rest.starts_with("&#") {
            let Some((c, len)) = character_reference(rest) else {
                return self.fault_at(at, EntityFault::of_no_reference(rest).message());
            };
            text.push(c);
            return Ok(len);
        }
        let Some(name) = referred_name(rest) else { return self.fault_at(at, EntityFault::NotAReference.message()) };
        let reference = &rest[..name.len() + 2];
        text.push_str(reference);
        Ok(reference.len())
    }

    fn external_id(&mut self) -> Read<()> {
        if self.eat("PUBLIC") {
            self.require_space("after `PUBLIC`")?;
            self.public_literal()?;
            self.require_space("between the public and the system identifier")?;
        } else {
            self.expect("SYSTEM")?;
            self.require_space("after `SYSTEM`")?;
        }
        self.literal("a system identifier in quotes").map(drop)
    }

    fn notation(&mut self) -> Read<()> {
        self.require_space("after `<!NOTATION`")?;
        self.unprefixed_name("the name of a notation")?;
        self.require_space("behind the name of a notation")?;
        if self.eat("PUBLIC") {
            self.require_space("after `PUBLIC`")?;
            self.public_literal()?;
            if self.space() && matches!(self.peek(), Some('"' | '\'')) {
                self.literal("a system identifier in quotes")?;
            }
        } else {
            self.external_id()?;
        }
        self.space();
        self.expect(">")
    }

    fn public_literal(&mut self) -> Read<()> {
        let literal = self.literal("a public identifier in quotes")?;
        match literal.text.char_indices().find(|&(_, c)| !chars::is_public_id_char(c)) {
            Some((at, c)) => self.fault_at(literal.at + at, format!("found {c:?} in a public identifier")),
            None => Ok(()),
        }
    }

    // ---- the input

    /// Whether declarations still count, see the head of this module.
    fn counts(&self) -> bool {
        !self.skipped || self.standalone
    }

    fn input(&self) -> &Input<'_> {
        &self.inputs[self.inputs.len() - 1]
    }

    /// Where the next character stands in the text being read.
    fn at(&self) -> usize {
        self.input().at
    }

    fn rest(&self) -> &str {
        let input = self.input();
        match &input.text {
            InputText::Source(text) => &text[input.at..],
            InputText::Entity(text) => &text[input.at..],
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, len: usize) {
        let top = self.inputs.len() - 1;
        self.inputs[top].at += len;
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.skip(token.len());
        }
        found
    }

    fn expect(&mut self, token: &str) -> Read<()> {
        if self.eat(token) { Ok(()) } else { self.unexpected(&format!("`{token}`")) }
    }

    fn space(&mut self) -> bool {
        let rest = self.rest();
        let len = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.skip(len);
        len > 0
    }

    fn require_space(&mut self, place: &str) -> Read<()> {
        if self.space() { Ok(()) } else { self.unexpected(&format!("white space {place}")) }
    }

    fn name(&mut self, what: &str) -> Read<String> {
        let name = self.name_characters();
        if !chars::is_name(&name) {
            return self.unexpected(what);
        }
        self.skip(name.len());
        Ok(name)
    }

    /// A name with a prefix or without one.
    fn qualified_name(&mut self, what: &str) -> Read<String> {
        let at = self.at();
        let name = self.name(what)?;
        if name_fault(&name).is_some() {
            return self.fault_at(at, format!("`{}` is not a name with a prefix", short(&name)));
        }
        Ok(name)
    }

    /// A name that may have no prefix.
    fn unprefixed_name(&mut self, what: &str) -> Read<String> {
        let at = self.at();
        let name = self.name(what)?;
        if name.contains(':') {
            return self.fault_at(at, format!("found `{}`; expected {what}, without `:`", short(&name)));
        }
        Ok(name)
    }

    fn name_token(&mut self) -> Read<String> {
        let token = self.name_characters();
        if !chars::is_name_token(&token) {
            return self.unexpected("a name token");
        }
        self.skip(token.len());
        Ok(token)
    }

    fn name_characters(&self) -> String {
        self.rest().chars().take_while(|&c| chars::is_name_char(c)).collect()
    }

    fn literal(&mut self, what: &str) -> Read<Literal> {
        let Some(quote) = self.peek().filter(|c| matches!(c, '"' | '\'')) else { return self.unexpected(what) };
        let Some(len) = self.rest()[1..].find(quote) else {
            return self.fault(format!("found no closing {quote} of {what}"));
        };
        let literal = Literal { text: self.rest()[1..1 + len].to_owned(), at: self.at() + 1 };
        self.skip(len + 2);
        Ok(literal)
    }

    fn check_characters(&self) -> Read<()> {
        let InputText::Source(source) = self.inputs[0].text else { return Ok(()) };
        match source[..self.inputs[0].at].char_indices().find(|&(_, c)| !chars::is_char(c)) {
            Some((at, c)) => {
                let message = format!("character U+{:04X} is not allowed", c as u32);
                Err(DtdFault { at, read_to: at, message, exceeded: None })
            }
            None => Ok(()),
        }
    }

    fn unexpected<T>(&self, expected: &str) -> Read<T> {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
        self.fault(format!("found {found}; expected {expected}"))
    }

    fn exceeded<T>(&self, at: usize, limit: Exceeded) -> Read<T> {
        Err(DtdFault { exceeded: Some(limit), ..self.fault_of(at, String::new()) })
    }

    /// Says what is wrong with what comes next.
    fn fault<T>(&self, message: String) -> Read<T> {
        self.fault_at(self.at(), message)
    }

    /// Says what is wrong at a place in the text being read.
    fn fault_at<T>(&self, at: usize, message: String) -> Read<T> {
        Err(self.fault_of(at, message))
    }

    fn fault_of(&self, at: usize, message: String) -> DtdFault {
        // What is wrong inside an entity shows at the outermost reference.
        let at = self.inputs.get(1).map_or(at, |outermost| outermost.entered_at);
        DtdFault { at, read_to: self.inputs[0].at, message, exceeded: None }
    }
}

/// The value of a tokenized attribute: tokens with single spaces between them.
pub(super) fn collapse_spaces(value: &str) -> String {
    value.split(' ').filter(|token| !token.is_empty()).collect::<Vec<_>>().join(" ")
}

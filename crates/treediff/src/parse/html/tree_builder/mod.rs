//! Where does a token go? The tree construction stage of the standard, one function for each insertion mode.
//!
//! This file has what all modes share: the dispatch, and how elements and texts get into the tree. The modes are in
//! the files below, in the order of the standard; their rules keep its order too, so that they can be read side by
//! side.

mod adoption;
mod body;
mod foreign;
mod frames;
mod head;
mod table;

pub(super) use foreign::svg_element;

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::arena::{Arena, NONE, NodeId};
use super::character_references::{self, Place};
use super::decode_attribute;
use super::doctype::{Doctype, Mode as QuirksMode};
use super::formatting::{Entry, Formatting};
use super::names::{ElementName, Namespace, TagName, class, tag};
use super::open_elements::OpenElements;
use super::problems::Problem;
use super::tokenizer::{Content, RawAttribute, Tag, Text, Token, Tokenizer};
use crate::parse::{Limits, ParseError, Position};
use crate::tree::hash;

/// Reads the whole source into a tree of linked nodes.
pub(super) fn build<'s>(source: &'s str, limits: &'s Limits) -> Result<Built<'s>, ParseError> {
    let mut builder = TreeBuilder::new(source, limits);
    builder.run(false)?;
    Ok(builder.finish())
}

/// The encoding that the first `meta` with a word on it names; what is behind it is not read.
pub(super) fn declared(source: &str, limits: &Limits) -> Option<&'static Encoding> {
    let mut builder = TreeBuilder::new(source, limits);
    builder.run(true).ok()?;
    builder.declared
}

/// The tree, and what goes with it.
#[derive(Debug)]
pub(super) struct Built<'s> {
    pub(super) arena: Arena,
    pub(super) tokenizer: Tokenizer<'s>,
    pub(super) doctype: Option<Doctype>,
    /// The encoding that the first `meta` with a word on it names.
    pub(super) declared: Option<&'static Encoding>,
    /// Attributes that later `html` and `body` tags added to the first ones.
    pub(super) added: Vec<AddedAttributes>,
}

/// Attributes that came to an element later.
#[derive(Debug)]
pub(super) struct AddedAttributes {
    pub(super) node: NodeId,
    pub(super) attributes: Vec<RawAttribute>,
    names: std::collections::HashSet<u32>,
}

/// An insertion mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// What a mode has done with a token.
enum Flow {
    Done,
    /// The token, or what is left of it, is for the mode that is set now.
    Again(Token),
}

struct TreeBuilder<'s> {
    tokenizer: Tokenizer<'s>,
    arena: Arena,
    open: OpenElements,
    formatting: Formatting,
    mode: Mode,
    /// The mode to go back to from text and table text.
    original_mode: Mode,
    template_modes: Vec<Mode>,
    head: NodeId,
    form: NodeId,
    frameset_ok: bool,
    foster_parenting: bool,
    /// A line end at the start of the next token is to be left out.
    skip_newline: bool,
    quirks: bool,
    /// The offset of the token at hand, for what is implied by it.
    at: u32,
    table_text: Vec<Text>,
    doctype: Option<Doctype>,
    declared: Option<&'static Encoding>,
    added: Vec<AddedAttributes>,
    /// Bytes of the attributes of elements that were opened again.
    reopened_bytes: usize,
    limits: &'s Limits,
}

impl<'s> TreeBuilder<'s> {
    fn new(source: &'s str, limits: &'s Limits) -> Self {
        TreeBuilder {
            tokenizer: Tokenizer::new(source, limits.max_attributes, limits.max_issues),
            arena: Arena::new(),
            open: OpenElements::new(),
            formatting: Formatting::default(),
            mode: Mode::Initial,
            original_mode: Mode::Initial,
            template_modes: Vec::new(),
            head: NONE,
            form: NONE,
            frameset_ok: true,
            foster_parenting: false,
            skip_newline: false,
            quirks: false,
            at: 0,
            table_text: Vec::new(),
            doctype: None,
            declared: None,
            added: Vec::new(),
            reopened_bytes: 0,
            limits,
        }
    }

    /// Takes all tokens, or those up to a `meta` that names an encoding. One loop for both: what is in it is called from nowhere else,
    /// and so becomes part of it.
    fn run(&mut self, stops_at_encoding: bool) -> Result<(), ParseError> {
        loop {
            let in_foreign = self.open.depth() > 0 && !self.open.current().name.is_html();
            let token = self.tokenizer.next(in_foreign).map_err(|excess| {
                self.excess("attributes of one element", self.limits.max_attributes, "--max-attributes", excess.offset)
            })?;
            self.process(token);
            self.check_limits()?;
            if matches!(token, Token::Eof) || stops_at_encoding && self.declared.is_some() {
                return Ok(());
            }
        }
    }

    #[inline(always)]
    fn check_limits(&self) -> Result<(), ParseError> {
        let max_nodes = self.limits.max_nodes.min(Arena::MAX_NODES);
        if self.arena.len() > max_nodes {
            return Err(self.excess("nodes", max_nodes, "--max-nodes", self.at as usize));
        }
        // A formatting element is cloned with all that it has, so a short page can have very many.
        if self.arena.attribute_count() > max_nodes {
            return Err(self.excess("attributes of all elements", max_nodes, "--max-nodes", self.at as usize));
        }
        if self.arena.clone_count() > self.limits.max_reopened {
            let limit = self.limits.max_reopened;
            return Err(self.excess("elements opened again", limit, "--max-reopened", self.at as usize));
        }
        if self.reopened_bytes > self.limits.max_reopened_bytes {
            let (what, limit) = ("bytes of attributes of elements opened again", self.limits.max_reopened_bytes);
            return Err(self.excess(what, limit, "--max-reopened-bytes", self.at as usize));
        }
        if self.open.depth() > self.limits.max_depth {
            return Err(self.excess("levels of nesting", self.limits.max_depth, "--max-depth", self.at as usize));
        }
        Ok(())
    }

    #[cold]
    fn excess(&self, what: &'static str, limit: usize, option: &'static str, offset: usize) -> ParseError {
        let position = Some(Position::of(self.tokenizer.source().as_bytes(), offset));
        ParseError::Limit { what, limit, option, position }
    }

    fn finish(mut self) -> Built<'s> {
        self.arena.trim();
        Built {
            arena: self.arena,
            tokenizer: self.tokenizer,
            doctype: self.doctype,
            declared: self.declared,
            added: self.added,
        }
    }

    /// The tree construction dispatcher.
    #[inline]
    fn process(&mut self, token: Token) {
        let Some(mut token) = self.without_newline(token) else { return };
        self.at = match token {
            Token::Text(text) | Token::Comment(text) => text.start,
            Token::Null(at) => at,
            Token::Start(tag) | Token::End(tag) => tag.start,
            Token::Doctype(doctype) => doctype.start,
            Token::Eof => self.tokenizer.source().len() as u32,
        };
        loop {
            let flow = if self.is_for_foreign(token) { self.in_foreign(token) } else { self.in_mode(self.mode, token) };
            match flow {
                Flow::Done => break,
                Flow::Again(rest) => token = rest,
            }
        }
    }

    #[inline(always)]
    fn without_newline(&mut self, token: Token) -> Option<Token> {
        if !std::mem::take(&mut self.skip_newline) {
            return Some(token);
        }
        let Token::Text(mut text) = token else { return Some(token) };
        text.start += character_references::newline_prefix(&self.tokenizer.source()[text.range()]) as u32;
        (text.start < text.end).then_some(Token::Text(text))
    }

    #[inline(always)]
    fn in_mode(&mut self, mode: Mode, token: Token) -> Flow {
        match mode {
            Mode::InBody => self.in_body(token),
            Mode::Text => self.in_text(token),
            Mode::Initial => self.initial(token),
            Mode::BeforeHtml => self.before_html(token),
            Mode::BeforeHead => self.before_head(token),
            Mode::InHead => self.in_head(token),
            Mode::InHeadNoscript => self.in_head_noscript(token),
            Mode::AfterHead => self.after_head(token),
            Mode::InTable => self.in_table(token),
            Mode::InTableText => self.in_table_text(token),
            Mode::InCaption => self.in_caption(token),
            Mode::InColumnGroup => self.in_column_group(token),
            Mode::InTableBody => self.in_table_body(token),
            Mode::InRow => self.in_row(token),
            Mode::InCell => self.in_cell(token),
            Mode::InTemplate => self.in_template(token),
            Mode::AfterBody => self.after_body(token),
            Mode::InFrameset => self.in_frameset(token),
            Mode::AfterFrameset => self.after_frameset(token),
            Mode::AfterAfterBody => self.after_after_body(token),
            Mode::AfterAfterFrameset => self.after_after_frameset(token),
        }
    }

    /// Goes to a mode and gives it the token.
    fn again(&mut self, mode: Mode, token: Token) -> Flow {
        self.mode = mode;
        Flow::Again(token)
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.tokenizer.problems.note(self.at as usize, problem);
        Flow::Done
    }

    /// A tag that has no business here; it is left out.
    fn unexpected(&mut self, token: Token) -> Flow {
        match token {
            Token::Start(tag) => self.problem(Problem::UnexpectedStartTag(tag.name)),
            Token::End(tag) => self.problem(Problem::UnexpectedEndTag(tag.name)),
            Token::Doctype(_) => self.problem(Problem::UnexpectedDoctype),
            Token::Text(_) => self.problem(Problem::UnexpectedText),
            Token::Eof => self.problem(Problem::UnexpectedEnd),
            Token::Null(_) | Token::Comment(_) => Flow::Done,
        }
    }

    /// Splits a text at the end of the white space that it starts with; `None` for any other token.
    fn split_blank(&self, token: Token) -> Option<(Option<Text>, Option<Text>)> {
        let Token::Text(text) = token else { return None };
        Some(text.split_blank(self.tokenizer.source()))
    }

    fn is_blank(&self, text: Text) -> bool {
        text.split_blank(self.tokenizer.source()).1.is_none()
    }

    /// The appropriate place for inserting a node: the parent, and the sibling to stand before.
    #[inline(always)]
    fn place_for(&mut self, target: super::open_elements::Slot) -> (NodeId, NodeId) {
        const AROUND_ROWS: [TagName; 5] = [tag::TABLE, tag::TBODY, tag::TFOOT, tag::THEAD, tag::TR];
        if self.foster_parenting && target.name.is_any(&AROUND_ROWS) {
            self.foster_place()
        } else {
            (target.node, NONE)
        }
    }

    /// Where content that is out of place in a table goes: before the table, or into the last template.
    fn foster_place(&mut self) -> (NodeId, NodeId) {
        let template = self.open.last(tag::TEMPLATE);
        let Some(table) = self.open.last(tag::TABLE).filter(|&table| template.is_none_or(|template| table > template))
        else {
            return (self.open.get(template.unwrap_or(0)).node, NONE);
        };
        let node = self.open.get(table).node;
        match self.arena.get(node).parent {
            NONE => (self.open.get(self.open.place_below(table).unwrap_or(0)).node, NONE),
            parent => (parent, node),
        }
    }

    #[inline(always)]
    fn insert_text(&mut self, text: Text) {
        let (parent, sibling) = self.place_for(self.open.current());
        if parent != Arena::DOCUMENT {
            self.arena.insert_text(text, parent, sibling);
        }
    }

    fn insert_comment(&mut self, text: Text) -> Flow {
        let (parent, sibling) = self.place_for(self.open.current());
        let comment = self.arena.new_comment(text);
        self.arena.insert(comment, parent, sibling);
        Flow::Done
    }

    fn insert_comment_in(&mut self, text: Text, parent: NodeId) -> Flow {
        let comment = self.arena.new_comment(text);
        self.arena.insert(comment, parent, NONE);
        Flow::Done
    }

    /// Inserts an HTML element for a start tag and opens it.
    #[inline(always)]
    fn insert(&mut self, tag: Tag) -> NodeId {
        self.insert_named(tag, ElementName::html(tag.name))
    }

    #[inline(always)]
    fn insert_named(&mut self, tag: Tag, name: ElementName) -> NodeId {
        let node = self.arena.new_element(name, tag.start, tag.end, &self.tokenizer.attributes);
        self.place(node);
        node
    }

    /// Inserts an element that no tag asks for, and opens it.
    fn insert_implied(&mut self, tag: TagName) -> NodeId {
        let node = self.arena.new_element(ElementName::html(tag), self.at, self.at, &[]);
        self.place(node);
        node
    }

    #[inline(always)]
    fn place(&mut self, node: NodeId) {
        let (parent, sibling) = self.place_for(self.open.current());
        self.arena.insert(node, parent, sibling);
        self.open.push(&mut self.arena, node);
    }

    /// Inserts an element that has no content.
    fn insert_void(&mut self, tag: Tag) -> Flow {
        let node = self.insert(tag);
        self.arena.element_mut(node).has_end_tag = true;
        self.pop();
        Flow::Done
    }

    /// Inserts an element whose content is text up to its end tag.
    fn insert_raw(&mut self, tag: Tag, content: Content) -> Flow {
        self.insert(tag);
        self.tokenizer.set_content(content);
        self.original_mode = self.mode;
        self.mode = Mode::Text;
        Flow::Done
    }

    /// Notes `/>` on an element that it does not close.
    fn check_self_closing(&mut self, tag: Tag) {
        if tag.self_closing && !ElementName::html(tag.name).is_in(class::VOID) {
            self.problem(Problem::NonVoidSelfClosing(tag.name));
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> NodeId {
        self.open.pop(&mut self.arena).node
    }

    /// Closes elements down to the innermost of a tag and that one too, which `end` is the end tag of.
    fn pop_to(&mut self, tag: TagName, end: Option<Tag>) {
        if let Some(place) = self.open.last(tag) {
            self.pop_to_place(place, end);
        }
    }

    #[inline(always)]
    fn pop_to_place(&mut self, place: u32, end: Option<Tag>) {
        if let Some(end) = end {
            self.close(self.open.get(place).node, end);
        }
        while self.open.depth() > place as usize {
            self.pop();
        }
    }

    /// Notes where an element's end tag ends; an implied element stays without a place of its own.
    #[inline(always)]
    fn close(&mut self, node: NodeId, end: Tag) {
        let is_implied = self.arena.get(node).start == self.arena.get(node).end;
        if !is_implied && !self.arena.element(node).has_end_tag {
            self.arena.element_mut(node).has_end_tag = true;
            self.arena.get_mut(node).end = end.end;
        }
    }

    /// Closes elements until the current one is of one of the tags.
    fn clear_to(&mut self, tags: &[TagName]) {
        while self.open.depth() > 1 && !self.open.current().name.is_any(tags) {
            self.pop();
        }
    }

    /// Closes elements whose end tags may be left out, but not those of one tag.
    #[inline(always)]
    fn generate_implied_end_tags(&mut self, except: Option<TagName>) {
        while self.open.current().name.is_in(class::IMPLIED_END)
            && !except.is_some_and(|tag| self.open.current().name.is(tag))
        {
            self.pop();
        }
    }

    /// Notes an element that is closed while others are open in it.
    #[inline(always)]
    fn expect_current(&mut self, tag: TagName) {
        if !self.open.current().name.is(tag) {
            self.problem(Problem::UnclosedElement(tag));
        }
    }

    /// Opens an element and remembers that its formatting goes on.
    fn insert_formatting(&mut self, tag: Tag) {
        let node = self.insert(tag);
        let attributes = self.attributes_hash();
        self.formatting.push(Entry { node, tag: tag.name, attributes });
    }

    /// The value of an attribute of the tag at hand.
    fn attribute(&self, name: &str) -> Option<Cow<'s, str>> {
        let name = self.tokenizer.attribute_names.find("", name)?;
        let given = self.tokenizer.attributes.iter().find(|attribute| attribute.name == name)?;
        let written = &self.tokenizer.source()[given.value.range()];
        Some(if given.value.is_encoded() { decode_attribute(written).into() } else { written.into() })
    }

    /// A hash of the attributes of the tag at hand, whatever their order.
    fn attributes_hash(&self) -> u64 {
        let source = self.tokenizer.source();
        let mut decoded = String::new();
        let hashes = self.tokenizer.attributes.iter().map(|attribute| {
            let written = &source[attribute.value.range()];
            let value = if attribute.value.is_encoded() {
                decoded.clear();
                character_references::decode_into(written, Place::Attribute, &mut decoded, |_, _| {});
                hash::bytes(decoded.as_bytes())
            } else {
                hash::bytes(written.as_bytes())
            };
            hash::mix(u64::from(attribute.name.0), value)
        });
        hashes.fold(0, u64::wrapping_add)
    }

    /// Opens again the formatting elements that were closed by something else.
    #[inline(always)]
    fn reconstruct_formatting(&mut self) {
        let arena = &self.arena;
        let closed = self.formatting.closed_tail(|node| arena.element(node).place != NONE);
        for place in closed {
            let original = self.formatting.get(place).node;
            if original != NONE {
                let node = self.open_again(original);
                self.place(node);
                self.formatting.replace(place, node);
            }
        }
    }

    /// A copy of a formatting element.
    fn open_again(&mut self, original: NodeId) -> NodeId {
        let names = &self.tokenizer.attribute_names;
        let attributes = self.arena.attributes(original).iter();
        self.reopened_bytes += attributes
            .map(|attribute| names.get(attribute.name).local.len() + attribute.value.len() as usize)
            .sum::<usize>();
        self.arena.clone_element(original, self.at)
    }

    /// Adds those attributes of the tag at hand that an element does not have.
    fn add_attributes(&mut self, node: NodeId) {
        let at = self.added.iter().position(|added| added.node == node).unwrap_or_else(|| {
            let names = self.arena.attributes(node).iter().map(|attribute| attribute.name.0).collect();
            self.added.push(AddedAttributes { node, attributes: Vec::new(), names });
            self.added.len() - 1
        });
        let added = &mut self.added[at];
        for attribute in &self.tokenizer.attributes {
            if added.names.len() < self.limits.max_attributes && added.names.insert(attribute.name.0) {
                added.attributes.push(*attribute);
            }
        }
    }

    /// Resets the insertion mode appropriately.
    fn reset_mode(&mut self) {
        let Some(place) = self.open.last_fence(class::MODE) else { return };
        self.mode = match self.open.get(place).name.tag() {
            tag::TD | tag::TH => Mode::InCell,
            tag::TR => Mode::InRow,
            tag::TBODY | tag::THEAD | tag::TFOOT => Mode::InTableBody,
            tag::CAPTION => Mode::InCaption,
            tag::COLGROUP => Mode::InColumnGroup,
            tag::TABLE => Mode::InTable,
            tag::TEMPLATE => self.template_modes.last().copied().unwrap_or(Mode::InBody),
            tag::HEAD => Mode::InHead,
            tag::FRAMESET => Mode::InFrameset,
            tag::HTML if self.head == NONE => Mode::BeforeHead,
            tag::HTML => Mode::AfterHead,
            _ => Mode::InBody,
        };
    }
}

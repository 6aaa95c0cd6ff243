//! What does a written delta say? Everything that can be known to be wrong without the documents is an error here.

use std::borrow::Cow;
use std::sync::Arc;

use super::fields::{self, Fields};
use super::json::{self, Payload};
use super::{DeltaError, GAP_DATA, GAP_TARGET, NAMESPACE};
use super::{check, text_delta};
use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid, XidMap};
use crate::parse::{self, Dialect, Limits, Options, ParseError, Position, Whitespace, escapes};
use crate::tree::{Document, Format, Kind, Label, Node, NodeId, XML_NAMESPACE, XMLNS_NAMESPACE, is_blank};
use crate::write;

pub(super) fn read(source: Vec<u8>, limits: &Limits) -> Result<Delta, DeltaError> {
    let document = Arc::new(parsed(source, limits)?);
    let mut delta = fields::header(root(&document)?).map_err(DeltaError::Header)?;
    let elements = operation_elements(&document).map_err(DeltaError::Header)?;
    delta.operations = operations(&document, &elements, delta.format, limits)?;
    check::header(&delta).map_err(DeltaError::Header)?;
    check::operations(&delta).map_err(|(operation, message)| {
        match operation.and_then(|operation| place_of(operation, &elements, delta.format)) {
            Some(at) => fault(at, elements[at], message),
            None => DeltaError::Header(message),
        }
    })?;
    Ok(delta)
}

/// The operations alone, each by itself.
pub(super) fn read_operations(source: Vec<u8>, limits: &Limits) -> Result<Vec<Operation>, DeltaError> {
    let document = Arc::new(parsed(source, limits)?);
    let format = fields::format(root(&document)?).map_err(DeltaError::Header)?;
    let elements = operation_elements(&document).map_err(DeltaError::Header)?;
    operations(&document, &elements, format, limits)
}

fn operations(
    document: &Arc<Document>,
    elements: &[Node<'_>],
    format: Format,
    limits: &Limits,
) -> Result<Vec<Operation>, DeltaError> {
    let has_escapes = Mode::of(root(document)?).has_escapes;
    let mut contents = contents(document, elements, format, limits)?.into_iter();
    let mut operations = Vec::with_capacity(elements.len());
    for (at, &element) in elements.iter().enumerate() {
        let result = if has_payload(element) {
            add_row(element, &mut contents, format, &mut operations)
        } else {
            operation(element, format, has_escapes).map(|operation| operations.push(operation))
        };
        result.map_err(|message| fault(at, element, message))?;
    }
    Ok(operations)
}

/// The place among the elements of the one that an operation was read from.
fn place_of(operation: usize, elements: &[Node<'_>], format: Format) -> Option<usize> {
    let mut behind = 0;
    elements.iter().position(|&element| {
        behind += if has_payload(element) { payloads(element, format) } else { 1 };
        operation < behind
    })
}

#[cold]
fn fault(at: usize, element: Node<'_>, message: String) -> DeltaError {
    let start = element.source_range().map_or(0, |range| range.start);
    let line = Position::of(element.document().source().as_bytes(), start).line;
    DeltaError::Operation { number: at + 1, kind: fields::shown(element.name().local), line, message }
}

/// What has to be known of a delta before it can be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mode {
    whitespace: Whitespace,
    has_escapes: bool,
}

impl Mode {
    /// What the start tag of a delta in ASCII seems to say.
    fn guessed(source: &[u8]) -> Self {
        let start = memchr::memmem::find(source, b"xydelta ").unwrap_or(source.len());
        let len = memchr::memchr(b'>', &source[start..]).unwrap_or(source.len() - start);
        let says = |words: [&[u8]; 2]| {
            words.iter().any(|word| memchr::memmem::find(&source[start..start + len], word).is_some())
        };
        let is_exact = says([b"whitespace=\"exact\"", b"whitespace='exact'"]);
        Mode {
            whitespace: if is_exact { Whitespace::Exact } else { Whitespace::Layout },
            has_escapes: says([b"format=\"html\"", b"format='html'"]) || says([b"escaped=\"true\"", b"escaped='true'"]),
        }
    }

    /// What the root of a delta does say.
    fn of(root: Node<'_>) -> Self {
        let is = |name: &str, value: &str| root.attribute("", name).is_some_and(|found| found == value);
        let whitespace = if is("whitespace", "exact") { Whitespace::Exact } else { Whitespace::Layout };
        Mode { whitespace, has_escapes: is("format", "html") || is("escaped", "true") }
    }

    fn parse(self, source: Vec<u8>, limits: &Limits) -> Result<Document, ParseError> {
        let options = Options { whitespace: self.whitespace, limits: limits.clone(), ..Options::default() };
        let dialect = if self.has_escapes { Dialect::EscapedDelta } else { Dialect::Delta };
        parse::delta(source, &options, dialect).map(|parsed| parsed.document)
    }
}

/// The document of a delta, read as the delta itself wants it. A guess is nearly always right, else it is read twice.
fn parsed(source: Vec<u8>, limits: &Limits) -> Result<Document, DeltaError> {
    let guess = Mode::guessed(&source);
    let document = guess.parse(source, limits)?;
    let mode = Mode::of(root(&document)?);
    if mode == guess { Ok(document) } else { Ok(mode.parse(write::source(&document), limits)?) }
}

pub(super) fn root(document: &Document) -> Result<Node<'_>, DeltaError> {
    let root = document.root_element().filter(|root| is_named(*root, "xydelta"));
    root.ok_or_else(|| {
        let found = document.root_element().map_or_else(String::new, |root| fields::shown(&root.name().to_string()));
        DeltaError::Header(format!("found the root `{found}`; expected `xydelta` in the namespace `{NAMESPACE}`"))
    })
}

pub(super) fn is_named(element: Node<'_>, local: &str) -> bool {
    // The name first: it is short, and mostly another.
    element.is_element() && element.name().local == local && element.name().namespace == NAMESPACE
}

/// Whether a document is a delta whose names are escaped: what stands in it is not what its documents have.
pub(crate) fn is_escaped_delta(document: &Document) -> bool {
    document.root_element().is_some_and(|root| is_named(root, "xydelta") && Mode::of(root).has_escapes)
}

fn operation_elements(document: &Document) -> Result<Vec<Node<'_>>, String> {
    let mut elements = Vec::new();
    for child in document.root_element().into_iter().flat_map(Node::children) {
        match child.kind() {
            Kind::Element => elements.push(child),
            Kind::Comment | Kind::ProcessingInstruction => {}
            Kind::Text if is_blank(child.value().as_bytes()) => {}
            _ => return Err(format!("found `{}` between operations", fields::shown(child.value().trim()))),
        }
    }
    Ok(elements)
}

fn has_payload(element: Node<'_>) -> bool {
    is_named(element, "delete") || is_named(element, "insert")
}

/// How many payloads an operation has: in a page, all siblings that came or went side by side.
fn payloads(element: Node<'_>, format: Format) -> usize {
    if format == Format::Html { element.children().count().max(1) } else { 1 }
}

/// What is deleted and inserted, by the operations that do so.
fn contents(
    document: &Arc<Document>,
    elements: &[Node<'_>],
    format: Format,
    limits: &Limits,
) -> Result<Vec<Fragment>, DeltaError> {
    let gap = document.names().find("", GAP_TARGET).map(|name| Label::new(Kind::ProcessingInstruction, name));
    let with_payload = elements.iter().enumerate().filter(|(_, element)| has_payload(**element));
    if format != Format::Json {
        let mut contents = Vec::with_capacity(elements.len());
        for (at, &element) in with_payload {
            let roots = roots(element, format).map_err(|message| fault(at, element, message))?;
            for root in roots {
                contents.push(fragment(document, root, gap).map_err(|message| fault(at, element, message))?);
            }
        }
        return Ok(contents);
    }
    let payloads: Vec<Payload> = with_payload.clone().map(|(_, &element)| json_payload(element)).collect();
    json::read(&payloads, limits).map_err(|wrong| match wrong {
        json::Fault::Limit(error) => DeltaError::Parse(error),
        json::Fault::Payload(which, message) => match with_payload.clone().nth(which) {
            Some((at, &element)) => fault(at, element, format!("the payload: {message}")),
            None => DeltaError::Header(message),
        },
    })
}

/// The subtrees that are the payload of an operation.
fn roots<'d>(element: Node<'d>, format: Format) -> Result<impl Iterator<Item = Node<'d>>, String> {
    match (element.first_child(), element.children().nth(1)) {
        (None, _) => Err("found no payload; expected one subtree".to_owned()),
        (_, Some(_)) if format != Format::Html => {
            Err("found more than one node as payload; expected one subtree".to_owned())
        }
        _ => Ok(element.children()),
    }
}

fn fragment(document: &Arc<Document>, root: Node<'_>, gap: Option<Label>) -> Result<Fragment, String> {
    let labels = &document.labels()[root.id().index()..root.end() as usize];
    let is_gap = |at: &usize| Some(labels[*at]) == gap && is_gap(document.node(NodeId(root.id().0 + *at as u32)));
    let holes: Vec<NodeId> = match gap {
        Some(_) => (0..labels.len()).filter(is_gap).map(|at| NodeId(root.id().0 + at as u32)).collect(),
        None => Vec::new(),
    };
    if holes.first() == Some(&root.id()) {
        return Err("found a gap as payload; expected one subtree".to_owned());
    }
    Ok(Fragment::new(Arc::clone(document), root.id(), holes))
}

/// Whether an instruction keeps two texts apart: one that is a node of a document has another blank before its data.
fn is_gap(instruction: Node<'_>) -> bool {
    let before = instruction.text_before_value();
    instruction.value() == GAP_DATA && before.strip_suffix(' ').is_some_and(|target| target.ends_with(GAP_TARGET))
}

fn json_payload(element: Node<'_>) -> Payload {
    Payload { key: element.attribute("", "name").map(Cow::into_owned), text: element.string_value().into_owned() }
}

/// Adds the deletions or insertions that an element stands for; their contents are the next ones.
fn add_row(
    element: Node<'_>,
    contents: &mut std::vec::IntoIter<Fragment>,
    format: Format,
    operations: &mut Vec<Operation>,
) -> Result<(), String> {
    let count = payloads(element, format);
    let size = contents.as_slice().iter().take(count).map(|content| u64::from(content.size())).sum();
    let (Place { parent, position }, all) = Fields(element).payload(size, format)?;
    let is_insertion = element.name().local == "insert";
    let mut taken = 0;
    for (at, content) in contents.by_ref().take(count).enumerate() {
        let position = u32::try_from(at).ok().and_then(|at| position.checked_add(at));
        let position = position.ok_or("found more siblings than there are positions")?;
        let (place, mut xids) = (Place { parent, position }, XidMap::new());
        xids.push_slice(&all, taken, content.size().into());
        taken += u64::from(content.size());
        operations.push(match is_insertion {
            true => Operation::Insert { place, xids, content },
            false => Operation::Delete { place, xids, content },
        });
    }
    Ok(())
}

fn operation(element: Node<'_>, format: Format, has_escapes: bool) -> Result<Operation, String> {
    if element.name().namespace != NAMESPACE {
        return Err(format!("found an element in the namespace `{}`", fields::shown(element.name().namespace)));
    }
    let fields = Fields(element);
    match element.name().local {
        "move" => fields.moved(),
        "update" => {
            fields.only(&["nodeXID"], &[])?;
            let (mut before, mut after) = texts(element)?;
            if format == Format::Json {
                (before, after) = (json::read_token(&before)?, json::read_token(&after)?);
            }
            Ok(Operation::Update { node: fields.node()?, before, after })
        }
        "attr-insert" | "attr-delete" | "attr-modify" if format != Format::Json => {
            attribute(fields, format, has_escapes)
        }
        "doctype" if format != Format::Json => {
            fields.only(&[], &[])?;
            let (before, after) = texts(element)?;
            Ok(Operation::Doctype { before: doctype(before)?, after: doctype(after)? })
        }
        _ => Err("this is no operation that is known here".to_owned()),
    }
}

/// The values before and after of an update: each by itself, or both word by word.
fn texts(element: Node<'_>) -> Result<(String, String), String> {
    let (mut before, mut after, mut words) = (None, None, None);
    for child in element.children() {
        let place = match child.name().local {
            _ if child.kind() == Kind::Text && is_blank(child.value().as_bytes()) => continue,
            _ if child.kind() == Kind::Comment => continue,
            "OldText" if is_named(child, "OldText") => &mut before,
            "NewText" if is_named(child, "NewText") => &mut after,
            "TextDelta" if is_named(child, "TextDelta") => &mut words,
            _ => return Err(format!("found {}; expected `OldText` and `NewText`", fields::described(child))),
        };
        if place.replace(child).is_some() {
            return Err(format!("found `{}` twice", child.name().local));
        }
    }
    let missing = |name: &str| format!("found no `{name}`");
    match (before, after, words) {
        (Some(before), Some(after), words) => {
            let texts = (text_of(before)?, text_of(after)?);
            words.map_or(Ok(()), |words| text_delta::confirm(words, &texts))?;
            Ok(texts)
        }
        (None, None, Some(words)) => text_delta::read(words),
        (None, ..) => Err(missing("OldText")),
        (_, None, _) => Err(missing("NewText")),
    }
}

fn text_of(element: Node<'_>) -> Result<String, String> {
    Fields(element).only(&[], &[])?;
    match element.children().find(|child| child.kind() != Kind::Text) {
        Some(other) => Err(format!("found {} in `{}`", fields::described(other), element.name().local)),
        None => Ok(element.string_value().into_owned()),
    }
}

fn doctype(written: String) -> Result<Option<String>, String> {
    let starts = written.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!DOCTYPE"));
    match written.as_str() {
        "" => Ok(None),
        _ if starts && written.ends_with('>') => Ok(Some(written)),
        _ => Err(format!("found `{}`; expected a document type declaration", fields::shown(&written))),
    }
}

fn attribute(fields: Fields<'_>, format: Format, has_escapes: bool) -> Result<Operation, String> {
    let kind = fields.0.name().local;
    let values: &[&str] = if kind == "attr-modify" { &["OldValue", "NewValue"] } else { &["attrValue"] };
    fields.only(&[&["nodeXID", "attrName"], values].concat(), &["attrNS"])?;
    let change = match kind {
        "attr-insert" => AttributeChange::Insert(fields.text("attrValue")?),
        "attr-delete" => AttributeChange::Delete(fields.text("attrValue")?),
        _ => AttributeChange::Modify { before: fields.text("OldValue")?, after: fields.text("NewValue")? },
    };
    let name = attribute_name(fields, format, has_escapes)?.into();
    Ok(Operation::Attribute { node: fields.node()?, name, change })
}

fn attribute_name(fields: Fields<'_>, format: Format, has_escapes: bool) -> Result<AttributeName, String> {
    let written = fields.text("attrName")?;
    let namespace = fields.0.attribute("", "attrNS").map_or_else(String::new, Cow::into_owned);
    let (prefix, local) = match written.split_once(':') {
        Some((prefix, local)) if !namespace.is_empty() => (prefix, local),
        _ => ("", written.as_str()),
    };
    // Whatever else HTML, or recovery, reads as the name of an attribute.
    let is_any = !local.is_empty() && !local.contains(['\t', '\n', '\x0C', '\r', ' ', '/', '>']);
    let is_right = match format {
        Format::Html => is_any,
        _ => {
            let is_declaration = local == "xmlns" || local.starts_with("xmlns:") || namespace == XMLNS_NAMESPACE;
            let has_prefix = !prefix.is_empty() && escapes::is_ncname(prefix);
            let is_xml = (prefix == "xml") == (namespace == XML_NAMESPACE);
            let is_name = escapes::is_ncname(local) || (has_escapes && is_any);
            is_name && !is_declaration && has_prefix != namespace.is_empty() && is_xml
        }
    };
    if !is_right {
        return Err(format!("found `{}`, which is no name of an attribute", fields::shown(&written)));
    }
    Ok(AttributeName { namespace, prefix: prefix.to_owned(), local: local.to_owned() })
}

/// The node that an operation is about, which is never the document node.
pub(super) fn named_node(xid: u64) -> Result<Xid, String> {
    if xid == 0 || xid == u64::MAX { Err(format!("found XID {xid}, which no such node has")) } else { Ok(Xid(xid)) }
}

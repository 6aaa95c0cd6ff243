//! What does an XML patch do? Its operations one by one, on a draft of the document.

use super::super::sequence::read_exactly;
use super::edited::{Edited, Found};
use super::error::{Condition, PatchError, Trouble};
use super::namespaces;
use super::read::{self, Directive, Operation, Position};
use super::selector::{ExpandedName, Last};
use crate::draft::DraftNode;
use crate::parse::{self, Limits, Options, Whitespace};
use crate::tree::{Document, Format, Kind, Node, is_blank};
use crate::write;

/// Applies an XML patch to an XML document: all of it, or nothing.
///
/// White space counts, also where the document was parsed without layout. The result is in the document's encoding, and
/// what was not touched is as it was written.
///
/// ```
/// use treediff::{delta::formats::xml_patch, parse};
///
/// let document = parse::xml("<a><b  c='1'/></a>", &Default::default())?.document;
/// let patch = b"<diff><add sel='a'><d/></add></diff>";
/// assert_eq!(xml_patch::apply(patch, &document, &Default::default())?, b"<a><b  c='1'/><d/></a>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply(patch: &[u8], document: &Document, limits: &Limits) -> Result<Vec<u8>, PatchError> {
    if document.format() != Format::Xml {
        return Err(PatchError::Format(document.format()));
    }
    let options = Options { whitespace: Whitespace::Exact, limits: limits.clone(), ..Options::default() };
    let patch = parse::xml(patch, &options).map_err(PatchError::Unreadable)?.document;
    let operations = read::operations(&patch)?;
    let mut current = read_exactly(document).map_err(PatchError::Document)?;
    let batches = || operations.chunk_by(|a, b| Batch::of(a) == Batch::of(b) && Batch::of(a) != Batch::Single);
    let namespaces = batches().filter(|batch| Batch::of(&batch[0]) != Batch::Nodes).count();
    if namespaces > MAX_NAMESPACE_BATCHES {
        return Err(PatchError::TooManyNamespaces(namespaces));
    }
    for batch in batches() {
        current = match Batch::of(&batch[0]) {
            Batch::Nodes => run(batch, &current, limits)?,
            Batch::Declarations | Batch::Single => namespaces::run(batch, &current, limits)?,
        };
    }
    Ok(write::source(&current))
}

/// The document is parsed anew for each.
const MAX_NAMESPACE_BATCHES: usize = 256;

/// Operations that are done together. Declarations are changed in the source, which is parsed again: names depend on
/// them.
#[derive(PartialEq, Eq)]
enum Batch {
    Nodes,
    /// New declarations, which change no names.
    Declarations,
    /// A declaration that goes or changes.
    Single,
}

impl Batch {
    fn of(operation: &Operation<'_>) -> Self {
        match operation.directive {
            _ if !operation.is_about_namespace() => Batch::Nodes,
            Directive::AddTo(_) => Batch::Declarations,
            _ => Batch::Single,
        }
    }
}

fn run(operations: &[Operation<'_>], document: &Document, limits: &Limits) -> Result<Document, PatchError> {
    let mut edited = Edited::new(document, limits);
    for operation in operations {
        run_one(operation, &mut edited).map_err(|trouble| operation.error(trouble))?;
    }
    edited.finish(limits).map_err(|error| PatchError::Result(error.to_string()))
}

fn run_one<'d>(operation: &Operation<'d>, edited: &mut Edited<'d>) -> Result<(), Trouble> {
    let found = edited.select(&operation.selector()?)?;
    match (&operation.directive, &operation.last) {
        (Directive::Add(position), _) => add(operation.element, found, *position, edited),
        (Directive::AddTo(Last::Attribute(name)), _) => add_attribute(operation.element, found, name, edited),
        (Directive::Replace, Last::Attribute(name)) => {
            existing_attribute(found, name, edited)?;
            let value = text_of(operation.element)?;
            edited.set_attribute(found.node, name, Some(value));
            Ok(())
        }
        (Directive::Remove { .. }, Last::Attribute(name)) => {
            existing_attribute(found, name, edited)?;
            edited.set_attribute(found.node, name, None);
            Ok(())
        }
        (Directive::Replace, _) => replace(operation.element, found, edited),
        (Directive::Remove { before, after }, _) => remove(found, *before, *after, edited),
        (Directive::AddTo(_), _) => Err(Trouble::new(Condition::InvalidPatchDirective, "nothing can be added to that")),
    }
}

fn add<'d>(content: Node<'d>, found: Found, position: Position, edited: &mut Edited<'d>) -> Result<(), Trouble> {
    let (parent, place) = match position {
        Position::Before => (found.parent, found.place),
        Position::After => (found.parent, found.place + 1),
        Position::Append | Position::Prepend if edited.kind(found.node) != Kind::Element => {
            let words = "only an element has children; `pos` says whether to add before or after others";
            return Err(Trouble::new(Condition::InvalidPatchDirective, words));
        }
        Position::Append => (found.node, edited.count(found.node)),
        Position::Prepend => (found.node, 0),
    };
    let mut row = Vec::new();
    for child in content.children() {
        if parent == DraftNode::DOCUMENT {
            match child.kind() {
                Kind::Comment | Kind::ProcessingInstruction => {}
                Kind::Text if is_blank(child.value().as_bytes()) => continue,
                Kind::Element => {
                    let words = "a document has one root element";
                    return Err(Trouble::new(Condition::InvalidRootElementOperation, words));
                }
                _ => {
                    let words = "around the root element there are only comments and processing instructions";
                    return Err(Trouble::new(Condition::InvalidXmlPrologOperation, words));
                }
            }
        }
        row.push(edited.bring(child));
    }
    edited.insert(parent, place, &row);
    Ok(())
}

fn add_attribute(content: Node<'_>, found: Found, name: &ExpandedName, edited: &mut Edited<'_>) -> Result<(), Trouble> {
    if edited.kind(found.node) != Kind::Element {
        return Err(Trouble::new(Condition::InvalidPatchDirective, "only an element has attributes"));
    }
    if edited.attribute(found.node, name).is_some() {
        let words = format!("the element has an attribute `{}`, which `replace` could change", name.local);
        return Err(Trouble::new(Condition::InvalidPatchDirective, words));
    }
    edited.set_attribute(found.node, name, Some(text_of(content)?));
    Ok(())
}

fn existing_attribute(found: Found, name: &ExpandedName, edited: &Edited<'_>) -> Result<(), Trouble> {
    match edited.attribute(found.node, name) {
        Some(_) => Ok(()),
        None => {
            let words = format!("the element has no attribute `{}`", name.local);
            Err(Trouble::new(Condition::UnlocatedNode, words))
        }
    }
}

/// The content of an operation that has to be text.
pub(super) fn text_of(content: Node<'_>) -> Result<String, Trouble> {
    match content.children().find(|child| child.kind() != Kind::Text) {
        None => Ok(content.string_value().into_owned()),
        Some(_) => Err(Trouble::new(Condition::InvalidNodeTypes, "the content has to be text")),
    }
}

fn replace<'d>(content: Node<'d>, found: Found, edited: &mut Edited<'d>) -> Result<(), Trouble> {
    let kind = edited.kind(found.node);
    if kind == Kind::Text {
        let value = text_of(content)?;
        if value.is_empty() {
            edited.take(found.parent, found.place);
        } else {
            edited.set_text(found.node, value);
        }
        return Ok(());
    }
    let mut children =
        content.children().filter(|child| child.kind() != Kind::Text || !is_blank(child.value().as_bytes()));
    match (children.next(), children.next()) {
        (Some(one), None) if one.kind() == kind => {
            edited.take(found.parent, found.place);
            let one = edited.bring(one);
            edited.insert(found.parent, found.place, &[one]);
            Ok(())
        }
        _ => {
            let words = "the content has to be one node, of the kind of the one that it replaces";
            Err(Trouble::new(Condition::InvalidNodeTypes, words))
        }
    }
}

fn remove(found: Found, before: bool, after: bool, edited: &mut Edited<'_>) -> Result<(), Trouble> {
    let kind = edited.kind(found.node);
    if found.parent == DraftNode::DOCUMENT && kind == Kind::Element {
        return Err(Trouble::new(Condition::InvalidRootElementOperation, "the root element can only be replaced"));
    }
    if kind == Kind::Text && (before || after) {
        let words = "a text has no texts beside it";
        return Err(Trouble::new(Condition::InvalidWhitespaceDirective, words));
    }
    let mut place = found.place;
    if after {
        check_blank(edited.child(found.parent, place + 1), "after", edited)?;
    }
    if before {
        check_blank(place.checked_sub(1).and_then(|place| edited.child(found.parent, place)), "before", edited)?;
    }
    if after {
        edited.take(found.parent, place + 1);
    }
    edited.take(found.parent, place);
    if before {
        place = place.saturating_sub(1);
        edited.take(found.parent, place);
    }
    if let Some(previous) = place.checked_sub(1) {
        edited.join_texts(found.parent, previous);
    }
    Ok(())
}

fn check_blank(text: Option<DraftNode>, side: &str, edited: &Edited<'_>) -> Result<(), Trouble> {
    let is_text = text.filter(|&text| edited.kind(text) == Kind::Text);
    match is_text.filter(|&text| edited.pieces(text).all(|piece| is_blank(piece.as_bytes()))) {
        Some(_) => Ok(()),
        None => {
            let words = format!("there is no white space {side} it that could go with it");
            Err(Trouble::new(Condition::InvalidWhitespaceDirective, words))
        }
    }
}

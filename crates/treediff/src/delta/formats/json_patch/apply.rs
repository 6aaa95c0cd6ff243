//! What does a JSON patch do? Its operations one by one, on a tree that shows only where they look.

use std::borrow::Cow;

use super::edited::Edited;
use super::{pointer, source};
use crate::parse::{self, Limits, Options, ParseError};
use crate::tree::{Document, Format, Kind, Node};

/// Why a JSON patch cannot be applied.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// It is no JSON.
    #[error("the patch is no JSON: {0}")]
    Unreadable(ParseError),
    /// It is not an array of operations.
    #[error("a JSON patch is an array of operations, and this is {found}")]
    NoPatch {
        /// What it is.
        found: &'static str,
    },
    /// The document is no JSON.
    #[error("a JSON patch is for JSON documents, and this one is {0}")]
    Format(Format),
    /// One operation cannot be done.
    #[error("operation {number}{}: {trouble}", shown(.operation))]
    Operation {
        /// Which one, counted from 1.
        number: usize,
        /// The operation and where it points, where both are there.
        operation: Option<(String, String)>,
        /// Why not.
        trouble: Trouble,
    },
    /// What came out cannot be read: the document was no strict JSON.
    #[error("the patched document cannot be read, so the document was no strict JSON: {0}")]
    Unreadably(ParseError),
}

fn shown(operation: &Option<(String, String)>) -> String {
    operation.as_ref().map_or(String::new(), |(name, path)| format!(" (`{name}` at `{}`)", shortened(path)))
}

/// What an operation of a JSON patch can meet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It is no object.
    #[error("an operation is an object, and this is {0}")]
    NoObject(&'static str),
    /// A member that it needs is not there.
    #[error("the member `{0}` is missing")]
    Missing(&'static str),
    /// A member that has to be a string is none.
    #[error("the member `{0}` is no string")]
    NoString(&'static str),
    /// It is none of the six.
    #[error("there is no operation `{0}`, only `add`, `remove`, `replace`, `move`, `copy` and `test`")]
    Unknown(String),
    /// A pointer is none.
    #[error("`{0}` is no JSON pointer: it is empty or begins with `/`, and `~` is only in `~0` and `~1`")]
    Pointer(String),
    /// There is no such member.
    #[error("there is no member `{0}`")]
    NoMember(String),
    /// The array is shorter.
    #[error("there is no item {index} in an array of {len}")]
    NoItem {
        /// What was asked for.
        index: String,
        /// How long it is.
        len: usize,
    },
    /// A token that is no index points into an array.
    #[error("`{0}` is no index of an array: that is digits without leading zeros, or `-` for its end when adding")]
    NoIndex(String),
    /// A pointer goes on below a value that has nothing below.
    #[error("there is nothing below {0}")]
    Leaf(&'static str),
    /// The whole document cannot go away.
    #[error("the document itself cannot be removed, only replaced")]
    RemovesAll,
    /// A value cannot move into itself.
    #[error("a value cannot move to a place within itself")]
    IntoItself,
    /// `test` found another value.
    #[error("the value is another one than the patch expects: is it for another document?")]
    Differs,
    /// The document has a key twice, so that pointers are ambiguous.
    #[error("the key `{0}` is there twice in one object of the document")]
    Ambiguous(String),
    /// Copies make the document larger than is allowed.
    #[error("the document would grow beyond {0}")]
    TooLarge(&'static str),
}

/// Applies a JSON patch to a JSON document: all of it, or nothing.
///
/// The result is in the document's encoding, and what was not touched is as it was written. Copies may not make it
/// larger than the limits for a parsed document allow.
///
/// ```
/// use treediff::{delta::formats::json_patch, parse};
///
/// let document = parse::json(r#"{"a": 1}"#, &Default::default())?.document;
/// let patch = br#"[{"op": "replace", "path": "/a", "value": 2}]"#;
/// assert_eq!(json_patch::apply(patch, &document, &Default::default())?, br#"{"a": 2}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply(patch: &[u8], document: &Document, limits: &Limits) -> Result<Vec<u8>, PatchError> {
    if document.format() != Format::Json {
        return Err(PatchError::Format(document.format()));
    }
    let options = Options { limits: limits.clone(), ..Options::default() };
    let patch = parse::json(patch, &options).map_err(PatchError::Unreadable)?.document;
    let operations = operations(&patch)?;
    let mut edited = Edited::new(document, limits);
    for (at, operation) in operations.enumerate() {
        run(operation, &mut edited).map_err(|trouble| {
            let operation = member(operation, "op").zip(member(operation, "path"));
            let operation = operation.map(|(name, path)| (name.value().into_owned(), path.value().into_owned()));
            PatchError::Operation { number: at + 1, operation, trouble }
        })?;
    }
    let text = source::text(&edited, document);
    parse::json(text.as_str(), &options).map_err(PatchError::Unreadably)?;
    Ok(source::encoded(&text, document))
}

fn operations(patch: &Document) -> Result<impl Iterator<Item = Node<'_>>, PatchError> {
    match patch.root_element() {
        Some(root) if root.kind() == Kind::Array => Ok(root.children()),
        other => Err(PatchError::NoPatch { found: other.map_or("nothing", |root| kind_in_words(root.kind())) }),
    }
}

pub(super) fn kind_in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "an array",
        Kind::String => "a string",
        Kind::Number => "a number",
        _ => "a literal",
    }
}

fn run<'d>(operation: Node<'d>, edited: &mut Edited<'d>) -> Result<(), Trouble> {
    if operation.kind() != Kind::Object {
        return Err(Trouble::NoObject(kind_in_words(operation.kind())));
    }
    let name = string(operation, "op")?;
    if !["add", "remove", "replace", "move", "copy", "test"].contains(&&*name) {
        return Err(Trouble::Unknown(shortened(&name)));
    }
    let path = pointer_in(operation, "path")?;
    match &*name {
        "add" => {
            let value = edited.value(needed(operation, "value")?);
            edited.add(&path, value)
        }
        "remove" => edited.remove(&path).map(|_| ()),
        "replace" => {
            let value = edited.value(needed(operation, "value")?);
            edited.replace(&path, value)
        }
        "move" => {
            let from = pointer_in(operation, "from")?;
            relocate(&from, &path, edited)
        }
        "copy" => {
            let from = pointer_in(operation, "from")?;
            let copy = edited.copied(&from)?;
            edited.add(&path, copy)
        }
        // It is `test`: there is no other.
        _ => {
            let expected = needed(operation, "value")?;
            let found = edited.find(&path)?;
            if edited.is(found, expected)? { Ok(()) } else { Err(Trouble::Differs) }
        }
    }
}

fn relocate(from: &[Cow<'_, str>], path: &[Cow<'_, str>], edited: &mut Edited<'_>) -> Result<(), Trouble> {
    edited.find(from)?;
    if from == path {
        return Ok(());
    }
    if path.starts_with(from) {
        return Err(Trouble::IntoItself);
    }
    let value = edited.remove(from)?;
    edited.add(path, value)
}

fn member<'d>(operation: Node<'d>, name: &str) -> Option<Node<'d>> {
    // An operation has a handful of members; others than those of the standard are ignored.
    operation.children().find(|member| member.name().local == name)
}

fn needed<'d>(operation: Node<'d>, name: &'static str) -> Result<Node<'d>, Trouble> {
    member(operation, name).ok_or(Trouble::Missing(name))
}

fn string<'d>(operation: Node<'d>, name: &'static str) -> Result<Cow<'d, str>, Trouble> {
    let member = needed(operation, name)?;
    if member.kind() == Kind::String { Ok(member.value()) } else { Err(Trouble::NoString(name)) }
}

fn pointer_in<'d>(operation: Node<'d>, name: &'static str) -> Result<Vec<Cow<'d, str>>, Trouble> {
    match string(operation, name)? {
        Cow::Borrowed(written) => pointer::tokens(written).ok_or_else(|| Trouble::Pointer(shortened(written))),
        Cow::Owned(written) => {
            let tokens = pointer::tokens(&written).ok_or_else(|| Trouble::Pointer(shortened(&written)))?;
            Ok(tokens.into_iter().map(|token| Cow::Owned(token.into_owned())).collect())
        }
    }
}

/// A part of what may be very long, for a message.
pub(super) fn shortened(written: &str) -> String {
    crate::text::shortened(written, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(patch: &str, expected: &str) {
        let document = parse::json("{}", &Default::default()).unwrap().document;
        let error = apply(patch.as_bytes(), &document, &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_is_no_operation_is_named() {
        let known = "only `add`, `remove`, `replace`, `move`, `copy` and `test`";
        check(r#"[{"op":"frob"}]"#, &format!("operation 1: there is no operation `frob`, {known}"));
        check(
            r#"[{"op":"frob","path":"no pointer"}]"#,
            &format!("operation 1 (`frob` at `no pointer`): there is no operation `frob`, {known}"),
        );
        check(r#"[{"op":"add"}]"#, "operation 1: the member `path` is missing");
        check("{}", "a JSON patch is an array of operations, and this is an object");
    }
}

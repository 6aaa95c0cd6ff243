//! How is a name written where paths are? `{uri}local`, with a letter for what JSON has, and `%` for what has a meaning.

use std::fmt::Write as _;

use crate::tree::hash::{bytes, name_in};
use crate::tree::{Attribute, Kind, Label, Name, Node};

/// What a name is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Node,
    Attribute,
}

/// The letters of what JSON has.
const JSON: [(&str, Kind); 5] =
    [("o:", Kind::Object), ("a:", Kind::Array), ("s:", Kind::String), ("n:", Kind::Number), ("l:", Kind::Literal)];

/// Writes a node's kind and name.
pub(super) fn write(node: Node<'_>, out: &mut String) {
    let letter = JSON.iter().find(|(_, kind)| *kind == node.kind()).map_or("", |(letter, _)| letter);
    out.push_str(letter);
    escape_name(node.name(), out);
}

/// Writes an attribute's name.
pub(super) fn write_attribute(attribute: Attribute<'_>, out: &mut String) {
    out.push('@');
    escape_name(attribute.name(), out);
}

fn escape_name(name: Name<'_>, out: &mut String) {
    if !name.namespace.is_empty() {
        out.push('{');
        escape(name.namespace, out);
        out.push('}');
    }
    escape(name.local, out);
}

fn escape(text: &str, out: &mut String) {
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')) {
        return out.push_str(text);
    }
    for character in text.chars() {
        if character.is_ascii_control() || "%/{}@,:? ".contains(character) {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{:02X}", character as u32);
        } else {
            out.push(character);
        }
    }
}

/// The hash that the labels of nodes, or the names of attributes, have in every document.
pub(super) fn label_hash(written: &str, form: Form) -> Result<u64, &'static str> {
    let json = JSON.iter().find_map(|(letter, kind)| Some((written.strip_prefix(letter)?, *kind)));
    let (name, kind) = json.filter(|_| form == Form::Node).unwrap_or((written, Kind::Element));
    let (namespace, local) = match name.strip_prefix('{') {
        Some(rest) => rest.split_once('}').ok_or("a `{` has no `}`")?,
        None => ("", name),
    };
    match local {
        "." | ".." if form == Form::Node && kind == Kind::Element => {
            return Err("it leads down and nowhere else, and has no step `.` or `..`");
        }
        "" if kind == Kind::Element => return Err("a step has no name"),
        _ => {}
    }
    let (namespace, local) = (unescaped(namespace)?, unescaped(local)?);
    let name = name_in(bytes(namespace.as_bytes()), &local);
    Ok(if form == Form::Attribute { name } else { Label::of(kind).hash_of(name) })
}

fn unescaped(text: &str) -> Result<String, &'static str> {
    const FLAW: &str = "a `%` is not followed by two digits";
    let mut pieces = text.split('%');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits =
            piece.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit())).ok_or(FLAW)?;
        let code = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii).ok_or(FLAW)?;
        out.push(char::from(code));
        out.push_str(&piece[2..]);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::tree::Document;

    fn check(document: &Document) {
        for node in document.nodes().skip(1).filter(|node| node.kind() != Kind::Text) {
            let mut written = String::new();
            write(node, &mut written);
            let hash = label_hash(&written, Form::Node);
            assert_eq!(hash, Ok(node.label().hash(document.names())), "{node:?}");
            for attribute in node.attributes() {
                let mut written = String::new();
                write_attribute(attribute, &mut written);
                let hash = label_hash(&written[1..], Form::Attribute);
                assert_eq!(hash, Ok(document.names().hash(attribute.name_id())), "{attribute:?}");
            }
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        check(&parse::xml("<a xmlns:p='urn:a/b {c}'><p:b p:x='1' o='2'/></a>", &Default::default()).unwrap().document);
        let json = r#"{"": {"a/b": [1, "x", null, {"o:": 1}], "%@{": {".": 1, "..": 2, "\u0000\t": []}}}"#;
        check(&parse::json(json, &Default::default()).unwrap().document);
        check(&parse::html("<a:b @click=1 {x}=2 . ..>x</a:b>", &Default::default()).unwrap().document);
    }

    #[test]
    fn names_that_are_none_are_refused() {
        for wrong in ["", ".", "..", "{a", "{a}", "%", "%1", "%zz", "%C3", "a%+1"] {
            assert!(label_hash(wrong, Form::Node).is_err(), "{wrong}");
        }
    }
}

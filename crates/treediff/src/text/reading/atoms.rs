//! What is content that is looked at as a whole? What tells two of them apart, and how one is told to somebody.

use crate::tree::Node;
use crate::write;

/// How much of an address or text a description shows.
const DESCRIBED: usize = 60;

/// What tells it apart: its name and what defines its content, whatever its looks.
pub fn identity(atom: Node<'_>) -> String {
    let mut identity = format!("\0{}", atom.name().local);
    match atom.name().local {
        "input" if attribute(atom, "type").eq_ignore_ascii_case("hidden") => {}
        "input" | "meter" | "progress" => push_attributes(atom, FIELD, &mut identity),
        "select" | "textarea" => {
            identity.push_str(&atom.string_value());
            push_attributes(atom, FIELD, &mut identity);
            for (at, below) in atom.descendants().filter(|below| below.is_element()).enumerate() {
                if below.attribute("", "selected").is_some() {
                    identity.push_str(&format!("\0{at}"));
                }
            }
        }
        "svg" | "math" => identity.push_str(&write::html_subtree(atom)),
        _ => {
            push_attributes(atom, ADDRESSES, &mut identity);
            for below in atom.descendants().filter(|below| below.is_element()) {
                push_attributes(below, ADDRESSES, &mut identity);
            }
        }
    }
    identity
}

/// Attributes that say where content comes from, or what stands for it.
const ADDRESSES: &[&str] = &["src", "data", "srcdoc", "code", "alt", "poster", "srcset"];

/// Attributes that say what a field holds and whether it can be used.
const FIELD: &[&str] = &["type", "value", "placeholder", "alt", "src", "checked", "disabled"];

fn push_attributes(node: Node<'_>, names: &[&str], identity: &mut String) {
    for name in names {
        if let Some(value) = node.attribute("", name) {
            identity.push_str(&format!("\0{name}={}", value.trim()));
        }
    }
}

/// What it is, in words: its kind, and its own text or where it comes from.
pub fn description(atom: Node<'_>) -> String {
    let kind = match atom.name().local {
        "img" => "image",
        "svg" => "drawing",
        "math" => "formula",
        "iframe" | "frame" => "frame",
        "input" | "select" | "textarea" => "field",
        other => other,
    };
    let text = match atom.name().local {
        "math" | "select" | "textarea" => atom.string_value().split_whitespace().collect::<Vec<_>>().join(" "),
        _ => ["alt", "title", "aria-label", "value", "placeholder", "name"]
            .into_iter()
            .map(|name| attribute(atom, name))
            .find(|value| !value.trim().is_empty())
            .unwrap_or_else(|| file_name(atom)),
    };
    match text.trim() {
        "" => format!("[{kind}]"),
        text => format!("[{kind}: {}]", super::super::shortened(text, DESCRIBED)),
    }
}

/// The last part of the address.
fn file_name(atom: Node<'_>) -> String {
    let address = ["src", "data", "code"].into_iter().find_map(|name| atom.attribute("", name)).unwrap_or_default();
    if address.starts_with("data:") {
        return String::new();
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default().to_owned()
}

fn attribute(node: Node<'_>, name: &str) -> String {
    node.attribute("", name).unwrap_or_default().into_owned()
}

/// Whether there is nothing to be seen of it.
pub fn is_unseen(atom: Node<'_>) -> bool {
    atom.name().local == "input" && attribute(atom, "type").trim().eq_ignore_ascii_case("hidden")
}

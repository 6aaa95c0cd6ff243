//! How does a value look in a summary? On one line and not too long; of JSON as JSON has it, since `"2"` is not `2`.

use std::fmt::{self, Write};

use crate::delta::Fragment;
use crate::tree::{Format, Kind, Node, Step};
use crate::write::{printable, push_visible};

/// Characters that are shown of a value.
const SHOWN_CHARS: usize = 60;

/// A text in quotes.
pub(super) struct Quoted<'v>(pub(super) &'v str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut quoted = String::from('"');
        for char in self.0.chars().take(SHOWN_CHARS) {
            match char {
                '"' | '\\' => quoted.extend(['\\', char]),
                other => push_visible(other, &mut quoted),
            }
        }
        quoted.push_str(if self.0.chars().nth(SHOWN_CHARS).is_some() { "…\"" } else { "\"" });
        f.write_str(&quoted)
    }
}

/// A string, number or literal as it is written in JSON, a string with its quotes.
struct Token<'v>(&'v str);

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = self.0.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (inside, quote) = inside.map_or((self.0, ""), |inside| (inside, "\""));
        write!(f, "{quote}{}{quote}", printable(&cut(inside)))
    }
}

/// The value of a node of this kind as an update has it: of JSON as it is written there.
pub(super) fn updated(kind: Option<Kind>, value: &str) -> String {
    match kind {
        Some(Kind::String | Kind::Number | Kind::Literal) => Token(value).to_string(),
        _ => Quoted(value).to_string(),
    }
}

/// What of a fragment is shown, if there is anything: its texts, the value of its only node, or JSON.
pub(super) fn preview(content: &Fragment) -> Option<String> {
    if content.document().format() == Format::Json {
        return Some(json(content));
    }
    let shown = |node: &Node<'_>| node.kind() == Kind::Text || content.size() == 1;
    let mut texts = String::new();
    for text in content.nodes().filter(shown) {
        if texts.chars().count() > SHOWN_CHARS {
            break;
        }
        texts.push_str(&text.value());
    }
    (!texts.is_empty()).then(|| Quoted(&texts).to_string())
}

/// The beginning of a piece of JSON.
fn json(content: &Fragment) -> String {
    if !content.root().kind().is_container() {
        return scalar(content.root());
    }
    let mut json = String::new();
    let mut is_first = true;
    for step in content.steps() {
        match step {
            Step::Enter(node) => {
                if !std::mem::replace(&mut is_first, node.kind().is_container()) {
                    json.push(',');
                }
                let is_member = node.parent().is_some_and(|parent| parent.kind() == Kind::Object);
                if is_member && node != content.root() {
                    // Writing to a string cannot fail.
                    let _ = write!(json, "{}:", Quoted(node.name().local));
                }
                match node.kind() {
                    Kind::Object => json.push('{'),
                    Kind::Array => json.push('['),
                    _ => json.push_str(&scalar(node)),
                }
            }
            Step::Leave(node) => {
                json.push(if node.kind() == Kind::Object { '}' } else { ']' });
                is_first = false;
            }
        }
        if json.chars().count() > SHOWN_CHARS {
            break;
        }
    }
    cut(&json)
}

fn scalar(node: Node<'_>) -> String {
    match node.kind() {
        Kind::String => Quoted(&node.value()).to_string(),
        _ => Token(&node.value()).to_string(),
    }
}

/// The first characters, and that there are more.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::parse;
    use crate::tree::NodeId;

    #[test]
    fn what_is_long_is_shortened() {
        assert_eq!(Quoted(&"é\n".repeat(40)).to_string(), format!("\"{}…\"", "é\\n".repeat(30)));
        assert_eq!(Token(&format!("\"{}\"", "a".repeat(61))).to_string(), format!("\"{}…\"", "a".repeat(60)));
        assert_eq!(Token(&"1".repeat(61)).to_string(), format!("{}…", "1".repeat(60)));
    }

    #[track_caller]
    fn check_json(source: &str, expected: &str) {
        let document = Arc::new(parse::json(source, &Default::default()).unwrap().document);
        let root = document.root_element().unwrap().id();
        assert_eq!(json(&Fragment::new(document, root, [])), expected);
    }

    #[test]
    fn json_looks_like_json() {
        check_json(" \"2\\u001b\\\"\"", "\"2\\u{1b}\\\"\"");
        check_json("2.0", "2.0");
        check_json("null", "null");
        check_json("{ }", "{}");
        check_json("[[ ], {\"a\": [1, {}], \"b\\n\": null}, \"x\"]", "[[],{\"a\":[1,{}],\"b\\n\":null},\"x\"]");
        check_json(&format!("{}{}", "[".repeat(100), "]".repeat(100)), &format!("{}…", "[".repeat(60)));
        check_json(&format!("[\"{}\", 2]", "a".repeat(70)), &format!("[\"{}…", "a".repeat(58)));
    }

    #[test]
    fn what_moved_out_is_not_shown() {
        let document = Arc::new(parse::json("{\"a\": 1, \"b\": [2]}", &Default::default()).unwrap().document);
        let gone = document.root_element().unwrap().first_child().unwrap().id();
        let content = Fragment::new(document.clone(), NodeId(1), [gone]);
        assert_eq!(json(&content), "{\"b\":[2]}");
    }
}

//! How is an XML document told as JSON? An element is an object, its attributes and children are members of it.
//!
//! Children of one name are an array, an element that holds text alone is a string. The order of children with
//! different names is lost, which is why only documents that are data are told so.

use treediff::tree::{Document, Kind, Node, Step};

/// An element whose end has not come yet.
#[derive(Default)]
struct Open {
    /// By name: the values of the children that have it.
    members: Vec<(String, Vec<String>)>,
    text: String,
}

impl Open {
    fn add(&mut self, name: &str, value: String) {
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value),
            None => self.members.push((name.to_owned(), vec![value])),
        }
    }

    fn value(mut self) -> String {
        let text = self.text.trim().to_owned();
        if self.members.is_empty() {
            return string(&text);
        }
        if !text.is_empty() {
            self.add("#text", string(&text));
        }
        let members = self.members.iter().map(|(name, values)| match &values[..] {
            [value] => format!("{}:{value}", string(name)),
            values => format!("{}:[{}]", string(name), values.join(",")),
        });
        // A line for every member, so that those who compare lines have some.
        format!("{{{}}}", members.collect::<Vec<_>>().join(",\n"))
    }
}

/// The document as JSON text.
pub fn written(document: &Document) -> String {
    let mut open = vec![Open::default()];
    for step in document.root().walk() {
        match step {
            Step::Enter(node) if node.is_element() => open.push(opened(node)),
            Step::Enter(node) if node.kind() == Kind::Text => {
                open.iter_mut().last().into_iter().for_each(|top| top.text.push_str(&node.value()));
            }
            Step::Leave(node) if node.is_element() => {
                let value = open.pop().map(Open::value).unwrap_or_default();
                open.iter_mut().last().into_iter().for_each(|top| top.add(node.name().local, value.clone()));
            }
            _ => {}
        }
    }
    open.pop().map(Open::value).unwrap_or_default()
}

fn opened(element: Node<'_>) -> Open {
    let mut open = Open::default();
    for attribute in element.attributes() {
        open.add(&format!("@{}", attribute.name().local), string(&attribute.value()));
    }
    open
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_members_and_repetitions_arrays() {
        let source = "<a x='1'><b>one</b><b y='\"'>two<c/></b><!-- no --><d>\n</d></a>";
        let document = treediff::parse::xml(source, &Default::default()).expect("well-formed").document;
        let expected = r##"{"a":{"@x":"1",
"b":["one",{"@y":"\"",
"c":"",
"#text":"two"}],
"d":""}}"##;
        assert_eq!(written(&document), expected);
        assert!(treediff::parse::json(expected, &Default::default()).is_ok());
    }
}

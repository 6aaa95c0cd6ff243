//! How is a drawing or a formula written? As a whole, with no way back into HTML.
//!
//! SVG and MathML have elements that hold HTML, and HTML that is taken for the one and read as the other is how filters
//! are fooled. Here such elements hold words and nothing else.

use super::super::markup::push_text;
use super::elements::Rule;
use super::{Fate, Safe};
use crate::tree::{Kind, Node, Step};

/// Writes a drawing or formula.
pub(super) fn write(safe: &Safe<'_>, top: Node<'_>, extra: &[(&str, &str)], out: &mut String) {
    let mut walk = top.walk();
    // The element that we are in and that holds words and nothing else.
    let mut words: Option<Node<'_>> = None;
    loop {
        if let Some(node) = walk.peek_entering() {
            let role = role(safe, node, words.is_some());
            if role == Role::Style {
                safe.style(node, &[], out);
            }
            if matches!(role, Role::Style | Role::Nothing) {
                walk.skip_subtree();
                continue;
            }
        }
        match walk.next() {
            None => return,
            Some(Step::Enter(node)) => match role(safe, node, words.is_some()) {
                Role::Text => push_text(&node.value(), out),
                Role::Element => {
                    safe.start_tag(node, if node == top { extra } else { &[] }, out);
                    words = (safe.element(node).rule == Rule::Words).then_some(node);
                }
                _ => {}
            },
            Some(Step::Leave(node)) => {
                words = words.filter(|&words| words != node);
                if role(safe, node, words.is_some()) == Role::Element {
                    safe.end_tag(node, out);
                }
            }
        }
    }
}

/// What a node is in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Text,
    Element,
    Style,
    Children,
    Nothing,
}

fn role(safe: &Safe<'_>, node: Node<'_>, is_among_words: bool) -> Role {
    match node.kind() {
        Kind::Text => return Role::Text,
        Kind::Element => {}
        _ => return Role::Nothing,
    }
    match safe.element(node).rule {
        Rule::Drawing | Rule::Part | Rule::Words if !is_among_words => Role::Element,
        Rule::Style if !is_among_words => Role::Style,
        Rule::Children => Role::Children,
        _ if is_among_words && matches!(safe.fate(node), Fate::Element | Fate::Children) => Role::Children,
        _ => Role::Nothing,
    }
}

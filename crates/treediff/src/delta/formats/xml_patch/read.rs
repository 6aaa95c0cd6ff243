//! What does a patch ask for? Its operations, read and checked before any of them is done.

use super::error::{Condition, PatchError, Trouble, shortened};
use super::selector::{self, Last, Scope, Selector};
use crate::tree::{Document, Kind, Node, is_blank};

/// One operation. Its selector is read once more when it is its turn: the steps of all of them together take a hundred
/// times the patch.
#[derive(Debug)]
pub(super) struct Operation<'p> {
    pub(super) number: usize,
    /// Its element, whose content is what is added.
    pub(super) element: Node<'p>,
    /// What of the selected node is meant.
    pub(super) last: Last,
    pub(super) directive: Directive,
}

#[derive(Debug)]
pub(super) enum Directive {
    Add(Position),
    /// An attribute or a namespace is added.
    AddTo(Last),
    Replace,
    Remove {
        before: bool,
        after: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Append,
    Prepend,
    Before,
    After,
}

impl Operation<'_> {
    /// Whether it changes a namespace declaration.
    pub(super) fn is_about_namespace(&self) -> bool {
        matches!(self.directive, Directive::AddTo(Last::Namespace(_))) || matches!(self.last, Last::Namespace(_))
    }

    /// What it selects.
    pub(super) fn selector(&self) -> Result<Selector, Trouble> {
        selected(self.element, &Scope::at(self.element))
    }

    /// The trouble with its number, name and selector.
    pub(super) fn error(&self, trouble: Trouble) -> PatchError {
        error(self.number, self.element, trouble)
    }
}

fn error(number: usize, element: Node<'_>, trouble: Trouble) -> PatchError {
    PatchError::Operation {
        number,
        directive: element.qualified_name().into_owned(),
        selector: shortened(&element.attribute("", "sel").unwrap_or_default()),
        condition: trouble.condition,
        trouble: trouble.words,
    }
}

/// The operations of a patch: the children of its root element, whatever that is called.
pub(super) fn operations(patch: &Document) -> Result<Vec<Operation<'_>>, PatchError> {
    let Some(root) = patch.root_element() else { return Ok(Vec::new()) };
    let mut operations = Vec::new();
    for child in root.children() {
        match child.kind() {
            Kind::Comment | Kind::ProcessingInstruction => {}
            Kind::Text if is_blank(child.value().as_bytes()) => {}
            _ => {
                let number = operations.len() + 1;
                operations.push(operation(number, child).map_err(|trouble| error(number, child, trouble))?);
            }
        }
    }
    Ok(operations)
}

fn operation(number: usize, element: Node<'_>) -> Result<Operation<'_>, Trouble> {
    let is_of_patch =
        element.is_element() && element.parent().is_some_and(|root| root.name().namespace == element.name().namespace);
    let attribute = |name: &str| element.attribute("", name);
    let scope = Scope::at(element);
    let directive = match element.name().local {
        "add" if is_of_patch => match attribute("type") {
            Some(kind) => Directive::AddTo(selector::kind_of_addition(&kind, &scope)?),
            None => Directive::Add(position(attribute("pos").as_deref())?),
        },
        "replace" if is_of_patch => Directive::Replace,
        "remove" if is_of_patch => white_space(attribute("ws").as_deref())?,
        _ => {
            let words = "a patch has `add`, `replace` and `remove` and nothing else";
            return Err(Trouble::new(Condition::InvalidPatchDirective, words));
        }
    };
    let Selector { last, .. } = selected(element, &scope)?;
    if matches!(directive, Directive::Add(_) | Directive::AddTo(_)) && last != Last::Node {
        return Err(Trouble::new(Condition::InvalidPatchDirective, "nothing can be added to an attribute"));
    }
    Ok(Operation { number, element, last, directive })
}

fn selected(element: Node<'_>, scope: &Scope) -> Result<Selector, Trouble> {
    let written = element.attribute("", "sel");
    let written =
        written.ok_or_else(|| Trouble::new(Condition::InvalidAttributeValue, "the attribute `sel` is missing"))?;
    selector::selector(&written, scope)
}

fn position(written: Option<&str>) -> Result<Position, Trouble> {
    match written {
        None => Ok(Position::Append),
        Some("prepend") => Ok(Position::Prepend),
        Some("before") => Ok(Position::Before),
        Some("after") => Ok(Position::After),
        Some(other) => {
            let words = format!("`{}` is no `pos`: that is `before`, `after` or `prepend`", shortened(other));
            Err(Trouble::new(Condition::InvalidAttributeValue, words))
        }
    }
}

fn white_space(written: Option<&str>) -> Result<Directive, Trouble> {
    let (before, after) = match written {
        None => (false, false),
        Some("before") => (true, false),
        Some("after") => (false, true),
        Some("both") => (true, true),
        Some(other) => {
            let words = format!("`{}` is no `ws`: that is `before`, `after` or `both`", shortened(other));
            return Err(Trouble::new(Condition::InvalidAttributeValue, words));
        }
    };
    Ok(Directive::Remove { before, after })
}

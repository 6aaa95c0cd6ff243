//! What does a CSS selector match? Selectors Level 4, as far as a document at rest has an answer.
//!
//! There are type, universal, namespace, ID, class and attribute selectors, all combinators, and `:root`, `:scope`,
//! `:empty`, `:first-child` and its kin, `:nth-child(an+b of S)` and its kin, `:is`, `:where`, `:not`, `:has`,
//! `:lang`, `:link`, `:any-link`, `:checked`, `:enabled`, `:disabled`, `:required`, `:optional`, `:read-only`,
//! `:read-write`, and, beyond the standard, `:contains("text")`, which matches elements whose characters contain the text.
//! What depends on a browser is an error.
//!
//! - As in style sheets, a selector inside `:is` or `:where` that asks for a pseudo-class or pseudo-element which is not there
//!   matches nothing, and the others of its list count. One that breaks the grammar spoils all: it is a slip.
//! - In HTML documents the case of the names of elements and attributes does not count, nor that of some values (such
//!   as of `type`); there is no quirks mode: the case of classes and IDs always counts.
//! - The attribute `id` is an ID in every document; what a DTD declares as ID, and `xml:id`, is one too.
//! - A type selector without a prefix matches in any namespace, unless the context binds the empty prefix.
//! - In JSON documents every value is an element, named by its key.

mod ast;
mod attribute;
mod html;
mod language;
mod matching;
mod names;
mod nth;
mod options;
mod parse;
mod scan;

use self::ast::Parsed;
use self::matching::Matcher;
use super::axes::Tree;
use super::budget::Meter;
use super::{Context, SelectError};
use crate::tree::{Node, NodeId};

/// A CSS selector, ready to be used any number of times.
///
/// ```
/// use treediff::parse::{self, Options};
/// use treediff::select::{Context, Selector};
///
/// let selector = Selector::parse("item:not([sold]) > price")?;
/// let shop = parse::xml(b"<shop><item sold=''><price>1</price></item><item><price>2</price></item></shop>",
///     &Options::default())?.document;
/// let prices = selector.select(shop.root(), &Context::default())?;
/// assert_eq!(prices.len(), 1);
/// assert_eq!(prices[0].string_value(), "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Selector {
    parsed: Parsed,
}

impl Selector {
    /// Reads a selector, or a list of them.
    pub fn parse(source: &str) -> Result<Self, SelectError> {
        Ok(Selector { parsed: parse::parse(source)? })
    }

    /// The elements below `scope` that the selector matches, in document order.
    ///
    /// What stands above or beside `scope` counts for the match, and `:scope` is `scope` itself, or the root element
    /// where `scope` is the document node.
    pub fn select<'d>(&self, scope: Node<'d>, context: &Context<'_>) -> Result<Vec<Node<'d>>, SelectError> {
        let document = scope.document();
        let meter = Meter::new(context.budget);
        let matcher = Matcher::new(&self.parsed, scope, Tree::new(document, &meter), context)?;
        let matched = matcher.list(&self.parsed.list)?;
        let below =
            matched.partition_point(|&node| node <= scope.id().0)..matched.partition_point(|&node| node < scope.end());
        Ok(matched[below].iter().map(|&node| document.node(NodeId(node))).collect())
    }
}

//! Which nodes are meant? CSS selectors and XPath 1.0 over a document, with a bound on the work.
//!
//! [`css`] and [`xpath`] are for one question; [`Selector`] and [`Expression`] are read once and asked often, and take
//! a [`Context`] with namespace prefixes, variables and a [`Budget`].
//!
//! Both languages are implemented here rather than taken from other crates: expressions come from strangers, so every
//! loop has to count against the budget, and evaluation a set at a time, in linear time, needs a tree whose subtrees
//! are ranges. Nothing recurses over the depth of a document; the nesting of expressions is bounded.
//!
//! ```
//! use treediff::parse::{self, Options};
//! use treediff::select::{self, Value};
//!
//! let menu = parse::xml(b"<menu><tea price='2'/><milk price='1'/></menu>", &Options::default())?.document;
//! assert_eq!(select::css(&menu, "tea + milk")?[0].attribute("", "price").unwrap(), "1");
//! assert_eq!(select::xpath(&menu, "sum(//@price)")?, Value::Number(3.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axes;
mod budget;
mod css;
mod error;
mod paths;
mod xpath;

pub use self::budget::Budget;
pub(crate) use self::budget::Meter;
pub use self::css::Selector;
pub use self::error::{Place, SelectError};
pub use self::paths::Paths;
pub use self::xpath::{Expression, Selected, Value};

use std::collections::BTreeMap;

use crate::tree::{Document, Format, HTML_NAMESPACE, Node};

/// The elements that a CSS selector matches, in document order.
pub fn css<'d>(document: &'d Document, selector: &str) -> Result<Vec<Node<'d>>, SelectError> {
    Selector::parse(selector)?.select(document.root(), &Context::default())
}

/// The value of an XPath expression at the document node.
pub fn xpath<'d>(document: &'d Document, expression: &str) -> Result<Value<'d>, SelectError> {
    Expression::parse(expression)?.evaluate(document.root(), &Context::default())
}

/// What an expression or selector may refer to, and how much work it may be.
#[derive(Debug, Clone, Default)]
pub struct Context<'d> {
    /// Namespace URIs by prefix. The empty prefix is the default namespace of type selectors in CSS; XPath has none.
    pub namespaces: BTreeMap<String, String>,
    /// The values of variables in XPath, by their name as written behind the `$`.
    pub variables: BTreeMap<String, Value<'d>>,
    /// What no selection may exceed.
    pub budget: Budget,
}

impl Context<'_> {
    /// The namespace that a prefix is bound to.
    fn namespace(&self, document: &Document, prefix: &str) -> Option<&str> {
        let given = self.namespaces.get(prefix).map(String::as_str);
        given.or_else(|| well_known(prefix).filter(|_| document.format() == Format::Html))
    }
}

/// The prefixes that HTML documents have without declaring them.
fn well_known(prefix: &str) -> Option<&'static str> {
    match prefix {
        "html" => Some(HTML_NAMESPACE),
        "svg" => Some("http://www.w3.org/2000/svg"),
        "math" => Some("http://www.w3.org/1998/Math/MathML"),
        _ => None,
    }
}

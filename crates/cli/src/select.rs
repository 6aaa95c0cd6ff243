//! Which parts of a document are meant? What a selector or an expression finds, as it stands in the source.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

use anyhow::Context as _;
use serde::Serialize;
use treediff::select::{Budget, Context, Expression, SelectError, Selected, Selector, Value};
use treediff::text::shortened;
use treediff::tree::{Document, Format, HTML_NAMESPACE, Kind, Name, Node};
use treediff::write;

use crate::args::{SelectArgs, Selection};
use crate::compare;
use crate::exit::Trouble;
use crate::language::{looks_like_xpath, without_strings};
use crate::node_record::{AttributeRecord, NodeRecord, write_line};
use crate::{input, output};

pub fn run(args: &SelectArgs) -> anyhow::Result<()> {
    let document = input::read(&args.file, &args.reading)?.document;
    if args.count {
        return count(&args.selection, &document);
    }
    let value = selected(&args.selection, &document)?;
    // Nodes that lie in each other are written each by itself: a document of a few megabytes can have terabytes of that.
    output::within(&args.output, |out| {
        match value {
            Value::NodeSet(selected) if selected.is_empty() => hint(&args.selection, &document)?,
            Value::NodeSet(selected) if args.json => selected.iter().try_for_each(|one| write_record(one, out))?,
            Value::NodeSet(selected) => selected.iter().try_for_each(|one| write_source(one, out))?,
            value if args.json => writeln!(out, "{}", scalar(&value))?,
            value => writeln!(out, "{}", value.to_text())?,
        }
        Ok(())
    })
}

fn count(selection: &Selection, document: &Document) -> anyhow::Result<()> {
    let count = within(selection, counted(selection, document))?;
    let count = count.ok_or_else(|| not_countable(&selection.expression))?;
    if count == 0 {
        hint(selection, document)?;
    }
    Ok(writeln!(io::stdout(), "{count}")?)
}

/// Says what helps where nothing is selected.
fn hint(selection: &Selection, document: &Document) -> io::Result<()> {
    match why_nothing(selection, document) {
        Some(hint) => writeln!(anstream::stderr(), "hint: {hint}"),
        None => Ok(()),
    }
}

fn not_countable(expression: &str) -> anyhow::Error {
    let message =
        format!("{}: found a value, expected an expression that selects nodes", quoted_expression(expression));
    Trouble::new(message, "without --count the value is printed").into()
}

/// What an expression of the command line selects.
pub fn selected<'d>(selection: &Selection, document: &'d Document) -> anyhow::Result<Value<'d>> {
    within(selection, evaluate(selection, document))
}

/// An outcome whose error says of which expression it is.
fn within<T>(selection: &Selection, outcome: Result<T, SelectError>) -> anyhow::Result<T> {
    outcome.map_err(|error| helped(error, selection)).with_context(|| quoted_expression(&selection.expression))
}

fn evaluate<'d>(selection: &Selection, document: &'d Document) -> Result<Value<'d>, SelectError> {
    let context = context(selection);
    if is_xpath(selection) {
        return Expression::parse(&selection.expression)?.evaluate(document.root(), &context);
    }
    let nodes = Selector::parse(&selection.expression)?.select(document.root(), &context)?;
    Ok(Value::NodeSet(nodes.into_iter().map(Selected::Node).collect()))
}

/// How many nodes an expression selects; there may be so many that a list of them takes more than the document.
fn counted(selection: &Selection, document: &Document) -> Result<Option<usize>, SelectError> {
    let context = context(selection);
    match is_xpath(selection) {
        true => Expression::parse(&selection.expression)?.count(document.root(), &context),
        false => Ok(Some(Selector::parse(&selection.expression)?.select(document.root(), &context)?.len())),
    }
}

fn context<'d>(selection: &Selection) -> Context<'d> {
    Context {
        namespaces: selection.namespaces.iter().cloned().collect(),
        budget: Budget { max_steps: selection.max_steps as u64 },
        ..Context::default()
    }
}

fn is_xpath(selection: &Selection) -> bool {
    selection.xpath || (!selection.css && looks_like_xpath(&selection.expression))
}

fn helped(error: SelectError, selection: &Selection) -> anyhow::Error {
    match other_language(&error, selection) {
        Some(hint) => Trouble::new(error.to_string(), hint).into(),
        None => compare::helped_select(error),
    }
}

/// Which flag helps where the language of an expression was guessed and it can be read in the other alone.
fn other_language(error: &SelectError, selection: &Selection) -> Option<&'static str> {
    error.place().filter(|_| !selection.css && !selection.xpath)?;
    match is_xpath(selection) {
        true => Selector::parse(&selection.expression)
            .is_ok()
            .then_some("this was read as XPath; --css reads it as a CSS selector"),
        false => Expression::parse(&selection.expression)
            .is_ok()
            .then_some("this was read as a CSS selector; --xpath reads it as XPath"),
    }
}

/// An expression in a message: the beginning of it, where it is long.
pub fn quoted_expression(expression: &str) -> String {
    const SHOWN: usize = 100;
    format!("`{}`", shortened(expression, SHOWN))
}

/// What helps where an expression selects nothing.
fn why_nothing(selection: &Selection, document: &Document) -> Option<String> {
    if !is_xpath(selection) {
        return None;
    }
    missing_prefix(selection, document)
        .or_else(|| missing_slashes(selection, document))
        .or_else(|| missing_namespace(selection, document))
}

/// Whether paths that begin with a name would be found below the root: a selector would look there.
fn missing_slashes(selection: &Selection, document: &Document) -> Option<String> {
    let everywhere = from_everywhere(&selection.expression)?;
    let found = Expression::parse(&everywhere).and_then(|it| it.evaluate(document.root(), &context(selection))).ok()?;
    let everywhere = quoted_expression(&everywhere);
    (!found.into_nodes().is_empty()).then(|| format!("this path starts at the document; {everywhere} looks below it"))
}

/// An expression with `//` before each path of it that begins with a name; `None` where there is none.
fn from_everywhere(expression: &str) -> Option<String> {
    let begins_with_name = |path: &str| path.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_');
    let paths = paths_of_union(expression);
    paths.iter().any(|path| begins_with_name(path)).then(|| {
        let everywhere = paths.iter().map(|path| match begins_with_name(path) {
            true => format!("//{}", path.trim()),
            false => path.trim().to_owned(),
        });
        everywhere.collect::<Vec<_>>().join(" | ")
    })
}

/// What stands between the bars of an expression that are in neither brackets nor strings.
fn paths_of_union(expression: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut paths = Vec::new();
    for (at, character) in expression.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, '|') if depth == 0 => {
                paths.push(&expression[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    paths.push(&expression[start..]);
    paths
}

/// How to bind a prefix where an expression that selects nothing names elements that are in a namespace alone.
fn missing_namespace(selection: &Selection, document: &Document) -> Option<String> {
    if document.format() != Format::Xml {
        return None;
    }
    let bare = without_strings(&selection.expression);
    let mut names: HashSet<&str> = names_of_elements(&bare).collect();
    let elements = || document.nodes().filter(|node| node.is_element());
    elements().filter(|element| element.name().namespace.is_empty()).for_each(|element| {
        names.remove(element.name().local);
    });
    let element = elements().find(|element| names.contains(element.name().local))?;
    let Name { namespace, local } = element.name();
    let bound = selection.namespaces.iter().find(|(prefix, uri)| uri == namespace && !prefix.is_empty());
    let meaning = format!("`{local}` means an element in no namespace");
    if let Some((prefix, _)) = bound {
        return Some(format!("{meaning}; `{prefix}:{local}` is in that of `{prefix}`"));
    }
    // A word of the document, unless it means something else already.
    let is_free = |prefix: &str| !prefix.is_empty() && selection.namespaces.iter().all(|(bound, _)| bound != prefix);
    let prefix = [element.prefix(), "n", "ns"].into_iter().find(|prefix| is_free(prefix))?;
    Some(format!(
        "{meaning}; --ns {prefix}={} has `{prefix}:{local}` select those there are",
        shortened(namespace, 100)
    ))
}

/// The words of an expression without its strings that may name elements, and have no prefix.
fn names_of_elements(bare: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "-_.:@$".contains(c);
    bare.split(move |c: char| !is_part(c)).filter(|word| !word.contains([':', '@', '$']))
}

/// Which prefix is missing where an expression that selects nothing in a page names elements of SVG or MathML.
fn missing_prefix(selection: &Selection, document: &Document) -> Option<String> {
    const OTHERS: [(&str, &str); 2] =
        [("svg", "http://www.w3.org/2000/svg"), ("math", "http://www.w3.org/1998/Math/MathML")];
    if document.format() != Format::Html {
        return None;
    }
    let bare = without_strings(&selection.expression);
    let mut names = names_of_elements(&bare);
    let has = |namespace: &str, local: &str| document.names().find(namespace, local).is_some();
    let is_bound = |prefix: &str| selection.namespaces.iter().any(|(bound, _)| bound == prefix);
    let prefix = |name: &str| {
        let is_of_html = has(HTML_NAMESPACE, &name.to_ascii_lowercase());
        let mut others = OTHERS.iter().filter(|(prefix, _)| !is_of_html && !is_bound(prefix));
        others.find(|(_, namespace)| has(namespace, name)).map(|(prefix, _)| *prefix)
    };
    let (name, prefix) = names.find_map(|name| Some((name, prefix(name)?)))?;
    Some(format!("`{name}` means an element of HTML here; `{prefix}:{name}` selects those of the page"))
}

fn write_source(selected: &Selected<'_>, out: &mut impl Write) -> io::Result<()> {
    let text = match selected {
        Selected::Node(node) => source(*node),
        other => other.string_value(),
    };
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")
}

/// A node as it stands in the source; what does not stand there is written anew.
fn source(node: Node<'_>) -> Cow<'_, str> {
    match (node.kind(), node.source_range()) {
        (Kind::String, Some(range)) => quoted(node, range),
        (_, None) if node.document().format() == Format::Html => Cow::Owned(write::html_subtree(node)),
        _ => write::source_of(node),
    }
}

/// A JSON string with its quotes, which its place leaves out; a word that was none gets them.
fn quoted(node: Node<'_>, place: Range<usize>) -> Cow<'_, str> {
    let outside = place.start.checked_sub(1).and_then(|start| node.document().source().get(start..place.end + 1));
    match outside.filter(|written| written.starts_with('"') && written.ends_with('"')) {
        Some(written) => Cow::Borrowed(written),
        None => Cow::Owned(serde_json::Value::from(node.value()).to_string()),
    }
}

fn write_record(selected: &Selected<'_>, out: &mut impl Write) -> io::Result<()> {
    match selected {
        Selected::Node(node) => write_line(&NodeRecord::new(*node).with_source(source(*node)), out),
        Selected::Attribute { attribute, .. } => {
            write_line(&Property { kind: "attribute", record: AttributeRecord::new(*attribute) }, out)
        }
        Selected::Namespace { prefix, uri, .. } => {
            let record = AttributeRecord { name: prefix.clone(), namespace: "", value: uri.clone() };
            write_line(&Property { kind: "namespace", record }, out)
        }
    }
}

/// What belongs to an element and is no node.
#[derive(Debug, Serialize)]
struct Property<'d> {
    kind: &'static str,
    #[serde(flatten)]
    record: AttributeRecord<'d>,
}

/// A value that is no set of nodes; JSON has no word for a number that is none, so that is `null`.
fn scalar(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::Number(number) => (*number).into(),
        Value::Boolean(boolean) => (*boolean).into(),
        other => other.to_text().into(),
    }
}

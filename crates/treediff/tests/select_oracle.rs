//! Do our selections agree with others' on real documents?
//!
//! The catalogues list documents of the corpus and what to ask of them: in XML lxml and cssselect are asked, in HTML
//! soupsieve and, on the trees of html5lib, lxml. A line `differs REASON` behind an expression says that the oracle
//! gives something else on at least one document, and why it is the oracle's fault.

#[path = "support/paths.rs"]
mod paths;
mod support;

use std::collections::HashMap;
use std::path::Path;

use paths::Paths;
use treediff::parse::{self, Options, Whitespace};
use treediff::select::{Context, Expression, Selected, Selector, Value};
use treediff::tree::{Document, Format};

const XML: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/expressions.txt");
const HTML: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/expressions_html.txt");

#[test]
fn selections_in_xml_are_those_of_lxml() {
    compare(XML, 300, 80);
}

#[test]
fn selections_in_html_are_those_of_soupsieve() {
    compare(HTML, 300, 80);
}

/// Asks ourselves and the oracle whatever a catalogue lists, which must be at least so much.
fn compare(catalogue: &str, least: usize, least_css: usize) {
    let (Some(corpus), Some(python)) = (support::corpus(), support::python()) else { return };
    let answers = support::ask(&python, "selections.py", &[catalogue.as_ref(), &corpus], String::new());
    let answers: Vec<&str> = std::str::from_utf8(&answers).expect("UTF-8").split_terminator('\n').collect();
    let catalogue = std::fs::read_to_string(catalogue).expect("the catalogue is part of the tests");
    let questions = read(&catalogue);
    assert!(questions.len() >= least, "only {} questions", questions.len());
    assert!(questions.iter().filter(|question| question.is_css).count() >= least_css);
    assert_eq!(answers.len(), questions.len(), "as many answers as questions");

    let mut documents = HashMap::new();
    let mut wrong = Vec::new();
    let mut stale: HashMap<&str, bool> = HashMap::new();
    for (question, theirs) in questions.iter().zip(&answers) {
        let subject = documents.entry(question.document).or_insert_with(|| Subject::load(&corpus, question.document));
        let ours = subject.answer(question);
        let agreed = ours == *theirs;
        match question.differs {
            Some(_) => *stale.entry(question.expression).or_insert(true) &= agreed,
            None if !agreed => wrong.push(format!(
                "{} on {}\n  ours:   {:.600}\n  theirs: {theirs:.600}",
                question.expression, question.document, ours
            )),
            None => {}
        }
    }
    stale.retain(|_, agreed| *agreed);
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), questions.len(), wrong.join("\n"));
    assert!(stale.is_empty(), "listed as different, but the same: {:?}", stale.keys());
    println!("{} questions answered alike", questions.len());
}

struct Question<'c> {
    document: &'c str,
    namespaces: Vec<(&'c str, &'c str)>,
    is_css: bool,
    expression: &'c str,
    differs: Option<&'c str>,
}

/// A section of the catalogue: every expression is asked of every document.
#[derive(Default)]
struct Section<'c> {
    documents: Vec<&'c str>,
    namespaces: Vec<(&'c str, &'c str)>,
    expressions: Vec<(bool, &'c str, Option<&'c str>)>,
}

fn read(catalogue: &str) -> Vec<Question<'_>> {
    let mut sections: Vec<Section<'_>> = vec![Section::default()];
    for line in catalogue.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "document" && sections.last().is_some_and(|section| !section.expressions.is_empty()) {
            sections.push(Section::default());
        }
        let Some(section) = sections.last_mut() else { continue };
        match word {
            "document" => section.documents.push(rest),
            "namespace" => section.namespaces.extend(rest.split_once(' ')),
            "xpath" | "css" => section.expressions.push((word == "css", rest, None)),
            "differs" => section.expressions.last_mut().expect("an expression that differs").2 = Some(rest),
            _ => assert!(line.is_empty() || line.starts_with('#'), "what is `{line}`?"),
        }
    }
    sections.iter().flat_map(Section::questions).collect()
}

impl<'c> Section<'c> {
    fn questions(&self) -> impl Iterator<Item = Question<'c>> {
        self.documents.iter().flat_map(move |&document| {
            self.expressions.iter().map(move |&(is_css, expression, differs)| Question {
                document,
                namespaces: self.namespaces.clone(),
                is_css,
                expression,
                differs,
            })
        })
    }
}

struct Subject {
    document: Document,
    paths: Paths,
}

impl Subject {
    fn load(corpus: &Path, name: &str) -> Self {
        let source = std::fs::read(corpus.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
        let format = if name.ends_with(".html") { Format::Html } else { Format::Xml };
        let parsed = parse::parse(source, format, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let document = parsed.document;
        Subject { paths: Paths::of(&document), document }
    }

    /// The answer in the form that the oracle gives.
    fn answer(&self, question: &Question<'_>) -> String {
        let mut context = Context::default();
        let owned = question.namespaces.iter().map(|(prefix, uri)| (prefix.to_string(), uri.to_string()));
        context.namespaces.extend(owned);
        let root = self.document.root_element().expect("documents have a root");
        let value = if question.is_css {
            let selected = Selector::parse(question.expression)
                .and_then(|selector| selector.select(self.document.root(), &context));
            selected.map(|nodes| Value::NodeSet(nodes.into_iter().map(Selected::Node).collect()))
        } else {
            Expression::parse(question.expression).and_then(|expression| expression.evaluate(root, &context))
        };
        match value {
            Err(error) => format!("error\t{error}"),
            Ok(Value::Boolean(boolean)) => format!("boolean\t{boolean}"),
            Ok(Value::Number(number)) if number.is_nan() => "number\tNaN".to_owned(),
            Ok(Value::Number(number)) => format!("number\t{:016x}", number.to_bits()),
            Ok(Value::String(text)) => format!("string\t{}", escaped(&text)),
            Ok(Value::NodeSet(nodes)) if question.is_css && self.document.format() == Format::Html => {
                self.paths(&nodes)
            }
            Ok(Value::NodeSet(nodes)) => self.entries(&nodes),
        }
    }

    fn paths(&self, nodes: &[Selected<'_>]) -> String {
        let paths = nodes.iter().map(|selected| self.paths.selected(selected));
        std::iter::once("nodes".to_owned()).chain(paths).collect::<Vec<_>>().join("\t")
    }

    fn entries(&self, nodes: &[Selected<'_>]) -> String {
        // The oracle leaves the document node out of its answers, and does not say whose a namespace is.
        let mut entries: Vec<String> = nodes
            .iter()
            .filter(|selected| self.paths.selected(selected) != "/")
            .map(|selected| match selected {
                Selected::Namespace { prefix, uri, .. } => format!("namespace::{prefix}={uri}"),
                other => format!("{}={}", self.paths.selected(other), summary(&other.string_value())),
            })
            .collect();
        if matches!(nodes.first(), Some(Selected::Namespace { .. })) {
            entries.sort();
        }
        std::iter::once("nodes".to_owned()).chain(entries).collect::<Vec<_>>().join("\t")
    }
}

fn summary(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!("{}:{}", text.chars().count(), escaped(&start))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

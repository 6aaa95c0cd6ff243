//! Do our selections agree with lxml and cssselect on real documents?
//!
//! `oracles/expressions.txt` lists documents of the corpus and what to ask of them. A line `differs REASON` behind an
//! expression says that the oracle gives something else on at least one document, and why it is the oracle's fault.

#[path = "support/paths.rs"]
mod paths;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use paths::Paths;
use treediff::parse::{self, Options, Whitespace};
use treediff::select::{Context, Expression, Selected, Selector, Value};
use treediff::tree::Document;

const CATALOGUE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/expressions.txt");
const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/select.py");
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");

#[test]
fn selections_are_those_of_lxml() {
    let Some(answers) = ask_the_oracle() else { return };
    let catalogue = std::fs::read_to_string(CATALOGUE).expect("the catalogue is part of the tests");
    let questions = read(&catalogue);
    assert!(questions.len() >= 300, "only {} questions", questions.len());
    assert!(questions.iter().filter(|question| question.is_css).count() >= 80);
    assert_eq!(answers.len(), questions.len(), "as many answers as questions");

    let mut documents = HashMap::new();
    let mut wrong = Vec::new();
    let mut stale: HashMap<&str, bool> = HashMap::new();
    for (question, theirs) in questions.iter().zip(&answers) {
        let subject = documents.entry(question.document).or_insert_with(|| Subject::load(question.document));
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

/// One line for each question; nothing where the oracle or the corpus is not there.
fn ask_the_oracle() -> Option<Vec<String>> {
    if !Path::new(CORPUS).is_dir() {
        println!("skipped: no corpus beside the workspace");
        return None;
    }
    let has_lxml = Command::new("python3").args(["-c", "import lxml.etree, cssselect"]).output();
    if !has_lxml.is_ok_and(|output| output.status.success()) {
        println!("skipped: no python3 with lxml and cssselect");
        return None;
    }
    let output = Command::new("python3").args([ORACLE, CATALOGUE, CORPUS]).output().expect("python3 was there before");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).split_terminator('\n').map(str::to_owned).collect())
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
    fn load(name: &str) -> Self {
        let source = std::fs::read(format!("{CORPUS}/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"));
        let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
        let document = parse::xml(source, &options).unwrap_or_else(|error| panic!("{name}: {error}")).document;
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
            Ok(Value::NodeSet(nodes)) => self.entries(&nodes),
        }
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

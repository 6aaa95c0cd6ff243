//! Whatever somebody asks, of whatever document: an error, or nodes in document order, none twice.

#![no_main]

use libfuzzer_sys::fuzz_target;
use treediff::parse::{self, Options};
use treediff::select::{Budget, Context, Expression, Selector, Value};
use treediff::tree::Document;

/// What is asked where the input brings no document of its own.
const DOCUMENT: &str = "<r xmlns:p='u' lang='en'><a id='1' class='x y'>t<b/>u<c k='v'>2</c></a><p:a n='3'><b>4</b><!--c--><?q d?>\
                        </p:a><a class='y'><a><b/></a></a><d xml:lang='de'>5</d></r>";

fuzz_target!(|input: &[u8]| {
    let (question, source) = match input.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, DOCUMENT.as_bytes()),
    };
    let Ok(question) = std::str::from_utf8(question) else { return };
    let options = Options { recover: true, ..Options::default() };
    let Ok(xml) = parse::xml(source, &options) else { return };
    let Ok(html) = parse::html(source, &options) else { return };
    for document in [&xml.document, &html.document] {
        ask_css(document, question);
        ask_xpath(document, question);
    }
});

fn context<'d>() -> Context<'d> {
    let namespaces = [("p".to_owned(), "u".to_owned())].into();
    Context { namespaces, budget: Budget { max_steps: 1_000_000 }, ..Context::default() }
}

fn ask_css(document: &Document, question: &str) {
    let Ok(selector) = Selector::parse(question) else { return };
    let Ok(found) = selector.select(document.root(), &context()) else { return };
    assert!(found.iter().all(|node| node.is_element()));
    assert!(found.is_sorted_by(|a, b| a.id() < b.id()), "not in document order, or one of them twice");
}

fn ask_xpath(document: &Document, question: &str) {
    let Ok(expression) = Expression::parse(question) else { return };
    let Ok(value) = expression.evaluate(document.root(), &context()) else { return };
    std::hint::black_box(value.to_text().len());
    let Value::NodeSet(found) = value else { return };
    let again = |question: String| Expression::parse(&question).ok()?.evaluate(document.root(), &context()).ok();
    if let Some(count) = again(format!("count({question})")) {
        assert_eq!(count, Value::Number(found.len() as f64));
    }
    if let Some(union) = again(format!("({question}) | ({question})")) {
        assert_eq!(union, Value::NodeSet(found));
    }
}

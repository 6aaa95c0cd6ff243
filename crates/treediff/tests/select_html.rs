//! Do selections in HTML documents give what browsers give?

use treediff::parse::{self, Options};
use treediff::select::{self, Context, Expression, SelectError};
use treediff::tree::{Document, Node};

const PAGE: &str = "<!doctype html><html lang=en><body>
    <P ID=a class='x y'>One<a id=l href=/>link</a><a id=n>no link</a>
    <div id=d lang=de-AT><span id=s TYPE=Text>zwei</span></div>
    <svg id=g><linearGradient id=lg viewBox='0 0 1 1'/><a id=sl href=/ /></svg>
    <math id=m><mi id=mi>x</mi></math>
    <form id=f><input id=i1 type=CHECKBOX checked><input id=i2 type=radio><input id=i3 checked>
      <select id=se><option id=o1 selected>1<option id=o2><optgroup id=og disabled><option id=o3></optgroup></select>
      <fieldset id=fs disabled><legend id=le><button id=b1></button></legend><legend id=l2><button id=b2></button>
      </legend><textarea id=t></textarea></fieldset><button id=b3 disabled></button></form>";

fn page() -> Document {
    parse::html(PAGE.as_bytes(), &Options::default()).expect("any bytes are HTML").document
}

fn ids<'d>(nodes: impl IntoIterator<Item = Node<'d>>) -> String {
    let id = |node: Node<'d>| node.attribute("", "id").map_or_else(|| node.name().local.to_owned(), String::from);
    nodes.into_iter().map(id).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_css(cases: &[(&str, &str)]) {
    let page = page();
    for (selector, expected) in cases {
        let found = select::css(&page, selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
        assert_eq!(ids(found), *expected, "{selector}");
    }
}

#[track_caller]
fn check_xpath(cases: &[(&str, &str)]) {
    let page = page();
    for (expression, expected) in cases {
        let value = select::xpath(&page, expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert_eq!(ids(value.into_nodes().iter().map(|selected| selected.owner())), *expected, "{expression}");
    }
}

#[test]
fn names_are_matched_whatever_their_case() {
    check_css(&[
        ("P", "a"),
        ("p#a", "a"),
        ("[ID=a]", "a"),
        ("#A", ""),
        (".X", ""),
        ("p.x", "a"),
        ("[type=text]", "s"),
        ("[type=text s]", ""),
        ("[class='X Y']", ""),
        ("[class='X Y' i]", "a"),
        ("lineargradient", ""),
        ("linearGradient", "lg"),
        ("[viewBox]", "lg"),
        ("svg a", "sl"),
        ("a", "l n sl"),
    ]);
}

#[test]
fn links() {
    check_css(&[(":link", "l sl"), (":any-link", "l sl"), ("a:not(:link)", "n")]);
}

#[test]
fn form_controls() {
    check_css(&[(":checked", "i1 o1"), (":disabled", "og o3 fs b2 t b3"), (":enabled", "i1 i2 i3 se o1 o2 b1")]);
}

#[test]
fn fields_that_must_and_may_be_filled_in() {
    let page = parse::html(
        "<form><input id=a required><input id=b type=Email><input id=c type=hidden required><input id=d type=no required>
           <select id=e required></select><textarea id=f></textarea><button id=g required></button>
           <input id=h readonly><input id=i disabled><input id=j type=checkbox><textarea id=k readonly></textarea>
           <fieldset id=l disabled><input id=m></fieldset></form>
         <div id=n contenteditable><p id=o><b id=p contenteditable=FALSE><i id=q></i></b><u id=r contenteditable=x></u>
           <input id=s readonly></p></div><svg id=t></svg>",
        &Options::default(),
    );
    let page = page.expect("any bytes are HTML").document;
    let check = |selector: &str, expected: &str| assert_eq!(ids(select::css(&page, selector).unwrap()), expected);
    check(":required", "a d e");
    check(":optional", "b c f h i j k m s");
    check(":read-write", "a b d f n o r");
    check("[id]:read-only", "c e g h i j k l m p q s");
}

#[test]
fn options_chosen_at_first() {
    let checked = |select: &str| {
        let page = parse::html(select.as_bytes(), &Options::default()).expect("any bytes are HTML").document;
        ids(select::css(&page, ":checked").unwrap())
    };
    assert_eq!(checked("<select><option id=a><option id=b></select>"), "a");
    assert_eq!(checked("<select><option id=a disabled><option id=b></select>"), "b");
    assert_eq!(checked("<select><option id=a selected><option id=b selected></select>"), "b");
    assert_eq!(checked("<select multiple><option id=a selected><option id=b selected></select>"), "a b");
    assert_eq!(checked("<select multiple><option id=a></select><select size=2><option id=b></select>"), "");
    assert_eq!(checked("<option id=a selected><option id=b>"), "a");
}

#[test]
fn languages() {
    check_css(&[(":lang(de)", "d s"), ("span:lang(de-AT)", "s"), ("p:lang(en)", "a")]);
    check_xpath(&[("//*[lang('de')]", "d s"), ("//p[lang('en')]", "a")]);
}

#[test]
fn names_without_a_prefix_are_of_html() {
    check_xpath(&[
        ("//p", "a"),
        ("//P", "a"),
        ("/html/body/p/@id", "a"),
        ("//a", "l n"),
        ("//svg", ""),
        ("//svg:svg", "g"),
        ("//svg:linearGradient", "lg"),
        ("//svg:lineargradient", ""),
        ("//svg:*", "g lg sl"),
        ("//math:mi", "mi"),
        ("//html:p", "a"),
        ("//*[local-name() = 'svg']", "g"),
        ("//*[name() = 'p']", "a"),
        ("id('s')", "s"),
        ("id('lg a')", "a lg"),
        ("//*[@type = 'radio']", "i2"),
        ("//option[@selected]", "o1"),
    ]);
}

#[test]
fn the_context_may_bind_prefixes_otherwise() {
    let page = page();
    let mut context = Context::default();
    context.namespaces.insert("svg".to_owned(), "http://www.w3.org/1999/xhtml".to_owned());
    let value = Expression::parse("//svg:p").unwrap().evaluate(page.root(), &context).unwrap();
    assert_eq!(value.into_nodes().len(), 1);
    assert_eq!(select::xpath(&page, "//x:p"), Err(SelectError::UnknownPrefix("x".to_owned())));
}

//! Do selections give what the standards say? Feature by feature, and as laws.

#[path = "support/paths.rs"]
mod paths;

use paths::Paths;
use proptest::prelude::*;
use treediff::parse::{self, Options, Whitespace};
use treediff::select::{self, Budget, Context, Expression, SelectError, Selector, Value};
use treediff::tree::Document;

fn xml(source: &str) -> Document {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    parse::xml(source.as_bytes(), &options).expect("test documents are well-formed").document
}

/// A value in one line: nodes by their paths, strings in quotes.
fn line(document: &Document, value: &Value<'_>) -> String {
    let paths = Paths::of(document);
    match value {
        Value::NodeSet(nodes) => nodes.iter().map(|selected| paths.selected(selected)).collect::<Vec<_>>().join(" "),
        Value::String(text) => format!("{text:?}"),
        other => other.to_text().into_owned(),
    }
}

/// Evaluates an expression and compares the value in one line.
#[track_caller]
fn check(source: &str, expression: &str, expected: &str) {
    let document = xml(source);
    let value = select::xpath(&document, expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    assert_eq!(line(&document, &value), expected, "{expression}");
}

#[track_caller]
fn check_all(source: &str, cases: &[(&str, &str)]) {
    cases.iter().for_each(|(expression, expected)| check(source, expression, expected));
}

#[track_caller]
fn check_error(expression: &str, expected: &str) {
    let document = xml("<a/>");
    let error = select::xpath(&document, expression).expect_err(expression);
    assert_eq!(error.to_string(), expected, "{expression}");
}

/// However long what is wrong is, a message can be read.
#[test]
fn messages_are_short() {
    let long = "x".repeat(10_000);
    for expression in
        [format!("a '{long}'"), format!("{long}()"), format!("{long}:a"), format!("${long}"), format!("a[{long}")]
    {
        let error = select::xpath(&xml("<a/>"), &expression).unwrap_err().to_string();
        assert!(error.len() < 200, "{error:.300}");
    }
    for selector in [format!("a:{long}"), format!("a::{long}"), format!(":{long}(a)"), format!("{long}|a")] {
        let error = select::css(&xml("<a/>"), &selector).unwrap_err().to_string();
        assert!(error.len() < 200, "{error:.300}");
    }
}

/// Selects and compares the IDs, or else the names, of what is found.
#[track_caller]
fn check_css(source: &str, cases: &[(&str, &str)]) {
    let document = xml(source);
    for (selector, expected) in cases {
        let found = select::css(&document, selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
        let name = |node: &treediff::tree::Node<'_>| match node.attribute("", "id") {
            Some(id) => id.into_owned(),
            None => node.name().local.to_owned(),
        };
        assert_eq!(found.iter().map(name).collect::<Vec<_>>().join(" "), *expected, "{selector}");
    }
}

const LIST: &str = "<l><i n='1'>a</i><!--c--><i n='2'>b<s/></i>t<?p d?><j n='3'/><i n='4'/></l>";

#[test]
fn paths_and_abbreviations() {
    check_all(
        LIST,
        &[
            ("/", "/"),
            ("/l", "/l[1]"),
            ("/l/i", "/l[1]/i[1] /l[1]/i[3] /l[1]/i[6]"),
            ("//i[2]", "/l[1]/i[3]"),
            ("//i[last()]", "/l[1]/i[6]"),
            ("//@n", "/l[1]/i[1]/@n /l[1]/i[3]/@n /l[1]/j[5]/@n /l[1]/i[6]/@n"),
            ("//s/..", "/l[1]/i[3]"),
            ("/l/.", "/l[1]"),
            ("//s/../@n", "/l[1]/i[3]/@n"),
            ("/l/*[3]", "/l[1]/j[5]"),
            ("/l/node()[3]", "/l[1]/i[3]"),
            ("//text()", "/l[1]/i[1]/text()[0] /l[1]/i[3]/text()[0] /l[1]/text()[3]"),
            ("//comment()", "/l[1]/comment()[2]"),
            ("//processing-instruction()", "/l[1]/processing-instruction()[4]"),
            ("//processing-instruction('p')", "/l[1]/processing-instruction()[4]"),
            ("//processing-instruction('q')", ""),
            ("(//i)[2]/@n", "/l[1]/i[3]/@n"),
            ("(//i | //j)[position() > 2]", "/l[1]/j[5] /l[1]/i[6]"),
            ("//j | //i | //j", "/l[1]/i[1] /l[1]/i[3] /l[1]/j[5] /l[1]/i[6]"),
            ("/ l / i [ 1 ]", "/l[1]/i[1]"),
        ],
    );
}

#[test]
fn all_axes_from_a_node() {
    let from_third = |step: &str| format!("/l/i[2]/{step}");
    for (step, expected) in [
        ("self::node()", "/l[1]/i[3]"),
        ("self::j", ""),
        ("child::node()", "/l[1]/i[3]/text()[0] /l[1]/i[3]/s[1]"),
        ("descendant::*", "/l[1]/i[3]/s[1]"),
        ("descendant-or-self::*", "/l[1]/i[3] /l[1]/i[3]/s[1]"),
        ("parent::*", "/l[1]"),
        ("ancestor::node()", "/ /l[1]"),
        ("ancestor-or-self::*", "/l[1] /l[1]/i[3]"),
        ("following-sibling::*", "/l[1]/j[5] /l[1]/i[6]"),
        ("preceding-sibling::node()", "/l[1]/i[1] /l[1]/comment()[2]"),
        ("following::node()", "/l[1]/text()[3] /l[1]/processing-instruction()[4] /l[1]/j[5] /l[1]/i[6]"),
        ("preceding::node()", "/l[1]/i[1] /l[1]/i[1]/text()[0] /l[1]/comment()[2]"),
        ("attribute::*", "/l[1]/i[3]/@n"),
        ("namespace::*", "/l[1]/i[3]/namespace::xml"),
    ] {
        check(LIST, &from_third(step), expected);
    }
}

#[test]
fn all_axes_from_an_attribute() {
    for (step, expected) in [
        ("self::node()", "/l[1]/i[3]/@n"),
        ("self::n", ""),
        ("self::*", ""),
        ("child::node()", ""),
        ("descendant-or-self::node()", "/l[1]/i[3]/@n"),
        ("parent::i", "/l[1]/i[3]"),
        ("ancestor::*", "/l[1] /l[1]/i[3]"),
        ("ancestor-or-self::node()", "/ /l[1] /l[1]/i[3] /l[1]/i[3]/@n"),
        ("following-sibling::node()", ""),
        ("preceding::*", "/l[1]/i[1]"),
        ("following::*", "/l[1]/i[3]/s[1] /l[1]/j[5] /l[1]/i[6]"),
    ] {
        check(LIST, &format!("/l/i[2]/@n/{step}"), expected);
        // The same step from a set, where several contexts share the work.
        check(LIST, &format!("(/l/i[2]/@n | /l/i[2]/@n)/{step}"), expected);
    }
}

#[test]
fn positions_count_backwards_on_reverse_axes() {
    check_all(
        "<a><b i='1'/><b i='2'/><b i='3'><c/></b><b i='4'/></a>",
        &[
            ("string(//b[3]/preceding-sibling::b[1]/@i)", "\"2\""),
            ("string(//b[3]/preceding-sibling::b[last()]/@i)", "\"1\""),
            ("string((//b[3]/preceding-sibling::b)[1]/@i)", "\"1\""),
            ("name(//c/ancestor::*[1])", "\"b\""),
            ("name(//c/ancestor::*[last()])", "\"a\""),
            ("string(//b[4]/preceding::*[1]/@i)", "\"\""),
            ("name(//b[4]/preceding::*[1])", "\"c\""),
            ("string(//b[4]/preceding::*[2]/@i)", "\"3\""),
            ("string(//b[1]/following::*[3]/@i)", "\"\""),
            ("//b[position() = last() - 1]/@i", "/a[1]/b[3]/@i"),
            ("//b[@i > 1][2]/@i", "/a[1]/b[3]/@i"),
            ("//b[2][@i > 2]", ""),
            ("//b[position() mod 2 = 1]/@i", "/a[1]/b[1]/@i /a[1]/b[3]/@i"),
            ("//b[0] | //b[-1] | //b[1.5] | //b[5] | //b[number('x')]", ""),
            ("//b[true()][false()]", ""),
            ("//b['x'][4]/@i", "/a[1]/b[4]/@i"),
            ("//b[count(//b)]/@i", "/a[1]/b[4]/@i"),
        ],
    );
}

#[test]
fn steps_from_overlapping_contexts_have_no_duplicates() {
    let nested = "<a><a><a><b/></a></a><b/></a>";
    check_all(
        nested,
        &[
            ("count(//a//b)", "2"),
            ("count(//a/descendant-or-self::a)", "3"),
            ("count(//a/ancestor-or-self::a)", "3"),
            ("count(//b/ancestor::a)", "3"),
            ("count(//a/following::*)", "1"),
            ("count(//*/preceding::*)", "3"),
            ("count(//*/following-sibling::*)", "1"),
            ("count(//*/preceding-sibling::*)", "1"),
            ("count(//node()/ancestor::node())", "4"),
            ("count(//a//b[1])", "2"),
            ("count(//*/parent::*)", "3"),
        ],
    );
}

#[test]
fn namespaces() {
    let source = "<a xmlns='u:1' xmlns:p='u:2' p:x='1' x='2'><p:b xmlns:p='u:3'/><b xmlns=''/></a>";
    let document = xml(source);
    let mut context = Context::default();
    context.namespaces.extend([("q".into(), "u:1".into()), ("r".into(), "u:3".into()), ("s".into(), "u:2".into())]);
    for (expression, expected) in [
        ("/a", ""),
        ("/q:a", "/a[1]"),
        ("/*/r:b", "/a[1]/b[1]"),
        ("/*/b", "/a[1]/b[2]"),
        ("//q:*", "/a[1]"),
        ("//@s:*", "/a[1]/@{u:2}x"),
        ("//@s:x", "/a[1]/@{u:2}x"),
        ("//@x", "/a[1]/@x"),
        ("//r:b/namespace::*", "/a[1]/b[1]/namespace::xml /a[1]/b[1]/namespace:: /a[1]/b[1]/namespace::p"),
        ("string(//r:b/namespace::p)", "\"u:3\""),
        ("string(/*/namespace::p)", "\"u:2\""),
        ("//b/namespace::*", "/a[1]/b[2]/namespace::xml /a[1]/b[2]/namespace::p"),
        ("name(//r:b)", "\"p:b\""),
        ("local-name(//r:b)", "\"b\""),
        ("namespace-uri(//r:b)", "\"u:3\""),
        ("name(/*/@s:x)", "\"p:x\""),
        ("namespace-uri(/*/@x)", "\"\""),
        ("name(//r:b/namespace::p)", "\"p\""),
        ("count(//b/namespace::p/..)", "1"),
        ("//xml:*", ""),
    ] {
        let value = Expression::parse(expression).unwrap().evaluate(document.root(), &context);
        assert_eq!(line(&document, &value.unwrap()), expected, "{expression}");
    }
}

#[test]
fn operators_and_conversions() {
    check_all(
        "<r><n>1</n><n>2</n><n>x</n><m>2</m><m>3</m><e/></r>",
        &[
            ("1 + 2 * 3 - 4 div 2", "5"),
            ("7 mod 3", "1"),
            ("-7 mod 3", "-1"),
            ("7.5 mod -2", "1.5"),
            ("1 div 0", "Infinity"),
            ("-1 div 0", "-Infinity"),
            ("0 div 0", "NaN"),
            ("--1", "1"),
            ("-'3'", "-3"),
            ("1 = 1 = 1", "true"),
            ("3 > 2 > 1", "false"),
            ("1 < 2 and 2 < 1 or true()", "true"),
            ("//n = //m", "true"),
            ("//n != //n", "true"),
            ("//e != //e", "false"),
            ("//none = //none or //none != //none", "false"),
            ("//n = 'x'", "true"),
            ("//n < 2", "true"),
            ("2 < //m", "true"),
            ("//n > //m", "false"),
            ("//n >= //m", "true"),
            ("//n = true()", "true"),
            ("//none = false()", "true"),
            ("//none < true()", "true"),
            ("'1' = 1.0", "true"),
            ("'a' < 'b'", "false"),
            ("true() = 'x'", "true"),
            ("true() > false()", "true"),
            ("number('x') = number('x')", "false"),
            ("number('x') != number('x')", "true"),
            ("string(0.1 + 0.2)", "\"0.30000000000000004\""),
            ("string(-0)", "\"0\""),
            ("1 div -0 < 0", "true"),
            ("string(1000000000000000000000)", "\"1000000000000000000000\""),
            ("string(0.0000001)", "\"0.0000001\""),
            ("number(' -12.50 ')", "-12.5"),
            ("number('1e3')", "NaN"),
            ("number(true())", "1"),
            ("//n[. = 2] = //m", "true"),
        ],
    );
}

#[test]
fn names_and_stars_are_operators_only_behind_operands() {
    check_all(
        "<div><div>6</div><mod>4</mod><or/><and/></div>",
        &[
            ("div/div div div/mod", "1.5"),
            ("/div/div * /div/mod", "24"),
            ("count(*/*) * count(*)", "4"),
            ("/*/or or /*/and", "true"),
            ("/*/*[. * 2 > 8]", "/div[1]/div[1]"),
            ("/div/mod mod 3", "1"),
            ("/div/mod-1", ""),
            ("/div/mod -1", "3"),
            ("count(/*/or | /*/and)", "2"),
            ("div/div=6", "true"),
        ],
    );
}

#[test]
fn string_functions() {
    check_all(
        "<r><t>  a  b\n c </t><u>é𝄞x</u></r>",
        &[
            ("string(//u)", "\"é𝄞x\""),
            ("string-length(//u)", "3"),
            ("string-length()", "13"),
            ("concat('a', 1, true(), //u)", "\"a1trueé𝄞x\""),
            ("starts-with('abc', 'ab')", "true"),
            ("starts-with('abc', '')", "true"),
            ("contains('abc', 'bc')", "true"),
            ("contains('abc', 'x')", "false"),
            ("substring-before('1999/04/01', '/')", "\"1999\""),
            ("substring-before('a', 'x')", "\"\""),
            ("substring-after('1999/04/01', '/')", "\"04/01\""),
            ("substring-after('a', 'x')", "\"\""),
            ("substring-after('abc', '')", "\"abc\""),
            ("substring('12345', 2, 3)", "\"234\""),
            ("substring('12345', 2)", "\"2345\""),
            ("substring('12345', 1.5, 2.6)", "\"234\""),
            ("substring('12345', 0, 3)", "\"12\""),
            ("substring('12345', 0 div 0, 3)", "\"\""),
            ("substring('12345', 1, 0 div 0)", "\"\""),
            ("substring('12345', -42, 1 div 0)", "\"12345\""),
            ("substring('12345', -1 div 0, 1 div 0)", "\"\""),
            ("substring('12345', -1 div 0)", "\"12345\""),
            ("substring(//u, 2, 1)", "\"𝄞\""),
            ("normalize-space(//t)", "\"a b c\""),
            ("//t[normalize-space() = 'a b c']", "/r[1]/t[1]"),
            ("translate('bar', 'abc', 'AB')", "\"BAr\""),
            ("translate('--aaa--', 'a-', 'A')", "\"AAA\""),
            ("translate('aa', 'aa', 'xy')", "\"xx\""),
        ],
    );
}

#[test]
fn other_functions() {
    check_all(
        "<!DOCTYPE r [<!ATTLIST i k ID #IMPLIED>]><r xml:lang='en'><i k='a'/><i k='b' xml:lang='de-AT'/>\
         <i xml:id='c'><x>a c</x></i><v>1</v><v>2.5</v></r>",
        &[
            ("id('b')/@k", "/r[1]/i[2]/@k"),
            ("id('c  a')", "/r[1]/i[1] /r[1]/i[3]"),
            ("id(//x)", "/r[1]/i[1] /r[1]/i[3]"),
            ("id('none')", ""),
            ("id('c')/x", "/r[1]/i[3]/x[1]"),
            ("//i[lang('de')]", "/r[1]/i[2]"),
            ("//i[lang('EN')]", "/r[1]/i[1] /r[1]/i[3]"),
            ("//i[lang('d')]", ""),
            ("sum(//v)", "3.5"),
            ("sum(//none)", "0"),
            ("sum(//i)", "NaN"),
            ("floor(-1.5)", "-2"),
            ("ceiling(-1.5)", "-1"),
            ("round(-1.5)", "-1"),
            ("round(2.5)", "3"),
            ("boolean(//none) or boolean('') or boolean(0) or boolean(0 div 0)", "false"),
            ("boolean('false') and boolean(-1)", "true"),
            ("not(//none)", "true"),
            ("count(//i | //v)", "5"),
            ("local-name(//@*[last()])", "\"lang\""),
            ("name()", "\"\""),
            ("local-name(//none)", "\"\""),
            ("position() = last()", "true"),
        ],
    );
}

#[test]
fn attributes_come_in_the_order_of_the_source() {
    check("<a z='1' b='2' m='3' a='4'/>", "//@*", "/a[1]/@z /a[1]/@b /a[1]/@m /a[1]/@a");
    check("<a z='1' b='2' m='3' a='4'/>", "/a/@*[2]", "/a[1]/@b");
}

/// Values that do not stand in the source as they are have their places there nevertheless; defaults have none.
#[test]
fn attributes_with_other_values_than_written_keep_their_places() {
    let check = |source: &str, expected: &str| {
        let document = xml(source);
        let names = |value: Value<'_>| {
            let names = value.into_nodes().into_iter().map(|selected| match selected {
                select::Selected::Attribute { attribute, .. } => attribute.qualified_name().into_owned(),
                other => panic!("{other:?} is no attribute"),
            });
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(select::xpath(&document, "//x/@*").unwrap()), expected, "{source}");
        let one_by_one = (1..=expected.split(' ').count()).map(|at| format!("//x/@*[{at}]"));
        let found = one_by_one.map(|expression| names(select::xpath(&document, &expression).unwrap()));
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{source}");
        let by_name = expected.split(' ').map(|name| format!("//x/@{name}")).rev().collect::<Vec<_>>();
        assert_eq!(names(select::xpath(&document, &by_name.join("|")).unwrap()), expected, "{source}");
        let x = select::css(&document, "x").unwrap()[0];
        let written = treediff::write::attributes_as_written(x);
        let written: Vec<_> = written.iter().map(|attribute| attribute.qualified_name()).collect();
        assert_eq!(written.join(" "), expected, "{source}");
    };
    check("<!DOCTYPE r [<!ENTITY e 'E'>]><r><x a='&e;' b='2' c='&e;'/></r>", "a b c");
    check("<!DOCTYPE r [<!ATTLIST x t NMTOKENS #IMPLIED>]><r><x t=' b ' z='2'/></r>", "t z");
    let declared = "<!ENTITY e 'E'><!ATTLIST x d CDATA '1' m CDATA '2' a CDATA '3' t NMTOKENS '4'>";
    check(&format!("<!DOCTYPE r [{declared}]><r><x z='&e;' m='v' t=' q ' b='1'/></r>"), "z m t b d a");
    check(&format!("<!DOCTYPE r [{declared}]><r><x/></r>"), "d m a t");
    let content = "<!ENTITY f 'F'><!ATTLIST x d CDATA '1'><!ENTITY e '<x z=\"&#38;f;\" k=\"v\" b=\"&#38;f;\"/>'>";
    check(&format!("<!DOCTYPE r [{content}]><r>&e;</r>"), "z k b d");
    check("<!DOCTYPE r [<!ENTITY e 'E'>]><r><x xml:lang = '&e;' c='=' d\n=\"&e; xml:lang='\"/></r>", "xml:lang c d");
}

#[test]
fn variables() {
    let document = xml("<a><b>1</b><b>2</b></a>");
    let mut context = Context::default();
    let nodes = select::xpath(&document, "//b").unwrap();
    context.variables.extend([
        ("n".to_owned(), Value::Number(2.0)),
        ("s".to_owned(), Value::String("1".to_owned())),
        ("set".to_owned(), nodes),
        ("p:q".to_owned(), Value::Boolean(true)),
    ]);
    for (expression, expected) in [
        ("//b[$n]", "/a[1]/b[2]"),
        ("//b[. = $s]", "/a[1]/b[1]"),
        ("$set[2]", "/a[1]/b[2]"),
        ("$set/..", "/a[1]"),
        ("$p:q and count($set) = 2", "true"),
    ] {
        let value = Expression::parse(expression).unwrap().evaluate(document.root(), &context).unwrap();
        assert_eq!(line(&document, &value), expected, "{expression}");
    }
    let unknown = Expression::parse("$x + 1").unwrap().evaluate(document.root(), &context);
    assert_eq!(unknown, Err(SelectError::UnknownVariable("x".to_owned())));
    let wrong = Expression::parse("$n/b").unwrap().evaluate(document.root(), &context).unwrap_err();
    assert_eq!(wrong.to_string(), "found a number as a set of nodes, expected a node-set");
    let other = xml("<a/>");
    let foreign = Expression::parse("$set").unwrap().evaluate(other.root(), &context);
    assert_eq!(foreign, Err(SelectError::ForeignNodes("set".to_owned())));
}

#[test]
fn xpath_errors_say_where_and_what() {
    check_error("//a[", "column 5: found the end, expected an expression");
    check_error("//a]", "column 4: found `]`, expected an operator or the end");
    check_error("a b", "column 3: found `b`, expected an operator");
    check_error("é/'", "column 4: found the end, expected a closing `'`");
    check_error("sideways::a", "column 1: found `sideways`, expected one of the thirteen axes");
    check_error("a[1 + foo(2)]", "column 7: unknown function `foo`");
    check_error("x:count(a)", "column 1: unknown function `x:count`");
    check_error("concat('a')", "column 1: found 1 arguments of `concat`, expected 2 or more");
    check_error("count('a')", "found a string as an argument, expected a node-set");
    check_error("(1)[1]", "found a number as what a predicate filters, expected a node-set");
    check_error("'a'/b", "found a string as the start of a path, expected a node-set");
    check_error("a | 1", "found a number as a part of a union, expected a node-set");
    check_error("p:a", "unknown namespace prefix `p`");
    check_error("a#b", "column 2: found `#`, expected an expression");
    check_error("", "column 1: found the end, expected an expression");
    check_error("a/", "column 3: found the end, expected a node test");
    check_error("child::", "column 8: found the end, expected a node test");
    check_error("$", "column 2: found the end, expected a name");
    check_error("1 +", "column 4: found the end, expected an expression");
}

/// Runs on half the stack that threads get, for a margin.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn nesting_is_bounded() {
    on_a_small_stack(|| {
        let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        check("<a/>", &nested(63), "1");
        assert!(matches!(Expression::parse(&nested(64)), Err(SelectError::TooDeep { limit: 64, .. })));
        assert!(matches!(Expression::parse(&nested(1_000_000)), Err(SelectError::TooDeep { .. })));
        let predicates = |depth: usize| format!("//a{}{}", "[//a".repeat(depth), "]".repeat(depth));
        check("<a/>", &predicates(63), "/a[1]");
        let worst = |depth: usize| {
            format!("{}1{}", "not(1 = 2 or 1 and 1 = 1 < 1 + 1 * (//a[".repeat(depth), "])/b)".repeat(depth))
        };
        check("<a/>", &worst(21), "true");
        let negated = |depth: usize| format!("{}a{}", ":not(".repeat(depth), ")".repeat(depth));
        check_css("<a/>", &[(&negated(64), "a")]);
        assert!(matches!(Selector::parse(&negated(65)), Err(SelectError::TooDeep { .. })));
        check_css("<a/>", &[(&format!("{}b{}", ":is(a b, ".repeat(64), ")".repeat(64)), "")]);
    });
}

#[test]
fn length_is_no_obstacle() {
    check("<a/>", &format!("1{}", "+1".repeat(100_000)), "100001");
    check("<a/>", &format!("{}1", "-".repeat(100_001)), "-1");
    check("<a/>", &format!("count(//a{})", "|//a".repeat(1000)), "1");
    check("<a/>", &format!("//a{}", "[1]".repeat(10_000)), "/a[1]");
    check("<a/>", &format!("/a{}", "/.".repeat(10_000)), "/a[1]");
    check_css("<a/>", &[(&vec!["a"; 10_000].join(" > "), ""), (&vec!["a"; 10_000].join(","), "a")]);
}

/// A document of `depth` levels with `width` elements on each.
fn bush(depth: usize, width: usize) -> Document {
    let level = "<x/>".repeat(width);
    xml(&format!("{}{}", format!("<a>{level}").repeat(depth), "</a>".repeat(depth)))
}

#[test]
fn hostile_work_ends_with_an_error() {
    let document = bush(1000, 5);
    let context = Context { budget: Budget { max_steps: 1_000_000 }, ..Context::default() };
    for expression in [
        "//*[count(.//*) > 0]//*[count(.//*) > 0]",
        "//*[count(preceding::*) > count(following::*)]",
        "//*[contains(string(..), 'x')]",
        "//*[.//*[.//*[.//*]] = 'x']",
        "//*/ancestor::*[last()]/descendant::*[last()]",
        "concat(//*[string-length(string(/)) = 1], 'x')",
        "//*[ancestor::*[position() = 5000]]",
    ] {
        let result = Expression::parse(expression).unwrap().evaluate(document.root(), &context);
        assert_eq!(result, Err(SelectError::Budget { max_steps: 1_000_000 }), "{expression}");
    }
    for selector in ["*:contains('x')", &[":has(* * *)"; 100].concat()] {
        let result = Selector::parse(selector).unwrap().select(document.root(), &context);
        assert_eq!(result, Err(SelectError::Budget { max_steps: 1_000_000 }), "{selector}");
    }
    let message = SelectError::Budget { max_steps: 7 }.to_string();
    assert_eq!(message, "more than 7 steps; raise `--max-steps` to allow it");
}

/// Loops that find nothing count as well: over sets without children, ancestors that are passed, long values.
#[test]
fn fruitless_work_counts_too() {
    let limit = SelectError::Budget { max_steps: 1_000_000 };
    let context = Context { budget: Budget { max_steps: 1_000_000 }, ..Context::default() };
    let evaluate = |document: &Document, expression: &str| {
        Expression::parse(expression)
            .unwrap()
            .evaluate(document.root(), &context)
            .map(|value| value.to_text().into_owned())
    };
    assert_eq!(evaluate(&bush(1000, 5), "count(//*[(//x)/y])"), Err(limit.clone()));
    assert_eq!(evaluate(&bush(3000, 0), "count(//*/preceding::*[1])"), Err(limit.clone()));
    let long = "x".repeat(10_000);
    assert_eq!(evaluate(&bush(100, 10), &format!("count(//*['{long}' = '{long}'])")), Err(limit.clone()));
    assert_eq!(evaluate(&bush(100, 10), &format!("count(//*[number('{long}') = 1])")), Err(limit.clone()));

    let document = xml(&format!("<a xml:lang='{long}' class='{long}'>{}</a>", "<x/>".repeat(1000)));
    assert_eq!(evaluate(&document, "count(//x[lang('x')])"), Err(limit.clone()));
    let classes = ".y,".repeat(1000);
    for selector in [":lang(x)", &format!("{classes}.y")] {
        let result = Selector::parse(selector).unwrap().select(document.root(), &context);
        assert_eq!(result, Err(limit.clone()), "{selector:.9}");
    }
}

/// Whatever is as long as the expression and done for every node counts, also where there is nothing to look at.
#[test]
fn long_expressions_count_for_every_node() {
    let limit = SelectError::Budget { max_steps: 1_000_000 };
    let context = Context { budget: Budget { max_steps: 1_000_000 }, ..Context::default() };
    let document = xml(&format!("<r>{}</r>", "<a b='' xml:lang=''/>".repeat(1000)));
    let repeated = |first: &str, more: &str| format!("{first}{}", more.repeat(10_000));
    let long = "x".repeat(40_000);
    for expression in [
        &format!("//*[{}]", repeated("/y", "|/y")),
        &format!("//*[substring-before(@b, '{long}') = 'y']"),
        &format!("//*[substring-after(@b, '{long}') = 'y']"),
        &format!("//*[id('{}')]", " ".repeat(40_000)),
        &format!("//*[{}]", repeated("not(y)", " and not(y)")),
    ] {
        let result = Expression::parse(expression).unwrap().evaluate(document.root(), &context);
        assert_eq!(result, Err(limit.clone()), "{expression:.20}");
    }
    for selector in [
        &format!(":lang({})", repeated("de", ",de")),
        &format!(":contains({})", repeated("x", ",x")),
        &format!("[b='{long}' i]"),
    ] {
        let result = Selector::parse(selector).unwrap().select(document.root(), &context);
        assert_eq!(result, Err(limit.clone()), "{selector:.20}");
    }
}

/// Where nothing is left, nothing more is looked for, and no predicate is gone through to see what it is.
#[test]
fn paths_that_have_lost_everything_end() {
    let context = Context { budget: Budget { max_steps: 1_000_000 }, ..Context::default() };
    let document = xml(&format!("<r>{}</r>", "<a><b/></a>".repeat(15_000)));
    let count = |expression: &str| Expression::parse(expression).unwrap().evaluate(document.root(), &context);
    for (expression, expected) in [
        (format!("count(//a{})", "[1]".repeat(40_000)), 1.0),
        (format!("count(//*[x{}])", "/x".repeat(40_000)), 0.0),
        (format!("count(//*[x{}])", "[a]".repeat(40_000)), 0.0),
        (format!("count(//*[(x){}])", "[a]".repeat(40_000)), 0.0),
        (format!("count(//*[x{}])", " and x".repeat(40_000)), 0.0),
        (format!("count(//*[.{}])", " or x".repeat(40_000)), 30_001.0),
    ] {
        assert_eq!(count(&expression), Ok(Value::Number(expected)), "{expression:.20}");
    }
}

#[test]
fn strings_that_grow_are_bounded() {
    let document = xml(&format!("<a>{}</a>", "x".repeat(100_000)));
    let context = Context { budget: Budget { max_steps: 1_000_000 }, ..Context::default() };
    let grown = format!("string-length(concat(/{}))", ", /".repeat(1000));
    let result = Expression::parse(&grown).unwrap().evaluate(document.root(), &context);
    assert_eq!(result, Err(SelectError::Budget { max_steps: 1_000_000 }));
}

#[test]
fn set_at_a_time_steps_are_linear() {
    let document = bush(2000, 5);
    let steps = 40 * document.len() as u64;
    let context = Context { budget: Budget { max_steps: steps }, ..Context::default() };
    for expression in [
        "//*//*//*//*",
        "//*/following::*/preceding::*",
        "//*/ancestor::*/descendant::*",
        "//x/following-sibling::x/preceding-sibling::x",
        "//*[count(//*) > 1]",
        "//x = //x/..//x",
        "//x[1]",
        "//x/preceding-sibling::x[1]",
        "//*[x][a]",
    ] {
        let result = Expression::parse(expression).unwrap().evaluate(document.root(), &context);
        assert!(result.is_ok(), "{expression}: {result:?}");
    }
    for selector in
        ["a a a x", "a > x ~ x + x", "a:has(x)", "x:nth-child(2n+1)", "x:not(a > a x)", "x:nth-last-of-type(2)"]
    {
        let result = Selector::parse(selector).unwrap().select(document.root(), &context);
        assert!(result.is_ok(), "{selector}: {result:?}");
    }
}

#[test]
fn depth_is_no_obstacle() {
    let depth = 200_000;
    let document = xml(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)));
    assert_eq!(select::xpath(&document, "count(//a/ancestor::a)"), Ok(Value::Number(depth as f64 - 1.0)));
    assert_eq!(select::css(&document, "a a a:has(a)").unwrap().len(), depth - 3);
}

const PAGE: &str = "<r id='r'><d id='d1' class='x y' t='en-GB'><p id='p1'/><p id='p2' class='y'>tea</p></d>\
    <d id='d2' t='en'><p id='p3' t='EN'/><q id='q1'/><p id='p4'><!--c--></p></d><e id='e'> </e></r>";

#[test]
fn simple_selectors() {
    check_css(
        PAGE,
        &[
            ("p", "p1 p2 p3 p4"),
            ("*", "r d1 p1 p2 d2 p3 q1 p4 e"),
            ("#p3", "p3"),
            (".y", "d1 p2"),
            (".x.y", "d1"),
            ("d.y", "d1"),
            ("[t]", "d1 d2 p3"),
            ("[t=en]", "d2"),
            ("[t='en']", "d2"),
            ("[t=en i]", "d2 p3"),
            ("[t=\"EN\"s]", "p3"),
            ("[t|=en]", "d1 d2"),
            ("[class~=y]", "d1 p2"),
            ("[class~='x y']", ""),
            ("[t^=en-]", "d1"),
            ("[t$=GB]", "d1"),
            ("[t*='-']", "d1"),
            ("[t^=''], [t$=''], [t*='']", ""),
            ("[ t = 'en' ]", "d2"),
            ("p, q , e", "p1 p2 p3 q1 p4 e"),
            ("p:contains('te')", "p2"),
            (":contains(tea):not(p)", "r d1"),
        ],
    );
}

#[test]
fn combinators() {
    check_css(
        PAGE,
        &[
            ("r p", "p1 p2 p3 p4"),
            ("r > p", ""),
            ("r>d>p", "p1 p2 p3 p4"),
            ("p + p", "p2"),
            ("p ~ p", "p2 p4"),
            ("q+p", "p4"),
            ("d ~ e", "e"),
            ("d + d p", "p3 p4"),
            ("r /* c */ > /* d */ e", "e"),
            ("r * *", "p1 p2 p3 q1 p4"),
        ],
    );
}

#[test]
fn structural_pseudo_classes() {
    check_css(
        PAGE,
        &[
            (":root", "r"),
            (":scope > d", "d1 d2"),
            (":empty", "p1 p3 q1 p4"),
            (":first-child", "r d1 p1 p3"),
            (":last-child", "r p2 p4 e"),
            ("d :first-of-type", "p1 p3 q1"),
            (":last-of-type", "r p2 d2 q1 p4 e"),
            (":only-child", "r"),
            (":only-of-type", "r q1 e"),
            ("p:nth-child(2)", "p2"),
            ("p:nth-child(odd)", "p1 p3 p4"),
            ("p:nth-child( 2n + 1 )", "p1 p3 p4"),
            ("p:nth-child(even)", "p2"),
            ("r > :nth-child(-n+2)", "d1 d2"),
            ("r > :nth-child(n+2)", "d2 e"),
            ("p:nth-of-type(2)", "p2 p4"),
            ("p:nth-last-child(1)", "p2 p4"),
            ("p:nth-last-of-type(2)", "p1 p3"),
            ("p:nth-child(2 of p)", "p2 p4"),
            ("p:nth-last-child(1 of p)", "p2 p4"),
            ("p:nth-child(even of [id])", "p2"),
            ("p:nth-child(1 of d + d p)", "p3"),
            ("p:nth-child(0)", ""),
            ("p:nth-child(0n+1)", "p1 p3"),
        ],
    );
}

#[test]
fn nesting_pseudo_classes() {
    check_css(
        PAGE,
        &[
            ("p:not(.y)", "p1 p3 p4"),
            ("p:not(.y, :empty)", ""),
            (":not(p):not(d)", "r q1 e"),
            (":is(p, q)", "p1 p2 p3 q1 p4"),
            (":is(d + d p, e)", "p3 p4 e"),
            ("p:not(d + d p)", "p1 p2"),
            (":where(#p1)", "p1"),
            (":is()", ""),
            ("d:has(q)", "d2"),
            ("d:has(> p.y)", "d1"),
            (":has(+ q)", "p3"),
            (":has(~ e)", "d1 d2"),
            ("d:has(p + p)", "d1"),
            ("r:has(> d > q)", "r"),
            ("d:not(:has(q))", "d1"),
            (":has(q, .y)", "r d1 d2"),
            (":has(:is(d q))", "r d2"),
            (":is(e, :hover)", "e"),
            (":is(e, :frist-child, :no(p, (q), ')') q, p::before, #q1)", "q1 e"),
            (":where(:hover)", ""),
            ("e:not(:is(:hover))", "e"),
            (":is(:not(:hover), e)", "e"),
            (":is(:hover:is(e), q)", "q1"),
            (":has(:is(:has(q), q))", "r d2"),
        ],
    );
}

#[test]
fn languages() {
    check_css(
        "<r xml:lang='de'><a id='a'/><b id='b' xml:lang='de-Latn-CH'><c id='c'/></b><d id='d' xml:lang=''/></r>",
        &[(":lang(de)", "r a b c"), (":lang('*-CH')", "b c"), (":lang(*-CH, '')", "b c d"), (":lang(fr)", "")],
    );
}

#[test]
fn namespaces_in_css() {
    let document = xml("<a xmlns='u:1' xmlns:p='u:2' p:x='1' x='2'><p:b/><b xmlns='' p:x='3'/></a>");
    let mut context = Context::default();
    context.namespaces.insert("q".to_owned(), "u:2".to_owned());
    let count = |selector: &str, context: &Context<'_>| {
        Selector::parse(selector).unwrap().select(document.root(), context).map(|found| found.len())
    };
    for (selector, expected) in [
        ("b", 2),
        ("q|b", 1),
        ("|b", 1),
        ("*|b", 2),
        ("q|*", 1),
        ("[x]", 1),
        ("[q|x]", 2),
        ("[*|x]", 2),
        ("[|x='2']", 1),
    ] {
        assert_eq!(count(selector, &context), Ok(expected), "{selector}");
    }
    assert_eq!(count("z|b", &context), Err(SelectError::UnknownPrefix("z".to_owned())));
    context.namespaces.insert(String::new(), "u:1".to_owned());
    assert_eq!(count("a", &context), Ok(1));
    assert_eq!(count("b", &context), Ok(0));
    assert_eq!(count("*|b", &context), Ok(2));
}

#[test]
fn names_with_escapes_and_beyond_ascii() {
    check_css(
        "<r><été id='é'/><a.b id='1 x' class='w:full'/><c id='c' t='\"&#10;'/></r>",
        &[
            ("été", "é"),
            ("#é, #\\E9", "é"),
            ("\\e9 t\\e9", "é"),
            ("a\\.b", "1 x"),
            (".w\\:full", "1 x"),
            ("#\\31\\ x", "1 x"),
            ("[t='\"\\A ']", "c"),
            ("[t=\"\\\"\\A\"]", "c"),
        ],
    );
}

#[test]
fn selecting_from_a_node_stays_below_it() {
    let document = xml(PAGE);
    let d2 = document.element_by_id("d2").or_else(|| select::css(&document, "#d2").unwrap().first().copied()).unwrap();
    let count = |selector: &str| Selector::parse(selector).unwrap().select(d2, &Context::default()).unwrap().len();
    assert_eq!(count("p"), 2);
    assert_eq!(count("r p"), 2);
    assert_eq!(count("d"), 0);
    assert_eq!(count(":scope > q"), 1);
    assert_eq!(count(":scope"), 0);
}

#[test]
fn css_errors_say_where_and_what() {
    for (selector, expected) in [
        ("", "column 1: found the end, expected a selector"),
        ("a >", "column 4: found the end, expected a selector"),
        ("a,", "column 3: found the end, expected a selector"),
        ("a:hover", "column 2: `:hover` is not supported: it depends on what happens in a browser"),
        ("é::before", "column 2: `::before` is not supported: pseudo-elements are no nodes of the document"),
        ("a:before", "column 2: `:before` is not supported: pseudo-elements are no nodes of the document"),
        ("a:frist-child", "column 2: `:frist-child` is not supported: no such pseudo-class here"),
        ("a[b", "column 4: found the end, expected `=`, `~=`, `|=`, `^=`, `$=`, `*=` or `]`"),
        ("a[b=1]", "column 5: found `1`, expected a string or a name"),
        ("a[b='x]", "column 8: found the end, expected a closing `'`"),
        ("a:nth-child(x)", "column 13: found `x`, expected `even`, `odd` or a formula such as `2n+1`"),
        ("a:not()", "column 7: found `)`, expected a selector"),
        ("a ! b", "column 3: found `!`, expected a selector"),
        ("a || b", "column 4: found `|`, expected a name or `*`"),
        (".5", "column 2: found `5`, expected a class name"),
        ("#1x", "column 2: found `1`, expected an ID"),
        ("#", "column 2: found the end, expected an ID"),
        (":has(:has(p))", "column 6: `:has()` is not supported: no `:has` may stand inside another"),
        (":has(a:not(:has(p)))", "column 12: `:has()` is not supported: no `:has` may stand inside another"),
        (":is(p, )", "column 8: found `)`, expected a selector"),
        (":is(p, :no(q)", "column 14: found the end, expected `)`"),
        ("a /* b", "column 7: found the end, expected `*/`"),
        ("a)", "column 2: found `)`, expected a combinator, `,` or the end"),
    ] {
        assert_eq!(Selector::parse(selector).unwrap_err().to_string(), expected, "{selector}");
    }
    assert_eq!(Selector::parse("é >").unwrap_err().place().map(|place| (place.offset, place.column)), Some((4, 4)));
}

/// Pieces of which random expressions are put together, so that some of them mean something.
fn xpath_like() -> impl Strategy<Value = String> {
    let pieces = [
        "/",
        "//",
        "a",
        "b",
        "*",
        "@",
        "@n",
        "[",
        "]",
        "(",
        ")",
        "1",
        "2",
        ".",
        "..",
        "|",
        "+",
        "-",
        "=",
        "!=",
        "<",
        ">=",
        " and ",
        " or ",
        " div ",
        " mod ",
        "'x'",
        "\"",
        "$v",
        "count(",
        "last()",
        "position()",
        "text()",
        "node()",
        "ancestor::",
        "following::",
        "preceding-sibling::",
        "namespace::",
        "id('i')",
        "sum(",
        ",",
        "::",
        ":",
        "é",
        " ",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
}

fn css_like() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "b",
        "*",
        ".c",
        "#i",
        "[n]",
        "[n=1",
        "='x'",
        "]",
        " ",
        ">",
        "+",
        "~",
        ",",
        ":not(",
        ":has(",
        ":is(",
        ")",
        ":nth-child(",
        "2n+1",
        "-n",
        "odd",
        " of ",
        ":first-child",
        "::",
        ":",
        "\\",
        "\\31 ",
        "'",
        "/*",
        "*/",
        "|",
        "é",
        ":lang(de)",
        ":empty",
        ":contains(x)",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12).prop_map(|pieces| pieces.concat())
}

const ANY: &str = "<a n='1'><b n='2'>x<a/></b><!--c--><b xmlns:p='u'><p:a i='i'/>12</b><?p d?></a>";

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_expression_panics(expression in prop_oneof![xpath_like(), any::<String>()]) {
        let document = xml(ANY);
        let _ = select::xpath(&document, &expression);
    }

    #[test]
    fn no_selector_panics(selector in prop_oneof![css_like(), any::<String>()]) {
        let document = xml(ANY);
        let _ = select::css(&document, &selector);
    }

    #[test]
    fn node_sets_are_in_document_order_and_count_as_many(expression in xpath_like()) {
        let document = xml(ANY);
        if let Ok(Value::NodeSet(nodes)) = select::xpath(&document, &expression) {
            prop_assert!(nodes.windows(2).all(|pair| pair[0].owner().id() <= pair[1].owner().id() && pair[0] != pair[1]));
            let count = select::xpath(&document, &format!("count({expression})"));
            prop_assert_eq!(count, Ok(Value::Number(nodes.len() as f64)));
        }
    }

    #[test]
    fn unions_commute_and_absorb(left in xpath_like(), right in xpath_like()) {
        let document = xml(ANY);
        let evaluate = |expression: String| select::xpath(&document, &expression);
        if let (Ok(Value::NodeSet(_)), Ok(Value::NodeSet(_))) = (evaluate(left.clone()), evaluate(right.clone())) {
            let one = evaluate(format!("({left}) | ({right})"));
            prop_assert_eq!(&one, &evaluate(format!("({right}) | ({left})")));
            prop_assert_eq!(&one, &evaluate(format!("({left}) | ({right}) | ({left})")));
        }
    }

    #[test]
    fn axes_from_a_set_are_the_union_of_axes_from_its_nodes(
        axis in prop::sample::select(&["child", "parent", "descendant", "descendant-or-self", "ancestor",
            "ancestor-or-self", "following", "following-sibling", "preceding", "preceding-sibling", "self",
            "attribute", "namespace"][..]),
        start in prop::sample::select(&["//node()", "//*", "//b | //a/@n", "//@*", "//text() | //@n", "//a//a"][..]),
    ) {
        let document = xml(ANY);
        let step = Expression::parse(&format!("{axis}::node()")).unwrap();
        let mut each: Vec<String> = Vec::new();
        let paths = Paths::of(&document);
        let mut context = Context::default();
        for selected in select::xpath(&document, start).unwrap().into_nodes() {
            context.variables.insert("one".to_owned(), Value::NodeSet(vec![selected]));
            let one = Expression::parse(&format!("$one/{axis}::node()")).unwrap();
            let found = one.evaluate(document.root(), &context).unwrap().into_nodes();
            each.extend(found.iter().map(|selected| paths.selected(selected)));
        }
        let all = select::xpath(&document, &format!("({start})/{axis}::node()")).unwrap().into_nodes();
        let mut all: Vec<String> = all.iter().map(|selected| paths.selected(selected)).collect();
        all.sort();
        each.sort();
        each.dedup();
        prop_assert_eq!(all, each);
        prop_assert!(step.evaluate(document.root(), &context).is_ok());
    }

    #[test]
    fn is_and_not_are_complements(selector in css_like()) {
        let document = xml(ANY);
        if let Ok(found) = select::css(&document, &selector) {
            let others = select::css(&document, &format!(":not({selector})")).unwrap();
            let elements = select::css(&document, "*").unwrap();
            prop_assert_eq!(found.len() + others.len(), elements.len());
            prop_assert_eq!(select::css(&document, &format!(":is({selector})")).unwrap(), found);
        }
    }
}

//! Do selections work on JSON, where every value is an element named by its key?

use treediff::parse::{self, Options};
use treediff::select::{self, Value};
use treediff::tree::Document;

fn shop() -> Document {
    let source = br#"{"name": "Tea & Co", "open": true, "closed": null, "first name": "x",
        "items": [{"name": "tea", "price": 2.5, "tags": []}, {"name": "milk", "price": 1, "tags": ["a", "b"]}]}"#;
    parse::json(&source[..], &Options::default()).expect("a well-formed document").document
}

#[test]
fn xpath_on_json() {
    let shop = shop();
    for (expression, expected) in [
        ("string(/*/name)", "Tea & Co"),
        ("string(/*/open)", "true"),
        ("string(/*/*[name() = 'first name'])", "x"),
        ("count(//*)", "16"),
        ("count(//name)", "3"),
        ("count(/*/items/*)", "2"),
        ("sum(//price)", "3.5"),
        ("string(//*[price < 2]/name)", "milk"),
        ("string(/*/items/*[2]/tags/*[last()])", "b"),
        ("string(//price[. > 2]/../name)", "tea"),
        ("name(//tags/..)", ""),
        ("count(//text())", "0"),
        ("count(//@*)", "0"),
        ("count(//tags[not(*)])", "1"),
    ] {
        assert_eq!(select::xpath(&shop, expression).as_ref().map(Value::to_text), Ok(expected.into()), "{expression}");
    }
}

#[test]
fn css_on_json() {
    let shop = shop();
    for (selector, expected) in [
        ("name", vec!["Tea & Co", "tea", "milk"]),
        (":root > name", vec!["Tea & Co"]),
        ("items name", vec!["tea", "milk"]),
        ("items > :last-child > price", vec!["1"]),
        ("tags > :nth-child(2)", vec!["b"]),
        (":has(> tags > *) > name", vec!["milk"]),
        ("price:contains('2.5')", vec!["2.5"]),
        ("tags:empty", vec![""]),
        ("open:empty", vec![]),
        ("first\\ name", vec!["x"]),
    ] {
        let found = select::css(&shop, selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
        assert_eq!(found.iter().map(|node| node.string_value()).collect::<Vec<_>>(), expected, "{selector}");
    }
}

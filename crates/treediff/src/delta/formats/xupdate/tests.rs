//! Does the sequence lead where it should? A small processor executes it, one modification after the other, by our
//! own XPath over the document as it is then.

use std::collections::BTreeMap;
use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::delta::formats::sample::{catalogue_without_type, compared, random_delta, read};
use crate::parse::Whitespace;
use crate::select::{Context, Expression, Selected};
use crate::write::{canonical, canonical_subtree};

fn written(delta: &Delta, before: &Document, after: &Document) -> String {
    let mut written = String::new();
    xupdate(delta, before, after, &mut written).unwrap();
    written
}

/// The canonical form of a document after the modifications; every node's place in it is known from its form.
fn executed(modifications: &str, before: &Document) -> String {
    let modifications = read(modifications, Whitespace::Exact);
    let root = modifications.root_element().unwrap();
    let namespaces: BTreeMap<String, String> =
        root.declarations().map(|(prefix, uri)| (prefix.into_owned(), uri.into_owned())).collect();
    let mut state = canonical(before);
    let mut variables = BTreeMap::new();
    for operation in root.children().filter(|node| node.is_element()) {
        let document = read(&state, Whitespace::Exact);
        let context = Context { namespaces: namespaces.clone(), ..Context::default() };
        let select = operation.attribute("", "select").unwrap();
        let selected = Expression::parse(&select).unwrap().evaluate(document.root(), &context).unwrap().into_nodes();
        let content = constructed(operation, &variables);
        let is_clearing = select.ends_with("/text()");
        assert!(selected.len() == 1 || is_clearing, "{select} is {} nodes in {state}", selected.len());
        for selected in selected.iter().rev() {
            match operation.name().local {
                "variable" => {
                    let name = operation.attribute("", "name").unwrap().into_owned();
                    variables.insert(name, canonical_subtree(selected.owner()));
                }
                local => state = modified(&state, local, selected, operation, &content),
            }
        }
        // What comes out must be read as it was meant: texts that run together would be one, and be found nowhere.
        state = canonical(&read(&state, Whitespace::Exact));
    }
    state
}

/// What an operation constructs, as markup.
fn constructed(operation: Node<'_>, variables: &BTreeMap<String, String>) -> String {
    let mut markup = String::new();
    for child in operation.children() {
        match child.name().local {
            _ if child.name().namespace != XUPDATE => markup += &canonical_subtree(child),
            "text" => markup.extend(child.children().map(canonical_subtree)),
            "comment" => markup += &format!("<!--{}-->", child.string_value()),
            "processing-instruction" => {
                markup += &format!("<?{} {}?>", child.attribute("", "name").unwrap(), child.string_value());
            }
            "value-of" => markup += &variables[child.attribute("", "select").unwrap().trim_start_matches('$')],
            "attribute" => {}
            other => panic!("`{other}` constructs nothing here"),
        }
    }
    markup
}

fn modified(state: &str, operation: &str, selected: &Selected<'_>, element: Node<'_>, content: &str) -> String {
    let node = selected.owner();
    let spliced = |range: Range<usize>, new: &str| format!("{}{new}{}", &state[..range.start], &state[range.end..]);
    match (operation, selected) {
        ("remove", Selected::Attribute { attribute, .. }) => {
            let value = attribute.source_range().unwrap();
            let name = state[..value.start].rfind(' ').unwrap();
            spliced(name..value.end + 1, "")
        }
        ("update", Selected::Attribute { attribute, .. }) => {
            let value = element.string_value().replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            spliced(attribute.source_range().unwrap(), &value.replace('\n', "&#xA;"))
        }
        ("remove", _) => spliced(extent(node), ""),
        ("update", _) => match node.kind() {
            Kind::Text => spliced(extent(node), content),
            Kind::Comment => spliced(extent(node), &format!("<!--{}-->", element.string_value())),
            _ => spliced(extent(node), &format!("<?{} {}?>", node.name(), element.string_value())),
        },
        ("insert-after", _) => spliced(extent(node).end..extent(node).end, content),
        ("insert-before", _) => spliced(extent(node).start..extent(node).start, content),
        ("append", _) => appended(node, element, content),
        (other, _) => panic!("`{other}` is no modification"),
    }
}

fn appended(node: Node<'_>, element: Node<'_>, content: &str) -> String {
    let state = node.document().source();
    if node.parent().is_none() {
        return format!("{state}{content}");
    }
    let attribute = element.first_child().filter(|child| child.name().local == "attribute");
    let (at, new) = match attribute {
        Some(attribute) => {
            let start = node.source_range().unwrap().start;
            let name_end = state[start..].find(['>', ' ']).unwrap();
            (start + name_end, format!(" {}", attribute_markup(attribute)))
        }
        None => (node.source_range().unwrap().end - format!("</{}>", node.qualified_name()).len(), content.to_owned()),
    };
    format!("{}{new}{}", &state[..at], &state[at..])
}

fn attribute_markup(attribute: Node<'_>) -> String {
    let name = attribute.attribute("", "name").unwrap();
    let value = attribute.string_value().replace('&', "&amp;").replace('<', "&lt;").replace('\n', "&#xA;");
    let declaration = attribute.attribute("", "namespace").filter(|_| !name.starts_with("xml:")).map(|namespace| {
        let prefix = name.split(':').next().unwrap();
        format!("xmlns:added-{prefix}='{namespace}' added-")
    });
    format!("{}{name}='{value}'", declaration.unwrap_or_default())
}

/// Where a node stands in a canonical form.
fn extent(node: Node<'_>) -> Range<usize> {
    let range = node.source_range().unwrap();
    let source = node.document().source();
    match node.kind() {
        Kind::Comment => range.start - 4..range.end + 3,
        Kind::ProcessingInstruction => source[..range.start].rfind("<?").unwrap()..range.end + 2,
        _ => range,
    }
}

/// Prefixes are of no matter, so that documents are compared as trees.
#[track_caller]
fn assert_same(result: &str, after: &Document, whitespace: Whitespace) {
    let result = read(result, whitespace);
    // A document type declaration is part of the document node, and XUpdate has no words for it.
    let pairs = result.root().children().zip(after.root().children());
    let is_same = result.len() == after.len() && pairs.into_iter().all(|(result, after)| result.same_content(after));
    assert!(is_same, "{}\nis not\n{}", canonical(&result), canonical(after));
}

#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    let (delta, before, after) = compared(before, after, Whitespace::Layout);
    let written = written(&delta, &before, &after);
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[1..lines.len() - 1], *expected);
    assert_same(&executed(&written, &before), &after, Whitespace::Layout);
}

#[test]
fn every_operation_becomes_a_modification() {
    let (delta, before, after) = catalogue_without_type();
    let expected = r#"<xupdate:modifications xmlns:xupdate="http://www.xmldb.org/xupdate" version="1.0">
<xupdate:update select="/list[1]/product[1]/price[1]/text()[1]">"$699"</xupdate:update>
<xupdate:append select="/list[1]/product[1]"><xupdate:attribute name="class">hot</xupdate:attribute></xupdate:append>
<xupdate:remove select="/list[1]/@xml:lang"/>
<xupdate:update select="/list[1]/product[1]/@href">b</xupdate:update>
<xupdate:variable name="moved1" select="/list[1]/note[1]"/>
<xupdate:remove select="/list[1]/note[1]"/>
<xupdate:remove select="/list[1]/product[2]"/>
<xupdate:insert-before select="/list[1]/product[1]"><xupdate:value-of select="$moved1"/></xupdate:insert-before>
<xupdate:insert-after select="/list[1]/product[1]/price[1]"><stock>7</stock></xupdate:insert-after>
</xupdate:modifications>
"#;
    let written = written(&delta, &before, &after);
    assert_eq!(written, expected);
    assert_same(&executed(&written, &before), &after, Whitespace::Layout);
}

#[test]
fn texts_are_never_side_by_side() {
    check(
        "<p>one <b>x</b> two</p>",
        "<p>one <i>y</i> two</p>",
        &[
            r#"<xupdate:remove select="/p[1]/text()[2]"/>"#,
            r#"<xupdate:remove select="/p[1]/b[1]"/>"#,
            r#"<xupdate:remove select="/p[1]/text()[1]"/>"#,
            r#"<xupdate:append select="/p[1]"><xupdate:text>one </xupdate:text></xupdate:append>"#,
            r#"<xupdate:insert-after select="/p[1]/text()[1]"><i>y</i></xupdate:insert-after>"#,
            r#"<xupdate:insert-after select="/p[1]/i[1]"><xupdate:text> two</xupdate:text></xupdate:insert-after>"#,
        ],
    );
}

#[test]
fn layout_does_not_become_text() {
    check(
        "<a>\n <b/>\n <c/>\n</a>",
        "<a><b/>x</a>",
        &[
            r#"<xupdate:remove select="/a[1]/text()"/>"#,
            r#"<xupdate:remove select="/a[1]/c[1]"/>"#,
            r#"<xupdate:insert-after select="/a[1]/b[1]"><xupdate:text>x</xupdate:text></xupdate:insert-after>"#,
        ],
    );
}

#[test]
fn json_is_refused() {
    let json = crate::parse::json("1", &Default::default()).unwrap().document;
    let (mut delta, ..) = catalogue_without_type();
    delta.format = Format::Json;
    let error = xupdate(&delta, &json, &json, &mut String::new()).unwrap_err();
    assert_eq!(error.to_string(), "XUpdate is for XML, and the documents are JSON");
}

proptest! {
    #[test]
    fn modifications_lead_to_the_version_after((delta, before, after) in random_delta()) {
        let written = written(&delta, &before, &after);
        assert_same(&executed(&written, &before), &after, Whitespace::Exact);
    }
}

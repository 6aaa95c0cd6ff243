//! Small edits and what they leave of the source.

use super::{Draft, DraftNode, FinishError, Reading};
use crate::delta::AttributeName;
use crate::parse::{self, Limits, Options, Whitespace};
use crate::select;
use crate::tree::{Document, Format};

fn parsed(format: Format, source: &str, whitespace: Whitespace) -> Document {
    let options = Options { whitespace, ..Options::default() };
    parse::parse(source, format, &options).unwrap().document.with_sorted_members()
}

/// The handle of the first node that an XPath expression selects.
fn at(draft: &Draft<'_>, xpath: &str) -> DraftNode {
    let found = select::xpath(draft.base(), xpath).unwrap();
    let nodes = found.into_nodes();
    draft.node(nodes[0].owner().id())
}

fn name(written: &str) -> AttributeName {
    let (namespace, name) = written.rsplit_once('}').map_or(("", written), |(uri, name)| (&uri[1..], name));
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    AttributeName { namespace: namespace.into(), prefix: prefix.into(), local: local.into() }
}

/// One edit: nodes by XPath, content as XML.
enum Edit {
    Detach(&'static str),
    Insert(&'static str, usize, &'static str),
    Move(&'static str, &'static str, usize),
    Value(&'static str, &'static str),
    Set(&'static str, &'static str, &'static str),
    Remove(&'static str, &'static str),
    Doctype(Option<&'static str>),
}
use Edit::*;

fn check_as(format: Format, whitespace: Whitespace, before: &str, edits: &[Edit], after: &str) {
    let base = parsed(format, before, whitespace);
    let payloads: Vec<Option<Document>> = edits
        .iter()
        .map(|edit| match edit {
            Insert(_, _, content) => Some(parsed(format, content, whitespace)),
            _ => None,
        })
        .collect();
    let mut draft = Draft::new(&base);
    let nodes: Vec<Vec<DraftNode>> = edits
        .iter()
        .map(|edit| match edit {
            Detach(path) | Insert(path, ..) | Value(path, _) | Set(path, ..) | Remove(path, _) => {
                vec![at(&draft, path)]
            }
            Move(from, to, _) => vec![at(&draft, from), at(&draft, to)],
            Doctype(_) => vec![],
        })
        .collect();
    for ((edit, nodes), payload) in edits.iter().zip(nodes).zip(&payloads) {
        match edit {
            Detach(_) => draft.detach(nodes[0]),
            Insert(_, index, _) => {
                let mut content = payload.as_ref().unwrap().root_element().unwrap();
                if format == Format::Html {
                    content = content.last_child().unwrap().first_child().unwrap();
                }
                if content.name().local == "wrap" {
                    content = content.first_child().unwrap();
                }
                let graft = draft.graft(content, &[][..]);
                draft.insert(nodes[0], *index, graft);
            }
            Move(_, _, index) => {
                draft.detach(nodes[0]);
                draft.insert(nodes[1], *index, nodes[0]);
            }
            Value(_, value) => draft.set_value(nodes[0], *value),
            Set(_, attribute, value) => draft.set_attribute(nodes[0], name(attribute), *value),
            Remove(_, attribute) => draft.remove_attribute(nodes[0], name(attribute)),
            Doctype(doctype) => draft.set_doctype(doctype.map(str::to_owned)),
        }
    }
    let document = draft
        .finish(&Reading { whitespace, recover: false, limits: &Limits::default(), hash: None })
        .unwrap_or_else(|error| panic!("{before}: {error}: {}", draft.write()));
    assert_eq!(document.source(), after, "spliced: {}", draft.write());
}

fn check(before: &str, edits: &[Edit], after: &str) {
    check_as(Format::Xml, Whitespace::Layout, before, edits, after);
}

#[test]
fn nothing_changed_keeps_every_byte() {
    for source in [
        "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY e '<b/>x'>]>\n<!--c-->\n<a  b = '1' >&e; <c/></a >\n<?p?>\n",
        "<a/>",
    ] {
        check(source, &[], source);
    }
}

#[test]
fn values_and_attributes() {
    check("<a>1<!--c--><?p q?></a>", &[Value("a/text()", "<2>")], "<a>&lt;2&gt;<!--c--><?p q?></a>");
    check(
        "<a>1<!--c--><?p q?></a>",
        &[Value("a/comment()", "d"), Value("a/processing-instruction()", "")],
        "<a>1<!--d--><?p?></a>",
    );
    check("<a><![CDATA[x<y]]></a>", &[Value("a/text()", "x<z")], "<a><![CDATA[x<z]]></a>");
    check("<a><![CDATA[x<y]]></a>", &[Value("a/text()", "]]>")], "<a>]]&gt;</a>");
    check("<a  b = '1'  c='2' />", &[Set("a", "b", "x\"y")], "<a  b = \"x&quot;y\"  c='2' />");
    check("<a  b = '1'  c='2' />", &[Remove("a", "b")], "<a  c='2' />");
    check("<a  b = '1'  c='2' />", &[Set("a", "d", "3"), Remove("a", "c")], "<a  b = '1' d=\"3\" />");
    check("<a><b c='1'>x</b> <d/></a>", &[Set("a/b", "c", "2")], "<a><b c=\"2\">x</b> <d/></a>");
}

#[test]
fn layout_travels_with_the_node_it_precedes() {
    let list = "<l>\n  <a/>\n\n  <b/>\n  <c/>\n</l>";
    check(list, &[Detach("l/b")], "<l>\n  <a/>\n  <c/>\n</l>");
    check(list, &[Detach("l/a"), Detach("l/b"), Detach("l/c")], "<l></l>");
    check(list, &[Insert("l", 1, "<x/>")], "<l>\n  <a/>\n  <x/>\n\n  <b/>\n  <c/>\n</l>");
    check(list, &[Insert("l", 0, "<x/>")], "<l>\n  <x/>\n  <a/>\n\n  <b/>\n  <c/>\n</l>");
    check(list, &[Insert("l", 3, "<x>\n<y/></x>")], "<l>\n  <a/>\n\n  <b/>\n  <c/>\n  <x>\n<y/></x>\n</l>");
    check(list, &[Move("l/c", "l", 0)], "<l>\n  <c/>\n  <a/>\n\n  <b/>\n</l>");
    check(list, &[Insert("l", 0, "<wrap>t</wrap>")], "<l>t<a/><b/><c/></l>");
    check(list, &[Move("l/b", "l/c", 0)], "<l>\n  <a/>\n  <c>\n\n  <b/></c>\n</l>");
    check("<l>\n  <a/>\n</l>", &[Detach("l/a"), Insert("l", 0, "<x/>")], "<l>\n  <x/>\n</l>");
    check("<l><a>t</a><b/></l>", &[Detach("l/a/text()")], "<l><a></a><b/></l>");
    check("<l xml:space='preserve'><a/></l>", &[Insert("l", 0, "<b/>")], "<l xml:space='preserve'><b/><a/></l>");
    check("<l>\r\n\t<a/></l>", &[Insert("l", 1, "<b/>")], "<l>\r\n\t<a/>\r\n\t<b/></l>");
    check(
        "<r><l xml:space='preserve'><a/></l>\n <b/></r>",
        &[Move("r/b", "r/l", 0)],
        "<r><l xml:space='preserve'><b/><a/></l></r>",
    );
}

#[test]
fn without_layout_there_is_none() {
    let check = |before, edits: &[Edit], after| check_as(Format::Xml, Whitespace::Exact, before, edits, after);
    let list = "<l>\n  <a/>\n  <b/>\n</l>";
    check(list, &[Detach("l/a"), Detach("l/text()[1]")], "<l>\n  <b/>\n</l>");
    check(list, &[Insert("l", 1, "<x/>")], "<l>\n  <x/><a/>\n  <b/>\n</l>");
    check("<!--c-->\n<l/>\n<!--d-->", &[Move("comment()[2]", "l", 0)], "<!--c-->\n<l><!--d--></l>");
}

#[test]
fn around_the_root() {
    let source = "<?xml version='1.0'?>\n<!--c-->\n<!DOCTYPE a>\n<a/>\n<!--d-->\n";
    check(source, &[Detach("comment()")], "<?xml version='1.0'?>\n<!DOCTYPE a>\n<a/>\n<!--d-->\n");
    check(source, &[Move("comment()", "/", 2)], "<?xml version='1.0'?>\n<!DOCTYPE a>\n<a/>\n<!--d-->\n<!--c-->\n");
    check(source, &[Doctype(None)], "<?xml version='1.0'?>\n<!--c-->\n<a/>\n<!--d-->\n");
    check(
        source,
        &[Doctype(Some("<!DOCTYPE a SYSTEM 'x'>"))],
        "<?xml version='1.0'?>\n<!--c-->\n<!DOCTYPE a SYSTEM 'x'>\n<a/>\n<!--d-->\n",
    );
    check("<?xml version='1.0'?>\n<a/>", &[Doctype(Some("<!DOCTYPE a>"))], "<?xml version='1.0'?>\n<!DOCTYPE a>\n<a/>");
    check("<a/>", &[Detach("a"), Insert("/", 0, "<b/>")], "<b/>");
}

#[test]
fn namespaces_hold_at_the_new_place() {
    check(
        "<a xmlns:p='u'><p:b><p:c/></p:b><d/></a>",
        &[Move("a/*[1]", "a/d", 0)],
        "<a xmlns:p='u'><d><p:b><p:c/></p:b></d></a>",
    );
    check(
        "<a><b xmlns:p='u'><p:c p:x='1'/></b><d/></a>",
        &[Move("a/b/*", "a/d", 0)],
        "<a><b xmlns:p='u'></b><d><p:c p:x='1' xmlns:p=\"u\"/></d></a>",
    );
    check("<a xmlns='u'><b/></a>", &[Insert("*", 0, "<c><d/></c>")], "<a xmlns='u'><c xmlns=\"\"><d/></c><b/></a>");
    check("<a xmlns='u'><b/></a>", &[Insert("*", 0, "<c xmlns='u'/>")], "<a xmlns='u'><c/><b/></a>");
    check(
        "<a><b/></a>",
        &[Insert("a", 0, "<c xmlns='u' xmlns:q='v' q:x=''/>")],
        "<a><c xmlns='u' xmlns:q='v' q:x=''/><b/></a>",
    );
    check("<a xmlns:p='u'/>", &[Set("a", "{u}p:x", "1")], "<a xmlns:p='u' p:x=\"1\"/>");
    check("<a xmlns:p='u'/>", &[Set("a", "{u}q:x", "1")], "<a xmlns:p='u' xmlns:q=\"u\" q:x=\"1\"/>");
    check("<a xmlns:p='u'/>", &[Set("a", "{v}p:x", "1")], "<a xmlns:p='u' xmlns:ns1=\"v\" ns1:x=\"1\"/>");
    check("<a/>", &[Set("a", "{http://www.w3.org/XML/1998/namespace}xml:id", "1")], "<a xml:id=\"1\"/>");
}

#[test]
fn what_came_out_of_entities_is_written_anew_where_it_changes() {
    let dtd = "<!DOCTYPE a [<!ENTITY e '<b>1</b>'> <!ENTITY t 'tee'>]>";
    let source = format!("{dtd}<a>&e;<c>&t;</c><d/></a>");
    check(&source, &[Set("a/d", "x", "y")], &format!("{dtd}<a>&e;<c>&t;</c><d x=\"y\"/></a>"));
    check(&source, &[Value("a/b/text()", "2")], &format!("{dtd}<a><b>2</b><c>&t;</c><d/></a>"));
    check(&source, &[Detach("a/d")], &format!("{dtd}<a><b>1</b><c>&t;</c></a>"));
    check(&source, &[Detach("a/c"), Doctype(None)], "<a><b>1</b><d/></a>");
}

#[test]
fn json_keeps_its_commas() {
    let check = |before, edits: &[Edit], after| check_as(Format::Json, Whitespace::Layout, before, edits, after);
    check("[1, 2, 3]", &[Detach("/*/*[1]")], "[2, 3]");
    check("[1, 2, 3]", &[Detach("/*/*[3]")], "[1, 2]");
    check("[1, 2, 3]", &[Insert("/*", 0, "[0]")], "[[0], 1, 2, 3]");
    check("[1, 2, 3]", &[Value("/*/*[2]", "\"x\"")], "[1, \"x\", 3]");
    check("[]", &[Insert("/*", 0, "{\"a\": 1}")], "[{\"a\": 1}]");
    check("{\"b\": 1, \"a\": [2]}\n", &[Value("/*/b", "null")], "{\"b\": null, \"a\": [2]}\n");
    check("{\n  \"b\": 1,\n  \"a\": [2]\n}", &[Detach("/*/b")], "{\n  \"a\": [2]\n}");
}

/// The first node that reads differently where a page gets a new child, by its name.
fn check_difference(page: &str, parent: &str, child: &str, expected: Option<u32>) {
    let base = parsed(Format::Html, page, Whitespace::Layout);
    let payload = parsed(Format::Xml, child, Whitespace::Exact);
    let mut draft = Draft::new(&base);
    let graft = draft.graft(payload.root_element().unwrap(), &[][..]);
    let children = draft.children(at(&draft, parent)).count();
    draft.insert(at(&draft, parent), children, graft);
    let limits = Limits::default();
    let reading = Reading { whitespace: Whitespace::Layout, recover: false, limits: &limits, hash: None };
    let found = match draft.finish(&reading) {
        Err(FinishError::ReadsDifferently { at, .. }) => Some(at),
        outcome => outcome.map(|_| None).unwrap(),
    };
    assert_eq!(found, expected, "{page}");
}

#[test]
fn the_first_node_that_reads_differently_is_told() {
    let div = "<div xmlns='http://www.w3.org/1999/xhtml'/>";
    let page = "<p>a</p><p>b</p><ul><li>c</ul>";
    // The document, `html`, `head`, `body`, `p`, its text, and what came and closes the paragraph.
    check_difference(page, "//*[name()='p'][1]", div, Some(6));
    check_difference(page, "//*[name()='li']", div, None);
    // What is read as being in what is before it is told as well: a `table` takes no `div`, which comes before it.
    check_difference("<table><tr><td>a</table>", "//*[name()='tr']", div, Some(4));
}

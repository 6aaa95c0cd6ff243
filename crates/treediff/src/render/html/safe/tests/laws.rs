//! Whatever the page: what is shown of it, read again, holds nothing but what is allowed.

use proptest::prelude::*;

use super::*;
use crate::render::html::safe::elements::MATHML_NAMESPACE;
use crate::tree::Attribute;

/// Reads what is shown of a page as a browser would and looks at all that is there.
pub(super) fn assert_harmless(page: &str) {
    for base in [Some(PAGE), None] {
        let written = shown_at(base, page);
        let again = read(&written);
        for node in again.nodes() {
            match node.kind() {
                Kind::Element => assert_harmless_element(node, base, &format!("{page}\n→ {written}")),
                Kind::Document | Kind::Text => {}
                other => panic!("a {other:?} in {written}"),
            }
        }
    }
}

/// These lists are written anew, apart from the rules that they are to catch.
fn assert_harmless_element(node: Node<'_>, base: Option<&str>, case: &str) {
    let name = node.name();
    let is_known = match name.namespace {
        HTML_NAMESPACE => !matches!(
            name.local,
            "script"
                | "noscript"
                | "template"
                | "iframe"
                | "frame"
                | "frameset"
                | "object"
                | "embed"
                | "applet"
                | "portal"
                | "fencedframe"
                | "canvas"
                | "base"
                | "meta"
                | "title"
                | "form"
                | "xmp"
                | "plaintext"
                | "noembed"
                | "noframes"
                | "param"
                | "keygen"
                | "bgsound"
                | "marquee"
                | "slot"
        ),
        SVG_NAMESPACE => !matches!(
            name.local,
            "script"
                | "foreignObject"
                | "a"
                | "animate"
                | "animateMotion"
                | "animateTransform"
                | "set"
                | "discard"
                | "feImage"
                | "handler"
                | "mpath"
                | "iframe"
                | "view"
        ),
        MATHML_NAMESPACE => !matches!(name.local, "maction" | "annotation-xml" | "mglyph" | "malignmark" | "semantic"),
        _ => false,
    };
    assert!(is_known, "an element {name} in {case}");
    for attribute in node.attributes() {
        assert_harmless_attribute(node, attribute, base, case);
    }
    if name.local == "style" {
        assert_harmless_sheet(&node.string_value(), base, case);
    }
}

fn assert_harmless_attribute(node: Node<'_>, attribute: Attribute<'_>, base: Option<&str>, case: &str) {
    let (name, value) = (attribute.name(), attribute.value());
    let is_box = name.local == format!("data-{KEY}-box");
    assert!(is_box || !name.local.to_lowercase().contains(KEY), "the key in a name of {case}");
    assert!(!value.to_lowercase().contains(KEY), "the key in a value of {case}");
    assert!(!name.local.starts_with("on"), "a handler in {case}");
    let acts = [
        "action",
        "formaction",
        "form",
        "srcdoc",
        "ping",
        "download",
        "autofocus",
        "autoplay",
        "manifest",
        "nonce",
        "http-equiv",
        "content",
        "popover",
        "popovertarget",
        "command",
        "commandfor",
        "is",
        "contenteditable",
        "accesskey",
        "tabindex",
        "codebase",
        "data",
        "classid",
        "archive",
        "lowsrc",
        "dynsrc",
        "profile",
        "longdesc",
        "attributename",
        "to",
        "values-of",
        "from",
        "by",
        "begin",
        "xmlns",
        "slot",
        "shadowrootmode",
        "imagesrcset",
    ];
    // In MathML `form` says on which side of its operand an operator stands.
    let is_of_math = name.local == "form" && node.name().namespace != HTML_NAMESPACE;
    assert!(!acts.contains(&name.local) || is_of_math, "{name} in {case}");
    match name.local {
        "href" if node.name().namespace == HTML_NAMESPACE && node.name().local != "link" => {
            let schemes = ["https://", "http://", "ftp://", "mailto:", "tel:"];
            let is_inside = value.starts_with("about:srcdoc#");
            assert!(is_inside || has_scheme(&value, &schemes), "a link to {value} in {case}");
        }
        "cite" => assert!(has_scheme(&value, &["https://", "http://", "ftp://"]), "{value} in {case}"),
        "href" | "src" | "poster" | "background" => assert_loadable(&value, base, case),
        "srcset" => {
            let addresses = value.split(' ').filter(|word| word.contains(':'));
            addresses.for_each(|address| assert_loadable(address, base, case));
        }
        "usemap" => assert!(value.starts_with('#')),
        "target" => assert_eq!(value, "_blank", "{case}"),
        "name" => assert!(matches!(node.name().local, "a" | "area" | "map" | "input"), "a name in {case}"),
        "style" | "fill" | "filter" | "mask" | "stroke" | "clip-path" => assert_harmless_sheet(&value, base, case),
        _ => {}
    }
}

fn has_scheme(value: &str, schemes: &[&str]) -> bool {
    schemes.iter().any(|scheme| value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

fn assert_loadable(value: &str, base: Option<&str>, case: &str) {
    let is_image = has_scheme(value, &["data:image/"]) && !value.to_lowercase().starts_with("data:image/svg");
    let is_allowed = base.is_some() && value.starts_with("https://example.org/");
    assert!(is_image || is_allowed || value.starts_with('#'), "{value} would be loaded in {case}");
}

/// Every address in a sheet is in double quotes behind `url(`, and escapes are only in names that mean nothing.
fn assert_harmless_sheet(sheet: &str, base: Option<&str>, case: &str) {
    assert!(!sheet.to_lowercase().contains(KEY), "the key in a sheet of {case}");
    assert!(!sheet.contains("</") && !sheet.contains("<!"), "markup in a sheet of {case}");
    let mut once_more = String::new();
    let origins: Vec<Origin> =
        base.iter().filter_map(|base| Url::parse(base)).map(|url| url.origin().clone()).collect();
    let document = read("");
    let safe = Safe::new(&document, base.and_then(Url::parse).as_ref(), &origins, KEY);
    css::write(sheet, &safe, &mut once_more);
    assert_eq!(once_more, sheet, "a sheet is another, once more rewritten, in {case}");
    for (at, _) in sheet.match_indices("url(\"") {
        let address = sheet[at + 5..].split('"').next().unwrap_or_default();
        // What is in a string is no address, nor what is a unit or a part of a name.
        let is_part = |c: char| c.is_alphanumeric() || "-_#@".contains(c) || !c.is_ascii();
        if !sheet[..at].contains(['"', '\'', '\\']) && !sheet[..at].ends_with(is_part) && !address.is_empty() {
            assert_loadable(address, base, case);
        }
    }
}

/// Pieces that mean something to parsers, in every order.
fn piece() -> impl Strategy<Value = String> {
    let tags = prop::sample::select(vec![
        "p",
        "a",
        "b",
        "table",
        "tr",
        "td",
        "svg",
        "math",
        "mtext",
        "mi",
        "mglyph",
        "annotation-xml",
        "foreignObject",
        "desc",
        "title",
        "style",
        "script",
        "noscript",
        "template",
        "textarea",
        "select",
        "option",
        "xmp",
        "plaintext",
        "iframe",
        "object",
        "embed",
        "form",
        "frameset",
        "frame",
        "body",
        "html",
        "head",
        "img",
        "image",
        "input",
        "link",
        "meta",
        "base",
        "use",
        "animate",
        "x-y",
        "o:p",
        "font",
        "br",
        "noembed",
        "math",
        "pre",
        "x\"y",
        "listing",
    ]);
    let attributes = prop::sample::select(vec![
        "",
        " onclick=x",
        " href=javascript:x",
        " href='java\tscript:x'",
        " src=//evil.net",
        " src=a.png",
        " style='a:url(b)'",
        " style=\"a:\\75rl(//evil.net)\"",
        " class=d0123456789abcdef",
        " encoding=text/html",
        " title='</style><script>'",
        " title=\"--><img onerror=x>\"",
        " xlink:href=#x",
        " href=#x",
        " type=image",
        " srcset='a 1x,//evil.net 2x'",
        " data-d0123456789abcdef=1",
        " rel=stylesheet href=x.css",
        " name=x id=y",
        "/",
        " color=x",
        " data-x\"=y",
        " aria-<b=c",
        " fill='url(//evil.net)'",
        " href=x",
        " action=x",
        " shadowrootmode=open",
        " x='",
        " x=\"",
    ]);
    let words = prop::sample::select(vec![
        "x",
        " ",
        "\n",
        "<",
        ">",
        "\"",
        "'",
        "</",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&lt;/style&gt;",
        "&lt;",
        "&amp;",
        "a{b:url(//evil.net)}",
        "@import 'x';",
        "\\",
        "/*",
        "*/",
        "}",
        "(",
        "url(",
        "\\75rl(",
        "image-set('x'",
        "<?x>",
        "d0123456789abcdef",
        "d01234",
        "\\64 0123456789abcdef",
        "é",
        "\u{0}",
        "&#0;",
        "&#x0d;",
        "<!DOCTYPE html>",
    ]);
    prop_oneof![
        4 => (tags.clone(), attributes.clone(), attributes).prop_map(|(tag, one, two)| format!("<{tag}{one}{two}>")),
        2 => tags.prop_map(|tag| format!("</{tag}>")),
        2 => words.prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_page_is_harmless(pieces in prop::collection::vec(piece(), 0..24)) {
        assert_harmless(&pieces.concat());
    }

    #[test]
    fn any_sheet_is_harmless(text in "([ -~]|url\\(|\\\\75|\\\\\n|/\\*|\\*/|@import |image-set\\(|d0123456789abcdef|<!--|é|\n){0,40}") {
        assert_harmless(&format!("<style>{text}</style>"));
        assert_harmless(&format!("<p style=\"{}\">", text.replace('"', "&quot;")));
        assert_harmless(&format!("<svg><style>{}</style></svg>", text.replace('<', "&lt;")));
    }
}

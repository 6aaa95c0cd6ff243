use super::*;
use crate::parse::{self, Options, Whitespace};
use crate::tree::{Kind, Step};

mod attacks;
mod laws;
mod rules;

const KEY: &str = "d0123456789abcdef";
const PAGE: &str = "https://example.org/dir/page.html";

/// A page as it is shown where it lies at `base`, from whose origin all may be loaded.
fn shown_at(base: Option<&str>, page: &str) -> String {
    let base = base.and_then(Url::parse);
    let allowed: Vec<Origin> = base.iter().map(|base| base.origin().clone()).collect();
    let document = read(page);
    let safe = Safe::new(&document, base.as_ref(), &allowed, KEY);
    let mut out = String::new();
    write(&safe, &document, &mut out);
    out
}

fn read(page: &str) -> Document {
    let options = Options { whitespace: Whitespace::Exact, encoding: Some("utf-8".into()), ..Options::default() };
    parse::html(page, &options).unwrap().document
}

fn write(safe: &Safe<'_>, document: &Document, out: &mut String) {
    let mut walk = document.root().walk();
    loop {
        if let Some(node) = walk.peek_entering().filter(|node| node.is_element()) {
            let fate = safe.fate(node);
            if fate == Fate::Whole {
                safe.whole(node, &[], out);
            }
            if matches!(fate, Fate::Whole | Fate::Nothing) {
                walk.skip_subtree();
                continue;
            }
        }
        match walk.next() {
            None => return,
            Some(Step::Enter(node)) if node.kind() == Kind::Text => push_text(&node.value(), out),
            Some(Step::Enter(node)) if safe.fate(node) == Fate::Element => safe.start_tag(node, &[], out),
            Some(Step::Leave(node)) if safe.fate(node) == Fate::Element => safe.end_tag(node, out),
            _ => {}
        }
    }
}

/// What is shown of a page at [`PAGE`], without the tags that every page has.
fn shown(page: &str) -> String {
    shown_at(Some(PAGE), page)
        .replace("<html>", "")
        .replace("<head>", "")
        .replace("</head>", "")
        .replace("<body>", "")
        .replace("</body>", "")
        .replace("</html>", "")
}

fn check(cases: &[(&str, &str)]) {
    for (page, expected) in cases {
        assert_eq!(shown(page), *expected, "{page}");
    }
}

//! Is the tree the one that browsers build? The html5lib suite says so, test by test.
//!
//! `scripts/fetch-html5lib-tests` brings the suite; without it the test has nothing to run and says so. Another copy
//! can be named by `DELTAIC_HTML5LIB_TESTS`. Tests of fragments and of pages whose scripts run are left out, since neither is
//! read here.

mod support;

use std::path::Path;

use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, HTML_NAMESPACE, Kind, Name, Node};

const SUITE: &str = "DELTAIC_HTML5LIB_TESTS";
const EXCEPTIONS: &str = include_str!("html5lib-exceptions.txt");

#[test]
fn trees_are_as_the_suite_has_them() {
    let Some(folder) = support::fetched("html5lib-tests", SUITE) else { return };
    let files = support::files_below(&folder.join("tree-construction"), &["dat"]);
    let cases: Vec<Case> = files.iter().flat_map(|file| cases(file)).collect();
    assert!(cases.len() > 1000, "only {} tests in {}", cases.len(), folder.display());
    let failures = cases.iter().filter_map(|case| Some((case.name.clone(), case.check().err()?))).collect();
    // The exceptions are those of the suite that is fetched.
    let exceptions = if std::env::var_os(SUITE).is_none() { EXCEPTIONS } else { "" };
    support::assert_only_exceptions(exceptions, "tree", &failures);
}

/// Where a page names no encoding, the suite takes windows-1252, and we guess. Scripts, which could write a `meta`, do
/// not run.
#[test]
fn encodings_are_as_the_suite_has_them() {
    let Some(folder) = support::fetched("html5lib-tests", SUITE) else { return };
    let files = support::files_below(&folder.join("encoding"), &["dat"]);
    let cases: Vec<(Vec<u8>, String)> = files.iter().flat_map(|file| encoding_cases(file)).collect();
    assert!(cases.len() > 50, "only {} tests in {}", cases.len(), folder.display());
    for (page, expected) in cases {
        if page.windows(14).any(|written| written == b"document.write") {
            continue;
        }
        let found = parse::html(page.as_slice(), &Options::default()).unwrap().document.encoding().to_ascii_lowercase();
        let is_guess = expected == "windows-1252" && found == "utf-8";
        assert!(found == expected || is_guess, "found {found}, expected {expected}: {}", page.escape_ascii());
    }
}

/// The tests of a file: a page behind `#data`, which need not be UTF-8, and what it is in behind `#encoding`.
fn encoding_cases(file: &Path) -> Vec<(Vec<u8>, String)> {
    let bytes = std::fs::read(file).unwrap();
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let sections = lines.split(|line| line.starts_with(b"#data")).skip(1);
    sections
        .map(|section| {
            let at = section.iter().position(|line| line.starts_with(b"#encoding")).unwrap();
            (section[..at].join(&b'\n'), String::from_utf8_lossy(section[at + 1]).to_ascii_lowercase())
        })
        .collect()
}

struct Case {
    name: String,
    data: String,
    tree: String,
}

impl Case {
    fn check(&self) -> Result<(), String> {
        let options = Options { whitespace: Whitespace::Exact, encoding: Some("utf-8".into()), ..Options::default() };
        let parsed = parse::html(self.data.as_bytes(), &options).map_err(|error| error.to_string())?;
        let found = dump(&parsed.document);
        if found == self.tree {
            return Ok(());
        }
        Err(format!("{}\nexpected\n{}found\n{found}", self.data, self.tree))
    }
}

/// The tests of a file: sections that start with `#data`, each with parts that start with `#` and a name.
fn cases(file: &Path) -> Vec<Case> {
    let bytes = std::fs::read(file).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let mut cases = Vec::new();
    for (number, section) in (1..).zip(format!("\n{text}").split("\n#data\n").skip(1)) {
        let section = format!("#data\n{section}\n");
        if section.contains("\n#document-fragment\n") || section.contains("\n#script-on\n") {
            continue;
        }
        let data = section.split_once("#data\n").unwrap().1.split_once("\n#errors\n");
        let data = data.map_or("", |(data, _)| data).to_owned();
        let tree = section.split_once("\n#document\n").map_or("", |(_, tree)| tree);
        // What `selectedcontent` shows is a copy that browsers make when the tree is there, not the parser's work.
        if data.contains("<selectedcontent") {
            continue;
        }
        let name = format!("{}:{number}", file.file_name().unwrap_or_default().display());
        cases.push(Case { name, data, tree: without_doctype(tree) });
    }
    cases
}

/// The doctype is no node here.
fn without_doctype(tree: &str) -> String {
    let tree = tree.trim_end_matches('\n');
    let lines = tree.split('\n').filter(|line| !line.starts_with("| <!DOCTYPE"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn dump(document: &Document) -> String {
    let mut lines = String::new();
    for node in document.nodes().skip(1) {
        let depth = node.ancestors().count() - 1 + node.ancestors().filter(|&node| is_template(node)).count();
        let indent = "  ".repeat(depth);
        match node.kind() {
            Kind::Text => lines += &format!("| {indent}\"{}\"\n", node.value()),
            Kind::Comment => lines += &format!("| {indent}<!-- {} -->\n", node.value()),
            _ => {
                lines += &format!("| {indent}<{}>\n", short(node.name()));
                let mut attributes: Vec<String> = node
                    .attributes()
                    .map(|attribute| format!("| {indent}  {}=\"{}\"\n", short(attribute.name()), attribute.value()))
                    .collect();
                attributes.sort();
                lines += &attributes.concat();
                if is_template(node) {
                    lines += &format!("| {indent}  content\n");
                }
            }
        }
    }
    lines
}

fn is_template(node: Node<'_>) -> bool {
    node.name() == Name { namespace: HTML_NAMESPACE, local: "template" }
}

/// A name with the short word that the suite has for its namespace.
fn short(name: Name<'_>) -> String {
    let namespace = match name.namespace {
        "" | HTML_NAMESPACE => return name.local.to_owned(),
        "http://www.w3.org/2000/svg" => "svg",
        "http://www.w3.org/1998/Math/MathML" => "math",
        "http://www.w3.org/1999/xlink" => "xlink",
        "http://www.w3.org/XML/1998/namespace" => "xml",
        "http://www.w3.org/2000/xmlns/" => "xmlns",
        other => other,
    };
    format!("{namespace} {}", name.local)
}

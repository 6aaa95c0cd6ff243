//! Is the tree the one that browsers build? The html5lib suite says so, test by test.
//!
//! `scripts/fetch-html5lib-tests` brings the suite; without it the test has nothing to run and says so. Another copy
//! can be named by `HTML5LIB_TESTS`. Tests of fragments and of pages whose scripts run are left out, since neither is
//! read here.

use std::path::{Path, PathBuf};

use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, HTML_NAMESPACE, Kind, Name, Node};

/// Tests of the suite of 2020 that today's standard answers differently: a `select` now keeps the elements within it.
const OUTDATED: [(&str, usize); 14] = [
    ("menuitem-element.dat", 14),
    ("tests1.dat", 30),
    ("tests1.dat", 102),
    ("tests10.dat", 4),
    ("tests10.dat", 5),
    ("tests10.dat", 17),
    ("tests10.dat", 18),
    ("tests18.dat", 14),
    ("tests18.dat", 15),
    ("tests7.dat", 31),
    ("tests9.dat", 5),
    ("tests9.dat", 6),
    ("tests9.dat", 18),
    ("tests9.dat", 19),
];

#[test]
fn trees_are_as_the_suite_has_them() {
    let folder = std::env::var_os("HTML5LIB_TESTS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cache/html5lib-tests")),
        PathBuf::from,
    );
    let Ok(files) = std::fs::read_dir(folder.join("tree-construction")) else {
        eprintln!("skipped: no html5lib suite; run scripts/fetch-html5lib-tests");
        return;
    };
    let mut files: Vec<PathBuf> =
        files.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some("dat".as_ref())).collect();
    files.sort();

    let is_old = std::env::var_os("HTML5LIB_TESTS").is_none();
    let (mut passed, mut failures) = (0, Vec::new());
    for file in &files {
        let name = file.file_name().unwrap_or_default();
        for case in cases(file) {
            if is_old && OUTDATED.iter().any(|&(file, number)| name == file && case.number == number) {
                continue;
            }
            match case.check() {
                Ok(()) => passed += 1,
                Err(found) => {
                    failures.push(format!("{}\n{}\nexpected\n{}found\n{found}", case.place, case.data, case.tree))
                }
            }
        }
    }
    eprintln!("{passed} passed, {} failed", failures.len());
    assert!(passed > 1000, "only {passed} tests in {}", folder.display());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

struct Case {
    place: String,
    number: usize,
    data: String,
    tree: String,
}

impl Case {
    fn check(&self) -> Result<(), String> {
        let options = Options { whitespace: Whitespace::Exact, encoding: Some("utf-8".into()), ..Options::default() };
        let parsed = parse::html(self.data.as_bytes(), &options).map_err(|error| error.to_string())?;
        let found = dump(&parsed.document);
        if found == self.tree { Ok(()) } else { Err(found) }
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
        let place = format!("{} test {number}", file.display());
        cases.push(Case { place, number, data, tree: without_doctype(tree) });
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

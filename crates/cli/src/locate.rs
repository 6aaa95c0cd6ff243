//! Where did this part of the page go? Selected nodes of one version, and their places in a later one.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::bail;
use serde::Serialize;
use treediff::matching::{self, Fate, GoodmatchOptions, Located};
use treediff::select::{Paths, Selected, Value};
use treediff::tree::{Document, NodeId};

use crate::args::LocateArgs;
use crate::exit::{Ending, Trouble};
use crate::input::{self, Source};
use crate::node_record::write_line;
use crate::select;

pub fn run(args: &LocateArgs) -> anyhow::Result<Ending> {
    let [before, after] = versions(args)?;
    let nodes = selected(args, &before)?;
    let goodmatch = GoodmatchOptions { keeps_all: true, ..Default::default() };
    let options = matching::Options { goodmatch, ..Default::default() };
    let matching = args.algorithm.0.matching(&before, &after, &options);
    let located = matching::locate(&before, &after, &matching, &options, &nodes);
    write(&located, [&before, &after], args)?;
    let is_unchanged = located.iter().all(|located| located.fate == Fate::Unchanged);
    Ok(if is_unchanged { Ending::Done } else { Ending::Different })
}

fn versions(args: &LocateArgs) -> anyhow::Result<[Document; 2]> {
    if [&args.before, &args.after].iter().all(|file| file.as_os_str() == "-") {
        bail!("only one of the versions can come from standard input");
    }
    let before = input::read(&args.before, &args.reading)?.document.with_sorted_members();
    let source = Source { before: Some(&before), ..Source::new(&args.after) };
    let after = input::read_source(source, &args.reading)?.document.with_sorted_members();
    let formats = [before.format(), after.format()];
    if formats[0] != formats[1] {
        let message = format!("the versions are written in different formats, {} and {}", formats[0], formats[1]);
        return Err(Trouble::new(message, "--as FORMAT reads both as that").into());
    }
    Ok([before, after])
}

/// The nodes that are meant, each once; of attributes their elements.
fn selected(args: &LocateArgs, before: &Document) -> anyhow::Result<Vec<NodeId>> {
    let Value::NodeSet(selected) = select::selected(&args.selection, before)? else {
        bail!("`{}`: found a value, expected an expression that selects nodes", args.selection.expression);
    };
    let node = |selected: &Selected<'_>| match selected {
        Selected::Node(node) => node.id(),
        Selected::Attribute { owner, .. } | Selected::Namespace { owner, .. } => owner.id(),
    };
    let mut nodes: Vec<NodeId> = selected.iter().map(node).collect();
    nodes.dedup();
    Ok(nodes)
}

fn write(located: &[Located], [before, after]: [&Document; 2], args: &LocateArgs) -> anyhow::Result<()> {
    let namespaces: BTreeMap<String, String> = args.selection.namespaces.iter().cloned().collect();
    let from = Paths::to(located.iter().map(|located| before.node(located.before)), before, &namespaces);
    let places = located.iter().filter_map(|located| located.after);
    let to = Paths::to(places.map(|place| after.node(place)), after, &namespaces);
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for located in located {
        let record = Record {
            before: from.xpath(before.node(located.before)),
            after: located.after.map(|place| to.xpath(after.node(place))),
            fate: told(located.fate),
            criterion: rounded(located.criterion),
            share: rounded(located.share),
        };
        if args.json { write_line(&record, &mut stdout)? } else { record.write_for_people(&mut stdout)? }
    }
    Ok(stdout.flush()?)
}

/// A selected node in the output.
#[derive(Debug, Serialize)]
struct Record {
    before: String,
    after: Option<String>,
    fate: &'static str,
    criterion: f64,
    share: f64,
}

impl Record {
    /// A line such as `moved              0.93  /menu/dish[2] -> /menu/dish[3]`.
    fn write_for_people(&self, out: &mut impl Write) -> io::Result<()> {
        let Record { before, after, fate, criterion, share } = self;
        write!(out, "{fate:<17}  {criterion:.2}  {before}")?;
        match after {
            Some(after) if *fate == told(Fate::Gone) => {
                writeln!(out, " -> {after} ({:.0} % of it)", (100.0 * share).floor())
            }
            Some(after) => writeln!(out, " -> {after}"),
            None => writeln!(out),
        }
    }
}

fn told(fate: Fate) -> &'static str {
    match fate {
        Fate::Unchanged => "unchanged",
        Fate::Changed => "changed",
        Fate::Moved => "moved",
        Fate::MovedAndChanged => "moved and changed",
        Fate::Gone => "gone",
    }
}

/// Four digits are more than a criterion can tell.
fn rounded(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 1e4).round() / 1e4
}

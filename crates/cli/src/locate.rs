//! Where did this part of the page go? Selected nodes of one version, and their places in a later one.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::bail;
use serde::Serialize;
use treediff::matching::{self, Algorithm, Fate, GoodmatchOptions, Located};
use treediff::render::printable;
use treediff::select::{Paths, Selected, Value};
use treediff::tree::{Document, Name, Node, NodeId};

use crate::args::LocateArgs;
use crate::exit::{Ending, Trouble};
use crate::input::{self, Source};
use crate::node_record::write_line;
use crate::select;
use crate::waiting::Waiting;

pub fn run(args: &LocateArgs) -> anyhow::Result<Ending> {
    let [before, after] = versions(args)?;
    let parts = selected(args, &before)?;
    let nodes: Vec<NodeId> = parts.iter().map(|part| part.node.id()).collect();
    let located = match args.algorithm {
        Some(algorithm) => located(&before, &after, algorithm.0, &nodes),
        None => located_anywhere(&before, &after, &nodes),
    };
    let found: Vec<Found<'_>> = parts.into_iter().zip(located).map(|(part, place)| part.found(place, &after)).collect();
    write(&found, [&before, &after], args)?;
    let is_unchanged = found.iter().all(|found| found.place.fate == Fate::Unchanged);
    Ok(if is_unchanged { Ending::Done } else { Ending::Different })
}

fn located(before: &Document, after: &Document, algorithm: Algorithm, nodes: &[NodeId]) -> Vec<Located> {
    let options = following();
    let waiting = Waiting::for_matching(algorithm, before, after);
    let matching = algorithm.matching(before, after, &options);
    drop(waiting);
    matching::locate(before, after, &matching, &options, nodes)
}

/// Good matching weighs every leaf by itself, and so takes the price of one record for that of another; `auto` keeps records
/// together. What has no partner then may still be found by its leaves, among what has none either.
fn located_anywhere(before: &Document, after: &Document, nodes: &[NodeId]) -> Vec<Located> {
    let options = following();
    let matching = matching::auto(before, after, &options);
    let mut found = matching::locate(before, after, &matching, &options, nodes);
    let gone: Vec<usize> = (0..found.len()).filter(|&at| found[at].fate == Fate::Gone).collect();
    if !gone.is_empty() {
        let nodes: Vec<NodeId> = gone.iter().map(|&at| nodes[at]).collect();
        let matching = matching::goodmatch_rest(before, after, matching, &options);
        let elsewhere = matching::locate(before, after, &matching, &options, &nodes);
        gone.into_iter().zip(elsewhere).for_each(|(at, place)| found[at] = place);
    }
    found
}

/// What is good for following a node, and not for deltas.
fn following() -> matching::Options {
    let goodmatch = GoodmatchOptions { keeps_all: true, ..Default::default() };
    matching::Options { goodmatch, ..Default::default() }
}

/// What was selected: a node, or one of its attributes.
#[derive(PartialEq, Eq)]
struct Part<'d> {
    node: Node<'d>,
    attribute: Option<Name<'d>>,
}

/// A part, and where it is.
struct Found<'d> {
    part: Part<'d>,
    place: Located,
}

impl<'d> Part<'d> {
    /// Where it is, if its node is there: an attribute is with its element, if that still has it, and as sure as that.
    fn found(self, place: Located, after: &Document) -> Found<'d> {
        let Some(Name { namespace, local }) = self.attribute else { return Found { part: self, place } };
        let partner = place.after.filter(|_| place.fate != Fate::Gone).map(|id| after.node(id));
        let value = partner.and_then(|partner| partner.attribute(namespace, local));
        let is_same = value == self.node.attribute(namespace, local);
        let is_moved = matches!(place.fate, Fate::Moved | Fate::MovedAndChanged);
        let fate = match (is_moved, is_same) {
            _ if value.is_none() => Fate::Gone,
            (false, true) => Fate::Unchanged,
            (false, false) => Fate::Changed,
            (true, true) => Fate::Moved,
            (true, false) => Fate::MovedAndChanged,
        };
        let place = match fate {
            Fate::Gone => Located { fate, after: None, criterion: 0.0, share: 0.0, ..place },
            _ => Located { fate, ..place },
        };
        Found { part: self, place }
    }
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

/// What is meant, each once; of namespaces the elements that they are in force in.
fn selected<'d>(args: &LocateArgs, before: &'d Document) -> anyhow::Result<Vec<Part<'d>>> {
    let expression = select::quoted_expression(&args.selection.expression);
    let Value::NodeSet(selected) = select::selected(&args.selection, before)? else {
        bail!("{expression}: found a value, expected an expression that selects nodes");
    };
    let part = |selected: Selected<'d>| match selected {
        Selected::Node(node) | Selected::Namespace { owner: node, .. } => Part { node, attribute: None },
        Selected::Attribute { owner, attribute } => Part { node: owner, attribute: Some(attribute.name()) },
    };
    let mut parts: Vec<Part<'d>> = selected.into_iter().map(part).collect();
    parts.dedup();
    if parts.is_empty() {
        // That nothing is unchanged would be true, and read as that something is.
        let message = format!("{expression} selects nothing in {}", args.before.display());
        return Err(Trouble::new(message, "`deltaic tree` shows what there is").into());
    }
    Ok(parts)
}

fn write(found: &[Found<'_>], [before, after]: [&Document; 2], args: &LocateArgs) -> anyhow::Result<()> {
    let namespaces: BTreeMap<String, String> = args.selection.namespaces.iter().cloned().collect();
    let from = Paths::to(found.iter().map(|found| found.part.node), before, &namespaces);
    let places = found.iter().filter_map(|found| found.place.after);
    let to = Paths::to(places.map(|place| after.node(place)), after, &namespaces);
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for Found { part, place } in found {
        let step = part.attribute.map_or(String::new(), |name| from.attribute_step(name));
        let record = Record {
            before: from.shown(part.node) + &step,
            after: place.after.map(|place| to.shown(after.node(place)) + &step),
            fate: told(place.fate),
            criterion: rounded(place.criterion),
            share: rounded(place.share),
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
        let (before, after) = (printable(before), after.as_deref().map(printable));
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

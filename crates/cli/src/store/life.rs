//! When did this come, change, and leave? The life of the nodes that an expression selects in some version.

use std::io::{self, Write};

use anyhow::{Context as _, bail};
use jiff::Timestamp;
use serde::Serialize;
use store::{Address, Seen, Store, Turn};
use treediff::delta::{Xid, XidMap};
use treediff::render::printable;
use treediff::select::{Context, Expression, Paths, Selected, Value};
use treediff::tree::{Document, Node};

use super::words::sides;
use super::{meant, place};
use crate::args::TraceArgs;
use crate::compare::helped_select;
use crate::node_record::write_line;
use crate::select::quoted_expression;

pub fn run(expression: &Expression, context: &Context<'static>, args: &TraceArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let (address, version) = meant::version(&store, &args.page, &args.store)?;
    let seen = seen(&store, &address, version.number)?;
    let Some((document, identities)) = seen.document.as_deref().zip(seen.identities()?) else {
        bail!("version {} of `{address}` is no tree", version.number);
    };
    let nodes = selected(expression, context, document).with_context(|| quoted_expression(&args.expression))?;
    if nodes.is_empty() {
        let (number, page) = (version.number, printable(&address.to_string()));
        let message =
            format!("nothing is selected in version {number} of `{page}`; `{page}@N` starts from another one");
        return Ok(writeln!(io::stderr(), "deltaic: {message}")?);
    }
    let paths = Paths::to(nodes.iter().copied(), document, &context.namespaces);
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for node in nodes {
        let xid = xid(node, &identities.xids).context("a node has no identity")?;
        let lived = Lived { path: paths.xpath(node), xid, turns: store.life(&address, xid)? };
        if args.json { lived.write_lines(&mut stdout)? } else { lived.write_for_people(&mut stdout)? }
    }
    Ok(stdout.flush()?)
}

/// A version with its tree and what its nodes are known by.
fn seen(store: &Store, address: &Address, number: u32) -> anyhow::Result<Seen> {
    let mut found = None;
    store.for_each_version(address, |seen| {
        if seen.version.number == number {
            found = Some(seen);
        }
        Ok(())
    })?;
    found.with_context(|| format!("version {number} of `{address}` has just gone"))
}

/// The nodes that are meant, each once; of attributes their elements.
fn selected<'d>(
    expression: &Expression,
    context: &Context<'static>,
    document: &'d Document,
) -> anyhow::Result<Vec<Node<'d>>> {
    let Value::NodeSet(selected) = expression.evaluate(document.root(), context).map_err(helped_select)? else {
        bail!("found a value, expected an expression that selects nodes");
    };
    let node = |selected: &Selected<'d>| match selected {
        Selected::Node(node) => *node,
        Selected::Attribute { owner, .. } | Selected::Namespace { owner, .. } => *owner,
    };
    let mut nodes: Vec<Node<'d>> = selected.iter().map(node).filter(|node| node.parent().is_some()).collect();
    nodes.dedup_by_key(|node| node.id());
    Ok(nodes)
}

/// The identity of a node: the map has them in post-order, where all that comes before a node and is not around it, and
/// all that is in it, stands before it.
fn xid(node: Node<'_>, xids: &XidMap) -> Option<Xid> {
    let around = node.ancestors().count() as u64;
    let before = node.id().index() as u64 - around;
    xids.get(before + u64::from(node.size()) - 1)
}

struct Lived {
    path: String,
    xid: Xid,
    turns: Vec<Turn>,
}

/// Something that happened to a node in `--json` output.
#[derive(Debug, Serialize)]
struct Happened<'a> {
    path: &'a str,
    xid: u64,
    version: u32,
    time: Timestamp,
    kind: &'static str,
    /// What has no time of its own: it was so when the oldest version that is kept came.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    or_before: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
}

impl Lived {
    fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        for turn in &self.turns {
            let happened = Happened {
                path: &self.path,
                xid: self.xid.0,
                version: turn.number,
                time: turn.time,
                kind: turn.kind.name(),
                or_before: turn.is_or_before,
                before: turn.before.as_deref(),
                after: turn.after.as_deref(),
            };
            write_line(&happened, out)?;
        }
        Ok(())
    }

    fn write_for_people(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.path))?;
        for Turn { number, time, kind, is_or_before, before, after } in &self.turns {
            let what = if *is_or_before { "there since at least then" } else { kind.name() };
            write!(out, "{number:>9}  {time:<20}  {what}", time = time.to_string())?;
            writeln!(out, "{}", sides(before.as_deref(), after.as_deref()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use treediff::delta::Identities;
    use treediff::tree::Step;

    use super::*;

    #[test]
    fn identities_are_those_of_the_map() {
        let source = b"<a><b>1<c/></b><!--d--><e><f><g>2</g></f></e></a>";
        let document = treediff::parse::xml(source, &Default::default()).unwrap().document;
        let xids = Identities::of_first_version(&document).xids;
        let left = document.root().walk().filter_map(|step| match step {
            Step::Leave(node) if node.parent().is_some() => Some(node),
            Step::Enter(node) if !node.kind().is_container() => Some(node),
            _ => None,
        });
        let found: Vec<u64> = left.map(|node| xid(node, &xids).unwrap().0).collect();
        assert_eq!(found, (1..document.len() as u64).collect::<Vec<_>>());
    }
}

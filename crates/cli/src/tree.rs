//! How does deltaic see a document? As an outline, as a line of JSON for every node, or in numbers.

use std::io::{self, Write};

use treediff::tree::{Document, Node};

use crate::args::TreeArgs;
use crate::node_record::{NodeRecord, write_line};
use crate::{input, outline, output, stats};

pub fn run(args: &TreeArgs) -> anyhow::Result<()> {
    let parsed = input::read(&args.file, &args.reading)?;
    output::within(&args.output, |out| {
        match (args.stats, args.json) {
            (true, json) => stats::write(&parsed, json, out)?,
            (false, true) => records(&parsed.document, out)?,
            (false, false) => outline::write(&parsed.document, args.width, out)?,
        }
        Ok(())
    })
}

fn records(document: &Document, out: &mut impl Write) -> io::Result<()> {
    with_depth(document).try_for_each(|(depth, node)| write_line(&NodeRecord::new(node).at_depth(depth), out))
}

/// All nodes in document order with their depth; the document node has 0.
pub fn with_depth(document: &Document) -> impl Iterator<Item = (usize, Node<'_>)> {
    let mut ends: Vec<u32> = Vec::new();
    document.nodes().map(move |node| {
        while ends.last().is_some_and(|&end| end as usize <= node.id().index()) {
            ends.pop();
        }
        ends.push(node.end());
        (ends.len() - 1, node)
    })
}

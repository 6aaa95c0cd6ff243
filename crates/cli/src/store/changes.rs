//! Which changes match, over all pages?

use std::io::{self, Write};

use anyhow::Context;
use jiff::Timestamp;
use serde::Serialize;
use store::{Change, Changed, Filter, Kinds, Search};
use treediff::render::printable;

use super::place;
use super::stream::stream;
use super::words::sides;
use crate::args::ChangesArgs;
use crate::node_record::write_line;

pub fn run(args: &ChangesArgs) -> anyhow::Result<()> {
    let search = search(args)?;
    let store = place::open_existing(&args.store)?;
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    stream(|each| store.for_each_change(&search, each), |changed| write(&changed, args.json, &mut stdout))?;
    Ok(stdout.flush()?)
}

fn search(args: &ChangesArgs) -> anyhow::Result<Search> {
    let now = Timestamp::now();
    let time = |text: &Option<String>| text.as_deref().map(|text| store::since(text, now)).transpose();
    let kinds = if args.kinds.is_empty() { Kinds::ALL } else { Kinds::of(args.kinds.iter().copied()) };
    let path = args.path.as_deref().map(str::parse).transpose().context("--path")?;
    Ok(Search {
        pages: args.pattern.clone(),
        since: time(&args.since).context("--since")?,
        until: time(&args.until).context("--until")?,
        filter: Filter::new(kinds, path, args.text.as_deref()),
    })
}

fn write(changed: &Changed, json: bool, out: &mut impl Write) -> io::Result<()> {
    let page = changed.address.to_string();
    if !json {
        writeln!(out, "{}@{}  {}", printable(&page), changed.number, changed.time)?;
    }
    for change in &changed.changes {
        if json { write_line(&Found::of(&page, changed, change), out)? } else { write_for_people(change, out)? }
    }
    Ok(())
}

/// A line such as `  update     /menu/dish/name/text(): Tomato soup → Pumpkin soup`.
fn write_for_people(change: &Change, out: &mut impl Write) -> io::Result<()> {
    let told = sides(change.before.as_deref(), change.after.as_deref());
    writeln!(out, "  {:<9}  {}{told}", change.kind, printable(&change.path))
}

/// A change in `--json` output.
#[derive(Debug, Serialize)]
struct Found<'a> {
    page: &'a str,
    version: u32,
    time: Timestamp,
    kind: &'static str,
    path: &'a str,
    xid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
}

impl<'a> Found<'a> {
    fn of(page: &'a str, changed: &Changed, change: &'a Change) -> Self {
        Found {
            page,
            version: changed.number,
            time: changed.time,
            kind: change.kind.name(),
            path: &change.path,
            xid: change.xid.0,
            before: change.before.as_deref(),
            after: change.after.as_deref(),
        }
    }
}

//! Which version brought this? Each sentence, element or line of a page, with the version that it came with.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;
use store::Blamed;
use treediff::render::printable;

use super::words::excerpt;
use super::{meant, place};
use crate::args::BlameArgs;
use crate::node_record::write_line;

pub fn run(args: &BlameArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let (address, version) = meant::version(&store, &args.page, &args.store)?;
    let blamed = store.blame(&address, version.number)?;
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for piece in &blamed {
        if args.json { write_line(&Piece::of(piece), &mut stdout)? } else { write_for_people(piece, &mut stdout)? }
    }
    Ok(stdout.flush()?)
}

/// A line such as `    3  2026-11-01  /menu/dish[1]/name: Tomato soup`; sentences and lines need no path.
fn write_for_people(piece: &Blamed, out: &mut impl Write) -> io::Result<()> {
    const MOST: usize = 160;
    let text = excerpt(&piece.text, MOST);
    let path = piece.path.as_deref().filter(|_| piece.xid.is_some()).map(printable);
    let told = match path {
        Some(path) if text.is_empty() => path,
        Some(path) => format!("{path}: {text}"),
        None => text,
    };
    writeln!(out, "{:>5}  {}  {told}", piece.origin.number, piece.origin.time.strftime("%Y-%m-%d"))
}

/// A piece of a page in `--json` output.
#[derive(Debug, Serialize)]
struct Piece<'a> {
    version: u32,
    time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    xid: Option<u64>,
    text: &'a str,
}

impl<'a> Piece<'a> {
    fn of(piece: &'a Blamed) -> Self {
        Piece {
            version: piece.origin.number,
            time: piece.origin.time,
            path: piece.path.as_deref(),
            xid: piece.xid.map(|xid| xid.0),
            text: &piece.text,
        }
    }
}

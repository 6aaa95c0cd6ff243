//! What became of a page? Its versions, and the checks between them that found nothing new, oldest first; and which pages are
//! the same now.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;
use store::{Address, Bookmark, Version, Visits};
use treediff::render::printable;

use super::facts::VersionFacts;
use super::{meant, mirrors, place};
use crate::args::HistoryArgs;
use crate::node_record::write_line;

pub fn run(args: &HistoryArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let address = meant::address(&store, &args.page)?;
    let mut bookmarks = Vec::new();
    let told = store.for_each_bookmark(&place::reader(&args.store)?, |bookmark| bookmarks.push(bookmark));
    bookmarks.retain(|bookmark| bookmark.address == address);
    let (versions, visits) = (store.versions(&address)?, store.visits(&address)?);
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for happened in in_order(&versions, &visits) {
        match (happened, args.json) {
            (Happened::Version(version), true) => write_line(&VersionFacts::of(&address, version), &mut stdout)?,
            (Happened::Visits(visits), true) => write_line(&Checks::of(&address, visits), &mut stdout)?,
            (Happened::Version(version), false) => write_version(version, &bookmarks, &mut stdout)?,
            (Happened::Visits(visits), false) => {
                let is_kept = versions.binary_search_by_key(&visits.number, |version| version.number).is_ok();
                write_visits(visits, is_kept, &mut stdout)?;
            }
        }
    }
    mirrors::tell(&store, &address, args.json, &mut stdout)?;
    stdout.flush()?;
    // What somebody noted may be hurt, and the history is there all the same.
    Ok(told?)
}

enum Happened<'a> {
    Version(&'a Version),
    Visits(&'a Visits),
}

/// Both in the order of their times; what was there when a check found it again comes first.
fn in_order<'a>(versions: &'a [Version], visits: &'a [Visits]) -> Vec<Happened<'a>> {
    let versions = versions.iter().map(|version| (version.time, Happened::Version(version)));
    let visits = visits.iter().filter_map(|visits| Some((*visits.times.first()?, Happened::Visits(visits))));
    let mut all: Vec<(Timestamp, Happened)> = versions.chain(visits).collect();
    all.sort_by_key(|(time, _)| *time);
    all.into_iter().map(|(_, happened)| happened).collect()
}

/// A line such as `  3  2026-11-01T12:00:00Z     812 bytes  The menu`.
fn write_version(version: &Version, bookmarks: &[Bookmark], out: &mut impl Write) -> io::Result<()> {
    let Version { number, time, length, status, .. } = version;
    write!(out, "{number:>5}  {time:<20}  {length:>9} bytes", time = time.to_string())?;
    if *status != 200 {
        write!(out, "  status {status}")?;
    }
    if let Some(title) = &version.details.title {
        write!(out, "  {}", printable(title))?;
    }
    for bookmark in bookmarks.iter().filter(|bookmark| bookmark.number == *number) {
        let note = if bookmark.note.is_empty() { String::new() } else { format!(": {}", bookmark.note) };
        write!(out, "  [{}{}]", if bookmark.is_saved { "saved" } else { "marked" }, printable(&note))?;
    }
    writeln!(out)
}

/// A line such as `       2026-11-01T12:00:00Z  unchanged`; it is about the version above it, unless the one that was found is gone.
fn write_visits(visits: &Visits, is_kept: bool, out: &mut impl Write) -> io::Result<()> {
    let ([first, ..], [.., last]) = (visits.times.as_slice(), visits.times.as_slice()) else { return Ok(()) };
    write!(out, "       {first:<20}  ", first = first.to_string())?;
    match &visits.trouble {
        Some(trouble) => write!(out, "failed: {}", printable(trouble))?,
        None if is_kept => write!(out, "unchanged")?,
        None => write!(out, "unchanged since version {}, which was dropped", visits.number)?,
    }
    match visits.times.len() {
        1 => writeln!(out),
        count => writeln!(out, ", {count} times until {last}"),
    }
}

/// Checks in `--json` output.
#[derive(Debug, Serialize)]
struct Checks<'a> {
    page: String,
    /// The version that was found again, or that was the latest.
    found: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<&'a str>,
    checks: &'a [Timestamp],
}

impl<'a> Checks<'a> {
    fn of(address: &Address, visits: &'a Visits) -> Self {
        Checks {
            page: address.to_string(),
            found: visits.number,
            trouble: visits.trouble.as_deref(),
            checks: &visits.times,
        }
    }
}

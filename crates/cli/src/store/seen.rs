//! What is new since somebody last looked, and what did they want to keep?

use std::io::{self, Write};
use std::mem;

use jiff::Timestamp;
use serde::Serialize;
use store::{Bookmark, News, ReaderId, Recount, Store};
use treediff::render::printable;

use super::words::counted;
use super::{meant, place};
use crate::args::SeenArgs;
use crate::node_record::write_line;

pub fn run(args: &SeenArgs) -> anyhow::Result<()> {
    if args.note.is_some() && !args.mark && !args.save {
        anyhow::bail!("--note is for --mark and --save");
    }
    let store = place::open_existing(&args.store)?;
    let reader = place::reader(&args.store)?;
    let mut stdout = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut written = Ok(());
    // What is hurt is told behind what is not.
    let told = if args.list {
        store.for_each_bookmark(&reader, |bookmark| {
            written =
                mem::replace(&mut written, Ok(())).and_then(|()| write_bookmark(&bookmark, args.json, &mut stdout));
        })
    } else if args.recount {
        let recount = store.recount(&reader)?;
        written = write_recount(&recount, args.json, &mut stdout);
        Ok(())
    } else if args.pages.is_empty() {
        store.for_each_news(&reader, |news| {
            written = mem::replace(&mut written, Ok(())).and_then(|()| write_news(&news, args.json, &mut stdout));
        })
    } else {
        args.pages.iter().try_for_each(|page| note(&store, &reader, page, args))?;
        Ok(())
    };
    written.and_then(|()| stdout.flush())?;
    Ok(told?)
}

/// Notes what became of a version: seen, and marked or saved where that is asked for.
fn note(store: &Store, reader: &ReaderId, page: &str, args: &SeenArgs) -> anyhow::Result<()> {
    let (address, version) = meant::version(store, page, &args.store)?;
    if args.remove {
        if !store.remove_bookmark(reader, &address, version.number)? {
            anyhow::bail!("version {} of `{address}` is neither marked nor saved", version.number);
        }
        return Ok(());
    }
    let now = Timestamp::now();
    if args.mark || args.save {
        store.bookmark(reader, &address, version.number, args.save, args.note.as_deref().unwrap_or_default(), now)?;
    }
    Ok(store.see(reader, &address, version.number, now)?)
}

/// A page in `--json` output that has changed since.
#[derive(Debug, Serialize)]
struct Changed {
    page: String,
    seen: u32,
    latest: u32,
    time: Timestamp,
}

fn write_news(news: &News, json: bool, out: &mut impl Write) -> io::Result<()> {
    let page = news.page.address.to_string();
    let News { seen, time, .. } = *news;
    let latest = news.page.latest;
    if json {
        return write_line(&Changed { page, seen, latest, time }, out);
    }
    writeln!(out, "{time:<20}  {}  version {latest}, seen {seen}", printable(&page), time = time.to_string())
}

/// A bookmark in `--json` output.
#[derive(Debug, Serialize)]
struct Kept<'a> {
    page: String,
    version: u32,
    saved: bool,
    note: &'a str,
    time: Timestamp,
}

fn write_bookmark(bookmark: &Bookmark, json: bool, out: &mut impl Write) -> io::Result<()> {
    let Bookmark { address, number, is_saved, note, time } = bookmark;
    let page = address.to_string();
    if json {
        return write_line(&Kept { page, version: *number, saved: *is_saved, note, time: *time }, out);
    }
    let how = if *is_saved { "saved " } else { "marked" };
    write!(out, "{how}  {}@{number}", printable(&page))?;
    if note.is_empty() { writeln!(out) } else { writeln!(out, "  {}", printable(note)) }
}

/// What was counted anew in `--json` output.
#[derive(Debug, Serialize)]
struct Recounted {
    seen: i64,
    missing_seen: i64,
    notes: i64,
    missing_notes: i64,
}

fn write_recount(recount: &Recount, json: bool, out: &mut impl Write) -> io::Result<()> {
    let Recount { seen, notes } = recount;
    let (missing_seen, missing_notes) = (seen.missing(), notes.missing());
    if json {
        let recounted = Recounted { seen: seen.found, missing_seen, notes: notes.found, missing_notes };
        return write_line(&recounted, out);
    }
    let [pages, notes] =
        [(seen.found, "page"), (notes.found, "note")].map(|(found, thing)| counted(found.unsigned_abs(), thing));
    writeln!(out, "{pages} seen, {missing_seen} missing; {notes}, {missing_notes} missing")
}

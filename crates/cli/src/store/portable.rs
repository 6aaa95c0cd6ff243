//! How does a store travel? As an archive that any other takes in, or as a copy that is a store itself.

use std::io::{self, IsTerminal as _, Write};

use anyhow::{Context as _, bail};
use serde::Serialize;
use store::{Exported, ImportLimits, Imported, Location, Stats, Store};
use treediff::render::printable;

use super::place;
use super::progress::Progress;
use super::words::counted;
use crate::args::{BackupArgs, ExportArgs, ImportArgs};
use crate::exit::{Ending, Trouble};
use crate::node_record::write_line;
use crate::{input, output};

pub fn export(args: &ExportArgs) -> anyhow::Result<Ending> {
    let is_streamed = args.file.as_os_str() == "-";
    if is_streamed && io::stdout().is_terminal() {
        bail!("an archive is nothing for a terminal; a file name or a pipe takes it");
    }
    let store = place::open_existing(&args.store)?;
    let progress = Progress::of(store.stats().map_or(0, |stats| stats.pages), "pages");
    let (exported, left_out) = output::write(Some(&args.file), |out| {
        if args.skip_hurt {
            return Ok(store.export_unhurt(out, |_| progress.advance(1))?);
        }
        let exported = store.export(out, |_| progress.advance(1)).map_err(refused)?;
        Ok((exported, Vec::new()))
    })?;
    drop(progress);
    if !is_streamed {
        Travelled::out(&exported).write(args.json)?;
    }
    for fault in &left_out {
        writeln!(anstream::stderr(), "left out: {}: {}", printable(&fault.what), printable(&fault.why))?;
    }
    Ok(if left_out.is_empty() { Ending::Done } else { Ending::Different })
}

/// Why there is no archive, with what helps where something is hurt.
fn refused(error: store::Error) -> anyhow::Error {
    if error.is_damage() {
        return Trouble::new(error.to_string(), "`--skip-hurt` exports the rest, and names what it leaves out").into();
    }
    error.into()
}

pub fn import(args: &ImportArgs) -> anyhow::Result<()> {
    let named = || args.file.display().to_string();
    let archive = input::open(&args.file).with_context(named)?;
    let limits = ImportLimits { bytes: args.max_bytes as u64, entries: args.max_entries as u64 };
    let location = place::location(&args.store)?;
    let progress = Progress::counting("pages");
    let imported = Store::import_at(&location, archive, &limits, |_| progress.advance(1)).with_context(named)?;
    drop(progress);
    Ok(Travelled::into(&imported).write(args.json)?)
}

pub fn backup(args: &BackupArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let progress = Progress::of(0, "parts");
    store.backup(&args.folder, |done, all| progress.reach(done, all))?;
    drop(progress);
    // What is in the copy: others may have recorded since.
    let copy = Store::open_existing(&Location::Folder(args.folder.clone()))?;
    Ok(Travelled::copied(&copy.stats()?).write(args.json)?)
}

/// What went out or came in.
#[derive(Debug, Serialize)]
struct Travelled {
    pages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    known_pages: Option<u64>,
    versions: u64,
    contents: u64,
    readers: u64,
}

impl Travelled {
    fn out(&Exported { pages, versions, contents, readers, .. }: &Exported) -> Self {
        Travelled { pages, known_pages: None, versions, contents, readers }
    }

    fn copied(&Stats { pages, versions, contents, readers, .. }: &Stats) -> Self {
        Travelled { pages, known_pages: None, versions, contents, readers }
    }

    fn into(&Imported { pages, known_pages, versions, contents, readers, .. }: &Imported) -> Self {
        Travelled { pages, known_pages: Some(known_pages), versions, contents, readers }
    }

    /// A line such as `3 pages, 12 versions, 11 contents, 1 reader; there already: 2 pages`.
    fn write(&self, json: bool) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        if json {
            return write_line(self, &mut stdout);
        }
        let Travelled { pages, known_pages, versions, contents, readers } = self;
        let moved = [(pages, "page"), (versions, "version"), (contents, "content"), (readers, "reader")];
        write!(stdout, "{}", moved.map(|(count, thing)| counted(*count, thing)).join(", "))?;
        match known_pages.filter(|&known| known > 0) {
            Some(known) => writeln!(stdout, "; there already: {}", counted(known, "page")),
            None => writeln!(stdout),
        }
    }
}

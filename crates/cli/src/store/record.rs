//! How does something come into the store? From files, from standard input, from a history in git.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, mem};

use anyhow::{Context, bail, ensure};
use jiff::Timestamp;
use serde::Serialize;
use store::{Address, Capture, Error, Outcome, PageAt, Recorded, Response, Store, Version};
use treediff::parse::guess;
use treediff::render::printable;
use treediff::tree::Format;

use super::git_history::{Committed, GitHistory};
use super::progress::Progress;
use super::words::counted;
use super::{mirrors, place};
use crate::args::RecordArgs;
use crate::input;
use crate::node_record::write_line;

pub fn run(args: &RecordArgs) -> anyhow::Result<()> {
    let address: Address = args.page.parse()?;
    let times = times(args)?;
    let store = place::open(&args.store)?;
    refuse_version(&store, &args.page, &address)?;
    let mut recording = Recording::new(&store, address, args);
    match (&args.failed, args.from_git.as_deref()) {
        (Some(trouble), _) => {
            let time = times.first().copied().unwrap_or_else(Timestamp::now);
            recording.take(time, "the check".into(), Outcome::Failure(trouble.clone()))?;
        }
        (_, Some([repository, path])) => {
            let media_type = recording.media_type_of(&path.to_string_lossy());
            recording.take_history(media_type, || GitHistory::of(Path::new(repository), path, args.max_bytes))?
        }
        _ => recording.take_files(&args.files, &times)?,
    }
    recording.finish()
}

/// What would stand in the way of a version of another page is no new page.
fn refuse_version(store: &Store, written: &str, address: &Address) -> anyhow::Result<()> {
    match written.parse() {
        Ok(PageAt { address: page, moment }) if page != *address && store.page(&page).is_ok() => {
            let is_known = store.page(address).is_ok();
            ensure!(is_known, "`{written}` is version `{moment}` of `{page}`, which is recorded; expected a page");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The times of all files; none where they are from now.
fn times(args: &RecordArgs) -> anyhow::Result<Vec<Timestamp>> {
    let expected = if args.failed.is_some() { 1 } else { args.files.len() };
    match args.at.as_slice() {
        [] => Ok(Vec::new()),
        [only] if only == "modified" => args.files.iter().map(|file| modified(file)).collect(),
        times if times.len() != expected => {
            let (found, files) = (counted(times.len() as u64, "time"), counted(expected as u64, "file"));
            bail!("found {found} for {files}; expected --at for every file, or --at modified")
        }
        times => times.iter().map(|time| Ok(store::time(time)?)).collect::<anyhow::Result<_>>().context("--at"),
    }
}

fn modified(file: &Path) -> anyhow::Result<Timestamp> {
    let named = || file.display().to_string();
    if file.as_os_str() == "-" {
        bail!("standard input does not know when it was modified; --at TIME says when");
    }
    let modified = fs::metadata(file).and_then(|metadata| metadata.modified()).with_context(named)?;
    Timestamp::try_from(modified).with_context(named)
}

/// How many commits of a history were recorded already, so that it can be recorded again as it grows: all up to the last
/// that has the content of the latest version, whatever was dropped before it. Where none has, the page has another history.
fn known_commits(history: GitHistory, latest: &Version) -> anyhow::Result<usize> {
    let mut known = 0;
    for (place, committed) in history.enumerate() {
        let Committed { time, bytes, .. } = committed?;
        if time > latest.time {
            break;
        }
        if bytes.is_some_and(|bytes| latest.is_of(&bytes)) {
            known = place + 1;
        }
    }
    Ok(known)
}

/// Captures on their way into the store, some at a time.
struct Recording<'a> {
    store: &'a Store,
    address: Address,
    args: &'a RecordArgs,
    waiting: Vec<Capture>,
    /// Where they come from.
    origins: Vec<String>,
    waiting_bytes: usize,
    /// Nobody reads a line for each of a thousand commits: they are counted, and a bar says how far it is.
    history: Option<(Progress, Counts)>,
    has_news: bool,
}

impl<'a> Recording<'a> {
    fn new(store: &'a Store, address: Address, args: &'a RecordArgs) -> Self {
        Recording {
            store,
            address,
            args,
            waiting: Vec::new(),
            origins: Vec::new(),
            waiting_bytes: 0,
            history: None,
            has_news: false,
        }
    }

    fn take_files(&mut self, files: &[PathBuf], times: &[Timestamp]) -> anyhow::Result<()> {
        if files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
            bail!("only one of the versions can come from standard input");
        }
        for (at, file) in files.iter().enumerate() {
            let name = file.display().to_string();
            let body = input::bytes(file, self.args.max_bytes).with_context(|| name.clone())?;
            let time = times.get(at).copied().unwrap_or_else(Timestamp::now);
            let media_type = self.media_type_of(&name);
            self.take_body(time, name, body, media_type)?;
        }
        Ok(())
    }

    /// What a file is by its name, where nothing else says it: a page and the file that it was recorded of are the same.
    fn media_type_of(&self, file: &str) -> Option<&'static str> {
        let is_told = self.args.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if is_told || self.args.media_type.is_some() || guess::by_url(self.address.url()).is_some() {
            return None;
        }
        guess::by_name(file).map(|format| match format {
            Format::Html => "text/html",
            Format::Xml => "application/xml",
            Format::Json => "application/json",
        })
    }

    fn take_history(
        &mut self,
        media_type: Option<&'static str>,
        history: impl Fn() -> anyhow::Result<GitHistory>,
    ) -> anyhow::Result<()> {
        let versions = self.store.versions(&self.address).unwrap_or_default();
        let visits = self.store.visits(&self.address).unwrap_or_default();
        let was_noted = |time: Timestamp| visits.iter().any(|visits| visits.times.contains(&time));
        let known = versions.last().map_or(Ok(0), |latest| known_commits(history()?, latest))?;
        let history = history()?;
        if !self.args.json {
            let left = history.size_hint().0 - known;
            self.history = Some((Progress::of(left as u64, "versions"), Counts::default()));
        }
        for committed in history.skip(known) {
            let Committed { time, commit, bytes, is_raised } = committed?;
            if let Some((_, counts)) = &mut self.history {
                counts.raised += u64::from(is_raised);
            }
            match bytes {
                Some(bytes) => self.take_body(time, commit, bytes, media_type)?,
                None if was_noted(time) => {}
                None => self.take(time, commit, Outcome::Failure("the file was deleted".into()))?,
            }
        }
        Ok(())
    }

    fn take_body(
        &mut self,
        time: Timestamp,
        origin: String,
        body: Vec<u8>,
        by_name: Option<&'static str>,
    ) -> anyhow::Result<()> {
        let mut headers = self.args.headers.clone();
        let media_type = self.args.media_type.as_deref().or(by_name);
        headers.extend(media_type.map(|media_type| ("Content-Type".to_owned(), media_type.to_owned())));
        let response = Response { status: self.args.status, headers, body };
        self.take(time, origin, Outcome::Response(response))
    }

    fn take(&mut self, time: Timestamp, origin: String, outcome: Outcome) -> anyhow::Result<()> {
        /// As many as make it quick, and as few as can be held.
        const MOST: usize = 64;
        const MOST_BYTES: usize = 16 << 20;
        if let Outcome::Response(response) = &outcome {
            self.waiting_bytes += response.body.len();
        }
        self.waiting.push(Capture { address: self.address.clone(), time, outcome });
        self.origins.push(origin);
        if self.waiting.len() < MOST && self.waiting_bytes < MOST_BYTES { Ok(()) } else { self.flush() }
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.tell_counts()?;
        match self.has_news {
            true => mirrors::tell(self.store, &self.address, self.args.json, &mut io::stdout().lock()),
            false => Ok(()),
        }
    }

    fn tell_counts(&mut self) -> anyhow::Result<()> {
        let Some((_, Counts { new, unchanged, raised })) = self.history.take() else { return Ok(()) };
        let same = if unchanged > 0 { format!(", {unchanged} as before") } else { String::new() };
        let raised = match raised {
            0 => String::new(),
            _ => format!("; the clock went back in {}, taken as of the commit before", counted(raised, "commit")),
        };
        Ok(writeln!(io::stdout().lock(), "{}{same}{raised}", counted(new, "new version"))?)
    }

    /// Records what waits, and says what became of it, and what could not be recorded.
    fn flush(&mut self) -> anyhow::Result<()> {
        let captures = mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let mut failed = None;
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        let origins = mem::take(&mut self.origins).into_iter().zip(captures.iter().map(trouble).collect::<Vec<_>>());
        for ((recorded, time), (origin, trouble)) in self.recorded(captures)?.into_iter().zip(origins) {
            let recorded = match recorded {
                Ok(recorded) => recorded,
                Err(error) => {
                    failed.get_or_insert_with(|| anyhow::Error::from(error).context(origin));
                    continue;
                }
            };
            self.has_news |= matches!(recorded, Recorded::New { .. });
            if let Some((progress, counts)) = &mut self.history {
                progress.advance(1);
                counts.take(&recorded);
                continue;
            }
            // As it is kept.
            let time = Timestamp::from_millisecond(time.as_millisecond())?;
            let told = Told::new(recorded, time, &origin, trouble);
            if self.args.json { write_line(&told, &mut stdout)? } else { told.write_for_people(&mut stdout)? }
        }
        stdout.flush()?;
        failed.map_or(Ok(()), Err)
    }

    /// What became of some captures, each with its time. Now is when it is one's turn: others may have recorded in the
    /// meantime.
    fn recorded(&self, mut captures: Vec<Capture>) -> anyhow::Result<Vec<(Result<Recorded, Error>, Timestamp)>> {
        const MOST_TURNS: usize = 100;
        if self.args.from_git.is_some() || !self.args.at.is_empty() {
            let times: Vec<Timestamp> = captures.iter().map(|capture| capture.time).collect();
            return Ok(self.store.record_all(captures)?.into_iter().zip(times).collect());
        }
        for _ in 0..MOST_TURNS {
            let now = Timestamp::now();
            captures.iter_mut().for_each(|capture| capture.time = now);
            let results = self.store.record_all(captures.clone())?;
            if !matches!(results.first(), Some(Err(Error::OutOfOrder { .. }))) {
                return Ok(results.into_iter().map(|result| (result, now)).collect());
            }
        }
        bail!(
            "the latest version is of a time to come, or others record the page all the time; --at TIME says when it was there"
        )
    }
}

/// Why a capture would be a failed check.
fn trouble(capture: &Capture) -> String {
    match &capture.outcome {
        Outcome::Failure(trouble) => trouble.clone(),
        Outcome::Response(Response { status: 304, .. }) => {
            "HTTP 304, and there is no version that could be the same".to_owned()
        }
        Outcome::Response(Response { status, .. }) => format!("HTTP {status}"),
    }
}

#[derive(Debug, Default)]
struct Counts {
    new: u64,
    unchanged: u64,
    /// Commits whose clock went back.
    raised: u64,
}

impl Counts {
    fn take(&mut self, recorded: &Recorded) {
        match recorded {
            Recorded::New { .. } => self.new += 1,
            Recorded::Unchanged { .. } => self.unchanged += 1,
            // The file was not there, which is no version.
            Recorded::Failed => {}
        }
    }
}

/// What became of a capture.
#[derive(Debug, Serialize)]
struct Told<'a> {
    outcome: &'static str,
    version: Option<u32>,
    operations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    time: Timestamp,
    from: &'a str,
}

impl<'a> Told<'a> {
    fn new(recorded: Recorded, time: Timestamp, from: &'a str, trouble: String) -> Self {
        let trouble = matches!(recorded, Recorded::Failed).then_some(trouble);
        let (outcome, version, operations) = match recorded {
            Recorded::New { number, operations } => ("new", Some(number), operations),
            Recorded::Unchanged { number } => ("unchanged", Some(number), None),
            Recorded::Failed => ("failed", None, None),
        };
        Told { outcome, version, operations, trouble, time, from }
    }

    /// A line such as `menu.xml: version 3, 4 operations`.
    fn write_for_people(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{}: ", printable(self.from))?;
        match (self.version, self.operations) {
            (Some(version), Some(count)) => {
                writeln!(out, "version {version}, {}", counted(count as u64, "operation"))
            }
            (Some(version), None) if self.outcome == "new" => writeln!(out, "version {version}"),
            (Some(version), None) => writeln!(out, "as in version {version}"),
            (None, _) => writeln!(out, "failed: {}", printable(self.trouble.as_deref().unwrap_or_default())),
        }
    }
}

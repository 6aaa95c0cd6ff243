//! How are checks kept that found nothing new? As runs of the same outcome: a row, and a few bytes more for every
//! further check (four where checks are an hour or a day apart).
//!
//! The bytes of a run are a checksum over all of it, and behind it the milliseconds from each check to the next.

use jiff::Timestamp;
use xxhash_rust::xxh3::Xxh3;

use crate::engine::{Transaction, values};
use crate::page::PageId;
use crate::{Error, Result};

/// Longer runs are continued in another, so that a check never rewrites more than this.
const LONGEST: usize = 400;
const CHECKSUM: usize = 4;

/// Checks with the same outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visits {
    /// The version that was found again, or that was the latest when the checks failed; 0 where there was none yet.
    pub number: u32,
    /// Why they failed, if they did.
    pub trouble: Option<String>,
    /// When they were, at least one.
    pub times: Vec<Timestamp>,
}

/// A run as it is stored.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) page: PageId,
    pub(crate) ordinal: i64,
    pub(crate) number: u32,
    pub(crate) trouble: Option<String>,
    started: i64,
    last: i64,
    bytes: Vec<u8>,
}

impl Run {
    fn new(page: PageId, ordinal: i64, number: u32, trouble: Option<&str>, time: i64) -> Self {
        let trouble = trouble.map(str::to_owned);
        let mut run = Run { page, ordinal, number, trouble, started: time, last: time, bytes: vec![0; CHECKSUM] };
        run.seal();
        run
    }

    /// Whether a check at some time with some outcome is one more of this run.
    fn takes(&self, number: u32, trouble: Option<&str>, time: i64) -> bool {
        self.number == number
            && self.trouble.as_deref() == trouble
            && time >= self.last
            && self.bytes.len() < LONGEST
            && self.checksum() == self.bytes[..CHECKSUM]
    }

    fn push(&mut self, time: i64) {
        let mut gap = time.abs_diff(self.last);
        while gap >= 0x80 {
            self.bytes.push(gap as u8 | 0x80);
            gap >>= 7;
        }
        self.bytes.push(gap as u8);
        self.last = time;
        self.seal();
    }

    fn seal(&mut self) {
        let checksum = self.checksum();
        self.bytes[..CHECKSUM].copy_from_slice(&checksum);
    }

    fn checksum(&self) -> [u8; CHECKSUM] {
        let mut hasher = Xxh3::new();
        for number in [self.page, self.ordinal, self.number.into(), self.started, self.last] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(self.trouble.as_deref().unwrap_or("\0").as_bytes());
        hasher.update(&self.bytes[CHECKSUM..]);
        let [a, b, c, d, ..] = hasher.digest().to_le_bytes();
        [a, b, c, d]
    }

    fn damaged(&self) -> Error {
        Error::damaged(format!("run {} of checks of page {}", self.ordinal, self.page), "its checksum is another")
    }

    /// What people see of it.
    pub(crate) fn visits(&self) -> Result<Visits> {
        if self.checksum() != self.bytes[..CHECKSUM] {
            return Err(self.damaged());
        }
        let mut time = self.started;
        let mut times = vec![crate::time_of(time)?];
        let mut bytes = self.bytes[CHECKSUM..].iter();
        while let Some(&first) = bytes.next() {
            let (mut gap, mut shift, mut byte) = (i64::from(first & 0x7F), 7, first);
            while byte & 0x80 != 0 {
                byte = *bytes.next().ok_or_else(|| self.damaged())?;
                gap |= i64::from(byte & 0x7F).checked_shl(shift).ok_or_else(|| self.damaged())?;
                shift += 7;
            }
            time = time.saturating_add(gap);
            times.push(crate::time_of(time)?);
        }
        Ok(Visits { number: self.number, trouble: self.trouble.clone(), times })
    }
}

/// The checks of a page while more of them are noted: a run is written once, however many it gets.
#[derive(Debug)]
pub(crate) struct Log {
    page: PageId,
    run: Option<Run>,
    is_changed: bool,
}

impl Log {
    pub(crate) fn open(transaction: &mut Transaction<'_>, page: PageId) -> Result<Self> {
        Ok(Log { page, run: last_run(transaction, page)?, is_changed: false })
    }

    /// Notes a check that found the version again, or that failed.
    pub(crate) fn note(
        &mut self,
        transaction: &mut Transaction<'_>,
        number: u32,
        trouble: Option<&str>,
        time: i64,
    ) -> Result<()> {
        match &mut self.run {
            Some(run) if run.takes(number, trouble, time) => run.push(time),
            run => {
                let ordinal = run.as_ref().map_or(1, |run| run.ordinal + 1);
                // The page knows how many there are, so that one which is lost is missed.
                let sql = "UPDATE page SET visits = $1 WHERE id = $2";
                transaction.execute(sql, values![ordinal, self.page])?;
                let next = Run::new(self.page, ordinal, number, trouble, time);
                if let Some(run) = run.replace(next).filter(|_| self.is_changed) {
                    write(transaction, &run)?;
                }
            }
        }
        self.is_changed = true;
        Ok(())
    }

    pub(crate) fn close(self, transaction: &mut Transaction<'_>) -> Result<()> {
        self.run.filter(|_| self.is_changed).map_or(Ok(()), |run| write(transaction, &run))
    }
}

/// Writes a run, which may have been there with fewer checks.
fn write(transaction: &mut Transaction<'_>, run: &Run) -> Result<()> {
    let sql = "INSERT INTO visit (page, ordinal, number, trouble, started, last, times) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) \
               ON CONFLICT (page, ordinal) DO UPDATE SET last = excluded.last, times = excluded.times";
    let trouble = run.trouble.as_deref();
    let values = values![run.page, run.ordinal, run.number, trouble, run.started, run.last, &*run.bytes];
    transaction.execute(sql, values)?;
    Ok(())
}

fn last_run(transaction: &mut Transaction<'_>, page: PageId) -> Result<Option<Run>> {
    let sql = "SELECT page, ordinal, number, trouble, started, last, times FROM visit \
               WHERE page = $1 ORDER BY ordinal DESC LIMIT 1";
    transaction.first(sql, values![page], run)
}

/// All runs of a page, oldest first.
pub(crate) fn runs(transaction: &mut Transaction<'_>, page: PageId) -> Result<Vec<Run>> {
    let sql = "SELECT page, ordinal, number, trouble, started, last, times FROM visit WHERE page = $1 ORDER BY ordinal";
    transaction.all(sql, values![page], run)
}

/// What people see of runs: one that was continued in another, because it was long or because somebody who had checked a
/// little before came a little later, is one.
pub(crate) fn joined(runs: &[Run]) -> Result<Vec<Visits>> {
    let is_same = |left: &Run, right: &Run| left.number == right.number && left.trouble == right.trouble;
    let join = |runs: &[Run]| {
        let mut all = runs[0].visits()?;
        for run in &runs[1..] {
            all.times.extend(run.visits()?.times);
        }
        all.times.sort_unstable();
        Ok(all)
    };
    runs.chunk_by(is_same).map(join).collect()
}

fn run(mut row: crate::engine::Row) -> Result<Run> {
    let run = Run {
        page: row.take()?,
        ordinal: row.take()?,
        number: row.take()?,
        trouble: row.take()?,
        started: row.take()?,
        last: row.take()?,
        bytes: row.take()?,
    };
    if run.bytes.len() < CHECKSUM { Err(run.damaged()) } else { Ok(run) }
}

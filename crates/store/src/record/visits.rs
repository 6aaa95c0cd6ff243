//! How are checks kept that found nothing new? As runs of the same outcome, two to four bytes a check.
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

    /// What people see of it.
    pub(crate) fn visits(&self) -> Result<Visits> {
        let damaged = || {
            Error::damaged(format!("run {} of checks of page {}", self.ordinal, self.page), "its checksum is another")
        };
        if self.bytes.len() < CHECKSUM || self.checksum() != self.bytes[..CHECKSUM] {
            return Err(damaged());
        }
        let mut time = self.started;
        let mut times = vec![crate::time_of(time)?];
        let mut bytes = self.bytes[CHECKSUM..].iter();
        while let Some(&first) = bytes.next() {
            let (mut gap, mut shift, mut byte) = (i64::from(first & 0x7F), 7, first);
            while byte & 0x80 != 0 {
                byte = *bytes.next().ok_or_else(damaged)?;
                gap |= i64::from(byte & 0x7F).checked_shl(shift).ok_or_else(damaged)?;
                shift += 7;
            }
            time = time.saturating_add(gap);
            times.push(crate::time_of(time)?);
        }
        Ok(Visits { number: self.number, trouble: self.trouble.clone(), times })
    }
}

/// Notes a check that found the version again, or that failed.
pub(crate) fn note(
    transaction: &mut Transaction<'_>,
    page: PageId,
    number: u32,
    trouble: Option<&str>,
    time: i64,
) -> Result<()> {
    match last_run(transaction, page)? {
        Some(mut run) if run.takes(number, trouble, time) => {
            run.push(time);
            let sql = "UPDATE visit SET last = $1, times = $2 WHERE page = $3 AND ordinal = $4";
            transaction.execute(sql, values![run.last, &*run.bytes, page, run.ordinal])?;
            Ok(())
        }
        run => {
            let ordinal = run.map_or(1, |run| run.ordinal + 1);
            insert(transaction, &Run::new(page, ordinal, number, trouble, time))
        }
    }
}

fn insert(transaction: &mut Transaction<'_>, run: &Run) -> Result<()> {
    let sql = "INSERT INTO visit (page, ordinal, number, trouble, started, last, times) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
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

/// Stores checks that were noted elsewhere, as runs of their own behind those that are there; tells how many runs.
pub(crate) fn restore(transaction: &mut Transaction<'_>, page: PageId, ordinal: i64, visits: &Visits) -> Result<i64> {
    let Visits { number, trouble, times } = visits;
    let (mut runs, mut open): (i64, Option<Run>) = (0, None);
    for time in times.iter().copied().map(crate::milliseconds) {
        match &mut open {
            Some(run) if run.takes(*number, trouble.as_deref(), time) => run.push(time),
            _ => {
                let next = Run::new(page, ordinal + runs, *number, trouble.as_deref(), time);
                runs += 1;
                if let Some(run) = open.replace(next) {
                    insert(transaction, &run)?;
                }
            }
        }
    }
    open.map_or(Ok(()), |run| insert(transaction, &run))?;
    Ok(runs)
}

/// All runs of a page, oldest first.
pub(crate) fn runs(transaction: &mut Transaction<'_>, page: PageId) -> Result<Vec<Run>> {
    let sql = "SELECT page, ordinal, number, trouble, started, last, times FROM visit WHERE page = $1 ORDER BY ordinal";
    transaction.all(sql, values![page], run)
}

fn run(mut row: crate::engine::Row) -> Result<Run> {
    Ok(Run {
        page: row.take()?,
        ordinal: row.take()?,
        number: row.take()?,
        trouble: row.take()?,
        started: row.take()?,
        last: row.take()?,
        bytes: row.take()?,
    })
}

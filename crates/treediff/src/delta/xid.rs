//! Who is who through time? A node's persistent identity, and the identities of a whole tree in a short form.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

/// A node's identity within the history of its document; never given to another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Xid(pub u64);

impl Xid {
    /// The document node.
    pub const DOCUMENT: Xid = Xid(0);
    /// The first node, in post-order, of a document's first version.
    pub const FIRST: Xid = Xid(1);

    /// The identity that is given out next.
    pub fn next(self) -> Xid {
        Xid(self.0.saturating_add(1))
    }
}

impl fmt::Display for Xid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The XIDs of the nodes of a tree in post-order, as runs that count up.
///
/// ```
/// use treediff::delta::{Xid, XidMap};
///
/// let map: XidMap = "(1-7;9;16-17)".parse()?;
/// assert_eq!(map.len(), 10);
/// assert_eq!(map.get(7), Some(Xid(9)));
/// assert_eq!(map.last(), Some(Xid(17)));
/// assert_eq!(map.to_string(), "(1-7;9;16-17)");
/// # Ok::<(), treediff::delta::XidMapError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct XidMap {
    runs: Runs,
}

/// The runs of a map, in order. One takes no memory of its own: most maps are those of a small piece of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Runs {
    One(Run),
    /// None, or more than one.
    Several(Vec<Run>),
}

impl Default for Runs {
    fn default() -> Self {
        Runs::Several(Vec::new())
    }
}

impl Deref for Runs {
    type Target = [Run];

    fn deref(&self) -> &[Run] {
        match self {
            Runs::One(run) => std::slice::from_ref(run),
            Runs::Several(runs) => runs,
        }
    }
}

impl DerefMut for Runs {
    fn deref_mut(&mut self) -> &mut [Run] {
        match self {
            Runs::One(run) => std::slice::from_mut(run),
            Runs::Several(runs) => runs,
        }
    }
}

impl Runs {
    fn push(&mut self, run: Run) {
        match self {
            Runs::One(first) => {
                let mut runs = Vec::with_capacity(8);
                runs.extend([*first, run]);
                *self = Runs::Several(runs);
            }
            Runs::Several(runs) if runs.is_empty() => *self = Runs::One(run),
            Runs::Several(runs) => runs.push(run),
        }
    }
}

/// A row of identities that count up, and how many come before it in the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Run {
    before: u64,
    first: u64,
    last: u64,
}

impl Run {
    fn len(self) -> u64 {
        self.last - self.first + 1
    }
}

/// What is wrong with a written XID map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XidMapError {
    /// It is not of the form `(1-7;9)`.
    #[error("`{0}` is no XID map, expected runs such as `(1-7;9)`")]
    Form(String),
    /// A run ends before it begins, or counts the document node, or is beyond all numbers.
    #[error("`{0}` is no run of XIDs")]
    Run(String),
    /// Two nodes have one identity.
    #[error("XID {0} stands twice in the map")]
    Twice(Xid),
    /// The identity that is to be given out next is there already.
    #[error("the next XID, {next}, is not above {max}, which is in the map")]
    Next {
        /// The next identity.
        next: Xid,
        /// The largest of the map.
        max: Xid,
    },
}

impl XidMap {
    /// The map of no nodes.
    pub fn new() -> Self {
        XidMap::default()
    }

    /// The map of a first version of `nodes` nodes.
    pub fn first_version(nodes: usize) -> Self {
        let mut map = XidMap::new();
        if nodes > 0 {
            map.push_run(Xid::FIRST, Xid(nodes as u64));
        }
        map
    }

    /// How many nodes the map names.
    pub fn len(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.before + run.len())
    }

    /// Whether it names none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds the next node.
    pub fn push(&mut self, xid: Xid) {
        self.push_run(xid, xid);
    }

    /// Adds the next nodes, from `first` to `last`.
    pub fn push_run(&mut self, first: Xid, last: Xid) {
        debug_assert!(first <= last);
        match self.runs.last_mut() {
            Some(run) if run.last + 1 == first.0 => run.last = last.0,
            _ => self.runs.push(Run { before: self.len(), first: first.0, last: last.0 }),
        }
    }

    /// Adds a piece of another map: `count` nodes of it from place `start` on.
    pub fn push_slice(&mut self, other: &XidMap, start: u64, count: u64) {
        if count == 0 {
            return;
        }
        let end = start + count;
        let from = other.runs.partition_point(|run| run.before + run.len() <= start);
        for run in other.runs[from..].iter().take_while(|run| run.before < end) {
            let skipped = start.saturating_sub(run.before);
            let taken = (end - run.before).min(run.len());
            self.push_run(Xid(run.first + skipped), Xid(run.first + taken - 1));
        }
    }

    /// The identity at a place in post-order, counted from 0.
    pub fn get(&self, place: u64) -> Option<Xid> {
        let after = self.runs.partition_point(|run| run.before <= place);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let offset = place - run.before;
        (offset < run.len()).then(|| Xid(run.first + offset))
    }

    /// The identity of the root of the tree.
    pub fn last(&self) -> Option<Xid> {
        self.runs.last().map(|run| Xid(run.last))
    }

    /// All identities in post-order.
    pub fn iter(&self) -> impl Iterator<Item = Xid> {
        self.runs.iter().flat_map(|run| (run.first..=run.last).map(Xid))
    }

    /// The runs, as first and last.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (Xid, Xid)> {
        self.runs.iter().map(|run| (Xid(run.first), Xid(run.last)))
    }

    /// The largest identity.
    pub fn max(&self) -> Option<Xid> {
        self.runs.iter().map(|run| Xid(run.last)).max()
    }

    /// The first identity above all of these and of `other`: what the next new node gets, if none that were here are gone.
    pub(crate) fn first_above(&self, other: &XidMap) -> Xid {
        self.max().max(other.max()).map_or(Xid::FIRST, Xid::next)
    }

    /// Where identities are found by number rather than by place.
    pub fn places(&self) -> XidPlaces {
        let mut runs = self.runs.to_vec();
        runs.sort_unstable_by_key(|run| run.first);
        XidPlaces { runs }
    }

    /// The identity that two nodes share, if any do.
    pub fn first_twice(&self) -> Option<Xid> {
        // Most maps count up.
        if self.runs.windows(2).all(|pair| pair[0].last < pair[1].first) {
            return None;
        }
        let runs = self.places().runs;
        runs.windows(2).find(|pair| pair[1].first <= pair[0].last).map(|pair| Xid(pair[1].first))
    }
}

/// The places in post-order of a map's identities.
#[derive(Debug, Clone)]
pub struct XidPlaces {
    /// Sorted by their first.
    runs: Vec<Run>,
}

impl XidPlaces {
    /// The place in post-order of the node with this identity, counted from 0.
    pub fn find(&self, xid: Xid) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.first <= xid.0);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (xid.0 <= run.last).then(|| run.before + (xid.0 - run.first))
    }
}

impl FromIterator<Xid> for XidMap {
    fn from_iter<I: IntoIterator<Item = Xid>>(xids: I) -> Self {
        let mut map = XidMap::new();
        xids.into_iter().for_each(|xid| map.push(xid));
        map
    }
}

impl fmt::Display for XidMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (at, run) in self.runs.iter().enumerate() {
            let separator = if at == 0 { "" } else { ";" };
            match run.len() {
                1 => write!(f, "{separator}{}", run.first)?,
                _ => write!(f, "{separator}{}-{}", run.first, run.last)?,
            }
        }
        f.write_str(")")
    }
}

impl FromStr for XidMap {
    type Err = XidMapError;

    fn from_str(written: &str) -> Result<Self, XidMapError> {
        let form = || XidMapError::Form(shortened(written));
        let inner = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(form)?;
        let mut map = XidMap::new();
        if inner.is_empty() {
            return Ok(map);
        }
        let mut rest = inner.as_bytes();
        loop {
            let run = rest;
            let first = number(&mut rest).ok_or_else(form)?;
            let last = if skip(&mut rest, b'-') { number(&mut rest).ok_or_else(form)? } else { first };
            let is_possible = first > 0 && first <= last && last < u64::MAX;
            if !is_possible || map.len().checked_add(last - first + 1).is_none() {
                let run = &run[..run.len() - rest.len()];
                return Err(XidMapError::Run(shortened(&String::from_utf8_lossy(run))));
            }
            map.push_run(Xid(first), Xid(last));
            if !skip(&mut rest, b';') {
                break;
            }
        }
        if !rest.is_empty() {
            return Err(form());
        }
        map.first_twice().map_or(Ok(map), |xid| Err(XidMapError::Twice(xid)))
    }
}

/// A number from the start of what is left: digits alone, a sign or a blank is no number here.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, behind) = rest.split_at(digits);
    *rest = behind;
    let add = |sum: u64, digit: &u8| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    (digits > 0).then(|| number.iter().try_fold(0, add)).flatten()
}

/// Whether this is next, which is then left behind.
fn skip(rest: &mut &[u8], byte: u8) -> bool {
    let found = rest.strip_prefix(&[byte]);
    *rest = found.unwrap_or(rest);
    found.is_some()
}

fn shortened(written: &str) -> String {
    crate::text::shortened(written, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_as_written() {
        for written in ["()", "(1)", "(1-3)", "(4-5;1-3;9)"] {
            assert_eq!(written.parse::<XidMap>().map(|map| map.to_string()).as_deref(), Ok(written));
        }
        assert_eq!("(1-2;3-4)".parse::<XidMap>().map(|map| map.to_string()).as_deref(), Ok("(1-4)"));
    }

    #[test]
    fn what_is_no_map_is_refused() {
        for written in [
            "",
            "1-2",
            "(1",
            "(a)",
            "(1-)",
            "(+1)",
            "(1;;2)",
            "(1;)",
            "(;1)",
            "( 1)",
            "(1)x",
            "(99999999999999999999)",
            "(1-2-3)",
            "(0)",
            "(3-2)",
        ] {
            assert!(written.parse::<XidMap>().is_err(), "{written}");
        }
        assert_eq!("(1-5;3)".parse::<XidMap>(), Err(XidMapError::Twice(Xid(3))));
        assert!("(1-18446744073709551615)".parse::<XidMap>().is_err());
        assert!("(1-9223372036854775807;9223372036854775809-18446744073709551614)".parse::<XidMap>().is_ok());
    }

    #[test]
    fn places_and_slices_agree_with_the_list() {
        let map: XidMap = "(5-9;1-3;20;12-13)".parse().unwrap();
        let all: Vec<Xid> = map.iter().collect();
        let places = map.places();
        for (place, &xid) in all.iter().enumerate() {
            assert_eq!(map.get(place as u64), Some(xid));
            assert_eq!(places.find(xid), Some(place as u64));
        }
        assert_eq!(map.get(all.len() as u64), None);
        assert_eq!(places.find(Xid(4)), None);
        for start in 0..all.len() {
            for end in start..=all.len() {
                let mut slice = XidMap::new();
                slice.push_slice(&map, start as u64, (end - start) as u64);
                assert_eq!(slice, all[start..end].iter().copied().collect());
            }
        }
    }
}

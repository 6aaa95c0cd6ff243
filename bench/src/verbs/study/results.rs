//! What was found so far? A line for every contender and case, in a file that a later run goes on with.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

/// What a contender made of a case.
#[derive(Debug, Clone, Default)]
pub struct Record {
    pub contender: String,
    /// What it was when it did so: a build of this program, or a version of a peer.
    pub build: String,
    pub case: String,
    pub kind: String,
    pub group: String,
    pub format: String,
    /// Of both versions, as are the nodes.
    pub bytes: u64,
    pub nodes: u64,
    /// Why there is nothing else: out of time, or what went wrong.
    pub failure: String,
    pub seconds: f64,
    pub peak_bytes: u64,
    pub operations: Option<u64>,
    pub cost: Option<u64>,
    pub cost_without_moves: Option<u64>,
    pub delta_bytes: u64,
    /// The fallbacks that were used.
    pub fallbacks: String,
    pub fallbacks_without_moves: String,
    /// The laws that do not hold.
    pub faults: String,
}

const HEADS: [&str; 18] = [
    "contender",
    "build",
    "case",
    "kind",
    "group",
    "format",
    "bytes",
    "nodes",
    "failure",
    "seconds",
    "peak_bytes",
    "operations",
    "cost",
    "cost_without_moves",
    "delta_bytes",
    "fallbacks",
    "fallbacks_without_moves",
    "faults",
];

impl Record {
    pub fn is_done(&self) -> bool {
        self.failure.is_empty()
    }

    fn cells(&self) -> [String; HEADS.len()] {
        let optional = |figure: Option<u64>| figure.map_or(String::new(), |figure| figure.to_string());
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        [
            self.contender.clone(),
            self.build.clone(),
            plain(&self.case),
            self.kind.clone(),
            self.group.clone(),
            self.format.clone(),
            self.bytes.to_string(),
            self.nodes.to_string(),
            plain(&self.failure),
            format!("{:.9}", self.seconds),
            self.peak_bytes.to_string(),
            optional(self.operations),
            optional(self.cost),
            optional(self.cost_without_moves),
            self.delta_bytes.to_string(),
            self.fallbacks.clone(),
            self.fallbacks_without_moves.clone(),
            plain(&self.faults),
        ]
    }

    /// Nothing for a line that was torn when a run was ended.
    fn read(line: &str) -> Option<Record> {
        let cells: [&str; HEADS.len()] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let [contender, build, case, kind, group, format, bytes, nodes, failure, seconds, peak_bytes, rest @ ..] =
            cells;
        let [operations, cost, cost_without_moves, delta_bytes, fallbacks, fallbacks_without_moves, faults] = rest;
        Some(Record {
            contender: contender.to_owned(),
            build: build.to_owned(),
            case: case.to_owned(),
            kind: kind.to_owned(),
            group: group.to_owned(),
            format: format.to_owned(),
            bytes: bytes.parse().ok()?,
            nodes: nodes.parse().ok()?,
            failure: failure.to_owned(),
            seconds: seconds.parse().ok()?,
            peak_bytes: peak_bytes.parse().ok()?,
            operations: operations.parse().ok(),
            cost: cost.parse().ok(),
            cost_without_moves: cost_without_moves.parse().ok(),
            delta_bytes: delta_bytes.parse().ok()?,
            fallbacks: fallbacks.to_owned(),
            fallbacks_without_moves: fallbacks_without_moves.to_owned(),
            faults: faults.to_owned(),
        })
    }
}

/// All records, and the file that they are in.
pub struct Results {
    file: File,
    /// By contender and case; of several builds the newest.
    found: HashMap<(String, String), Record>,
}

impl Results {
    pub fn open(path: &Path, fresh: bool) -> Result<Self> {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        if fresh && path.exists() {
            fs::remove_file(path)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        if text.is_empty() {
            writeln!(file, "{}", HEADS.join("\t"))?;
        } else if !text.ends_with('\n') {
            writeln!(file)?;
        }
        let records = text.lines().skip(1).filter_map(Record::read);
        let found = records.map(|record| ((record.contender.clone(), record.case.clone()), record)).collect();
        Ok(Results { file, found })
    }

    /// What this contender made of a case, whichever build it was.
    pub fn get(&self, contender: &str, case: &str) -> Option<&Record> {
        self.found.get(&(contender.to_owned(), case.to_owned()))
    }

    pub fn add(&mut self, record: Record) -> Result<()> {
        writeln!(self.file, "{}", record.cells().join("\t"))?;
        self.file.flush()?;
        self.found.insert((record.contender.clone(), record.case.clone()), record);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written_and_torn_ones_left_out() {
        let path = std::env::temp_dir().join(format!("deltaic-results-{}.tsv", std::process::id()));
        let record = |case: &str, cost| Record {
            contender: "auto".to_owned(),
            case: case.to_owned(),
            failure: "a\tb".to_owned(),
            seconds: 0.25,
            cost,
            ..Record::default()
        };
        let mut results = Results::open(&path, true).expect("a file");
        results.add(record("one", Some(3))).expect("written");
        results.add(record("one", Some(2))).expect("written");
        results.add(record("two", None)).expect("written");
        write!(results.file, "auto\tb1\tthree\tcor").expect("written");
        let mut results = Results::open(&path, false).expect("a file");
        results.add(record("four", Some(4))).expect("written");
        let results = Results::open(&path, false).expect("a file");
        let cost = |case: &str| results.get("auto", case).map(|record| record.cost);
        assert_eq!(["one", "two", "three", "four"].map(cost), [Some(Some(2)), Some(None), None, Some(Some(4))]);
        let one = results.get("auto", "one").expect("a record");
        assert_eq!((one.failure.as_str(), one.seconds, one.is_done()), ("a b", 0.25, false));
        fs::remove_file(&path).expect("removed");
    }
}

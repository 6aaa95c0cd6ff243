//! How often is the local optimum the global one, and how far is it from it otherwise? Over the histories.

use std::time::Duration;

use anyhow::Result;
use treediff::matching::{Assignment, LeafMatrix, Options};

use super::{Pair, Part, pairs};
use crate::measure::Meter;
use crate::report::{Table, median, tsv};
use crate::verbs::Study;

/// What was found of a pair of versions.
struct Row {
    name: String,
    is_html: bool,
    leaves: (usize, usize),
    /// Sums of the criteria, and times: greedy, local, exact.
    worth: [f64; 3],
    time: [Duration; 3],
}

const METHODS: [Assignment; 3] = [Assignment::Greedy, Assignment::Local, Assignment::Exact];

/// Exact assignments of larger matrices are left out: n²m steps.
const MOST_STEPS: u64 = 2_000_000_000;

impl Row {
    /// How much of the greatest sum a method misses.
    fn gap(&self, method: usize) -> f64 {
        (self.worth[2] - self.worth[method]).max(0.0) / self.worth[2].max(f64::MIN_POSITIVE)
    }

    /// The greatest sum, but for the last digit of fixed-point costs.
    fn is_greatest(&self, method: usize) -> bool {
        self.worth[2] - self.worth[method] < 1e-5
    }
}

pub fn part(study: &Study<'_>) -> Result<Part> {
    let pairs = pairs(study, |_| true)?;
    let bar = study.bar(pairs.len());
    bar.set_prefix("local and global optima");
    let (mut rows, mut left_out) = (Vec::new(), 0);
    for pair in &pairs {
        bar.inc(1);
        match matrix(pair) {
            Some(matrix) => rows.extend(measured(pair, &matrix)?),
            None => left_out += 1,
        }
    }
    bar.finish_and_clear();
    Ok(Part { name: "goodmatch-gap", plot: None, table: table(&rows), text: told(&rows, left_out) })
}

fn matrix(pair: &Pair) -> Option<LeafMatrix> {
    let matrix = LeafMatrix::new(&pair.before, &pair.after, &Options::default())?;
    let (rows, columns) = matrix.leaves();
    let (fewer, more) = (rows.min(columns) as u64, rows.max(columns) as u64);
    (fewer.saturating_mul(fewer).saturating_mul(more) <= MOST_STEPS).then_some(matrix)
}

/// Nothing where a side has no changed leaves: there is nothing to assign.
fn measured(pair: &Pair, matrix: &LeafMatrix) -> Result<Option<Row>> {
    let leaves = matrix.leaves();
    if leaves.0.min(leaves.1) == 0 {
        return Ok(None);
    }
    let mut time = [Duration::ZERO; 3];
    let mut worth = [0.0; 3];
    for (at, method) in METHODS.into_iter().enumerate() {
        let mut meter = Meter::new();
        meter.run(|| {
            worth[at] = matrix.worth(method);
            Ok(())
        })?;
        time[at] = meter.cost().time;
    }
    Ok(Some(Row { name: pair.name.clone(), is_html: pair.is_html, leaves, worth, time }))
}

fn table(rows: &[Row]) -> String {
    let heads = [
        "document",
        "format",
        "leaves_before",
        "leaves_after",
        "greedy",
        "local",
        "exact",
        "greedy_seconds",
        "local_seconds",
        "exact_seconds",
    ];
    tsv(
        &heads,
        rows.iter().map(|row| {
            let format = if row.is_html { "html" } else { "xml" };
            let figures = row.worth.iter().map(|worth| format!("{worth:.6}"));
            let times = row.time.iter().map(|time| format!("{:.9}", time.as_secs_f64()));
            let start = [row.name.clone(), format.to_owned(), row.leaves.0.to_string(), row.leaves.1.to_string()];
            start.into_iter().chain(figures).chain(times).collect()
        }),
    )
}

fn told(rows: &[Row], left_out: usize) -> String {
    let mut table = Table::new(&[
        "pairs of versions",
        "number",
        "leaves, median",
        "greedy is greatest",
        "local is greatest",
        "largest gap of greedy",
        "largest gap of local",
        "local, total",
        "exact, total",
    ]);
    for (name, is_wanted) in KINDS {
        let found: Vec<&Row> = rows.iter().filter(|row| is_wanted(row)).collect();
        let leaves: Vec<f64> = found.iter().map(|row| row.leaves.0.min(row.leaves.1) as f64).collect();
        let greatest = |method| {
            let count = found.iter().filter(|row| row.is_greatest(method)).count();
            format!("{:.1} %", 100.0 * count as f64 / found.len().max(1) as f64)
        };
        let largest = |method| format!("{:.2} %", 100.0 * found.iter().map(|row| row.gap(method)).fold(0.0, f64::max));
        let total = |method: usize| {
            format!("{:.1} ms", 1e3 * found.iter().map(|row| row.time[method].as_secs_f64()).sum::<f64>())
        };
        table.row(&[
            name.to_owned(),
            found.len().to_string(),
            median(&leaves).to_string(),
            greatest(0),
            greatest(1),
            largest(0),
            largest(1),
            total(1),
            total(2),
        ]);
    }
    format!(
        "Every version of the corpus and its next, where leaves changed on both sides ({left_out} more have matrices that are \
         too large for the exact assignment, and are left out). A gap is what is missing of the greatest sum of criteria; \
         times are of one run of the assignment alone.\n\n{}",
        table.finish()
    )
}

type IsWanted = fn(&Row) -> bool;

const KINDS: [(&str, IsWanted); 4] = [
    ("HTML", |row| row.is_html),
    ("XML", |row| !row.is_html),
    ("with 10 leaves or more", |row| row.leaves.0.min(row.leaves.1) >= 10),
    ("with 100 leaves or more", |row| row.leaves.0.min(row.leaves.1) >= 100),
];

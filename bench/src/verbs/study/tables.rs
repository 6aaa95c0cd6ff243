//! How is it told in tables? What everybody costs, how near to the optimum they are, and where the default is not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::cases::Kind;
use super::contender::{Contender, Who};
use super::findings::{Findings, Quality, Row, YARDSTICK, over};
use super::peers::{GNU_DIFF, NOT_HAD};
use super::results::Record;
use super::{median_of, milliseconds, percent, reach};
use crate::report::Table;

pub fn told(findings: &Findings, missing: &[String]) -> String {
    let mut out = String::new();
    for kind in Kind::ALL {
        let rows: Vec<&Row> = findings.of_kind(kind).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(out, "## {}\n\n{}", title(kind), costs(findings, &rows));
        let qualities = qualities(findings, &rows);
        if let Some(table) = qualities {
            let _ = writeln!(out, "{table}");
        }
    }
    let _ = writeln!(out, "{CAPTION}\n");
    if let Some(table) = by_group(findings) {
        let _ = writeln!(out, "## By family\n\n{table}");
    }
    let _ = writeln!(out, "## Who took part\n\n{}", participants(findings, missing));
    out
}

const CAPTION: &str = "\
Time is CPU time of matching and delta (of GNU diff the whole process, of other peers reading both files and comparing\n\
them, without the start of the interpreter); «of xydiff's» and «of GNU diff's» are sums over the pairs that both have\n\
done. Memory is the peak of the heap beyond both documents (of peers that of the process, and never below 11 MB). Edit\n\
cost is 1 per node inserted, deleted or updated, 1 per attribute operation, and 1 per moved subtree; without moves it is\n\
that of a second comparison which is told to find none (`--no-moves`). The optimum is without moves as well. Pairs whose optimum is 0\n\
are not counted beside it.\n\
A peer to whom several pairs in a row were too much is not asked about larger ones; its figures are those of small pairs.";

fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Corpus => "Real changes",
        Kind::AsJson => "Real changes, as JSON",
        Kind::Simulated => "Simulated changes",
        Kind::HeldOut => "Pairs held out",
    }
}

/// What everybody costs, and how much they say.
fn costs(findings: &Findings, rows: &[&Row]) -> String {
    let mut table = Table::new(&[
        "",
        "pairs",
        "not done",
        "median ms",
        "total s",
        "time of xydiff's",
        "median peak kB",
        "largest peak MB",
        "operations",
        "edit cost",
        "without moves",
        "delta kB",
        "of GNU diff's",
        "with fallbacks",
    ]);
    for (at, contender) in findings.contenders.iter().enumerate() {
        if rows.iter().any(|row| row.records[at].is_some()) {
            table.row(&cost_cells(findings, rows, at, contender));
        }
    }
    table.finish()
}

fn cost_cells(findings: &Findings, rows: &[&Row], at: usize, contender: &Contender) -> Vec<String> {
    let done: Vec<&Record> = rows.iter().filter_map(|row| row.done(at)).collect();
    let failed = rows.iter().filter_map(|row| row.records[at].as_ref()).filter(|record| !record.is_done()).count();
    let median = |figure: fn(&Record) -> f64| median_of(done.iter().map(|record| figure(record)));
    let sum = |figure: fn(&Record) -> Option<u64>| {
        let known: Option<Vec<u64>> = done.iter().map(|record| figure(record)).collect();
        known.filter(|known| !known.is_empty()).map_or(String::new(), |known| known.iter().sum::<u64>().to_string())
    };
    let beside = |other: &str, figure: fn(&Record) -> f64| {
        let ratio = findings.index(other).and_then(|other| over(rows.iter().copied(), [at, other], figure));
        ratio.filter(|ratio| *ratio > 0.0).map_or(String::new(), times)
    };
    let largest = done.iter().map(|record| record.peak_bytes).max().unwrap_or(0);
    vec![
        contender.name.clone(),
        done.len().to_string(),
        failed.to_string(),
        milliseconds(median(|record| record.seconds)),
        format!("{:.3}", done.iter().map(|record| record.seconds).fold(0.0, |sum, seconds| sum + seconds)),
        beside(YARDSTICK, |record| record.seconds),
        format!("{:.0}", median(|record| record.peak_bytes as f64) / 1e3),
        format!("{:.1}", largest as f64 / 1e6),
        sum(|record| record.operations),
        sum(|record| record.cost),
        sum(|record| record.cost_without_moves),
        delta_kilobytes(&done),
        beside(GNU_DIFF, |record| record.delta_bytes as f64),
        done.iter().filter(|record| !record.fallbacks.is_empty()).count().to_string(),
    ]
}

/// Nothing of those that tell a distance alone.
fn delta_kilobytes(done: &[&Record]) -> String {
    match done.iter().map(|record| record.delta_bytes).sum::<u64>() {
        0 => String::new(),
        bytes => format!("{:.1}", bytes as f64 / 1e3),
    }
}

pub fn times(ratio: f64) -> String {
    if ratio < 100.0 { format!("{ratio:.2}x") } else { format!("{ratio:.0}x") }
}

pub const QUALITY_HEADS: [&str; 9] = [
    "pairs with an optimum",
    "mean",
    "summed",
    "largest",
    "at the optimum",
    "within 5 %",
    "with moves, mean",
    "with moves, largest",
    "with moves, at or below",
];

pub fn quality_cells(quality: &Quality) -> [String; QUALITY_HEADS.len()] {
    [
        quality.pairs.to_string(),
        format!("{:.3}x", quality.mean),
        format!("{:.3}x", quality.summed),
        format!("{:.2}x", quality.max),
        percent(quality.perfect),
        percent(quality.nearly),
        format!("{:.3}x", quality.mean_with_moves),
        format!("{:.2}x", quality.max_with_moves),
        percent(quality.with_moves),
    ]
}

/// Edit cost of our own over the optimum, where it is known.
fn qualities(findings: &Findings, rows: &[&Row]) -> Option<String> {
    let mut heads = vec!["edit cost / optimum"];
    heads.extend(QUALITY_HEADS);
    let mut table = Table::new(&heads);
    let mut is_known = false;
    for (at, contender) in findings.contenders.iter().enumerate() {
        let Some(quality) = Quality::of(rows.iter().copied(), at) else { continue };
        is_known = true;
        table.row(&[vec![contender.name.clone()], quality_cells(&quality).to_vec()].concat());
    }
    is_known.then(|| table.finish())
}

/// How near to the optimum the judged algorithm is, by family.
fn by_group(findings: &Findings) -> Option<String> {
    let judged = reach::judged(findings)?;
    let mut groups: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in &findings.rows {
        groups.entry((row.kind.name(), &row.group)).or_default().push(row);
    }
    let mut heads = vec![findings.contenders[judged].name.as_str(), "pairs", "time of xydiff's"];
    heads.extend(QUALITY_HEADS);
    let mut table = Table::new(&heads);
    for ((kind, group), rows) in groups {
        let yardstick = findings.index(YARDSTICK);
        let time = yardstick.and_then(|other| over(rows.iter().copied(), [judged, other], |record| record.seconds));
        let quality = Quality::of(rows.iter().copied(), judged).map(|quality| quality_cells(&quality).to_vec());
        let done = rows.iter().filter(|row| row.done(judged).is_some()).count();
        let head = vec![
            format!("{kind}: {group}"),
            done.to_string(),
            time.map_or(String::new(), |time| format!("{time:.2}x")),
        ];
        table.row(&[head, quality.unwrap_or_else(|| vec![String::new(); QUALITY_HEADS.len()])].concat());
    }
    Some(table.finish())
}

fn participants(findings: &Findings, missing: &[String]) -> String {
    let mut out = String::new();
    for contender in &findings.contenders {
        let about = match contender.who {
            Who::Ours(algorithm) => algorithm.summary().to_owned(),
            Who::Peer(peer) => format!("{} ({})", peer.about, contender.build()),
        };
        let _ = writeln!(out, "- `{}`: {about}", contender.name);
    }
    if !missing.is_empty() {
        let _ = writeln!(out, "\nNot installed: {}.", missing.join(", "));
    }
    let _ = write!(out, "\n{NOT_HAD}\n");
    out
}

//! Is the goal reached? Every one with what was measured, the laws, and the pairs on which the default is worst.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::cases::{Kind, RULER};
use super::findings::{Findings, OPTIMAL, Quality, Row, YARDSTICK, over};
use super::percent;
use crate::report::{self, Table};
use crate::verbs::kfdiff;

/// The algorithm that is judged.
const DEFAULT: &str = "auto";

/// The one by keys, KF-Diff+'s algorithm 1.
pub const KEYS: &str = "kfdiff-hash";

/// Time per node of a large document over that of a small one.
const GROWTH: f64 = 1.5;

/// So many nodes a document may have for the optimum to be expected.
const SOLVABLE_NODES: u64 = 20_000;

const WORST: usize = 20;

/// The index of the algorithm that is judged; without the default the first of all.
pub fn judged(findings: &Findings) -> Option<usize> {
    findings.index(DEFAULT).or_else(|| findings.contenders.iter().position(|contender| contender.is_ours()))
}

pub fn told(findings: &Findings, keys: Option<&kfdiff::Speed>, folder: &Path) -> Result<String> {
    let mut out = String::from("## Reach\n\n");
    if let Some(at) = judged(findings) {
        default_goals(findings, at, &mut out);
    }
    ruler_goals(findings, &mut out);
    tree_distance_goal(findings, &mut out);
    key_goals(keys, &mut out);
    laws(findings, &mut out);
    if let Some(at) = judged(findings) {
        out.push_str(&worst(findings, at, folder)?);
    }
    Ok(out)
}

/// A line for a goal: what was found, and whether that is enough.
pub fn goal(out: &mut String, what: &str, found: Option<(String, bool)>) {
    let verdict = match found {
        Some((found, is_met)) => format!("{found}, {}", if is_met { "met" } else { "missed" }),
        None => "not measured".to_owned(),
    };
    let _ = writeln!(out, "- {what}: {verdict}");
}

/// The goals of the default algorithm, on real changes.
fn default_goals(findings: &Findings, at: usize, out: &mut String) {
    let name = &findings.contenders[at].name;
    let real = || findings.of_kind(Kind::Corpus);
    let quality = Quality::of(real(), at);
    quality_goals(name, "real changes", quality.as_ref(), out);
    let yardstick = findings.index(YARDSTICK);
    let time = yardstick.and_then(|other| over(real(), [at, other], |record| record.seconds));
    goal(
        out,
        &format!("`{name}`, time over `{YARDSTICK}`'s, at most 1.3x"),
        time.map(|time| (format!("{time:.2}x in sum, {}", typical(findings, at, yardstick)), time <= 1.3)),
    );
}

/// The goals of the edit cost, on pairs of some kind.
pub fn quality_goals(name: &str, pairs: &str, quality: Option<&Quality>, out: &mut String) {
    let about = |found: fn(&Quality) -> (String, bool)| quality.map(found);
    goal(
        out,
        &format!("`{name}` without moves, mean edit cost over the optimum on {pairs}, at most 1.05x"),
        about(|quality| (format!("{:.3}x of {} pairs", quality.mean, quality.pairs), quality.mean <= 1.05)),
    );
    goal(
        out,
        &format!("`{name}` without moves, largest, at most 1.5x"),
        about(|quality| (format!("{:.2}x", quality.max), quality.max <= 1.5)),
    );
    goal(
        out,
        &format!("`{name}` with moves, moves counted as 1, largest over the optimum without, at most 1.5x"),
        about(|quality| (format!("{:.2}x", quality.max_with_moves), quality.max_with_moves <= 1.5)),
    );
    goal(
        out,
        &format!("`{name}` with moves, pairs at or below that optimum, moves counted as 1, at least 95 %"),
        about(|quality| (percent(quality.with_moves), quality.with_moves >= 0.95)),
    );
}

fn typical(findings: &Findings, at: usize, yardstick: Option<usize>) -> String {
    let ratio = |row: &Row| Some(row.done(at)?.seconds / row.done(yardstick?)?.seconds);
    let ratios: Vec<f64> = findings.of_kind(Kind::Corpus).filter_map(ratio).collect();
    format!("{:.2}x on the median", report::median(&ratios))
}

/// What the optimum costs, and up to what size it is found.
fn ruler_goals(findings: &Findings, out: &mut String) {
    let optimal = findings.index(OPTIMAL);
    let is_small = |row: &&Row| row.nodes() > 0 && row.nodes() <= 2 * SOLVABLE_NODES;
    let asked = |row: &&Row| optimal.is_some_and(|at| row.done(at).is_some());
    let small = || findings.of_kind(Kind::Corpus).filter(is_small).filter(asked);
    let (solved, all) = (small().filter(|row| row.optimum.is_some()).count(), small().count());
    goal(
        out,
        &format!("the optimum is found on every real pair of up to {SOLVABLE_NODES} nodes a side"),
        (all > 0).then(|| (format!("{solved} of {all}"), solved == all)),
    );
    let ruler = findings.rows.iter().find(|row| row.name == RULER);
    let record = ruler.and_then(|row| row.done(optimal?));
    goal(
        out,
        "`optimal` on 10,000 by 10,000 nodes with 5 % changed, under 10 s and 1 GiB",
        record.map(|record| {
            let is_optimum = record.fallbacks.is_empty();
            let found = format!(
                "{:.2} s and {:.0} MiB ({} nodes in both{})",
                record.seconds,
                record.peak_bytes as f64 / f64::from(1 << 20),
                record.nodes,
                if is_optimum { "" } else { ", by a fallback" }
            );
            (found, is_optimum && record.seconds < 10.0 && record.peak_bytes < 1 << 30)
        }),
    );
}

/// The tree edit distance beside the packages that compute it.
fn tree_distance_goal(findings: &Findings, out: &mut String) {
    let Some(ours) = findings.index("ted") else { return };
    for peer in ["apted", "edist", "zss"] {
        let time = findings.index(peer).and_then(|at| over(findings.rows.iter(), [at, ours], |record| record.seconds));
        let what = format!("`ted`, at least as fast as `{peer}`");
        let told = |time: f64| format!("{time:.0}x as fast on what both have done, reading its files included");
        goal(out, &what, time.map(|time| (told(time), time >= 1.0)));
    }
}

/// KF-Diff+: the rate of its paper's documents, and whether time stays in proportion.
fn key_goals(keys: Option<&kfdiff::Speed>, out: &mut String) {
    goal(
        out,
        &format!(
            "`{KEYS}`, documents of its paper's kind ({} elements, {} deep) parsed and matched in a second on one core, \
             at least {}",
            kfdiff::ELEMENTS,
            kfdiff::DEPTH,
            kfdiff::GOAL
        ),
        keys.map(|speed| (format!("{:.0}", speed.documents_per_second), speed.documents_per_second >= kfdiff::GOAL)),
    );
    goal(
        out,
        &format!(
            "`{KEYS}`, linear, time per node to parse and match {} nodes over that of {}, at most {GROWTH}x",
            kfdiff::Speed::LARGEST,
            kfdiff::Speed::SMALLEST
        ),
        keys.map(|speed| {
            let [whole, matching] = speed.growth;
            (format!("{whole:.2}x, matching alone {matching:.2}x"), whole <= GROWTH)
        }),
    );
}

fn laws(findings: &Findings, out: &mut String) {
    let ours = findings.contenders.iter().enumerate().filter(|(_, who)| who.is_ours());
    let deltas: usize = ours.map(|(at, _)| findings.rows.iter().filter(|row| row.records[at].is_some()).count()).sum();
    let faults: Vec<String> =
        findings.faults().map(|(who, case, fault)| format!("  - `{who}`, {case}: {fault}\n")).collect();
    let found = format!("{} of {deltas} deltas break one", faults.len());
    goal(out, "every law on every pair, with and without moves", Some((found, faults.is_empty())));
    out.extend(faults.iter().take(WORST).map(String::as_str));
    let below: Vec<String> =
        findings.below_optimum().map(|(who, row)| format!("  - `{who}`, {}\n", row.name)).collect();
    goal(out, "nobody is below the optimum", Some((format!("{} are", below.len()), below.is_empty())));
    out.extend(below.iter().take(WORST).map(String::as_str));
}

/// What is told of a pair that is far from the optimum.
pub const WORST_HEADS: [&str; 8] =
    ["case", "nodes", "optimum", "without moves", "ratio", "with moves", "ratio with moves", "fallbacks"];

pub fn worst_cells(row: &Row, at: usize) -> Vec<String> {
    let record = row.done(at).cloned().unwrap_or_default();
    vec![
        row.name.clone(),
        record.nodes.to_string(),
        row.optimum.unwrap_or(0).to_string(),
        record.cost_without_moves.unwrap_or(0).to_string(),
        format!("{:.3}", row.quality(at).unwrap_or(0.0)),
        record.cost.unwrap_or(0).to_string(),
        format!("{:.3}", row.quality_with_moves(at).unwrap_or(0.0)),
        record.fallbacks,
    ]
}

/// The pairs on which an algorithm is farthest from the optimum.
fn worst(findings: &Findings, at: usize, folder: &Path) -> Result<String> {
    let name = &findings.contenders[at].name;
    let mut rows: Vec<&Row> = findings.rows.iter().filter(|row| row.quality(at).is_some()).collect();
    let badness = |row: &Row| row.quality(at).unwrap_or(0.0).max(row.quality_with_moves(at).unwrap_or(0.0));
    rows.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    let mut table = Table::new(&WORST_HEADS);
    rows.iter().take(WORST).for_each(|row| table.row(&worst_cells(row, at)));
    fs::write(folder.join("worst.tsv"), report::tsv(&WORST_HEADS, rows.iter().map(|row| worst_cells(row, at))))?;
    if rows.is_empty() {
        return Ok(String::new());
    }
    let text =
        format!("The pairs on which `{name}` is farthest from the optimum; all of them in [worst.tsv](worst.tsv).");
    Ok(format!("\n### The worst\n\n{text}\n\n{}", table.finish()))
}

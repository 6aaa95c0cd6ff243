//! Does time stay in proportion up to 100 MB, and beside GNU diff's? Whole processes on the large documents.

use std::path::Path;

use anyhow::Result;

use super::findings::{Findings, YARDSTICK};
use super::reach;
use crate::corpus::{self, LargePair};
use crate::folder::Folder;
use crate::report::Table;
use crate::verbs::Study;
use crate::verbs::diff::{CUT, Contest, built, cut_pairs, file_len};

/// Large ones take long, and vary little.
const RUNS: usize = 3;

/// Time per byte of the largest piece over that of one of a few megabytes.
const GROWTH: f64 = 1.5;

/// What is measured of a pair.
struct Row {
    name: String,
    megabytes: f64,
    /// Of the judged algorithm, of the yardstick, and of GNU diff.
    seconds: [f64; 3],
}

impl Row {
    fn per_megabyte(&self) -> f64 {
        self.seconds[0] / self.megabytes
    }

    fn of_diff(&self) -> f64 {
        self.seconds[0] / self.seconds[2]
    }
}

pub fn told(study: &Study<'_>, findings: &Findings, folder: &Folder) -> Result<String> {
    let Some(judged) = reach::judged(findings) else { return Ok(String::new()) };
    let name = &findings.contenders[judged].name;
    let deltaic = built()?;
    let pairs = corpus::large_pairs(study.corpus, "xml", "")?;
    let cut = pairs.iter().find(|pair| pair.name == CUT).map(|pair| cut_pairs(pair, &folder.path)).transpose()?;
    let pieces = cut.unwrap_or_default();
    let pages = corpus::large_pairs(study.corpus, "html", "")?;
    let whole = measured(study, &pairs, name, &deltaic, &folder.path)?;
    let pages = measured(study, &pages, name, &deltaic, &folder.path)?;
    let grown = measured(study, &pieces, name, &deltaic, &folder.path)?;
    let goals = goals(name, &whole, &pages, &grown);
    Ok(format!("## Large documents\n\n{goals}\n{}", table(name, whole.iter().chain(&pages).chain(&grown))))
}

fn measured(study: &Study<'_>, pairs: &[LargePair], name: &str, deltaic: &Path, folder: &Path) -> Result<Vec<Row>> {
    let bar = study.bar(pairs.len());
    bar.set_prefix("large documents");
    let contest = |algorithm| Contest { runs: RUNS, deltaic, algorithm: Some(algorithm), folder, bar: bar.clone() };
    let row = |pair: &LargePair| {
        let (judged, diff) = contest(name).run(pair)?;
        let (yardstick, _) = contest(YARDSTICK).run(pair)?;
        bar.inc(1);
        Ok(Row {
            name: pair.name.clone(),
            megabytes: (file_len(&pair.before)? + file_len(&pair.after)?) / 1e6,
            seconds: [judged, yardstick, diff].map(|cost| cost.time.as_secs_f64()),
        })
    };
    let rows = pairs.iter().map(row).collect();
    bar.finish_and_clear();
    rows
}

fn goals(name: &str, whole: &[Row], pages: &[Row], grown: &[Row]) -> String {
    let mut out = String::new();
    for (rows, what) in [(whole, "every large document of XML"), (pages, "every large page")] {
        let most = rows.iter().map(Row::of_diff).fold(0.0, f64::max);
        let what = format!("`{name}`, CPU time over GNU diff's on {what}, whole processes, at most 1.5x");
        reach::goal(&mut out, &what, (!rows.is_empty()).then(|| (format!("{most:.2}x on the worst"), most <= 1.5)));
    }
    let sum = |of: usize| -> f64 { whole.iter().chain(pages).map(|row| row.seconds[of]).sum() };
    let together = sum(0) / sum(2);
    let what = format!("`{name}`, the same on all of them together, at most 1.5x");
    reach::goal(&mut out, &what, (sum(2) > 0.0).then(|| (format!("{together:.2}x"), together <= 1.5)));
    // The smallest pieces are mostly the start of the process.
    let from = grown.iter().find(|row| row.megabytes >= 4.0);
    let growth = from.zip(grown.last()).map(|(from, to)| to.per_megabyte() / from.per_megabyte());
    let what = format!("`{name}`, linear to 100 MB, time per megabyte of the largest piece over that of the smaller");
    reach::goal(&mut out, &what, growth.map(|growth| (format!("{growth:.2}x"), growth <= GROWTH)));
    out
}

fn table<'r>(name: &str, rows: impl Iterator<Item = &'r Row>) -> String {
    let heads = [
        "",
        "MB of both",
        &format!("{name} ms"),
        &format!("{YARDSTICK} ms"),
        "GNU diff ms",
        "ms/MB",
        &format!("of {YARDSTICK}'s"),
        "of GNU diff's",
    ];
    let mut table = Table::new(&heads);
    for row in rows {
        let [judged, yardstick, diff] = row.seconds.map(|seconds| format!("{:.1}", 1e3 * seconds));
        table.row(&[
            row.name.clone(),
            format!("{:.1}", row.megabytes),
            judged,
            yardstick,
            diff,
            format!("{:.2}", 1e3 * row.per_megabyte()),
            format!("{:.2}x", row.seconds[0] / row.seconds[1]),
            format!("{:.2}x", row.of_diff()),
        ]);
    }
    table.finish()
}

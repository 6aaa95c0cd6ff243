//! What do the thesis's figures 5.7, 5.8 and 5.9 look like with these contenders?

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::findings::{Findings, OPTIMAL, Row};
use super::{median_of, percent, reach};
use crate::plot::{self, Axis, Bars, Plot, Scale, Series, Style};
use crate::report;

/// Classes of size with fewer pairs say nothing.
const LEAST_PAIRS: usize = 3;

pub fn told(findings: &Findings, folder: &Path) -> Result<String> {
    let mut out = String::from("## The papers' figures\n\n");
    fs::write(folder.join("speed.svg"), speed(findings).svg())?;
    fs::write(folder.join("speed.tsv"), speed_table(findings))?;
    out.push_str(&format!("![{SPEED}](speed.svg)\n\n{SPEED_TEXT} Data: [speed.tsv](speed.tsv).\n\n"));
    fs::write(folder.join("speed-spread.svg"), spread(findings).svg())?;
    out.push_str(&format!("![{SPREAD}](speed-spread.svg)\n\n{}\n\n", spread_text(findings)));
    if findings.rows.iter().any(|row| row.optimum.is_some()) {
        fs::write(folder.join("quality-histogram.svg"), histogram(findings).svg())?;
        fs::write(folder.join("matchers.tsv"), table(findings))?;
        out.push_str(&format!("![{HISTOGRAM}](quality-histogram.svg)\n\n{}\n\n", histogram_text(findings)));
    }
    out.push_str(OTHERS);
    Ok(out)
}

const SPEED: &str = "Speed of different programs (figure 5.7)";
const SPEED_TEXT: &str = "\
The median CPU time of pairs of about one size (a half of a power of ten), real and simulated. Differs from the paper: \
there the time is of whole programs, 90 % of it in the XML parser, and here of the comparison, except for peers (broken \
lines), which read their files; MMDiff is `optimal`, whose pruning keeps it far below the paper's quadratic line; and \
DeltaXML cannot be had.";

/// By size, the median of what a contender took.
fn medians(findings: &Findings, at: usize) -> Vec<(f64, f64, usize)> {
    let done = findings.rows.iter().filter_map(|row| row.done(at));
    classes(done.map(|record| (record.bytes as f64, record.seconds)).collect())
}

/// The medians of points whose x are about the same, a half of a power of ten, and how many they are.
fn classes(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64, usize)> {
    let class = |bytes: f64| (bytes.log10() * 2.0).floor();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let classes = points.chunk_by(|a, b| class(a.0) == class(b.0)).filter(|same| same.len() >= LEAST_PAIRS);
    let point = |same: &[(f64, f64)]| {
        (10f64.powf((class(same[0].0) + 0.5) / 2.0), median_of(same.iter().map(|point| point.1)), same.len())
    };
    classes.map(point).collect()
}

fn speed(findings: &Findings) -> Plot {
    let series = findings.contenders.iter().enumerate().map(|(at, who)| Series {
        name: who.name.clone(),
        points: medians(findings, at).into_iter().map(|(bytes, seconds, _)| (bytes, seconds)).collect(),
        style: if who.is_ours() { Style::Line } else { Style::Broken },
    });
    by_size(SPEED, series.filter(|series| !series.points.is_empty()).collect())
}

fn by_size(title: &str, series: Vec<Series>) -> Plot {
    Plot {
        title: title.to_owned(),
        x: Axis { label: "size of both versions".to_owned(), scale: Scale::Logarithmic, format: plot::bytes },
        y: Axis { label: "CPU time".to_owned(), scale: Scale::Logarithmic, format: plot::seconds },
        series,
    }
}

fn speed_table(findings: &Findings) -> String {
    let rows = findings.contenders.iter().enumerate().flat_map(|(at, who)| {
        let cells = |(bytes, seconds, pairs): (f64, f64, usize)| {
            vec![who.name.clone(), format!("{bytes:.0}"), pairs.to_string(), format!("{seconds:.9}")]
        };
        medians(findings, at).into_iter().map(cells).collect::<Vec<_>>()
    });
    report::tsv(&["contender", "bytes", "pairs", "median_s"], rows)
}

const OTHERS: &str = "\
The figures of KF-Diff+ are in [kfdiff.md](kfdiff.md), that of good matching in [goodmatch.md](goodmatch.md), and `ted` is \
beside APTED's programs in [ted.md](ted.md).\n";

const SPREAD: &str = "Every pair, focus on the optimum and the default (figure 5.8)";

/// Those in focus: the optimum, whose time depends on how much changed, and the default.
fn in_focus(findings: &Findings) -> Vec<usize> {
    let mut focus: Vec<usize> = [findings.index(OPTIMAL), reach::judged(findings)].into_iter().flatten().collect();
    focus.dedup();
    focus
}

fn spread(findings: &Findings) -> Plot {
    let dots = |at: usize| Series {
        name: findings.contenders[at].name.clone(),
        points: findings
            .rows
            .iter()
            .filter_map(|row| row.done(at))
            .map(|record| (record.bytes as f64, record.seconds))
            .collect(),
        style: Style::Dots,
    };
    by_size(SPREAD, in_focus(findings).into_iter().map(dots).collect())
}

fn spread_text(findings: &Findings) -> String {
    let per_node = |at: usize| {
        let done = findings.rows.iter().filter_map(move |row| row.done(at)).filter(|record| record.nodes >= 1000);
        let mut rates: Vec<f64> = done.map(|record| record.seconds / record.nodes as f64).collect();
        rates.sort_by(f64::total_cmp);
        let quantile = |share: f64| rates.get(((rates.len().max(1) - 1) as f64 * share) as usize).copied();
        quantile(0.1).zip(quantile(0.9)).map(|(low, high)| (low, high, rates.len()))
    };
    let told = in_focus(findings).into_iter().filter_map(|at| {
        let (low, high, pairs) = per_node(at)?;
        let name = &findings.contenders[at].name;
        Some(format!(
            "`{name}` {:.0} to {:.0} ns per node ({pairs} pairs of 1,000 nodes and more)",
            low * 1e9,
            high * 1e9
        ))
    });
    format!(
        "A dot for every pair; from the tenth to the ninetieth of a hundred: {}. Differs from the paper: its figure shows \
         DeltaXML, whose time is almost quadratic where most of a document changed, and finds that of MMDiff and XyDiff \
         alike for all documents of a size; here it is the optimum that depends on how much changed, since it prunes.",
        told.collect::<Vec<_>>().join(", ")
    )
}

const HISTOGRAM: &str = "Edit cost over the optimum, without moves (figure 5.9)";

/// Upper ends of the ranges of quality, and what they are called.
const RANGES: [(f64, &str); 8] = [
    (1.0, "1"),
    (1.05, "to 1.05"),
    (1.25, "to 1.25"),
    (1.5, "to 1.5"),
    (2.0, "to 2"),
    (3.0, "to 3"),
    (5.0, "to 5"),
    (f64::INFINITY, "more"),
];

/// The share of pairs in every range.
fn shares<'r>(rows: impl Iterator<Item = &'r Row>, at: usize) -> Vec<f64> {
    let mut counts = [0usize; RANGES.len()];
    for quality in rows.filter_map(|row| row.quality(at)) {
        let range = RANGES.iter().position(|(end, _)| quality <= *end).unwrap_or(RANGES.len() - 1);
        counts[range] += 1;
    }
    let all = counts.iter().sum::<usize>().max(1);
    counts.iter().map(|count| *count as f64 / all as f64).collect()
}

fn histogram(findings: &Findings) -> Bars {
    let judged = findings
        .contenders
        .iter()
        .enumerate()
        .filter(|(at, who)| who.name != OPTIMAL && findings.rows.iter().any(|row| row.quality(*at).is_some()));
    Bars {
        title: HISTOGRAM.to_owned(),
        groups: RANGES.iter().map(|(_, name)| (*name).to_owned()).collect(),
        x: "edit cost / optimum".to_owned(),
        y: Axis { label: "share of pairs".to_owned(), scale: Scale::Linear, format: plot::percent },
        series: judged.map(|(at, who)| (who.name.clone(), shares(findings.rows.iter(), at))).collect(),
    }
}

fn histogram_text(findings: &Findings) -> String {
    let pairs = findings.rows.iter().filter(|row| row.optimum.is_some_and(|optimum| optimum > 0)).count();
    let at = |at: usize| {
        let shares = shares(findings.rows.iter(), at);
        format!("`{}` is at the optimum on {} of them", findings.contenders[at].name, percent(shares[0]))
    };
    let judged = reach::judged(findings).map(at).unwrap_or_default();
    format!(
        "{pairs} pairs whose optimum is known and not 0; {judged}. Differs from the paper: shares of pairs and not numbers, \
         and names are part of a node here, so that a renamed element is deleted and inserted for everybody. The paper has \
         XyDiff at less than twice the minimum for half of the documents and at three times for the others, and DeltaXML \
         at the minimum for most. Data: [matchers.tsv](matchers.tsv)."
    )
}

/// What our own made of every case.
fn table(findings: &Findings) -> String {
    let heads = [
        "case",
        "kind",
        "nodes",
        "optimum",
        "algorithm",
        "seconds",
        "peak_bytes",
        "operations",
        "cost",
        "cost_without_moves",
        "delta_bytes",
        "fallbacks",
    ];
    let optional = |figure: Option<u64>| figure.map_or(String::new(), |figure| figure.to_string());
    let rows = findings.rows.iter().flat_map(|row| {
        let cells = move |at: usize| {
            let record = row.done(at).filter(|_| findings.contenders[at].is_ours())?;
            Some(vec![
                row.name.clone(),
                row.kind.name().to_owned(),
                record.nodes.to_string(),
                optional(row.optimum),
                record.contender.clone(),
                format!("{:.6}", record.seconds),
                record.peak_bytes.to_string(),
                optional(record.operations),
                optional(record.cost),
                optional(record.cost_without_moves),
                record.delta_bytes.to_string(),
                record.fallbacks.clone(),
            ])
        };
        (0..findings.contenders.len()).filter_map(cells)
    });
    report::tsv(&heads, rows)
}

//! Figure 3.8: how large is a computed delta beside the perfect one?

use std::collections::BTreeMap;

use anyhow::Result;
use treediff::matching::Algorithm;
use treediff::parse::Options;
use treediff::simulate::{Rates, simulate};

use super::{Figure, Sample, samples};
use crate::compare;
use crate::plot::{self, Axis, Plot, Scale, Series, Style};
use crate::report::{median, tsv};
use crate::verbs::Study;

const SIZES: [usize; 9] = [300, 1_000, 3_000, 10_000, 20_000, 50_000, 100_000, 300_000, 1_000_000];
const SHARES: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7];
const SEEDS: u64 = 3;

/// How a share of changes is spread over what can happen.
struct Mix {
    name: &'static str,
    rates: fn(f64) -> Rates,
}

const MIXES: [Mix; 3] = [
    Mix { name: "all alike", rates: |share| Rates::all(share / 4.0) },
    Mix { name: "moves alone", rates: |share| Rates { moved: share, ..Rates::default() } },
    Mix { name: "no moves", rates: |share| Rates { moved: 0.0, ..Rates::all(share / 3.0) } },
];

struct Row {
    name: String,
    bytes: usize,
    mix: usize,
    share: f64,
    seed: u64,
    perfect: usize,
    computed: usize,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.computed as f64 / self.perfect as f64
    }
}

pub fn figure(study: &Study<'_>) -> Result<Figure> {
    let bar = study.bar(SIZES.len());
    bar.set_prefix("figure 3.8");
    let mut rows = Vec::new();
    for sample in samples(study, &SIZES)? {
        bar.set_message(sample.name.clone());
        measure(&sample, &mut rows)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let plots = vec![("quality", against_perfect(&rows)), ("quality-by-share", by_share(&rows))];
    Ok(Figure { plots, table: table(&rows), text: told(&rows) })
}

fn measure(sample: &Sample, rows: &mut Vec<Row>) -> Result<()> {
    let before = &sample.document;
    for (mix, Mix { rates, .. }) in MIXES.iter().enumerate() {
        for share in SHARES {
            for seed in 1..=SEEDS {
                let simulated = simulate(before, &rates(share), seed, &Options::default())?;
                let after = &simulated.document;
                let perfect = compare::from_matching(before, after, &simulated.matching)?;
                if perfect.is_empty() {
                    continue; // a small share of a small document may be nothing
                }
                let computed = compare::delta(before, after, Algorithm::Xydiff)?;
                let [perfect, computed] = [perfect, computed].map(|delta| delta.to_xydelta().len());
                rows.push(Row {
                    name: sample.name.clone(),
                    bytes: sample.bytes(),
                    mix,
                    share,
                    seed,
                    perfect,
                    computed,
                });
            }
        }
    }
    Ok(())
}

fn against_perfect(rows: &[Row]) -> Plot {
    let of_mix = |mix: usize| rows.iter().filter(move |row| row.mix == mix);
    let series = MIXES.iter().enumerate().map(|(mix, Mix { name, .. })| Series {
        name: (*name).to_owned(),
        points: of_mix(mix).map(|row| (row.perfect as f64, row.computed as f64)).collect(),
        style: Style::Dots,
    });
    let ends = rows
        .iter()
        .fold((f64::MAX, 0f64), |(low, high), row| (low.min(row.perfect as f64), high.max(row.perfect as f64)));
    let points = vec![(ends.0, ends.0), (ends.1, ends.1)];
    let guide = Series { name: "as large".to_owned(), points, style: Style::Guide };
    Plot {
        title: "Computed and perfect deltas (figure 3.8)".to_owned(),
        x: Axis { label: "the simulator's delta".to_owned(), scale: Scale::Logarithmic, format: plot::bytes },
        y: Axis { label: "the computed delta".to_owned(), scale: Scale::Logarithmic, format: plot::bytes },
        series: series.chain([guide]).collect(),
    }
}

fn by_share(rows: &[Row]) -> Plot {
    let series = MIXES.iter().enumerate().map(|(mix, Mix { name, .. })| {
        let points = SHARES.iter().map(|&share| (share, median_at(rows, mix, share))).collect();
        Series { name: (*name).to_owned(), points, style: Style::Line }
    });
    let guide = Series { name: "as large".to_owned(), points: vec![(0.0, 1.0), (0.7, 1.0)], style: Style::Guide };
    Plot {
        title: "Computed over perfect delta, median (figure 3.8)".to_owned(),
        x: Axis { label: "share of changes".to_owned(), scale: Scale::Linear, format: plot::percent },
        y: Axis { label: "computed / perfect".to_owned(), scale: Scale::Linear, format: plot::ratio },
        series: series.chain([guide]).collect(),
    }
}

fn median_at(rows: &[Row], mix: usize, share: f64) -> f64 {
    let found: Vec<f64> = rows.iter().filter(|row| row.mix == mix && row.share == share).map(Row::ratio).collect();
    median(&found)
}

fn table(rows: &[Row]) -> String {
    let heads = ["document", "bytes", "mix", "share", "seed", "perfect_bytes", "computed_bytes"];
    tsv(
        &heads,
        rows.iter().map(|row| {
            let figures = [row.seed.to_string(), row.perfect.to_string(), row.computed.to_string()];
            let mix = MIXES[row.mix].name.to_owned();
            [row.name.clone(), row.bytes.to_string(), mix, row.share.to_string()].into_iter().chain(figures).collect()
        }),
    )
}

fn told(rows: &[Row]) -> String {
    let mut by_mix: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        by_mix.entry(MIXES[row.mix].name).or_default().push(row.ratio());
    }
    let medians: Vec<String> = by_mix.iter().map(|(mix, ratios)| format!("{:.2}x ({mix})", median(ratios))).collect();
    format!(
        "{} simulated versions of {} documents from a few hundred bytes to a megabyte; a share of changes is spread over \
         deletes, updates, inserts and moves, or is of moves alone, or without them. The computed delta is, on the \
         median, {} as large as the one that the simulator knows.",
        rows.len(),
        SIZES.len(),
        medians.join(", ")
    )
}

//! Figure 3.7: how does the time of each phase grow with the size of the documents?

use anyhow::Result;
use treediff::matching;
use treediff::parse::{self, Options};
use treediff::simulate::{Rates, simulate};
use treediff::write;

use super::{Figure, Sample, samples};
use crate::compare;
use crate::measure::Meter;
use crate::plot::{self, Axis, Plot, Scale, Series, Style};
use crate::report::tsv;
use crate::verbs::Study;

const SIZES: [usize; 14] = [
    1_000,
    3_000,
    10_000,
    30_000,
    100_000,
    300_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    30_000_000,
    50_000_000,
    100_000_000,
];

const PHASES: [&str; 4] = ["parse and hash (1, 2)", "match (3, 4)", "delta (5)", "write"];

/// What is measured of one document.
struct Row {
    name: String,
    /// Of both versions.
    bytes: usize,
    nodes: usize,
    seconds: [f64; 4],
}

pub fn figure(study: &Study<'_>) -> Result<Figure> {
    let bar = study.bar(SIZES.len());
    bar.set_prefix("figure 3.7");
    let mut rows = Vec::new();
    for sample in samples(study, &SIZES)? {
        bar.set_message(sample.name.clone());
        rows.push(measure(&sample, study.runs)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Figure { plots: vec![("phases", drawn(&rows))], table: table(&rows), text: told(&rows) })
}

fn measure(sample: &Sample, runs: usize) -> Result<Row> {
    let options = Options::default();
    let before = &sample.document;
    let after = &simulate(before, &Rates::all(0.1), 1, &options)?.document;
    let bytes = before.source().len() + after.source().len();
    // Small documents take less time than the clock can tell, so they are taken many times.
    let times = (1_000_000 / bytes).max(1);
    let mut meters: [Meter; 4] = std::array::from_fn(|_| Meter::new());
    for _ in 0..=runs {
        let sources = || [before, after].map(|document| write::source(document));
        let copies: Vec<[Vec<u8>; 2]> = (0..times).map(|_| sources()).collect();
        meters[0].run(|| {
            let both = |[before, after]: [Vec<u8>; 2]| {
                let before = parse::xml(before, &options)?.document;
                let after = parse::xml_revisited(after, &before, &options)?.document;
                anyhow::Ok((before, after))
            };
            copies.into_iter().map(both).collect::<Result<Vec<_>>>()
        })?;
        let matched = || matching::xydiff(before, after, &Default::default());
        meters[1].run(|| Ok((0..times).map(|_| matched()).collect::<Vec<_>>()))?;
        let matching = matched();
        meters[2]
            .run(|| (0..times).map(|_| compare::from_matching(before, after, &matching)).collect::<Result<Vec<_>>>())?;
        let delta = compare::from_matching(before, after, &matching)?;
        meters[3].run(|| Ok((0..times).map(|_| delta.to_xydelta()).collect::<Vec<_>>()))?;
    }
    let seconds = meters.map(|meter| meter.cost().time.as_secs_f64() / times as f64);
    Ok(Row { name: sample.name.clone(), bytes, nodes: before.len() + after.len(), seconds })
}

fn drawn(rows: &[Row]) -> Plot {
    let phase = |at: usize| Series {
        name: PHASES[at].to_owned(),
        points: rows.iter().map(|row| (row.bytes as f64, row.seconds[at])).collect(),
        style: Style::Line,
    };
    // A guide along which time grows as size does.
    let (low, high) =
        rows.iter().fold((f64::MAX, 0f64), |(low, high), row| (low.min(row.bytes as f64), high.max(row.bytes as f64)));
    let guide = [low, high].map(|bytes| (bytes, bytes * 1e-8));
    let guide = Series { name: "100 MB/s".to_owned(), points: guide.to_vec(), style: Style::Guide };
    Plot {
        title: "Time by phase, changes at 10 % each (figure 3.7)".to_owned(),
        x: Axis { label: "size of both versions".to_owned(), scale: Scale::Logarithmic, format: plot::bytes },
        y: Axis { label: "CPU time".to_owned(), scale: Scale::Logarithmic, format: plot::seconds },
        series: (0..PHASES.len()).map(phase).chain([guide]).collect(),
    }
}

fn table(rows: &[Row]) -> String {
    let heads = ["document", "bytes", "nodes", "parse_s", "match_s", "delta_s", "write_s"];
    tsv(
        &heads,
        rows.iter().map(|row| {
            let figures = row.seconds.map(|seconds| format!("{seconds:.9}"));
            [row.name.clone(), row.bytes.to_string(), row.nodes.to_string()].into_iter().chain(figures).collect()
        }),
    )
}

fn told(rows: &[Row]) -> String {
    let per_megabyte = |row: &Row| row.seconds.iter().sum::<f64>() * 1e3 / (row.bytes as f64 / 1e6);
    let large: Vec<f64> = rows.iter().filter(|row| row.bytes >= 2_000_000).map(per_megabyte).collect();
    let (low, high) = large.iter().fold((f64::MAX, 0f64), |(low, high), &value| (low.min(value), high.max(value)));
    format!(
        "Changes are simulated (delete, update, insert, move at 10 % each) on real documents below a megabyte and on pieces \
         of one of 100 MB. All phases together take {low:.1} to {high:.1} ms per megabyte from 1 MB on."
    )
}

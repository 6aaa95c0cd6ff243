//! What do bytes stand against? Time to read any version, and how old the version is.

use std::collections::BTreeMap;

use super::measured::Measured;
use super::strategies::{BACKWARD, FORWARD, FULL, LIVE, PACKED, RCS, REACH, XYDELTA_BACKWARD};
use crate::plot::{self, Axis, Plot, Scale, Series, Style};
use crate::report::{self, tsv};
use crate::verbs::figures::Figure;

/// Bytes against the median time to read, a dot for every strategy.
pub fn cost(found: &[Measured]) -> Figure {
    let mut kinds: Vec<Series> = Vec::new();
    for one in found {
        let point = (one.bytes as f64, one.median());
        match kinds.iter_mut().find(|series| series.name == one.kind) {
            Some(series) => series.points.push(point),
            None => kinds.push(Series { name: one.kind.to_owned(), points: vec![point], style: Style::Dots }),
        }
    }
    let plot = Plot {
        title: "Bytes and time to read, all versions".to_owned(),
        x: axis("bytes of all versions", Scale::Logarithmic, plot::bytes),
        y: axis("CPU time to read a version, median", Scale::Logarithmic, plot::seconds),
        series: kinds,
    };
    let heads = ["strategy", "bytes", "write_seconds", "read_median", "read_95", "read_worst", "same_tree", "lost"];
    let text =
        "Further left is smaller, further down is quicker. RCS and git pay for a process with every read.".to_owned();
    Figure { plots: vec![("storage-cost", plot)], table: tsv(&heads, found.iter().map(row)), text }
}

fn row(found: &Measured) -> Vec<String> {
    let times = [found.writing.as_secs_f64(), found.median(), found.quantile(0.95), found.quantile(1.0)];
    let counts = [found.same_tree, found.lost.len()].map(|count| count.to_string());
    let names = [found.name.to_owned(), found.bytes.to_string()];
    names.into_iter().chain(times.map(|time| format!("{time:.9}"))).chain(counts).collect()
}

/// What is drawn by age; more would hide one another.
const BY_AGE: [&str; 8] = [FULL, FORWARD, BACKWARD, LIVE, REACH, PACKED, XYDELTA_BACKWARD, RCS];
/// An age that fewer versions have says little.
const FEWEST: usize = 20;

/// The median time to read by how many versions are newer.
pub fn age(found: &[Measured]) -> Figure {
    let drawn: Vec<(&str, BTreeMap<usize, f64>)> = BY_AGE
        .iter()
        .filter_map(|name| found.iter().find(|one| one.name == *name))
        .map(|one| (one.name, medians(one)))
        .collect();
    let series = drawn.iter().map(|(name, medians)| Series {
        // Legends are short of room.
        name: name.replace("backward, level", "level"),
        points: medians.iter().map(|(age, seconds)| (*age as f64, *seconds)).collect(),
        style: Style::Line,
    });
    let plot = Plot {
        title: "Time to read by age".to_owned(),
        x: axis("newer versions", Scale::Linear, plot::count),
        y: axis("CPU time to read a version, median", Scale::Logarithmic, plot::seconds),
        series: series.collect(),
    };
    let rows = drawn.iter().flat_map(|(name, medians)| {
        medians.iter().map(|(age, seconds)| vec![(*name).to_owned(), age.to_string(), format!("{seconds:.9}")])
    });
    let text = format!(
        "Ages that fewer than {FEWEST} versions have are left out. Backward, the latest costs what a full copy does, and every \
         step into the past one patch more; forward, it is the other way round; in packs the age does not matter much."
    );
    Figure { plots: vec![("storage-age", plot)], table: tsv(&["strategy", "newer_versions", "seconds"], rows), text }
}

fn medians(found: &Measured) -> BTreeMap<usize, f64> {
    let mut ages: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for read in &found.reads {
        ages.entry(read.age).or_default().push(read.seconds);
    }
    let common = ages.into_iter().filter(|(_, seconds)| seconds.len() >= FEWEST);
    common.map(|(age, seconds)| (age, report::median(&seconds))).collect()
}

fn axis(label: &str, scale: Scale, format: fn(f64) -> String) -> Axis {
    Axis { label: label.to_owned(), scale, format }
}

//! Figure 3.9: how large are deltas beside GNU diff's outputs, by the size of the document?

use std::fs;

use anyhow::Result;
use treediff::matching::Algorithm;

use super::Figure;
use crate::compare::{self, Sizes};
use crate::corpus;
use crate::plot::{self, Axis, Plot, Scale, Series, Style};
use crate::report::{median, tsv};
use crate::verbs::Study;

struct Row {
    family: String,
    name: String,
    version: String,
    bytes: u64,
    sizes: Sizes,
    is_html: bool,
}

pub fn figure(study: &Study<'_>) -> Result<Figure> {
    let histories = corpus::histories(study.histories, study.only)?;
    let bar = study.bar(histories.iter().map(|history| history.pairs().count()).sum());
    bar.set_prefix("figure 3.9");
    let mut rows = Vec::new();
    for history in &histories {
        bar.set_message(history.family.clone());
        for (before, after) in history.pairs() {
            bar.inc(1);
            let (sizes, _) = compare::sizes(before, after, Algorithm::Xydiff)?;
            rows.push(Row {
                family: history.family.clone(),
                name: history.name.clone(),
                version: after.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                bytes: fs::metadata(after)?.len(),
                sizes,
                is_html: history.is_html(),
            });
        }
    }
    bar.finish_and_clear();
    Ok(Figure { plots: vec![("unix-diff", drawn(&rows))], table: table(&rows), text: told(&rows) })
}

fn points(rows: &[Row], is_html: bool) -> Vec<(f64, f64)> {
    let of_kind = rows.iter().filter(|row| row.is_html == is_html);
    of_kind.filter_map(|row| Some((row.bytes as f64, row.sizes.ratio()?))).collect()
}

fn drawn(rows: &[Row]) -> Plot {
    let dots =
        |name: &str, is_html| Series { name: name.to_owned(), points: points(rows, is_html), style: Style::Dots };
    let medians =
        Series { name: "median of XML".to_owned(), points: medians(&points(rows, false)), style: Style::Line };
    let (low, high) =
        rows.iter().fold((f64::MAX, 0f64), |(low, high), row| (low.min(row.bytes as f64), high.max(row.bytes as f64)));
    let guide = Series { name: "as large".to_owned(), points: vec![(low, 1.0), (high, 1.0)], style: Style::Guide };
    Plot {
        title: "XyDelta over GNU diff, real histories (figure 3.9)".to_owned(),
        x: Axis { label: "size of the document".to_owned(), scale: Scale::Logarithmic, format: plot::bytes },
        y: Axis { label: "XyDelta / diff".to_owned(), scale: Scale::Logarithmic, format: plot::ratio },
        series: vec![dots("XML", false), dots("HTML", true), medians, guide],
    }
}

/// The median ratio of documents of about one size: a half of a power of ten.
fn medians(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let class = |bytes: f64| (bytes.log10() * 2.0).floor();
    let mut sorted: Vec<(f64, f64)> = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let classes = sorted.chunk_by(|a, b| class(a.0) == class(b.0));
    classes
        .filter(|same| same.len() >= 10)
        .map(|same| {
            (10f64.powf((class(same[0].0) + 0.5) / 2.0), median(&same.iter().map(|point| point.1).collect::<Vec<_>>()))
        })
        .collect()
}

fn table(rows: &[Row]) -> String {
    let heads = ["family", "document", "version", "bytes", "xydelta_bytes", "diff_bytes"];
    tsv(
        &heads,
        rows.iter().map(|row| {
            let figures = [row.bytes as usize, row.sizes.xydelta, row.sizes.diff].map(|figure| figure.to_string());
            [row.family.clone(), row.name.clone(), row.version.clone()].into_iter().chain(figures).collect()
        }),
    )
}

fn told(rows: &[Row]) -> String {
    let ratios = |is_html| points(rows, is_html).into_iter().map(|point| point.1).collect::<Vec<_>>();
    let (xml, html) = (ratios(false), ratios(true));
    format!(
        "Every version of the corpus and its next, where the bytes differ: {} pairs of XML, on the median {:.2}x as large \
         as GNU diff's output, and {} of HTML, {:.2}x.",
        xml.len(),
        median(&xml),
        html.len(),
        median(&html)
    )
}

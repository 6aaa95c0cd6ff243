//! What do figures 5 to 7 of KF-Diff+ look like with this program?

use anyhow::Result;
use treediff::simulate::Rates;

use super::documents::Shape;
use super::{Way, Workload, mixed, spread};
use crate::plot::{self, Axis, Plot, Scale, Series, Style};
use crate::report::tsv;
use crate::verbs::Study;
use crate::verbs::figures::Figure;

/// Bytes of the documents of figure 5(a).
const SIZES: [usize; 9] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
const OUT_DEGREES: [f64; 8] = [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
const SHARES: [f64; 9] = [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0];
const KEYED: [Way; 2] = [Way::Hash, Way::Sort];

pub fn all(study: &Study<'_>, documents: usize) -> Result<Vec<Figure>> {
    let bar = study.bar(SIZES.len() + OUT_DEGREES.len() + 3 * SHARES.len());
    let mut step = |name: &str| {
        bar.set_prefix(name.to_owned());
        bar.inc(1);
    };
    let figures = vec![
        by_size(study, &mut step)?,
        by_out_degree(study, documents, &mut step)?,
        by_share(study, documents, &mut step)?,
        by_updates(study, documents, &mut step)?,
        quality(documents, &mut step)?,
    ];
    bar.finish_and_clear();
    Ok(figures)
}

/// A row of numbers for each x, a series for each way.
struct Measured {
    ways: Vec<Way>,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Measured {
    fn series(&self) -> Vec<Series> {
        let of_way = |at: usize, way: &Way| Series {
            name: way.name().to_owned(),
            points: self.rows.iter().map(|(x, values)| (*x, values[at])).collect(),
            style: Style::Line,
        };
        self.ways.iter().enumerate().map(|(at, way)| of_way(at, way)).collect()
    }

    fn table(&self, x: &str) -> String {
        let names = self.ways.iter().map(|way| way.name());
        let heads: Vec<&str> = std::iter::once(x).chain(names).collect();
        let numbers = |(x, values): &(f64, Vec<f64>)| {
            let values = values.iter().map(|value| format!("{value:.9}"));
            std::iter::once(x.to_string()).chain(values).collect()
        };
        tsv(&heads, self.rows.iter().map(numbers))
    }

    /// The least and the greatest number of a way.
    fn ends(&self, way: Way) -> (f64, f64) {
        let at = self.ways.iter().position(|one| *one == way).unwrap_or(0);
        let values = self.rows.iter().map(|(_, values)| values[at]);
        values.fold((f64::MAX, 0f64), |(low, high), value| (low.min(value), high.max(value)))
    }
}

fn axis(label: &str, scale: Scale, format: fn(f64) -> String) -> Axis {
    Axis { label: label.to_owned(), scale, format }
}

fn by_size(study: &Study<'_>, step: &mut dyn FnMut(&str)) -> Result<Figure> {
    let shape = Shape::new(3.1);
    let mut measured = Measured { ways: Way::ALL.to_vec(), rows: Vec::new() };
    for size in SIZES {
        step("figure 5(a)");
        let count = (300_000 / size).clamp(1, 100) as u64;
        let workload = Workload::of((0..count).map(|seed| shape.large_document(seed, size)), spread(0.35))?;
        let times = Way::ALL.iter().map(|way| workload.matching(*way, study.runs)).collect::<Result<_>>()?;
        measured.rows.push((size as f64, times));
    }
    let per_megabyte = |size: f64| {
        let row = measured.rows.iter().find(|(found, _)| *found == size);
        let times: Vec<String> =
            row.iter().flat_map(|(_, times)| times).map(|time| format!("{:.1}", time * 1e9 / size)).collect();
        times.join(", ")
    };
    let text = format!(
        "Figure 5(a), λ = 3.1, C = 35 %; documents above a kilobyte are many of the paper's kind below one root. Matching takes, \
         in milliseconds per megabyte, {} at 100 kB and {} at 10 MB (auto, xydiff, kfdiff-hash, kfdiff-sort). In the paper all three \
         are linear, with algorithm 2 much faster than 1 because of the cost of its hash tables, and XyDiff the slowest; here the \
         two ways are alike: both compare rows of up to eight siblings one with another and differ beyond that alone, compare \
         64-bit keys, and keep their table from one comparison to the next. What a megabyte takes grows while documents and tables \
         outgrow the processor's caches, and little from there on ([matchers.md](matchers.md)).",
        per_megabyte(1e5),
        per_megabyte(1e7),
    );
    let plot = Plot {
        title: "Time to match by size (KF-Diff+, figure 5a)".to_owned(),
        x: axis("size of a document", Scale::Logarithmic, plot::bytes),
        y: axis("CPU time", Scale::Logarithmic, plot::seconds),
        series: measured.series(),
    };
    Ok(Figure { table: measured.table("bytes"), plots: vec![("kfdiff-size", plot)], text })
}

fn by_out_degree(study: &Study<'_>, documents: usize, step: &mut dyn FnMut(&str)) -> Result<Figure> {
    let mut measured = Measured { ways: KEYED.to_vec(), rows: Vec::new() };
    for out_degree in OUT_DEGREES {
        step("figure 5(b)");
        let workload = Workload::new(out_degree, spread(0.5), documents)?;
        let rates = KEYED.iter().map(|way| Ok(1.0 / workload.matching(*way, study.runs)?)).collect::<Result<_>>()?;
        measured.rows.push((out_degree, rates));
    }
    let (low, high) = measured.ends(Way::Sort);
    let text = format!(
        "Figure 5(b), C = 50 %, documents of 29.4 elements, 4.4 deep where the out-degree allows it. kfdiff-sort matches \
         {low:.0} to {high:.0} documents per second; the paper nearly 7,000, on a processor of 850 MHz. There the rate falls steeply \
         as the out-degree grows; here it hardly depends on it, as the few children of a row are compared with one another and not \
         sorted."
    );
    let plot = Plot {
        title: "Documents per second by out-degree (KF-Diff+, figure 5b)".to_owned(),
        x: axis("average out-degree", Scale::Linear, plot::count),
        y: axis("documents per second", Scale::Linear, plot::count),
        series: measured.series(),
    };
    Ok(Figure { table: measured.table("out_degree"), plots: vec![("kfdiff-degree", plot)], text })
}

/// Times by what changes, from nothing to all.
fn times(
    study: &Study<'_>,
    documents: usize,
    out_degree: f64,
    rates: impl Fn(f64) -> Rates,
    step: &mut dyn FnMut(),
) -> Result<Measured> {
    let mut measured = Measured { ways: KEYED.to_vec(), rows: Vec::new() };
    for share in SHARES {
        step();
        let workload = Workload::new(out_degree, rates(share), documents)?;
        let times = KEYED.iter().map(|way| workload.matching(*way, study.runs)).collect::<Result<_>>()?;
        measured.rows.push((share, times));
    }
    Ok(measured)
}

fn by_share(study: &Study<'_>, documents: usize, step: &mut dyn FnMut(&str)) -> Result<Figure> {
    let measured = times(study, documents, 4.1, spread, &mut || step("figure 6(a)"))?;
    let text = format!(
        "Figure 6(a), λ = 4.1. kfdiff-sort takes {} for a document where nothing changed, {} at C = 50 % and {} where everything \
         was meant to. In the paper the time does not depend on C, since equal parts are not filtered; here equal subtrees are \
         stepped over by the hashes that parsing leaves, so that it is cheap where little changed, and level beyond.",
        told(&measured, 0.0),
        told(&measured, 0.5),
        told(&measured, 1.0)
    );
    let plot = Plot {
        title: "Time to match by change ratio (KF-Diff+, figure 6a)".to_owned(),
        x: axis("change ratio", Scale::Linear, plot::percent),
        y: axis("CPU time for a document", Scale::Linear, plot::seconds),
        series: measured.series(),
    };
    Ok(Figure { table: measured.table("change_ratio"), plots: vec![("kfdiff-change", plot)], text })
}

/// The time of kfdiff-sort at a share.
fn told(measured: &Measured, share: f64) -> String {
    let row = measured.rows.iter().find(|(found, _)| *found == share);
    row.and_then(|(_, times)| times.last()).map_or(String::new(), |time| format!("{:.1} µs", time * 1e6))
}

fn by_updates(study: &Study<'_>, documents: usize, step: &mut dyn FnMut(&str)) -> Result<Figure> {
    let measured = times(study, documents, 3.5, |updates| mixed(0.8, updates), &mut || step("figure 6(b)"))?;
    let text = format!(
        "Figure 6(b), λ = 3.5, C = 80 %. kfdiff-sort takes {} for a document where nothing is updated, and {} where everything \
         that changes is. In the paper more insertions and deletions mean less time, since what is below them is not compared; \
         here it is the other way round; one reason is that they bring siblings of one name where there was one, whose key has to be found.",
        told(&measured, 0.0),
        told(&measured, 1.0)
    );
    let plot = Plot {
        title: "Time to match by ratio of updates (KF-Diff+, figure 6b)".to_owned(),
        x: axis("updates among changes", Scale::Linear, plot::percent),
        y: axis("CPU time for a document", Scale::Linear, plot::seconds),
        series: measured.series(),
    };
    Ok(Figure { table: measured.table("update_ratio"), plots: vec![("kfdiff-updates", plot)], text })
}

fn quality(documents: usize, step: &mut dyn FnMut(&str)) -> Result<Figure> {
    let mut measured = Measured { ways: Way::ALL.to_vec(), rows: Vec::new() };
    for share in SHARES {
        step("figure 7");
        let workload = Workload::new(4.1, spread(share), documents)?;
        let over = |way: &Way| {
            let (found, perfect) = workload.costs(*way)?;
            anyhow::Ok(if perfect == 0 { 1.0 } else { found as f64 / perfect as f64 })
        };
        measured.rows.push((share, Way::ALL.iter().map(over).collect::<Result<_>>()?));
    }
    let (_, worst) = measured.ends(Way::Sort);
    let (_, worst_xydiff) = measured.ends(Way::Xydiff);
    let half =
        measured.rows.iter().find(|(share, _)| *share == 0.5).map_or(0.0, |(_, ratios)| ratios[Way::ALL.len() - 1]);
    let text = format!(
        "Figure 7, λ = 4.1: edit costs of all deltas over those of the deltas that the simulator knows. Both ways of kfdiff find \
         the same, at most {worst:.2}x, and {half:.2}x at C = 50 %; xydiff at most {worst_xydiff:.2}x. The paper finds its results \
         close to the optimum and names moves across parents and changed keys as what is missing; there are no such moves here, \
         and new elements come without keys, which are then known by what they have in common. Below 1, less was found to do than was \
         done: a deletion and an insertion make an update together."
    );
    let plot = Plot {
        title: "Edit cost over the perfect one (KF-Diff+, figure 7)".to_owned(),
        x: axis("change ratio", Scale::Linear, plot::percent),
        y: axis("found / perfect", Scale::Linear, plot::ratio),
        series: measured.series(),
    };
    Ok(Figure { table: measured.table("change_ratio"), plots: vec![("kfdiff-quality", plot)], text })
}

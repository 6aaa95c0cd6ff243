//! How fast are keys? Documents per second of the kind that KF-Diff+ was measured on, and the figures of its paper.

mod documents;
mod figures;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use treediff::delta::{self, Delta};
use treediff::matching::{Algorithm, KeyFields, Kfdiff, Matching, Options};
use treediff::parse;
use treediff::simulate::{Rates, simulate};
use treediff::tree::Document;

use super::Study;
use super::figures::written;
use crate::measure::Meter;
use crate::report::{Table, at_least};
use documents::Shape;
pub use documents::{DEPTH, ELEMENTS};

/// Documents per second that are asked for.
pub const GOAL: f64 = 100_000.0;

/// Children of an element that has some, on average.
const OUT_DEGREE: f64 = 3.1;

/// So many of the paper's documents say how fast keys are.
const PAPER_DOCUMENTS: usize = 1_000;

/// Bytes of the paper's documents for every node, nearly.
const BYTES_PER_NODE: usize = 13;

/// Documents per second, and the figures where they have a place to go.
pub fn kfdiff(study: &Study<'_>, folder: Option<&Path>, documents: usize) -> Result<String> {
    let mut table = Table::new(&["documents per second", "match", "parse new, match", "parse new, match, delta"]);
    let workload = Workload::new(OUT_DEGREE, spread(0.5), documents)?;
    let mut best = [0f64; 3];
    for way in Way::ALL {
        let times = [
            workload.matching(way, study.runs)?,
            workload.reading(way, study.runs, |_, _, _| Ok(()))?,
            workload.reading(way, study.runs, |before, after, matching| {
                std::hint::black_box(Delta::between(before, after, matching, &delta::Options::default())?);
                Ok(())
            })?,
        ];
        let rates = times.map(|time| 1.0 / time);
        best = std::array::from_fn(|at| best[at].max(rates[at]));
        table.row(
            &std::iter::once(way.name().to_owned()).chain(rates.map(|rate| format!("{rate:.0}"))).collect::<Vec<_>>(),
        );
    }
    let goals = best.map(|found| at_least(found / GOAL, 1.0));
    table.row(&std::iter::once("best of these over 100,000".to_owned()).chain(goals).collect::<Vec<_>>());
    let shown = match folder {
        Some(folder) => written(&figures::all(study, documents)?, folder)?,
        None => String::new(),
    };
    Ok(format!(
        "{} pairs of documents: {:.1} elements on average, {:.1} nodes with texts, {:.0} bytes; C = 50 %: of the \
         nodes an eighth deleted and as many inserted, of the texts a quarter updated. The version before is parsed, and \
         its keys are known; the version after is matched with it, or parsed and matched, which is the work of the paper, \
         or a delta is made as well.\n\n{}\n{shown}",
        documents,
        workload.mean(|document| document.nodes().filter(|node| node.is_element()).count()),
        workload.mean(Document::len),
        workload.mean(|document| document.source().len()),
        table.finish()
    ))
}

/// How fast keys are, in two figures.
pub struct Speed {
    /// Documents of the paper's kind that are parsed and matched in a second.
    pub documents_per_second: f64,
    /// Time per node of the largest document over that of the smallest: to parse and match it, and to match it.
    pub growth: [f64; 2],
}

impl Speed {
    /// Neither fits into a cache: documents that do take half the time for a node, which says nothing of how it grows.
    pub const SMALLEST: usize = 300_000;
    pub const LARGEST: usize = 3_000_000;

    /// Of algorithm 1.
    pub fn measured(study: &Study<'_>) -> Result<Self> {
        let paper = Workload::new(OUT_DEGREE, spread(0.5), PAPER_DOCUMENTS)?;
        let seconds = paper.reading(Way::Hash, study.runs, |_, _, _| Ok(()))?;
        let small = Speed::per_node(study, Speed::SMALLEST)?;
        let large = Speed::per_node(study, Speed::LARGEST)?;
        let growth = std::array::from_fn(|at| large[at] / small[at]);
        Ok(Speed { documents_per_second: 1.0 / seconds, growth })
    }

    /// Seconds for each node of a document of about so many, to parse and match it, and to match it.
    fn per_node(study: &Study<'_>, nodes: usize) -> Result<[f64; 2]> {
        let document = Shape::new(OUT_DEGREE).large_document(1, BYTES_PER_NODE * nodes);
        let workload = Workload::of(std::iter::once(document), spread(0.35))?;
        let reading = workload.reading(Way::Hash, study.runs, |_, _, _| Ok(()))?;
        let seconds = [reading, workload.matching(Way::Hash, study.runs)?];
        Ok(seconds.map(|seconds| seconds / workload.mean(Document::len)))
    }
}

/// A share of changes: half of it deleted and inserted alike, half updated.
fn spread(share: f64) -> Rates {
    mixed(share, 0.5)
}

/// A share of changes, of which a part are updates and the others deletions and insertions alike.
fn mixed(share: f64, updates: f64) -> Rates {
    let rest = share * (1.0 - updates) / 2.0;
    Rates { delete: rest, insert: rest, update: share * updates, moved: 0.0 }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Auto,
    Xydiff,
    Hash,
    Sort,
}

impl Way {
    const ALL: [Way; 4] = [Way::Auto, Way::Xydiff, Way::Hash, Way::Sort];

    fn name(self) -> &'static str {
        match self {
            Way::Auto => "auto",
            Way::Xydiff => "xydiff",
            Way::Hash => "kfdiff-hash (algorithm 1)",
            Way::Sort => "kfdiff-sort (algorithm 2)",
        }
    }

    fn matcher(self) -> Matcher {
        match self {
            Way::Auto => Matcher::Whole(Algorithm::Auto),
            Way::Xydiff => Matcher::Whole(Algorithm::Xydiff),
            Way::Hash => Matcher::ByKeys(Box::new(Kfdiff::hashing())),
            Way::Sort => Matcher::ByKeys(Box::new(Kfdiff::sorting())),
        }
    }
}

/// What compares one pair after the other.
enum Matcher {
    /// With tables that are used again.
    ByKeys(Box<Kfdiff>),
    Whole(Algorithm),
}

impl Matcher {
    fn matching(&mut self, before: &Document, after: &Document, keys: &mut KeyFields, options: &Options) -> Matching {
        match self {
            Matcher::ByKeys(kfdiff) => kfdiff.matching(before, after, keys, options),
            Matcher::Whole(algorithm) => algorithm.matching(before, after, options),
        }
    }
}

/// Versions before with their keys, and the versions after.
struct Workload {
    pairs: Vec<Pair>,
}

struct Pair {
    before: Arc<Document>,
    after: Arc<Document>,
    perfect: Matching,
    keys: KeyFields,
}

impl Workload {
    fn new(out_degree: f64, rates: Rates, documents: usize) -> Result<Self> {
        let shape = Shape::new(out_degree);
        Workload::of((0..documents as u64).map(|seed| shape.document(seed)), rates)
    }

    fn of(documents: impl Iterator<Item = Result<Arc<Document>>>, rates: Rates) -> Result<Self> {
        let mut kfdiff = Kfdiff::sorting();
        let pair = |(before, seed): (Result<Arc<Document>>, u64)| {
            let before = before?;
            let simulated = simulate(&before, &rates, seed, &Default::default())?;
            let keys = kfdiff.learned(&before, &Options::default());
            anyhow::Ok(Pair { before, after: simulated.document, perfect: simulated.matching, keys })
        };
        Ok(Workload { pairs: documents.zip(1..).map(pair).collect::<Result<_>>()? })
    }

    fn mean(&self, of: impl Fn(&Document) -> usize) -> f64 {
        let sum: usize = self.pairs.iter().map(|pair| of(&pair.before)).sum();
        sum as f64 / self.pairs.len() as f64
    }

    /// Keys as they are kept with each version before: what one run learns the next does not know.
    fn keys(&self) -> Vec<KeyFields> {
        self.pairs.iter().map(|pair| pair.keys.clone()).collect()
    }

    /// Seconds to match a pair.
    fn matching(&self, way: Way, runs: usize) -> Result<f64> {
        let (mut matcher, options) = (way.matcher(), Options::default());
        self.timed(runs, |keys| {
            for (pair, keys) in self.pairs.iter().zip(keys) {
                std::hint::black_box(matcher.matching(&pair.before, &pair.after, keys, &options));
            }
            Ok(())
        })
    }

    /// Seconds to parse a new version, match it, and do what is `left` to do.
    fn reading(
        &self,
        way: Way,
        runs: usize,
        left: impl Fn(&Arc<Document>, &Arc<Document>, &Matching) -> Result<()>,
    ) -> Result<f64> {
        let (mut matcher, options) = (way.matcher(), Options::default());
        let (mut reader, reading) = (parse::XmlReader::new(), parse::Options::default());
        self.timed(runs, |keys| {
            for (pair, keys) in self.pairs.iter().zip(keys) {
                let after = Arc::new(reader.read(pair.after.source(), &reading)?.document);
                let matching = matcher.matching(&pair.before, &after, keys, &options);
                left(&pair.before, &after, std::hint::black_box(&matching))?;
            }
            Ok(())
        })
    }

    fn timed(&self, runs: usize, mut work: impl FnMut(&mut [KeyFields]) -> Result<()>) -> Result<f64> {
        let mut meter = Meter::new();
        for _ in 0..=runs {
            let mut keys = self.keys();
            meter.run(|| work(&mut keys))?;
        }
        Ok(meter.cost().time.as_secs_f64() / self.pairs.len() as f64)
    }

    /// Edit costs of all pairs together: of the deltas that are found, and of the perfect ones.
    fn costs(&self, way: Way) -> Result<(u64, u64)> {
        let mut matcher = way.matcher();
        let mut costs = (0, 0);
        for (pair, keys) in self.pairs.iter().zip(&mut self.keys()) {
            let found = matcher.matching(&pair.before, &pair.after, keys, &Options::default());
            let cost = |matching: &Matching| {
                let delta = Delta::between(&pair.before, &pair.after, matching, &delta::Options::default())?;
                anyhow::Ok(delta.stats().edit_cost())
            };
            costs = (costs.0 + cost(&found)?, costs.1 + cost(&pair.perfect)?);
        }
        Ok(costs)
    }
}

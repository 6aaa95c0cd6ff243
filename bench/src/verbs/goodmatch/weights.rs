//! Which weights are good ones? Those whose deltas between successive versions of HTML pages are small.

use anyhow::Result;
use treediff::delta::Operation;
use treediff::matching::{self, Algorithm, GoodmatchOptions, Matching, Options, Weights};

use super::{Pair, pairs};
use crate::compare;
use crate::report::Table;
use crate::verbs::Study;

/// Hundredths of α and β; γ is the rest.
const SHARES: [(u32, u32); 9] =
    [(20, 20), (34, 33), (40, 20), (40, 30), (40, 40), (30, 50), (50, 30), (60, 20), (80, 10)];
const THRESHOLDS: [f64; 5] = [-0.4, -0.2, 0.0, 0.2, 0.4];

/// What the deltas of all pairs come to.
#[derive(Default)]
struct Total {
    operations: usize,
    moves: usize,
    updates: usize,
    bytes: usize,
}

impl Total {
    fn of(pairs: &[Pair], matched: impl Fn(&Pair) -> Matching) -> Result<Self> {
        let mut total = Total::default();
        for pair in pairs {
            let delta = compare::from_matching(&pair.before, &pair.after, &matched(pair))?;
            let count = |is_counted: fn(&Operation) -> bool| {
                delta.operations().iter().filter(|operation| is_counted(operation)).count()
            };
            total.operations += delta.operations().len();
            total.moves += count(|operation| matches!(operation, Operation::Move { .. }));
            total.updates += count(|operation| matches!(operation, Operation::Update { .. }));
            total.bytes += delta.to_xydelta().len();
        }
        Ok(total)
    }

    fn cells(&self, name: String, threshold: String) -> Vec<String> {
        let figures = [self.operations, self.moves, self.updates, self.bytes].map(|figure| figure.to_string());
        [name, threshold].into_iter().chain(figures).collect()
    }
}

/// A table of all weights: operations and bytes of the deltas of all pairs together.
pub fn weights(study: &Study<'_>) -> Result<String> {
    let pairs: Vec<Pair> = pairs(study, corpus_html)?.into_iter().step_by(2).collect();
    let bar = study.bar(SHARES.len() * THRESHOLDS.len());
    let mut table = Table::new(&["α, β, γ", "threshold", "operations", "moves", "updates", "bytes"]);
    for (alpha, beta) in SHARES {
        for threshold in THRESHOLDS {
            let [content, attributes, place] = [alpha, beta, 100 - alpha - beta].map(|share| f64::from(share) / 100.0);
            let weights = Weights { content, attributes, place };
            let goodmatch = GoodmatchOptions { weights, threshold, ..Default::default() };
            let options = Options { goodmatch, ..Options::default() };
            let total = Total::of(&pairs, |pair| matching::goodmatch(&pair.before, &pair.after, &options))?;
            table.row(&total.cells(format!("{content}, {attributes}, {place:.2}"), threshold.to_string()));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    for algorithm in [Algorithm::Xydiff, Algorithm::Fastmatch] {
        let total = Total::of(&pairs, |pair| algorithm.matching(&pair.before, &pair.after, &Options::default()))?;
        table.row(&total.cells(algorithm.to_string(), "-".to_owned()));
    }
    Ok(format!("{} pairs of HTML, every second of the corpus.\n\n{}", pairs.len(), table.finish()))
}

fn corpus_html(history: &crate::corpus::Versions) -> bool {
    history.is_html() && !history.family.starts_with("cluster-")
}

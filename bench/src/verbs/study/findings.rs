//! What do the records say together? Rows of cases with what every contender made of them, beside the optimum.

use super::cases::{Case, Kind};
use super::contender::Contender;
use super::results::{Record, Results};

/// The algorithm whose cost is the minimum, where it took no shorter way.
pub const OPTIMAL: &str = "optimal";
/// The one that times are told in multiples of.
pub const YARDSTICK: &str = "xydiff";

/// All cases with what is known of them.
pub struct Findings {
    pub contenders: Vec<Contender>,
    pub rows: Vec<Row>,
}

/// A case, and the records of the contenders in their order.
pub struct Row {
    pub name: String,
    pub kind: Kind,
    pub group: String,
    pub records: Vec<Option<Record>>,
    /// The least cost without moves.
    pub optimum: Option<u64>,
}

impl Findings {
    pub fn new(contenders: Vec<Contender>, cases: &[Case], results: &Results) -> Self {
        let rows = cases.iter().map(|case| Row::new(case, &contenders, results)).collect();
        Findings { contenders, rows }
    }

    pub fn index(&self, name: &str) -> Option<usize> {
        self.contenders.iter().position(|contender| contender.name == name)
    }

    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().filter(move |row| row.kind == kind)
    }

    /// The laws that were broken: contender, case and how.
    pub fn faults(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let records = self.rows.iter().flat_map(|row| row.records.iter().flatten());
        let broken = records.filter(|record| !record.faults.is_empty());
        broken.map(|record| (record.contender.as_str(), record.case.as_str(), record.faults.as_str()))
    }

    /// Where somebody is cheaper than the optimum, which then is none.
    pub fn below_optimum(&self) -> impl Iterator<Item = (&str, &Row)> {
        let rows =
            self.rows.iter().flat_map(|row| self.contenders.iter().enumerate().map(move |(at, who)| (at, who, row)));
        rows.filter(|(at, _, row)| row.quality(*at).is_some_and(|quality| quality < 1.0))
            .map(|(_, who, row)| (who.name.as_str(), row))
    }
}

impl Row {
    fn new(case: &Case, contenders: &[Contender], results: &Results) -> Self {
        let known = |contender: &Contender| contender.known(results, &case.name).cloned();
        let records: Vec<Option<Record>> = contenders.iter().map(known).collect();
        let optimal = records.iter().flatten().find(|record| record.contender == OPTIMAL && record.is_done());
        let proven = optimal.filter(|record| record.fallbacks_without_moves.is_empty());
        let optimum = proven.and_then(|record| record.cost_without_moves);
        Row { name: case.name.clone(), kind: case.kind, group: case.group.clone(), records, optimum }
    }

    /// What a contender made of the case, where it came to an end.
    pub fn done(&self, contender: usize) -> Option<&Record> {
        self.records.get(contender)?.as_ref().filter(|record| record.is_done())
    }

    /// Nodes of both versions, where anybody has seen them.
    pub fn nodes(&self) -> u64 {
        self.records.iter().flatten().map(|record| record.nodes).next().unwrap_or(0)
    }

    /// The cost without moves over the optimum; pairs that are the same have none.
    pub fn quality(&self, contender: usize) -> Option<f64> {
        let optimum = self.optimum.filter(|optimum| *optimum > 0)?;
        Some(self.done(contender)?.cost_without_moves? as f64 / optimum as f64)
    }

    /// The cost with moves over the optimum without.
    pub fn quality_with_moves(&self, contender: usize) -> Option<f64> {
        let optimum = self.optimum.filter(|optimum| *optimum > 0)?;
        Some(self.done(contender)?.cost? as f64 / optimum as f64)
    }
}

/// The sum of a figure of one contender over that of another, of the cases that both have done.
pub fn over<'r>(
    rows: impl Iterator<Item = &'r Row>,
    [contender, other]: [usize; 2],
    figure: impl Fn(&Record) -> f64,
) -> Option<f64> {
    let both = rows.filter_map(|row| Some((figure(row.done(contender)?), figure(row.done(other)?))));
    let (sum, of_other) = both.fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    (of_other > 0.0).then(|| sum / of_other)
}

/// How near to the optimum a contender is.
pub struct Quality {
    pub pairs: usize,
    pub mean: f64,
    pub summed: f64,
    pub max: f64,
    /// Shares of the pairs.
    pub perfect: f64,
    pub nearly: f64,
    /// Those whose cost with moves is no more than the optimum without.
    pub with_moves: f64,
    pub mean_with_moves: f64,
    pub max_with_moves: f64,
}

impl Quality {
    pub fn of<'r>(rows: impl Iterator<Item = &'r Row>, contender: usize) -> Option<Quality> {
        let (mut ratios, mut with_moves, mut cost, mut optimum) = (Vec::new(), Vec::new(), 0, 0);
        for row in rows {
            let Some(quality) = row.quality(contender) else { continue };
            ratios.push(quality);
            with_moves.extend(row.quality_with_moves(contender));
            cost += row.done(contender).and_then(|record| record.cost_without_moves).unwrap_or(0);
            optimum += row.optimum.unwrap_or(0);
        }
        let share = |ratios: &[f64], most: f64| {
            ratios.iter().filter(|ratio| **ratio <= most).count() as f64 / ratios.len().max(1) as f64
        };
        let mean = |ratios: &[f64]| ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
        let max = |ratios: &[f64]| ratios.iter().copied().fold(0.0, f64::max);
        (!ratios.is_empty()).then(|| Quality {
            pairs: ratios.len(),
            mean: mean(&ratios),
            summed: cost as f64 / optimum as f64,
            max: max(&ratios),
            perfect: share(&ratios, 1.0),
            nearly: share(&ratios, 1.05),
            with_moves: share(&with_moves, 1.0),
            mean_with_moves: mean(&with_moves),
            max_with_moves: max(&with_moves),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(optimum: Option<u64>, costs: [u64; 2]) -> Row {
        let [cost, cost_without_moves] = costs.map(Some);
        let record = |seconds| Record { seconds, cost, cost_without_moves, ..Record::default() };
        let failed = Record { failure: "more than 20 s".to_owned(), ..record(9.0) };
        let records = vec![Some(record(3.0)), Some(record(2.0)), Some(failed), None];
        Row { name: String::new(), kind: Kind::Corpus, group: String::new(), records, optimum }
    }

    #[test]
    fn quality_is_that_of_pairs_with_an_optimum() {
        let rows = [
            row(Some(10), [8, 10]),
            row(Some(100), [104, 104]),
            row(Some(10), [11, 20]),
            row(Some(0), [0, 0]),
            row(None, [7, 9]),
        ];
        let quality = Quality::of(rows.iter(), 0).expect("pairs");
        assert_eq!((quality.pairs, quality.max), (3, 2.0));
        assert!((quality.mean - (1.0 + 1.04 + 2.0) / 3.0).abs() < 1e-9);
        assert!((quality.summed - 134.0 / 120.0).abs() < 1e-9);
        let third = 1.0 / 3.0;
        assert_eq!((quality.perfect, quality.nearly, quality.with_moves), (third, 2.0 * third, third));
        assert!(Quality::of(rows.iter(), 2).is_none(), "who came to no end has no quality");
    }

    #[test]
    fn sums_are_of_what_both_have_done() {
        let rows = [row(None, [1, 1]), row(None, [1, 1])];
        assert_eq!(over(rows.iter(), [0, 1], |record| record.seconds), Some(1.5));
        assert_eq!(over(rows.iter(), [0, 2], |record| record.seconds), None);
    }
}

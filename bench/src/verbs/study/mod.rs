//! Which matcher is how fast, and how good? All algorithms and their peers over real and simulated changes.
//!
//! `cases` says what is compared, `contender` by whom; `results` keeps what was found from run to run; `findings` puts it
//! together, and `tables`, `figures` and `reach` tell it.

mod cases;
mod contender;
mod figures;
mod findings;
mod held_out;
mod json;
mod large;
mod ours;
mod peers;
mod reach;
mod results;
mod tables;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use treediff::matching::Algorithm;

pub use held_out::held_out;

use super::{Study, kfdiff};
use crate::folder::Folder;
use crate::report;
use cases::{Case, Extent};
use contender::Contender;
use findings::Findings;
use peers::Place;
use results::Results;

/// What to measure, and where to put it.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only these algorithms, separated by commas.
    #[arg(long, value_delimiter = ',')]
    algorithms: Vec<Algorithm>,
    /// Only these peers, separated by commas; `none` for nobody.
    #[arg(long, value_delimiter = ',')]
    peers: Option<Vec<String>>,
    /// A sample that takes about a minute, with GNU diff as the only peer; prints, and leaves the documentation alone.
    #[arg(long)]
    quick: bool,
    /// Only so many pairs of the corpus, of all families alike.
    #[arg(long)]
    pairs: Option<usize>,
    /// So many pairs for peers that are slow.
    #[arg(long, default_value_t = 120)]
    peer_pairs: usize,
    /// Decides what the samples are.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stops after so many minutes with what is there; the next run goes on.
    #[arg(long)]
    minutes: Option<f64>,
    /// Seconds of CPU time that a peer may take for a pair.
    #[arg(long, default_value_t = 20)]
    peer_seconds: u64,
    /// Forgets what earlier runs found.
    #[arg(long)]
    fresh: bool,
    /// Believes what earlier builds found of these algorithms.
    #[arg(long, value_delimiter = ',')]
    keep: Vec<Algorithm>,
    /// Where all that is found is kept.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/study/results.tsv"))]
    results: PathBuf,
    /// Where tables and figures go.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Where `bench/peers/install` put the peers.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.cache/peers"))]
    installed: PathBuf,
}

impl Options {
    /// The folder for tables and figures: that of the documentation, unless the run is a quick one.
    fn folder(&self) -> PathBuf {
        let place = if self.quick { "../target/study" } else { "../docs/study" };
        self.folder.clone().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(place))
    }

    /// The page that gets the result.
    pub fn page(&self) -> Option<PathBuf> {
        (!self.quick || self.folder.is_some()).then(|| self.folder().join("matchers.md"))
    }

    /// Where the figures of the other papers go, which have pages of their own; nowhere in a quick run.
    pub fn papers(&self) -> Option<PathBuf> {
        (!self.quick).then(|| self.folder())
    }

    fn extent(&self) -> Extent {
        if self.quick { Extent::quick(self.pairs, self.seed) } else { Extent::whole(self.pairs, self.seed) }
    }

    fn peers(&self) -> Option<Vec<String>> {
        let quick = || self.quick.then(|| vec![peers::GNU_DIFF.to_owned()]);
        self.peers.clone().or_else(quick)
    }
}

/// What is told, and whether every law held.
pub struct Told {
    pub body: String,
    pub is_sound: bool,
}

pub fn study(study: &Study<'_>, options: &Options) -> Result<Told> {
    let work = Folder::new()?;
    let place = Place {
        installed: options.installed.clone(),
        folder: work.path.clone(),
        limit: Duration::from_secs(options.peer_seconds),
    };
    let mut contenders = contender::ours(&options.algorithms, &options.keep)?;
    let (found, missing) = contender::peers(options.peers().as_deref(), &place);
    contenders.extend(found);
    let cases = cases::cases(study, &options.extent())?;
    let mut results = Results::open(&options.results, options.fresh)?;
    let mut run = Run::new(study, &place, &contenders);
    run.minutes = options.minutes;
    run.sampled = cases::sampled(&cases, options.peer_pairs, options.seed);
    let left = run.measure(&cases, &mut results)?;
    let findings = Findings::new(contenders, &cases, &results);
    let keys = findings.index(reach::KEYS).map(|_| kfdiff::Speed::measured(study)).transpose()?;
    let mut told = told(&findings, keys.as_ref(), options, left, &missing)?;
    if !options.quick && left == 0 {
        told.body.push_str(&large::told(study, &findings, &work)?);
    }
    Ok(told)
}

fn told(
    findings: &Findings,
    keys: Option<&kfdiff::Speed>,
    options: &Options,
    left: usize,
    missing: &[String],
) -> Result<Told> {
    let folder = options.folder();
    fs::create_dir_all(&folder)?;
    let mut parts = Vec::new();
    if left > 0 {
        parts.push(format!("**Not complete**: {left} measurements are left for the next run.\n"));
    }
    parts.push(reach::told(findings, keys, &folder)?);
    parts.push(tables::told(findings, missing));
    parts.push(figures::told(findings, &folder)?);
    let is_sound = findings.faults().next().is_none() && findings.below_optimum().next().is_none();
    Ok(Told { body: parts.join("\n"), is_sound })
}

/// After so many pairs in a row that took too long a peer is not asked about larger ones.
const PATIENCE: usize = 4;

struct Run<'r> {
    study: &'r Study<'r>,
    place: &'r Place,
    contenders: &'r [Contender],
    /// It stops after so many minutes.
    minutes: Option<f64>,
    /// The cases that slow peers are asked about: some, of all groups alike.
    sampled: HashSet<String>,
    /// How many cases in a row a contender did not do in time.
    lost: HashMap<String, usize>,
}

impl<'r> Run<'r> {
    fn new(study: &'r Study<'r>, place: &'r Place, contenders: &'r [Contender]) -> Self {
        Run { study, place, contenders, minutes: None, sampled: HashSet::new(), lost: HashMap::new() }
    }

    /// Measures what is not known yet, as long as there is time; gives how much is left.
    fn measure(&mut self, cases: &[Case], results: &mut Results) -> Result<usize> {
        let end = self.minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
        let sampled = self.sampled.clone();
        let all: usize =
            cases.iter().map(|case| self.contenders.iter().filter(|who| takes(who, case, &sampled)).count()).sum();
        let bar = self.study.bar(all);
        for case in cases {
            let asked: Vec<&Contender> = self.contenders.iter().filter(|who| takes(who, case, &sampled)).collect();
            let unknown = |who: &&&Contender| who.known(results, &case.name).is_none();
            let missing: Vec<&Contender> = asked.iter().filter(unknown).copied().collect();
            bar.inc((asked.len() - missing.len()) as u64);
            if missing.is_empty() {
                continue;
            }
            if end.is_some_and(|end| Instant::now() > end) {
                break;
            }
            bar.set_prefix(case.name.clone());
            self.measure_case(case, &missing, results, &bar)?;
        }
        bar.finish_and_clear();
        let known = |case: &Case| {
            self.contenders
                .iter()
                .filter(|who| takes(who, case, &sampled) && who.known(results, &case.name).is_some())
                .count()
        };
        Ok(all - cases.iter().map(known).sum::<usize>())
    }

    fn measure_case(
        &mut self,
        case: &Case,
        missing: &[&Contender],
        results: &mut Results,
        bar: &ProgressBar,
    ) -> Result<()> {
        let pair = case.load(&self.place.folder)?;
        for who in missing {
            bar.set_message(who.name.clone());
            let lost = self.lost.entry(who.name.clone()).or_default();
            if *lost >= PATIENCE {
                let failure = format!("not asked: {PATIENCE} smaller ones in a row took too long");
                results.add(results::Record { failure, ..who.nothing_of(case) })?;
            } else {
                let record = who
                    .measure(case, &pair, self.study.runs, self.place)
                    .with_context(|| format!("{}: {}", who.name, case.name))?;
                *lost = if record.failure.starts_with("more than") { *lost + 1 } else { 0 };
                results.add(record)?;
            }
            bar.inc(1);
        }
        Ok(())
    }
}

fn takes(who: &Contender, case: &Case, sampled: &HashSet<String>) -> bool {
    who.takes(case.format) && (!who.is_sampled() || sampled.contains(&case.name))
}

/// A share as people read it.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.3}", 1e3 * seconds)
}

fn median_of(figures: impl Iterator<Item = f64>) -> f64 {
    report::median(&figures.collect::<Vec<_>>())
}

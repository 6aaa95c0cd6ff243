//! What is compared? Every version of the corpus with its next, data of it told as JSON, and versions made by chance.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use treediff::parse;
use treediff::simulate::{Rates, simulate};
use treediff::tree::{Document, Format};
use treediff::write;

use super::json;
use crate::verbs::Study;
use crate::verbs::figures::{Sample, sample_of_nodes, samples};
use crate::{compare, corpus};

/// Two versions that are to be compared.
pub struct Case {
    pub name: String,
    /// The family of the corpus, or how the version was made.
    pub group: String,
    pub kind: Kind,
    pub format: Format,
    /// Of both versions; of one that is not made yet about as many as it will have.
    pub bytes: u64,
    pub origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Two versions as they were found.
    Corpus,
    /// The same, written as JSON.
    AsJson,
    /// The second version is made by chance.
    Simulated,
    /// Of any of these, and not in the study.
    HeldOut,
}

impl Kind {
    /// What the study has.
    pub const ALL: [Kind; 3] = [Kind::Corpus, Kind::AsJson, Kind::Simulated];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Corpus => "corpus",
            Kind::AsJson => "as-json",
            Kind::Simulated => "simulated",
            Kind::HeldOut => "held-out",
        }
    }
}

/// Where the versions come from.
pub enum Origin {
    Files([PathBuf; 2]),
    AsJson([PathBuf; 2]),
    Documents([Arc<Document>; 2]),
    Simulated { document: Arc<Document>, mix: &'static Mix, share: f64, seed: u64 },
}

/// Two versions, read, and the files they are in for those who want files.
pub struct Pair {
    pub before: Arc<Document>,
    pub after: Arc<Document>,
    pub files: [PathBuf; 2],
    /// Whether both are well-formed; others are read all the same.
    pub is_sound: bool,
}

impl Pair {
    pub fn nodes(&self) -> usize {
        self.before.len() + self.after.len()
    }
}

/// How a share of changes is spread over what can happen.
pub struct Mix {
    pub name: &'static str,
    rates: fn(f64) -> Rates,
}

pub const MIXES: [Mix; 2] = [
    Mix { name: "with-moves", rates: |share| Rates::all(share / 4.0) },
    Mix { name: "no-moves", rates: |share| Rates { moved: 0.0, ..Rates::all(share / 3.0) } },
];

/// Families whose documents are data, so that they can be told as JSON.
const DATA: [&str; 5] = ["exoplanet-catalogue", "feeds", "mavlink-dialects", "maven-pom", "sitemaps"];

/// How much is taken of what there is.
pub struct Extent {
    /// Pairs of the corpus; all without it.
    pub pairs: Option<usize>,
    /// Bytes of the documents that versions are made of.
    pub sizes: &'static [usize],
    pub shares: &'static [f64],
    pub seeds: u64,
    /// Bytes that no pair may exceed.
    pub max_bytes: u64,
    pub seed: u64,
}

impl Extent {
    pub fn whole(pairs: Option<usize>, seed: u64) -> Self {
        let sizes = &[1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
        Extent { pairs, sizes, shares: &[0.01, 0.05, 0.2, 0.5], seeds: 2, max_bytes: u64::MAX, seed }
    }

    pub fn quick(pairs: Option<usize>, seed: u64) -> Self {
        let pairs = Some(pairs.unwrap_or(240));
        Extent { pairs, sizes: &[3_000, 30_000], shares: &[0.01, 0.05, 0.2], seeds: 1, max_bytes: 200_000, seed }
    }
}

/// The case by which the optimum's time is judged: a share of 5 % of a document of so many nodes.
pub const RULER_NODES: usize = 10_000;
pub const RULER: &str = "simulated/ruler-10000-nodes";

/// All cases, the small ones first.
pub fn cases(study: &Study<'_>, extent: &Extent) -> Result<Vec<Case>> {
    let (found, as_json) = corpus_cases(study)?;
    let mut cases = drawn(found, extent.pairs, extent.seed);
    cases.extend(drawn(as_json, Some(extent.pairs.map_or(AS_JSON_PAIRS, |pairs| pairs / 10)), extent.seed));
    cases.extend(simulated_cases(study, extent)?);
    cases.retain(|case| case.bytes <= extent.max_bytes);
    cases.sort_by(|a, b| (a.bytes, &a.name).cmp(&(b.bytes, &b.name)));
    Ok(cases)
}

const AS_JSON_PAIRS: usize = 200;

fn corpus_cases(study: &Study<'_>) -> Result<(Vec<Case>, Vec<Case>)> {
    let (mut found, mut as_json) = (Vec::new(), Vec::new());
    for history in corpus::histories(study.histories, study.only)? {
        let format = if history.is_html() { Format::Html } else { Format::Xml };
        for (before, after) in history.pairs() {
            let files = [before, after].map(Path::to_owned);
            let version = after.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{}/{}/{version}", history.family, history.name);
            let bytes = fs::metadata(before)?.len() + fs::metadata(after)?.len();
            let group = history.family.clone();
            if DATA.contains(&group.as_str()) {
                let (name, group, origin) = (format!("{name}.json"), group.clone(), Origin::AsJson(files.clone()));
                as_json.push(Case { name, group, kind: Kind::AsJson, format: Format::Json, bytes, origin });
            }
            found.push(Case { name, group, kind: Kind::Corpus, format, bytes, origin: Origin::Files(files) });
        }
    }
    Ok((found, as_json))
}

/// So many cases, of all groups alike, by a chance that the seed decides.
fn drawn(cases: Vec<Case>, count: Option<usize>, seed: u64) -> Vec<Case> {
    let Some(count) = count else { return cases };
    let names = sampled(&cases, count, seed);
    cases.into_iter().filter(|case| names.contains(&case.name)).collect()
}

/// The names of so many cases.
pub fn sampled(cases: &[Case], count: usize, seed: u64) -> HashSet<String> {
    let mut by_chance: Vec<&Case> = cases.iter().collect();
    by_chance.sort_by_cached_key(|case| chance(&case.name, seed));
    let mut turns: HashMap<(&str, &str), usize> = HashMap::new();
    let mut in_turn: Vec<(usize, &Case)> = Vec::new();
    for case in by_chance {
        let turn = turns.entry((case.kind.name(), &case.group)).or_default();
        in_turn.push((*turn, case));
        *turn += 1;
    }
    // Stable, so that chance decides within a turn.
    in_turn.sort_by_key(|(turn, _)| *turn);
    in_turn.into_iter().take(count).map(|(_, case)| case.name.clone()).collect()
}

fn chance(name: &str, seed: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, name).hash(&mut hasher);
    hasher.finish()
}

/// Where more than this changes, those that are not linear take minutes.
const MAX_CHANGED_BYTES: f64 = 600_000.0;

fn simulated_cases(study: &Study<'_>, extent: &Extent) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for sample in samples(study, extent.sizes)? {
        for mix in &MIXES {
            for &share in extent.shares.iter().filter(|share| *share * sample.bytes() as f64 <= MAX_CHANGED_BYTES) {
                for seed in 1..=extent.seeds {
                    let kilobytes = sample.bytes().div_ceil(1000);
                    let percent = share * 100.0;
                    let name = format!("simulated/{}-{kilobytes}kB/{}/{percent}%/{seed}", sample.name, mix.name);
                    cases.push(simulated(&sample, name, mix, share, seed));
                }
            }
        }
    }
    let ruler = sample_of_nodes(study, RULER_NODES)?;
    cases.push(simulated(&ruler, RULER.to_owned(), &MIXES[1], 0.05, 1));
    Ok(cases)
}

fn simulated(sample: &Sample, name: String, mix: &'static Mix, share: f64, seed: u64) -> Case {
    Case {
        name,
        group: format!("{} {}%", mix.name, share * 100.0),
        kind: Kind::Simulated,
        format: Format::Xml,
        bytes: 2 * sample.bytes() as u64,
        origin: Origin::Simulated { document: sample.document.clone(), mix, share, seed },
    }
}

impl Case {
    /// Reads or makes both versions; what is no file yet is written to `folder`.
    pub fn load(&self, folder: &Path) -> Result<Pair> {
        match &self.origin {
            Origin::Files([before, after]) => {
                let ((before_read, is_sound), (after_read, is_after_sound)) = (read(before)?, read(after)?);
                let files = [before.clone(), after.clone()];
                Ok(Pair { before: before_read, after: after_read, files, is_sound: is_sound && is_after_sound })
            }
            Origin::AsJson([before, after]) => in_files([as_json(before)?, as_json(after)?], "json", folder),
            Origin::Documents(documents) => in_files(documents.clone(), "xml", folder),
            Origin::Simulated { document, mix, share, seed } => {
                let changed = simulate(document, &(mix.rates)(*share), *seed, &Default::default())?;
                in_files([document.clone(), changed.document], "xml", folder)
            }
        }
        .with_context(|| self.name.clone())
    }
}

fn as_json(path: &Path) -> Result<Arc<Document>> {
    let written = json::written(&read(path)?.0);
    Ok(Arc::new(parse::json(written, &Default::default())?.document.with_sorted_members()))
}

fn in_files(documents: [Arc<Document>; 2], extension: &str, folder: &Path) -> Result<Pair> {
    let files = ["before", "after"].map(|side| folder.join(format!("{side}.{extension}")));
    for (file, document) in files.iter().zip(&documents) {
        fs::write(file, write::source(document))?;
    }
    let [before, after] = documents;
    Ok(Pair { before, after, files, is_sound: true })
}

/// A document, and whether it is well-formed.
fn read(path: &Path) -> Result<(Arc<Document>, bool)> {
    match compare::read(path) {
        Ok(document) => Ok((document, true)),
        Err(_) => Ok((compare::read_recovering(path)?, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_all_groups_and_are_the_same_for_a_seed() {
        let case = |at: usize| Case {
            name: format!("case {at}"),
            group: if at < 95 { "many" } else { "few" }.to_owned(),
            kind: Kind::Corpus,
            format: Format::Xml,
            bytes: 1,
            origin: Origin::Files(Default::default()),
        };
        let cases: Vec<Case> = (0..100).map(case).collect();
        let sample = sampled(&cases, 12, 1);
        let few = cases.iter().filter(|case| case.group == "few" && sample.contains(&case.name)).count();
        assert_eq!((sample.len(), few), (12, 5));
        assert_eq!(sample, sampled(&cases, 12, 1));
        assert_ne!(sample, sampled(&cases, 12, 2));
    }
}

//! How good is the default where nothing was chosen by looking? Pairs of other versions, of other documents, and of other
//! chances than those that its rules and budgets were tried on.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use treediff::matching::Algorithm;
use treediff::tree::{Document, Format};

use super::cases::{Case, Kind, MIXES, Origin};
use super::findings::{Findings, OPTIMAL, Quality, Row, YARDSTICK, over};
use super::peers::{GNU_DIFF, Place};
use super::results::Results;
use super::tables::{QUALITY_HEADS, quality_cells, times};
use super::{Run, contender, reach};
use crate::corpus::{self, Versions};
use crate::folder::Folder;
use crate::report::Table;
use crate::verbs::Study;
use crate::{compare, pieces};

/// Those that are compared: the default, the one that it must not be much slower than, and the ruler.
const WHO: [Algorithm; 3] = [Algorithm::Auto, Algorithm::Xydiff, Algorithm::Optimal];

/// Bytes of the pieces of large documents.
const PIECES: [usize; 4] = [30_000, 100_000, 300_000, 1_000_000];

/// Shares of changes, and the seeds of the chances; the study has others of both.
const SHARES: [f64; 3] = [0.02, 0.1, 0.3];
const SEEDS: std::ops::Range<u64> = 1001..1003;

/// Of so many documents one gets versions by chance, made of its first version.
const EVERY: usize = 12;

const WORST: usize = 10;

/// Measures, and tells by sets of pairs.
pub fn held_out(study: &Study<'_>, results: &Path) -> Result<String> {
    let work = Folder::new()?;
    let place = Place { installed: work.path.clone(), folder: work.path.clone(), limit: Duration::from_secs(20) };
    let mut contenders = contender::ours(&WHO, &[])?;
    contenders.extend(contender::peers(Some(&[GNU_DIFF.to_owned()]), &place).0);
    let cases = cases(study)?;
    let mut results = Results::open(results, false)?;
    Run::new(study, &place, &contenders).measure(&cases, &mut results)?;
    let findings = Findings::new(contenders, &cases, &results);
    Ok(told(&findings))
}

fn cases(study: &Study<'_>) -> Result<Vec<Case>> {
    let histories = corpus::histories(study.histories, study.only)?;
    let mut cases = Vec::new();
    for history in &histories {
        cases.extend(far_apart(history)?);
    }
    cases.extend(piece_cases(study)?);
    cases.extend(simulated_cases(&histories)?);
    Ok(cases)
}

/// Versions of one document that are not next to one another, each pair in one set only.
fn far_apart(history: &Versions) -> Result<Vec<Case>> {
    let last = history.files.len() - 1;
    let three = (0..last).map(|at| (at, at + 3, "three versions apart"));
    let five = (0..last).step_by(5).map(|at| (at, at + 5, "every fifth version"));
    let ends = (last > 3 && last != 5).then_some((0, last, "first and last version"));
    let pairs = three.chain(five).filter(|(_, to, _)| *to <= last).chain(ends);
    pairs.map(|(from, to, set)| version_case(history, from, to, set)).collect()
}

fn version_case(history: &Versions, from: usize, to: usize, set: &str) -> Result<Case> {
    let files = [&history.files[from], &history.files[to]].map(Clone::clone);
    Ok(Case {
        name: format!("held-out/{}/{}/{}-{}", history.family, history.name, from + 1, to + 1),
        group: set.to_owned(),
        kind: Kind::HeldOut,
        format: if history.is_html() { Format::Html } else { Format::Xml },
        bytes: fs::metadata(&files[0])?.len() + fs::metadata(&files[1])?.len(),
        origin: Origin::Files(files),
    })
}

/// The beginnings of every version of a large document beside that of its next.
fn piece_cases(study: &Study<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for history in corpus::large_histories(study.corpus, "xml", study.only)? {
        for (at, (before, after)) in history.pairs().enumerate() {
            let documents = [compare::read(before)?, compare::read(after)?];
            for bytes in PIECES {
                cases.extend(piece_case(&format!("{}/{}", history.name, at + 1), &documents, bytes)?);
            }
        }
    }
    Ok(cases)
}

/// Nothing where that is the whole document, or so little of it that a piece is much larger than it should be.
fn piece_case(name: &str, documents: &[Arc<Document>; 2], bytes: usize) -> Result<Option<Case>> {
    let count = pieces::children_for(&documents[0], bytes);
    let cut = |document: &Document| {
        let source = pieces::with_children(document, count)?;
        anyhow::Ok(Arc::new(treediff::parse::xml(source, &Default::default())?.document))
    };
    let [before, after] = [cut(&documents[0])?, cut(&documents[1])?];
    let len = before.source().len();
    let is_piece = len < documents[0].source().len() && len < 3 * bytes;
    Ok(is_piece.then(|| Case {
        name: format!("held-out/{name}/{}kB", bytes / 1000),
        group: "beginnings of large documents".to_owned(),
        kind: Kind::HeldOut,
        format: Format::Xml,
        bytes: (len + after.source().len()) as u64,
        origin: Origin::Documents([before, after]),
    }))
}

fn simulated_cases(histories: &[Versions]) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let is_xml = |history: &&Versions| !history.is_html();
    for history in histories.iter().filter(is_xml).step_by(EVERY) {
        let Ok(document) = compare::read(&history.files[0]) else { continue };
        for mix in &MIXES {
            for (share, seed) in SHARES.into_iter().flat_map(|share| SEEDS.map(move |seed| (share, seed))) {
                let (group, percent) = (format!("simulated, {}", mix.name), share * 100.0);
                cases.push(Case {
                    name: format!("held-out/{}/{}/{percent}%/{seed}", history.name, mix.name),
                    group,
                    kind: Kind::HeldOut,
                    format: Format::Xml,
                    bytes: 2 * document.source().len() as u64,
                    origin: Origin::Simulated { document: document.clone(), mix, share, seed },
                });
            }
        }
    }
    Ok(cases)
}

fn told(findings: &Findings) -> String {
    let Some(judged) = reach::judged(findings) else { return String::new() };
    let mut out = String::new();
    goals(findings, judged, &mut out);
    let _ = writeln!(out, "\n{}\n{CAPTION}\n\n{}", table(findings), worst(findings, judged));
    out
}

const CAPTION: &str = "\
No pair of these is in the study. Beginnings have the same number of the root's first children in both versions. Bytes are\n\
those of XyDeltas with moves, over xydiff's and over GNU diff's. Pairs whose optimum is 0 or was not found within its budget\n\
are not counted against it.";

/// The goals that the study has for real changes, of all pairs together.
fn goals(findings: &Findings, judged: usize, out: &mut String) {
    let quality = Quality::of(findings.rows.iter(), judged);
    let name = &findings.contenders[judged].name;
    reach::quality_goals(name, "pairs held out", quality.as_ref(), out);
    let faults = findings.faults().count();
    reach::goal(
        out,
        "every law on every pair, with and without moves",
        Some((format!("{faults} faults"), faults == 0)),
    );
}

fn table(findings: &Findings) -> String {
    let mut heads = vec!["", "pairs"];
    heads.extend(QUALITY_HEADS);
    heads.extend(["bytes of xydiff's", "bytes of GNU diff's", "time of xydiff's", "with fallbacks"]);
    let mut table = Table::new(&heads);
    let mut sets: Vec<&str> = findings.rows.iter().map(|row| row.group.as_str()).collect();
    let mut seen = std::collections::HashSet::new();
    sets.retain(|set| seen.insert(*set));
    for name in ["auto", YARDSTICK] {
        let Some(at) = findings.index(name) else { continue };
        for set in &sets {
            let rows: Vec<&Row> = findings.rows.iter().filter(|row| row.group == *set).collect();
            table.row(&cells(findings, &format!("`{name}`, {set}"), &rows, at));
        }
        let all: Vec<&Row> = findings.rows.iter().collect();
        table.row(&cells(findings, &format!("`{name}`, all"), &all, at));
    }
    table.finish()
}

fn cells(findings: &Findings, title: &str, rows: &[&Row], at: usize) -> Vec<String> {
    let beside = |other: &str, figure: fn(&super::results::Record) -> f64| {
        let ratio = findings.index(other).and_then(|other| over(rows.iter().copied(), [at, other], figure));
        ratio.map_or(String::new(), times)
    };
    let quality = Quality::of(rows.iter().copied(), at).map(|quality| quality_cells(&quality).to_vec());
    let fallbacks = rows.iter().filter_map(|row| row.done(at)).filter(|record| !record.fallbacks.is_empty()).count();
    let mut cells = vec![title.to_owned(), rows.len().to_string()];
    cells.extend(quality.unwrap_or_else(|| vec![String::new(); QUALITY_HEADS.len()]));
    cells.extend([
        beside(YARDSTICK, |record| record.delta_bytes as f64),
        beside(GNU_DIFF, |record| record.delta_bytes as f64),
        beside(YARDSTICK, |record| record.seconds),
        fallbacks.to_string(),
    ]);
    cells
}

/// The pairs that are farthest from the optimum.
fn worst(findings: &Findings, judged: usize) -> String {
    let mut rows: Vec<&Row> = findings.rows.iter().filter(|row| row.quality(judged).is_some()).collect();
    let badness = |row: &Row| row.quality(judged).unwrap_or(0.0);
    rows.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    let mut table = Table::new(&reach::WORST_HEADS);
    rows.iter().take(WORST).for_each(|row| table.row(&reach::worst_cells(row, judged)));
    let unknown = findings.rows.iter().filter(|row| row.optimum.is_none()).count();
    format!("The worst of them; of {unknown} pairs `{OPTIMAL}` did not find the optimum.\n\n{}", table.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(versions: usize) -> Vec<(String, String)> {
        let folder = std::env::temp_dir().join(format!("deltaic-held-out-{}-{versions}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = |at: usize| {
            let path = folder.join(format!("{at}.xml"));
            fs::write(&path, "<a/>").expect("written");
            path
        };
        let history =
            Versions { family: "f".to_owned(), name: "n".to_owned(), files: (0..versions).map(file).collect() };
        let cases = far_apart(&history).expect("cases");
        fs::remove_dir_all(&folder).expect("removed");
        cases.into_iter().map(|case| (case.name, case.group)).collect()
    }

    #[test]
    fn no_pair_is_one_of_the_study_or_there_twice() {
        for versions in 2..20 {
            let pairs = pairs(versions);
            let names: std::collections::HashSet<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names.len(), pairs.len(), "{versions} versions");
            let next = |name: &str| {
                name.rsplit('/')
                    .next()
                    .and_then(|ends| ends.split_once('-'))
                    .map(|(from, to)| to.parse::<usize>().expect("a number") - from.parse::<usize>().expect("a number"))
            };
            assert!(names.iter().all(|name| next(name) != Some(1)), "{versions} versions");
        }
        assert_eq!(pairs(2).len(), 0);
    }
}

//! How fast is a page marked, beside others who mark pages? From two texts to the merged view, over real pages.
//!
//! `pages` says what is compared, `ours` what we do and `peers` who else; `kept` checks that what comes of it has the text
//! of both versions, and `growth` asks whether time and memory stay in proportion.

mod growth;
mod kept;
mod ours;
mod pages;
mod peers;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;

use super::Study;
use super::diff::built;
use crate::folder::Folder;
use crate::report::Table;
use pages::{Class, Page};
use peers::{Answer, PEERS, Peer, Place};

/// Whom to ask, and for how long.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The program whose memory is measured; without it the release build, made anew.
    #[arg(long)]
    deltaic: Option<PathBuf>,
    /// Only these peers, separated by commas; `none` for nobody.
    #[arg(long, value_delimiter = ',')]
    peers: Option<Vec<String>>,
    /// Seconds of CPU time that a peer may take for a page, all of its runs together.
    #[arg(long, default_value_t = 60)]
    peer_seconds: u64,
    /// Where `bench/peers/install` put the peers.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.cache/peers"))]
    installed: PathBuf,
}

/// After so many pages in a row that took too long a peer is not asked about larger ones.
const PATIENCE: usize = 2;

/// The share of the text that we must keep: all, but for what a parser reads otherwise where a mark stands.
const WHOLE: f64 = 0.999;

pub fn htmldiff(study: &Study<'_>, options: &Options) -> Result<String> {
    let deltaic = options.deltaic.clone().map_or_else(built, Ok)?;
    let folder = Folder::new()?;
    let place = Place {
        installed: options.installed.clone(),
        folder: folder.path.clone(),
        runs: study.runs,
        limit: Duration::from_secs(options.peer_seconds),
    };
    let (classes, growing) = (pages::classes(study)?, pages::growing(study)?);
    ensure!(classes.len() + growing.len() > 0, "no pages with `{}` in their names", study.only);
    let contest = Contest::new(study, options, &place);
    let (times, texts) = contest.tables(&classes)?;
    let grown = growth::told(study, &growing, &deltaic, &folder)?;
    Ok(format!("{times}\n{}\n{texts}\n{KEPT}\n\n{grown}", contest.caption()))
}

/// deltaic beside those peers that are there.
struct Contest<'c> {
    runs: usize,
    place: &'c Place,
    peers: Vec<(&'static Peer, String)>,
    missing: Vec<String>,
    bar: ProgressBar,
}

/// What all made of a page.
struct Row<'p> {
    page: &'p Page,
    time: Duration,
    kept: f64,
    answers: Vec<Answer>,
}

impl<'c> Contest<'c> {
    fn new(study: &Study<'_>, options: &Options, place: &'c Place) -> Self {
        let is_wanted =
            |peer: &&Peer| options.peers.as_ref().is_none_or(|names| names.iter().any(|name| name == peer.name));
        let mut contest =
            Contest { runs: study.runs, place, peers: Vec::new(), missing: Vec::new(), bar: study.bar(0) };
        for peer in PEERS.iter().filter(is_wanted) {
            match peer.version(place) {
                Ok(version) => contest.peers.push((peer, version)),
                Err(error) => contest.missing.push(format!("{} ({error:#})", peer.name)),
            }
        }
        contest
    }

    /// The table of times, and that of the texts that are kept.
    fn tables(&self, classes: &[Class]) -> Result<(String, String)> {
        let names = self.peers.iter().map(|(peer, _)| peer.name);
        let heads = ["CPU ms", "kB", "deltaic"].into_iter().chain(names.clone().flat_map(|name| [name, ""]));
        let mut times = Table::new(&heads.collect::<Vec<_>>());
        let mut texts = Table::new(&["text kept", "deltaic"].into_iter().chain(names).collect::<Vec<_>>());
        self.bar.set_length(classes.iter().map(|class| class.pages.len() as u64).sum());
        let mut lost = vec![0; self.peers.len()];
        let mut all = Vec::new();
        for class in classes {
            let pages = class.pages.iter();
            let rows = pages.map(|page| self.row(page, &mut lost).with_context(|| page.name.clone()));
            let rows = rows.collect::<Result<Vec<_>>>()?;
            for row in &rows {
                times.row(&self.cells(class, row));
            }
            times.row(&self.together(&format!("all of {}", class.name), &rows));
            texts.row(&self.kept(class, &rows));
            all.extend(rows);
        }
        times.row(&self.together("all pages", &all));
        self.bar.finish_and_clear();
        Ok((times.finish(), texts.finish()))
    }

    fn row<'p>(&self, page: &'p Page, lost: &mut [usize]) -> Result<Row<'p>> {
        self.bar.set_prefix(page.name.clone());
        self.bar.set_message("deltaic");
        let time = ours::whole(page, self.runs)?.time;
        let kept = kept::share(page, &ours::marked(page)?)?;
        ensure!(kept > WHOLE, "deltaic keeps {} of the text", percent(kept));
        fs::write(self.place.folder.join("before.html"), &page.before)?;
        fs::write(self.place.folder.join("after.html"), &page.after)?;
        let mut answers = Vec::new();
        for ((peer, _), lost) in self.peers.iter().zip(lost) {
            self.bar.set_message(peer.name);
            let answer = if *lost < PATIENCE { peer.mark(page, self.place)? } else { Answer::NotAsked };
            match answer {
                Answer::OutOfTime => *lost += 1,
                Answer::NotAsked => {}
                _ => *lost = 0,
            }
            answers.push(answer);
        }
        self.bar.inc(1);
        Ok(Row { page, time, kept, answers })
    }

    fn cells(&self, class: &Class, row: &Row<'_>) -> Vec<String> {
        let ours = milliseconds(row.time);
        let judged = if class.is_usual() { below(ours, 10.0) } else { format!("{ours:.2}") };
        let mut cells = vec![row.page.name.clone(), format!("{:.0}", row.page.bytes() as f64 / 1e3), judged];
        for ((peer, _), answer) in self.peers.iter().zip(&row.answers) {
            cells.extend(match answer {
                Answer::Marked { time, .. } => [format!("{:.1}", milliseconds(*time)), peer.lead(*time, row.time)],
                Answer::OutOfTime => {
                    let limit = self.place.limit;
                    [format!("over {:.0}", milliseconds(limit)), format!("over {}", peer.lead(limit, row.time))]
                }
                Answer::NotAsked => ["not asked".to_owned(), String::new()],
                Answer::Failed(why) => [format!("failed: {}", why.replace('|', "/")), String::new()],
            });
        }
        cells
    }

    /// Several pages as one; of a peer those that it marked, or that took it too long.
    fn together(&self, name: &str, rows: &[Row<'_>]) -> Vec<String> {
        let bytes: usize = rows.iter().map(|row| row.page.bytes()).sum();
        let ours: Duration = rows.iter().map(|row| row.time).sum();
        let mut cells =
            vec![format!("**{name}**"), format!("{:.0}", bytes as f64 / 1e3), format!("{:.2}", milliseconds(ours))];
        for (at, (peer, _)) in self.peers.iter().enumerate() {
            let (mut theirs, mut ours, mut over) = (Duration::ZERO, Duration::ZERO, "");
            for row in rows {
                theirs += match row.answers[at] {
                    Answer::Marked { time, .. } => time,
                    Answer::OutOfTime => {
                        over = "over ";
                        self.place.limit
                    }
                    Answer::NotAsked | Answer::Failed(_) => continue,
                };
                ours += row.time;
            }
            cells.extend(match ours.is_zero() {
                true => [String::new(), String::new()],
                false => [format!("{over}{:.1}", milliseconds(theirs)), format!("{over}{}", peer.lead(theirs, ours))],
            });
        }
        cells
    }

    /// The least share of the text that each keeps of the pages of a class.
    fn kept(&self, class: &Class, rows: &[Row<'_>]) -> Vec<String> {
        let least = |shares: &mut dyn Iterator<Item = f64>| shares.reduce(f64::min).map_or_else(String::new, percent);
        let mut cells = vec![class.name.to_owned(), least(&mut rows.iter().map(|row| row.kept))];
        for peer in 0..self.peers.len() {
            let shares = rows.iter().filter_map(|row| match row.answers.get(peer)? {
                Answer::Marked { kept, .. } => Some(*kept),
                _ => None,
            });
            cells.push(least(&mut { shares }));
        }
        cells
    }

    fn caption(&self) -> String {
        let peer = |(peer, version): &(&Peer, String)| format!("- {version}: {}\n", peer.about);
        let peers: String = self.peers.iter().map(peer).collect();
        let missing: String = self.missing.iter().map(|missing| format!("{missing}; ")).collect();
        let limit = self.place.limit.as_secs();
        let runs = format!("Of peers as many runs count as fit into {limit} s of CPU time, but at least one.");
        format!("{CAPTION}\n{runs}\n\n{peers}\nNot here: {missing}{}.\n", peers::NOT_HAD)
    }
}

const CAPTION: &str = "\
From two texts in memory to the marked one: reading both versions, comparing, and for deltaic the whole merged view.\n\
deltaic in this process, peers each in one of their own, whose start and imports do not count. A size is that of the\n\
later version. Pages are versions of the corpus beside the next, the first and the last of the large ones, and, where it\n\
has too few of a size, pages made of the bodies of several pages of one family, or of all families in turn, one behind\n\
the other. Behind each peer stands how many times as fast deltaic is. A peer whose time was over twice in a row is not\n\
asked about larger pages. The rows of all pages of a size have the sums of what was marked.";

const KEPT: &str = "\
The least share of both versions' texts that the marked page has, of the pages of a size: that of the later one outside\n\
what is marked as removed, that of the earlier one outside what is marked as added. It is counted in runs of eight\n\
characters without white space, so that a lost word counts as a little more than itself. lxml writes the targets of\n\
links, and in places comments, into the text.";

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A figure that must stay below its goal in milliseconds.
fn below(found: f64, goal: f64) -> String {
    format!("{found:.2} (goal below {goal} ms, {})", if found < goal { "met" } else { "missed" })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

//! How fast is a whole comparison, from two files to a delta in a third, beside GNU diff?

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;

use super::Study;
use crate::corpus::{self, LargePair};
use crate::folder::Folder;
use crate::process::{self, Cost};
use crate::report::{self, Table};
use crate::{compare, pieces};

/// The document that is cut into pieces, and their sizes in megabytes.
pub const CUT: &str = "cldr-concat-100MB";
const PIECES: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

pub fn diff(study: &Study<'_>, deltaic: Option<&Path>) -> Result<String> {
    let deltaic = deltaic.map_or_else(built, |path| Ok(path.to_owned()))?;
    let pairs = corpus::large_pairs(study.corpus, "xml", study.only)?;
    // There may be none of the name that is asked for.
    let pages = corpus::large_pairs(study.corpus, "html", study.only).unwrap_or_default();
    let folder = Folder::new()?;
    let bar = study.bar(pairs.len() + pages.len() + PIECES.len());
    let contest = Contest { runs: study.runs, deltaic: &deltaic, algorithm: None, folder: &folder.path, bar };
    let mut whole = Sum::default();
    let real = contest.table(&pairs, Some(&mut whole))?;
    let of_pages = if pages.is_empty() { String::new() } else { contest.table(&pages, Some(&mut whole))? };
    let cut = pairs.iter().find(|pair| pair.name == CUT);
    let grown = cut.map(|pair| contest.table(&cut_pairs(pair, &folder.path)?, None)).transpose()?;
    contest.bar.finish_and_clear();
    let whole = whole.told();
    Ok(format!("{real}\n{CAPTION}\n\n{}\n{PAGES}\n\n{of_pages}\n{whole}\n", grown.unwrap_or_default()))
}

/// How much CPU time we may take where GNU diff takes one.
const GOAL: f64 = 1.5;

/// What both took for all documents.
#[derive(Default)]
struct Sum {
    pairs: usize,
    ours: Duration,
    theirs: Duration,
}

impl Sum {
    fn told(&self) -> String {
        let Sum { pairs, ours, theirs } = self;
        let [ours, theirs] = [ours, theirs].map(|time| time.as_secs_f64() * 1e3);
        let judged = report::at_most(ours / theirs, GOAL);
        format!("All {pairs} pairs of documents and pages together: {ours:.1} ms beside {theirs:.1} ms, {judged}.")
    }
}

const CAPTION: &str = "\
Whole processes, from start to end: `deltaic diff BEFORE AFTER --format xydelta -o FILE` and `diff BEFORE AFTER` into a\n\
file, in turns; the first and the last version of each document. CPU time is that of user and system, memory the peak\n\
of the process over the size of both files: with the program, and beyond what it takes for an element. The second\n\
table has pieces of the largest pair, with the first so many children of the root in both versions.";

const PAGES: &str = "\
And pages: what HTML asks of a parser is several times the work of XML, and GNU diff reads neither.";

/// The release build of the program that lies beside this one; made anew where cargo runs this.
pub fn built() -> Result<PathBuf> {
    if let Some(cargo) = std::env::var_os("CARGO") {
        let built = Command::new(cargo).args(["build", "--release", "--quiet", "--package", "deltaic"]).status()?;
        ensure!(built.success(), "deltaic does not build");
    }
    let path = std::env::current_exe()?.with_file_name("deltaic");
    ensure!(path.exists(), "no program at {}; run `cargo build --release`, or give `--deltaic`", path.display());
    Ok(path)
}

/// Pieces of a pair, both versions cut behind the same child of the root.
pub fn cut_pairs(pair: &LargePair, folder: &Path) -> Result<Vec<LargePair>> {
    let [before, after] = [compare::read(&pair.before)?, compare::read(&pair.after)?];
    let mut cut = Vec::new();
    for megabytes in PIECES {
        let count = pieces::children_for(&before, megabytes * 1_000_000);
        let paths = ["before", "after"].map(|side| folder.join(format!("{megabytes}MB-{side}.xml")));
        fs::write(&paths[0], pieces::with_children(&before, count)?)?;
        fs::write(&paths[1], pieces::with_children(&after, count)?)?;
        let [before, after] = paths;
        cut.push(LargePair { name: format!("{CUT}, {count} children"), before, after });
    }
    Ok(cut)
}

/// deltaic beside GNU diff.
pub struct Contest<'c> {
    pub runs: usize,
    pub deltaic: &'c Path,
    /// The algorithm by its name; without it the default.
    pub algorithm: Option<&'c str>,
    pub folder: &'c Path,
    pub bar: ProgressBar,
}

impl Contest<'_> {
    /// Goals are for whole documents, which have a sum, so that pieces are not judged by them.
    fn table(&self, pairs: &[LargePair], mut sum: Option<&mut Sum>) -> Result<String> {
        let program = self.program_bytes()?;
        let mut table = Table::new(&[
            "",
            "MB of both",
            "deltaic ms",
            "GNU diff ms",
            "CPU time",
            "deltaic ms/MB",
            "memory / files",
            "beyond the program",
            "delta bytes",
            "diff bytes",
            "delta / diff",
        ]);
        for pair in pairs {
            self.bar.set_prefix(pair.name.clone());
            table.row(&self.row(pair, program, sum.as_deref_mut()).with_context(|| pair.name.clone())?);
            self.bar.inc(1);
        }
        Ok(table.finish())
    }

    /// What the program takes for two versions of one element.
    fn program_bytes(&self) -> Result<u64> {
        let [before, after] = ["a", "b"].map(|name| self.folder.join(format!("{name}.xml")));
        fs::write(&before, "<a/>")?;
        fs::write(&after, "<b/>")?;
        Ok(self.run(&LargePair { name: String::new(), before, after })?.0.peak_bytes)
    }

    fn row(&self, pair: &LargePair, program: u64, sum: Option<&mut Sum>) -> Result<Vec<String>> {
        let (ours, theirs) = self.run(pair)?;
        let bytes = file_len(&pair.before)? + file_len(&pair.after)?;
        let (delta, diff) = (file_len(&self.delta())?, file_len(&self.output())?);
        let is_judged = sum.is_some();
        if let Some(sum) = sum {
            sum.pairs += 1;
            sum.ours += ours.time;
            sum.theirs += theirs.time;
        }
        let judged = |found, goal| if is_judged { report::at_most(found, goal) } else { format!("{found:.2}x") };
        let milliseconds = |cost: &Cost| cost.time.as_secs_f64() * 1e3;
        Ok(vec![
            pair.name.clone(),
            format!("{:.1}", bytes / 1e6),
            format!("{:.1}", milliseconds(&ours)),
            format!("{:.1}", milliseconds(&theirs)),
            judged(milliseconds(&ours) / milliseconds(&theirs), GOAL),
            format!("{:.2}", milliseconds(&ours) / (bytes / 1e6)),
            judged(ours.peak_bytes as f64 / bytes, 3.0),
            format!("{:.2}x", ours.peak_bytes.saturating_sub(program) as f64 / bytes),
            format!("{delta}"),
            format!("{diff}"),
            format!("{:.2}x", delta / diff),
        ])
    }

    /// The best of both, in turns, so that whatever disturbs the machine disturbs both alike.
    pub fn run(&self, pair: &LargePair) -> Result<(Cost, Cost)> {
        let (before, after, delta) = (pair.before.as_os_str(), pair.after.as_os_str(), self.delta());
        let mut arguments: Vec<&OsStr> = vec![
            "diff".as_ref(),
            before,
            after,
            "--format".as_ref(),
            "xydelta".as_ref(),
            "-o".as_ref(),
            delta.as_os_str(),
        ];
        arguments.extend(self.algorithm.iter().flat_map(|name| ["--algorithm".as_ref(), OsStr::new(*name)]));
        let once = |program: &Path, arguments: &[&OsStr]| process::measured(program, arguments, &self.output());
        let mut best: Option<(Cost, Cost)> = None;
        for run in 0..self.runs {
            self.bar.set_message(format!("run {}", run + 1));
            let costs = (once(self.deltaic, &arguments)?, once(Path::new("diff"), &[before, after])?);
            best = Some(best.map_or(costs, |best| (best.0.best(costs.0), best.1.best(costs.1))));
        }
        best.context("no runs")
    }

    fn delta(&self) -> PathBuf {
        self.folder.join("delta.xml")
    }

    fn output(&self) -> PathBuf {
        self.folder.join("output")
    }
}

pub fn file_len(path: &Path) -> Result<f64> {
    Ok(fs::metadata(path).with_context(|| path.display().to_string())?.len() as f64)
}

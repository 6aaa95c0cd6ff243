//! Is the minimum in Tai's model found as quickly as by those who are known for it? `ted` beside APTED's own program in Java
//! and the one of PyPI, on trees of all shapes and on pairs of the corpus.

mod labels;
mod shapes;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use treediff::matching;
use treediff::tree::Document;

use super::Study;
use crate::measure::Meter;
use crate::process::{self, Outcome};
use crate::report::Table;
use crate::{compare, corpus};
use labels::Labels;
use shapes::Shape;

#[derive(clap::Args)]
pub struct Options {
    /// The page that gets the result.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/study/ted.md"))]
    pub page: PathBuf,
    /// Where `bench/peers/install` put the peers.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.cache/peers"))]
    peers: PathBuf,
    /// Nodes of the trees.
    #[arg(long, value_delimiter = ',', default_values_t = [200, 500, 1000, 2000, 4000])]
    nodes: Vec<usize>,
    /// Pairs of the corpus.
    #[arg(long, default_value_t = 12)]
    pairs: usize,
    /// CPU seconds that a peer may take for all its runs of a pair.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
}

/// Two trees.
struct Case {
    name: String,
    before: Arc<Document>,
    after: Arc<Document>,
    /// Whether a changed label costs the same here and there, so that the distances have to be.
    is_unit: bool,
}

/// The table of all cases.
pub fn ted(study: &Study<'_>, options: &Options) -> Result<String> {
    let folder = std::env::temp_dir().join(format!("deltaic-bench-ted-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let told = told(study, options, &folder);
    fs::remove_dir_all(&folder)?;
    told
}

fn told(study: &Study<'_>, options: &Options, folder: &Path) -> Result<String> {
    let cases: Vec<Case> = shaped(options)?.into_iter().chain(found(study, options)?).collect();
    let peers = [Peer::java(&options.peers), Peer::python(&options.peers)];
    let bar = study.bar(cases.len());
    let mut table = Table::new(&["trees", "nodes", "distance", "ted", "Java", "without mapping", "PyPI", "Java / ted"]);
    for case in &cases {
        bar.set_message(case.name.clone());
        let ours = Ours::measure(case, study.runs)?;
        ours.write_trees(case, folder)?;
        let [java, python] = peers.each_ref().map(|peer| peer.measure(options, study.runs, folder));
        let (java, python) = (java?, python?);
        for answer in [&java, &python] {
            ours.check(case, answer)?;
        }
        table.row(&row(case, &ours, &java, &python));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(format!("{ABOUT}\n\n{}", table.finish()))
}

const ABOUT: &str = "\
Milliseconds of CPU time. `ted` has the mapping, as it needs it for a delta; of Java's program the time with the mapping and the \
time without it, after its compiler had warmed up. Shapes have labels by chance out of four on both sides, and a random tree \
another form as well; all who answered found the same distance for them. In pairs of the corpus, what may be updated and what \
costs how much is another question here and there, so that only the times are compared.";

fn row(case: &Case, ours: &Ours, java: &Answer, python: &Answer) -> Vec<String> {
    let ratio = match java {
        Answer::Found(found) => format!("{:.1}x", found.mapping_seconds / ours.seconds),
        Answer::None(_) => "–".to_owned(),
    };
    let distance = if case.is_unit { ours.distance.to_string() } else { "–".to_owned() };
    let nodes = if case.before.len() == case.after.len() {
        case.before.len().to_string()
    } else {
        format!("{} / {}", case.before.len(), case.after.len())
    };
    let ted = if ours.is_exact { millis(ours.seconds) } else { format!("{} (gave up)", millis(ours.seconds)) };
    let java_distance = java.told(|found| found.distance_seconds);
    let (java, python) = (java.told(|found| found.mapping_seconds), python.told(|found| found.mapping_seconds));
    vec![case.name.clone(), nodes, distance, ted, java, java_distance, python, ratio]
}

fn millis(seconds: f64) -> String {
    format!("{:.1}", 1e3 * seconds)
}

fn shaped(options: &Options) -> Result<Vec<Case>> {
    let cases = Shape::ALL.into_iter().flat_map(|shape| options.nodes.iter().map(move |&nodes| (shape, nodes)));
    cases
        .map(|(shape, nodes)| {
            let [before, after] =
                [88_172_645_463_325_252, 1_442_695_040_888_963_407].map(|seed| shape.document(nodes, seed));
            Ok(Case { name: shape.name().to_owned(), before: before?, after: after?, is_unit: true })
        })
        .collect()
}

/// Some pairs of the corpus, spread over all that have 200 to 4,000 nodes.
fn found(study: &Study<'_>, options: &Options) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for history in corpus::histories(study.histories, study.only)? {
        // One of each document, so that none is there with twenty versions that are all alike.
        let Some((before, after)) = history.pairs().next() else { continue };
        let (Ok(before), Ok(after)) = (compare::read(before), compare::read(after)) else { continue };
        if [&before, &after].iter().all(|document| (200..4_000).contains(&document.len())) {
            cases.push(Case { name: format!("{}/{}", history.family, history.name), before, after, is_unit: false });
        }
    }
    let step = cases.len().div_ceil(options.pairs.max(1)).max(1);
    Ok(cases.into_iter().step_by(step).take(options.pairs).collect())
}

/// What `ted` made of a pair.
struct Ours {
    seconds: f64,
    is_exact: bool,
    /// With all changes of labels counted as 1.
    distance: usize,
    labels: Labels,
}

impl Ours {
    fn measure(case: &Case, runs: usize) -> Result<Self> {
        let (before, after) = (&*case.before, &*case.after);
        let find = || Ok(matching::ted(before, after, &Default::default()));
        let mut meter = Meter::new();
        let found = meter.first(find)?;
        // What takes seconds is not disturbed by much.
        for _ in 1..if meter.cost().time > Duration::from_secs(2) { 1 } else { runs } {
            meter.run(find)?;
        }
        let labels = Labels::new([before, after]);
        let pairs: Vec<_> = found.pairs().collect();
        let updates = pairs.iter().filter(|(from, to)| labels.before[from.index()] != labels.after[to.index()]).count();
        Ok(Ours {
            seconds: meter.cost().time.as_secs_f64(),
            is_exact: found.notes().used().count() == 0,
            distance: before.len() + after.len() - 2 * pairs.len() + updates,
            labels,
        })
    }

    fn write_trees(&self, case: &Case, folder: &Path) -> Result<()> {
        fs::write(folder.join("before"), labels::lines(&case.before, &self.labels.before))?;
        fs::write(folder.join("after"), labels::lines(&case.after, &self.labels.after))?;
        Ok(())
    }

    /// Those who answer the same question give the same answer.
    fn check(&self, case: &Case, answer: &Answer) -> Result<()> {
        let (true, true, Answer::Found(found)) = (case.is_unit, self.is_exact, answer) else { return Ok(()) };
        let (name, ours, theirs) = (&case.name, self.distance, found.distance);
        ensure!(ours == theirs, "{name}: the distance is {ours} here and {theirs} there");
        Ok(())
    }
}

/// Who else finds it: a program and what it is told before the files.
struct Peer {
    program: PathBuf,
    arguments: Vec<PathBuf>,
    /// A file without which it is not there.
    needs: PathBuf,
}

impl Peer {
    fn java(installed: &Path) -> Self {
        let classes = installed.join("apted-java");
        let needs = classes.join("Apted.class");
        Peer { program: "java".into(), arguments: vec!["-Xmx8g".into(), "-cp".into(), classes, "Apted".into()], needs }
    }

    fn python(installed: &Path) -> Self {
        let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/peers/apted_trees.py"));
        let program = installed.join("venv/bin/python");
        Peer { needs: program.clone(), program, arguments: vec![script.into()] }
    }

    fn measure(&self, options: &Options, runs: usize, folder: &Path) -> Result<Answer> {
        if !self.needs.exists() {
            return Ok(Answer::None("not installed".to_owned()));
        }
        let [before, after, said] = ["before", "after", "said"].map(|name| folder.join(name));
        let runs = runs.to_string();
        let files = [before.as_os_str(), after.as_os_str(), OsStr::new(&runs)];
        let arguments: Vec<&OsStr> = self.arguments.iter().map(|argument| argument.as_os_str()).chain(files).collect();
        let limit = Duration::from_secs(options.seconds);
        Ok(match process::within(limit, &self.program, &arguments, &said)? {
            Outcome::Done(_) => Answer::Found(Found::read(&fs::read_to_string(&said)?)?),
            Outcome::OutOfTime => Answer::None(format!("> {} s", options.seconds)),
            Outcome::Failed(why) => Answer::None(why),
        })
    }
}

/// What a peer said.
enum Answer {
    Found(Found),
    /// Why not.
    None(String),
}

impl Answer {
    fn told(&self, seconds: fn(&Found) -> f64) -> String {
        match self {
            Answer::Found(found) => millis(seconds(found)),
            Answer::None(why) => why.clone(),
        }
    }
}

struct Found {
    distance: usize,
    distance_seconds: f64,
    mapping_seconds: f64,
}

impl Found {
    fn read(said: &str) -> Result<Self> {
        let cells: Vec<&str> = said.split_whitespace().collect();
        let [distance, distance_seconds, mapping_seconds] = cells[..] else {
            anyhow::bail!("expected three figures, found `{}`", said.trim());
        };
        let context = || format!("no figures: `{}`", said.trim());
        Ok(Found {
            distance: distance.parse().with_context(context)?,
            distance_seconds: distance_seconds.parse().with_context(context)?,
            mapping_seconds: mapping_seconds.parse().with_context(context)?,
        })
    }
}

//! What came of it, beside the goals.

use crate::report::Table;
use crate::verbs::storage::Collection;

/// Bytes that a store takes.
pub struct Sizes {
    pub content: u64,
    pub steps: u64,
    pub disk: u64,
}

/// How long it took to read each version, in seconds.
pub struct Latencies {
    sorted: Vec<f64>,
}

impl Latencies {
    pub fn new(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        Latencies { sorted: seconds }
    }

    /// The time that so large a part of all stay below, in milliseconds.
    fn quantile(&self, part: f64) -> f64 {
        let at = (self.sorted.len() as f64 * part) as usize;
        1e3 * self.sorted.get(at.min(self.sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }
}

/// All that was measured on one engine.
pub struct Figures {
    pub engine: &'static str,
    pub recorded_per_second: f64,
    pub batched_per_second: Option<f64>,
    pub live: Sizes,
    pub live_reads: Latencies,
    pub live_search: Vec<(&'static str, f64, usize)>,
    /// One at a time, and many.
    pub unchanged_per_second: [f64; 2],
    pub compacting: f64,
    pub packed: Sizes,
    pub packed_reads: Latencies,
    pub packed_search: Vec<(&'static str, f64, usize)>,
}

/// A row of the table: what, its goal, and its figure on each engine with whether that meets it.
struct Line<'f> {
    what: &'f str,
    goal: String,
    figure: &'f dyn Fn(&Figures) -> (String, Option<bool>),
}

pub fn told(collection: &Collection<'_>, git_bytes: u64, columns: &[Figures]) -> String {
    let raw = collection.bytes() as f64 / 1e6;
    let mut told = format!(
        "{} versions of {} documents, {raw:.1} MB; `git repack -adf --depth=250 --window=250` of the same: {} (its objects folder). \
         Wall-clock time; every version that is read is compared with what was recorded.\n\n",
        collection.versions(),
        collection.histories.len(),
        megabytes(git_bytes),
    );
    let content_goal = 2.1;
    let size = |bytes: u64, goal: f64| (megabytes(bytes), Some(bytes as f64 / 1e6 <= goal));
    let rate = |found: f64, goal: f64| (format!("{found:.0}/s"), Some(found >= goal));
    let time = |found: f64, goal: f64| (format!("{found:.2} ms"), Some(found <= goal));
    let lines = [
        Line {
            what: "new versions, each on disk before the next comes",
            goal: "300/s".into(),
            figure: &|found| rate(found.recorded_per_second, 300.0),
        },
        Line {
            what: "new versions, a hundred at once",
            goal: String::new(),
            figure: &|found| (found.batched_per_second.map_or_else(String::new, |rate| format!("{rate:.0}/s")), None),
        },
        Line {
            what: "unchanged checks, one by one",
            goal: String::new(),
            figure: &|found| (format!("{:.0}/s", found.unchanged_per_second[0]), None),
        },
        Line {
            what: "unchanged checks, 500 at once",
            goal: "5,000/s".into(),
            figure: &|found| rate(found.unchanged_per_second[1], 5000.0),
        },
        Line {
            what: "content as recorded",
            goal: "4.2 MB".into(),
            figure: &|found| size(found.live.content, 2.0 * content_goal),
        },
        Line {
            what: "deltas and identities as recorded",
            goal: "4.2 MB".into(),
            figure: &|found| size(found.live.steps, 2.0 * content_goal),
        },
        Line {
            what: "all on disk as recorded",
            goal: "8.4 MB".into(),
            figure: &|found| size(found.live.disk, 4.0 * content_goal),
        },
        Line {
            what: "content after compact",
            goal: "2.1 MB".into(),
            figure: &|found| size(found.packed.content, content_goal),
        },
        Line {
            what: "deltas and identities after compact",
            goal: "2.1 MB".into(),
            figure: &|found| size(found.packed.steps, content_goal),
        },
        Line {
            what: "all on disk after compact",
            goal: "4.2 MB".into(),
            figure: &|found| size(found.packed.disk, 2.0 * content_goal),
        },
        Line { what: "compact", goal: String::new(), figure: &|found| (format!("{:.1} s", found.compacting), None) },
        Line {
            what: "any version as recorded, median",
            goal: "2 ms".into(),
            figure: &|found| time(found.live_reads.quantile(0.5), 2.0),
        },
        Line {
            what: "… 95 %",
            goal: String::new(),
            figure: &|found| (format!("{:.2} ms", found.live_reads.quantile(0.95)), None),
        },
        Line { what: "… worst", goal: "20 ms".into(), figure: &|found| time(found.live_reads.quantile(1.0), 20.0) },
        Line {
            what: "any version after compact, median",
            goal: "2 ms".into(),
            figure: &|found| time(found.packed_reads.quantile(0.5), 2.0),
        },
        Line {
            what: "… 95 %",
            goal: String::new(),
            figure: &|found| (format!("{:.2} ms", found.packed_reads.quantile(0.95)), None),
        },
        Line { what: "… worst", goal: "20 ms".into(), figure: &|found| time(found.packed_reads.quantile(1.0), 20.0) },
    ];
    let heads: Vec<&str> = ["", "goal"].into_iter().chain(columns.iter().map(|found| found.engine)).collect();
    let mut table = Table::new(&heads);
    for Line { what, goal, figure } in &lines {
        let figures = columns.iter().map(|found| verdict(figure(found)));
        table.row(&[(*what).to_owned(), goal.clone()].into_iter().chain(figures).collect::<Vec<_>>());
    }
    for (place, (name, ..)) in columns.first().map_or(&[][..], |found| &found.live_search).iter().enumerate() {
        for (when, of) in [("as recorded", 0), ("after compact", 1)] {
            let figures = columns.iter().map(|found| {
                let searches = if of == 0 { &found.live_search } else { &found.packed_search };
                let (_, seconds, answers) = searches[place];
                let milliseconds = 1e3 * seconds;
                verdict((format!("{milliseconds:.0} ms, {answers} answers"), Some(milliseconds <= 100.0)))
            });
            let what = format!("question over all changes, {when}: {name}");
            table.row(&[what, "100 ms".to_owned()].into_iter().chain(figures).collect::<Vec<_>>());
        }
    }
    told.push_str(&table.finish());
    told
}

fn verdict((figure, is_met): (String, Option<bool>)) -> String {
    match is_met {
        Some(true) => format!("{figure}, met"),
        Some(false) => format!("{figure}, **missed**"),
        None => figure,
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

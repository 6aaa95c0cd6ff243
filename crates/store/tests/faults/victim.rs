//! What does a process do that is about to be killed? It works on a store without a rest, and keeps a journal: what it is
//! about to do, and that it is done. What is written to a file is there even where the writer is killed.

use std::env;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use store::{Capture, Location, Outcome, ReaderId, Recorded, Retention, Store};

use super::model::{Change, KEPT, PAGES};
use super::support::Draws;
use super::{page, second};

/// What the process does all the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Records one capture after the other.
    Record,
    /// Records many at once.
    Batch,
    /// Records, and compacts at the same time.
    Compact,
    /// Records, and drops old versions now and then.
    Prune,
}

const WORKS: [Work; 4] = [Work::Record, Work::Batch, Work::Compact, Work::Prune];

/// A process that works on a store.
#[derive(Debug)]
pub struct Victim {
    process: Child,
    journal: PathBuf,
}

impl Victim {
    /// Starts one, whose captures are all of one time, so that none is older than another's.
    pub fn start(location: &Location, work: Work, seed: u64, time: u64, journal: &Path) -> Victim {
        let _ = fs::remove_file(journal);
        let place = match location {
            Location::Folder(folder) => folder.display().to_string(),
            #[cfg(feature = "postgres")]
            Location::Database(url) => url.clone(),
        };
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["victim::works_until_it_is_killed", "--exact", "--nocapture"]);
        command.env("DELTAIC_VICTIM", format!("{work:?} {seed} {time} {}\n{place}", journal.display()));
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let process = command.spawn().expect("this program runs again");
        Victim { process, journal: journal.to_owned() }
    }

    pub fn kill(mut self) {
        self.process.kill().and_then(|()| self.process.wait()).expect("a process of ours");
    }

    /// Until it gives up by itself.
    pub fn wait(mut self) {
        // Waiting would close it, and the process would take that for our end.
        let _stdin = self.process.stdin.take();
        self.process.wait().expect("a process of ours");
    }

    /// How many lines it has written.
    pub fn n_lines(&self) -> usize {
        fs::read(&self.journal).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
    }
}

/// What a journal tells.
#[derive(Debug, Default)]
pub struct Journal {
    /// What was acknowledged, and the numbers that were told.
    pub done: Vec<(Vec<Change>, Vec<u32>)>,
    /// What was under way.
    pub in_flight: Vec<Change>,
    /// What the store said when it could not go on.
    pub error: Option<String>,
}

pub fn read_journal(file: &Path) -> Journal {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut journal = Journal::default();
    // Behind the last end of a line there is nothing, or one that was never finished.
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        match line.split_once(' ').expect("a line of ours") {
            ("try", changes) => {
                let changes = changes.split(';').map(|change| change.parse().expect("a change"));
                journal.in_flight = changes.collect();
            }
            ("done", numbers) => {
                let numbers = numbers.split(';').map(|number| number.parse().expect("a number")).collect();
                journal.done.push((std::mem::take(&mut journal.in_flight), numbers));
            }
            ("error", said) => journal.error = Some(said.to_owned()),
            _ => panic!("{line}"),
        }
    }
    journal
}

/// Not a test of its own: other tests start it, and it ends with them.
#[test]
fn works_until_it_is_killed() {
    let Ok(told) = env::var("DELTAIC_VICTIM") else { return };
    let (told, place) = told.split_once('\n').expect("where");
    let [work, seed, time, journal] = told.splitn(4, ' ').collect::<Vec<_>>()[..] else { panic!("{told}") };
    let work = WORKS.into_iter().find(|known| format!("{known:?}") == work).expect("a kind of work");
    thread::spawn(|| {
        // The other end is closed when the test is gone, however that has come about.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let journal = File::options().create(true).append(true).open(journal).expect("a journal");
    let mut worker =
        Worker { journal, draws: Draws(seed.parse().expect("a seed")), time: time.parse().expect("a time") };
    if let Err(error) = worker.run(&location(place), work) {
        write(&mut worker.journal, "error", &error);
    }
}

fn location(place: &str) -> Location {
    #[cfg(feature = "postgres")]
    if place.starts_with("postgresql:") {
        return Location::Database(place.to_owned());
    }
    Location::Folder(place.into())
}

/// One line, in one piece.
fn write(journal: &mut File, what: &str, said: &dyn Display) {
    journal.write_all(format!("{what} {said}\n").as_bytes()).expect("a journal");
}

struct Worker {
    journal: File,
    draws: Draws,
    time: u64,
}

/// A change with all that it takes.
struct Doing {
    change: Change,
    body: Vec<u8>,
}

impl Worker {
    fn run(&mut self, location: &Location, work: Work) -> store::Result<()> {
        let store = Store::open(location)?;
        store.for_each_page("*", |_| Ok(()))?;
        if work == Work::Compact {
            let store = Store::open(location)?;
            let mut journal = self.journal.try_clone().expect("a journal");
            thread::spawn(move || {
                loop {
                    if let Err(error) = store.compact(|_| ()) {
                        return write(&mut journal, "error", &format!("while compacting: {error}"));
                    }
                    thread::sleep(Duration::from_millis(5));
                }
            });
        }
        loop {
            let doing = self.next(&store, work);
            write(&mut self.journal, "try", &joined(doing.iter().map(|doing| doing.change)));
            let numbers = self.perform(&store, &doing)?;
            write(&mut self.journal, "done", &joined(numbers));
        }
    }

    fn next(&mut self, store: &Store, work: Work) -> Vec<Doing> {
        let page = self.draws.below(PAGES);
        let latest = store.page(&super::page(page)).map_or(0, |page| page.latest);
        let simple = |change| vec![Doing { change, body: Vec::new() }];
        match self.draws.below(20) {
            0 | 1 if work == Work::Prune => simple(Change::Prune),
            2 if latest > 0 => simple(Change::Seen { page, number: latest }),
            3 if latest > 0 && latest % 7 == 1 => simple(Change::Saved { page, number: latest }),
            4 => simple(Change::Failure { page }),
            _ if work == Work::Batch => (0..1 + self.draws.below(8)).map(|_| self.capture()).collect(),
            _ => vec![self.capture()],
        }
    }

    fn capture(&mut self) -> Doing {
        let page = self.draws.below(PAGES);
        let body = body(&mut self.draws);
        Doing { change: Change::Capture { page, hash: blake3::hash(&body) }, body }
    }

    /// Does it, and tells the number of each version that was made or found again.
    fn perform(&mut self, store: &Store, doing: &[Doing]) -> store::Result<Vec<u32>> {
        let (time, reader) = (second(self.time), ReaderId::only());
        match doing[0].change {
            Change::Capture { .. } | Change::Failure { .. } => {
                let captures = doing.iter().map(|doing| match doing.change {
                    Change::Capture { page: name, .. } => Capture::of(page(name), time, &*doing.body),
                    Change::Failure { page: name } => {
                        Capture { address: page(name), time, outcome: Outcome::Failure("no answer".into()) }
                    }
                    _ => unreachable!("captures come together"),
                });
                let recorded = store.record_all(captures.collect())?;
                recorded.into_iter().map(number).collect()
            }
            Change::Seen { page: name, number } => store.see(&reader, &page(name), number, time).map(|()| vec![0]),
            Change::Saved { page: name, number } => {
                store.bookmark(&reader, &page(name), number, true, "a note", time).map(|()| vec![0])
            }
            Change::Prune => {
                let rules = Retention { keep: Some(KEPT as u32), ..Retention::default() };
                store.prune("*", &rules, time, |_| ()).map(|()| vec![0])
            }
        }
    }
}

/// The number of a version that was made or found again; 0 for none.
fn number(recorded: store::Result<Recorded>) -> store::Result<u32> {
    match recorded {
        Ok(Recorded::New { number, .. } | Recorded::Unchanged { number }) => Ok(number),
        Ok(Recorded::Failed) => Ok(0),
        Err(error) => Err(error),
    }
}

fn joined<T: ToString>(parts: impl IntoIterator<Item = T>) -> String {
    parts.into_iter().map(|part| part.to_string()).collect::<Vec<_>>().join(";")
}

/// A state of a page: mostly one that nobody else has, now and then one that several pages have, seldom a large one.
fn body(draws: &mut Draws) -> Vec<u8> {
    if draws.below(6) == 0 {
        return format!("<page><same>{}</same></page>", draws.below(5)).into_bytes();
    }
    if draws.below(60) == 0 {
        let words = (0..100_000).map(|_| format!("{:x} ", draws.below(1 << 20)));
        return format!("no tree {}", words.collect::<String>()).into_bytes();
    }
    let item =
        |draws: &mut Draws| format!("<item><name>n{}</name><price>{}</price></item>", draws.below(40), draws.below(9));
    let items: String = (0..2 + draws.below(60)).map(|_| item(draws)).collect();
    format!("<page id=\"{}\">{items}</page>", draws.below(1 << 30)).into_bytes()
}

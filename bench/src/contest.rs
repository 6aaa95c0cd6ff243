//! Who is fastest on a document? All contenders take turns at it, in a process of the document's own.
//!
//! What an allocator has at hand decides how often it must ask the system for memory, and that depends on all that was
//! done before: beside larger documents a DOM of 3 MB was made in two thirds of the time. So the benchmark starts itself
//! anew for every document, and the order and the number of the others are of no matter.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use treediff::tree::Document;

use crate::measure::{Cost, Meter};

/// The verb under which the benchmark lets them take turns: `contest NAME FILE`.
pub const CONTEST: &str = "contest";

/// Those that are compared, and what the process that they run in is told of them.
pub struct Contest<const N: usize> {
    pub name: &'static str,
    pub contenders: [Contender; N],
}

/// One of them: it prepares what it needs and lets the meter run its work.
pub struct Contender {
    pub name: &'static str,
    pub run: fn(&[u8], &mut Meter) -> Result<()>,
    /// Does the same work once, and says what came of it.
    pub count: fn(&[u8]) -> Result<Seen>,
}

/// What a contender has seen in a document; all must agree. Declarations of namespaces are no attributes here.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub elements: usize,
    pub attributes: usize,
}

impl Seen {
    pub fn in_document(document: &Document) -> Self {
        let elements = document.nodes().filter(|node| node.is_element());
        elements.fold(Seen::default(), |seen, element| seen.and_element(element.attributes().count()))
    }

    pub fn and_element(self, attributes: usize) -> Self {
        Seen { elements: self.elements + 1, attributes: self.attributes + attributes }
    }
}

impl<const N: usize> Contest<N> {
    /// What each of them cost in a process of its own, and what they saw.
    pub fn run(&self, file: &Path, runs: usize) -> Result<([Cost; N], Seen)> {
        let answered = Command::new(std::env::current_exe()?)
            .args([CONTEST, self.name, "--runs", &runs.to_string()])
            .arg(file)
            .output()
            .context("starting the benchmark anew")?;
        ensure!(answered.status.success(), "{}", String::from_utf8_lossy(&answered.stderr).trim());
        let text = String::from_utf8(answered.stdout)?;
        let figures = text.split_whitespace().map(str::parse).collect::<Result<Vec<i64>, _>>()?;
        ensure!(figures.len() == 2 + 3 * N, "expected {} figures, found `{}`", 2 + 3 * N, text.trim());
        let (seen, costs) = figures.split_at(2);
        let cost = |at: usize| Cost {
            time: Duration::from_nanos(costs[at].unsigned_abs()),
            kept_bytes: costs[at + 1],
            peak_bytes: costs[at + 2],
        };
        let seen = Seen { elements: seen[0] as usize, attributes: seen[1] as usize };
        Ok((std::array::from_fn(|contender| cost(3 * contender)), seen))
    }

    /// The same in this process: prints what was seen, and then of each its nanoseconds, and bytes that are kept and at the peak.
    ///
    /// They take turns, so that whatever disturbs the machine disturbs all of them alike. Before that, all must have seen the same.
    pub fn run_here(&self, file: &Path, runs: usize) -> Result<()> {
        let document = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
        let Seen { elements, attributes } =
            self.agreed(&document).with_context(|| format!("over {}", file.display()))?;
        let mut meters: [Meter; N] = std::array::from_fn(|_| Meter::new());
        // The first run warms up the allocator, and the one behind the timed ones counts memory.
        for run in 0..runs + 2 {
            for (meter, contender) in meters.iter_mut().zip(&self.contenders) {
                if run == runs + 1 {
                    meter.count_memory();
                }
                (contender.run)(&document, meter).with_context(|| format!("{} failed", contender.name))?;
            }
        }
        println!("{elements} {attributes}");
        for Cost { time, kept_bytes, peak_bytes } in meters.map(|meter| meter.cost()) {
            println!("{} {kept_bytes} {peak_bytes}", time.as_nanos());
        }
        Ok(())
    }

    fn agreed(&self, document: &[u8]) -> Result<Seen> {
        let mut first: Option<(&str, Seen)> = None;
        for Contender { name, count, .. } in &self.contenders {
            let seen = count(document).with_context(|| format!("{name} failed"))?;
            let &mut (other, expected) = first.get_or_insert((name, seen));
            ensure!(seen == expected, "{other} sees {expected:?}, and {name} {seen:?}");
        }
        Ok(first.map(|(_, seen)| seen).unwrap_or_default())
    }
}

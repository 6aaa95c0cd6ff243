//! What is there to measure? One module per question.

mod html;
mod parse;
mod saved;

pub use html::html;
pub use parse::parse;
pub use saved::saved;

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::corpus::Large;
use crate::measure::{Cost, Meter};

/// What every verb is told.
pub struct Study<'a> {
    pub runs: usize,
    pub corpus: &'a Path,
    pub only: &'a str,
}

/// One of those that are compared: it prepares what it needs and lets the meter run its work.
struct Contender {
    name: &'static str,
    run: fn(&Large, &mut Meter),
}

impl Study<'_> {
    /// Runs all contenders in turn, so that whatever disturbs the machine disturbs all of them alike.
    fn contest<const N: usize>(&self, document: &Large, contenders: [Contender; N], bar: &ProgressBar) -> [Cost; N] {
        let mut meters: [Meter; N] = std::array::from_fn(|_| Meter::new());
        bar.set_prefix(document.name.clone());
        // The first run warms up the allocator, and the one behind the timed ones counts memory.
        for run in 0..self.runs + 2 {
            for (meter, contender) in meters.iter_mut().zip(&contenders) {
                bar.set_message(contender.name);
                if run == self.runs + 1 {
                    meter.count_memory();
                }
                (contender.run)(document, meter);
                bar.inc(1);
            }
        }
        meters.map(|meter| meter.cost())
    }

    fn progress(&self, documents: usize, contenders: usize) -> ProgressBar {
        let bar = ProgressBar::new((documents * contenders * (self.runs + 2)) as u64);
        match ProgressStyle::with_template("{bar:30} {pos}/{len} {prefix} {msg} {eta}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

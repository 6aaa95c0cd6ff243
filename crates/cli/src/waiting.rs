//! Is it still at it? After a while, a line on a terminal that says what takes so long; nothing elsewhere.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use treediff::matching::Algorithm;
use treediff::tree::Document;

use crate::terminal;

/// Nobody wonders before this.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the time is told anew.
const TICK: Duration = Duration::from_millis(500);

/// Long work that somebody waits for. When it is dropped, the line is gone.
#[derive(Debug)]
pub struct Waiting(Option<Line>);

#[derive(Debug)]
struct Line {
    /// Nothing is sent: that it is closed is the end of the work.
    open: Sender<()>,
    shown: JoinHandle<()>,
}

impl Waiting {
    /// For algorithms whose time grows with the product of the sizes; of the others nothing is told.
    pub fn for_matching(algorithm: Algorithm, before: &Document, after: &Document) -> Self {
        match told(algorithm, before.len(), after.len()) {
            Some(text) => Waiting::telling(text),
            None => Waiting(None),
        }
    }

    fn telling(text: String) -> Self {
        let target = terminal::for_bars();
        if target.is_hidden() {
            return Waiting(None);
        }
        let bar = ProgressBar::with_draw_target(None, target).with_message(text);
        let style = ProgressStyle::with_template("{msg} ({elapsed})");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let (open, closed) = mpsc::channel();
        let shown = move || {
            let mut wait = PATIENCE;
            while closed.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
                wait = TICK;
            }
            bar.finish_and_clear();
        };
        // Without a thread nobody is told, and the work goes on.
        let shown = thread::Builder::new().spawn(shown);
        Waiting(shown.ok().map(|shown| Line { open, shown }))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(Line { open, shown }) = self.0.take() {
            drop(open);
            // What is written next is not to stand beside it.
            let _ = shown.join();
        }
    }
}

/// What is told of an algorithm that may take long.
fn told(algorithm: Algorithm, before: usize, after: usize) -> Option<String> {
    let is_slow = matches!(algorithm, Algorithm::Optimal | Algorithm::Ted | Algorithm::Unordered);
    let [before, after] = [before, after].map(|nodes| HumanCount(nodes as u64));
    is_slow.then(|| format!("{algorithm}: comparing {before} with {after} nodes; --algorithm auto is faster"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_says_so() {
        let text = told(Algorithm::Optimal, 12_000, 800);
        assert_eq!(text.as_deref(), Some("optimal: comparing 12,000 with 800 nodes; --algorithm auto is faster"));
        assert_eq!(told(Algorithm::Auto, 12_000, 800), None);
    }
}

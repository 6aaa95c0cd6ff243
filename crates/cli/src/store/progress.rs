//! How far is it? A bar on a terminal, nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal;

/// How far long work is.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Work on `count` things, such as `versions`.
    pub fn of(count: u64, things: &'static str) -> Self {
        Progress::shown(Some(count), things, "{bar:30} {human_pos} of {human_len} {msg}, {eta} left")
    }

    /// Work on some things, nobody knows how many.
    pub fn counting(things: &'static str) -> Self {
        Progress::shown(None, things, "{human_pos} {msg}")
    }

    fn shown(count: Option<u64>, things: &'static str, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(count, terminal::for_bars()).with_message(things);
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress(bar)
    }

    pub fn advance(&self, count: u64) {
        self.0.inc(count);
    }

    /// So much of so much is done.
    pub fn reach(&self, done: u64, all: u64) {
        self.0.set_length(all);
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

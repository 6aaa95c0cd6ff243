//! How far is it? A bar on a terminal, nothing elsewhere.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far long work is.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Work on `count` things, such as `versions`.
    pub fn of(count: u64, things: &'static str) -> Self {
        let is_seen = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let target = if is_seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(count), target).with_message(things);
        let template = "{bar:30} {human_pos} of {human_len} {msg}, {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        Progress(bar)
    }

    pub fn advance(&self, count: u64) {
        self.0.inc(count);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

//! What does a tree diff look like on a terminal? In colours where there are any, with signs and brackets where not.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use indicatif::ProgressDrawTarget;
use treediff::render::{Line, Mark, Role, TreeDiff};

use crate::args::ColorArg;

/// Deeper lines are indented no further but say how deep they are.
const DEEPEST_INDENT: usize = 30;

/// Writes a tree diff line by line.
pub fn tree(diff: &TreeDiff<'_>, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    diff.for_each_line(|line| {
        let text = if is_coloured { coloured(&line) } else { plain(&line) };
        out.write_all(text.as_bytes())
    })
}

/// A line above a tree diff, or in place of one.
pub fn heading(text: &str, is_coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    let style = if is_coloured { Style::new().bold() } else { Style::new() };
    writeln!(out, "{style}{}{style:#}", treediff::render::printable(text))
}

/// Where bars are drawn: on a terminal that can, or nowhere.
pub fn for_bars() -> ProgressDrawTarget {
    let is_seen = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    if is_seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
}

/// Whether standard output gets colours. Git's pager takes them although it is no terminal.
pub fn is_coloured(when: ColorArg) -> bool {
    match when {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
            let choice = anstream::AutoStream::choice(&io::stdout());
            let forbids = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let git_pages = std::env::var_os("GIT_PAGER_IN_USE").is_some_and(|value| value == "true");
            choice != anstream::ColorChoice::Never || (git_pages && !forbids && !io::stdout().is_terminal())
        }
    }
}

fn plain(line: &Line) -> String {
    let mut text = String::new();
    match line.depth {
        // Writing to a string cannot fail.
        0..=DEEPEST_INDENT => _ = writeln!(text, "{line}"),
        depth => {
            let line = Line { depth: DEEPEST_INDENT, ..line.clone() };
            let _ = writeln!(text, "{line}  ({depth})");
        }
    }
    text
}

fn coloured(line: &Line) -> String {
    let mut text = String::new();
    let of_line = of_mark(line.mark);
    let indent = 2 * line.depth.min(DEEPEST_INDENT);
    let _ = write!(text, "{of_line}{}{of_line:#} {:indent$}", line.mark.sign(), "");
    for run in &line.runs {
        let style = of_run(line.mark, run.role);
        let _ = write!(text, "{style}{}{style:#}", run.text);
    }
    if line.depth > DEEPEST_INDENT {
        let style = Style::new().dimmed();
        let _ = write!(text, "{style}  ({}){style:#}", line.depth);
    }
    text.push('\n');
    text
}

fn of_mark(mark: Mark) -> Style {
    match mark {
        Mark::Inserted => AnsiColor::Green.on_default(),
        Mark::Deleted => AnsiColor::Red.on_default(),
        Mark::MovedHere | Mark::MovedAway => AnsiColor::Blue.on_default(),
        Mark::Changed => AnsiColor::Yellow.on_default(),
        Mark::Context | Mark::Omitted => Style::new().dimmed(),
    }
}

fn of_run(mark: Mark, role: Role) -> Style {
    match (role, mark) {
        (Role::Deleted, _) => AnsiColor::Red.on_default().strikethrough(),
        (Role::Inserted, _) => AnsiColor::Green.on_default().bold(),
        (Role::Note, _) => AnsiColor::Blue.on_default().italic(),
        (_, Mark::Changed) => Style::new(),
        _ => of_mark(mark),
    }
}

//! How is a result told? As Markdown tables with the goals beside the figures, and with what is needed to repeat it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::measure::ALLOCATOR_OPTION;

/// A Markdown table.
pub struct Table {
    text: String,
}

impl Table {
    /// A table whose first column is text and whose others are figures.
    pub fn new(heads: &[&str]) -> Self {
        let rule = std::iter::once("---").chain(heads.iter().skip(1).map(|_| "---:"));
        let text = format!("| {} |\n| {} |\n", heads.join(" | "), rule.collect::<Vec<_>>().join(" | "));
        Table { text }
    }

    pub fn row(&mut self, cells: &[String]) {
        let _ = writeln!(self.text, "| {} |", cells.join(" | "));
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// A figure against its goal: `2.13x (goal 2x, met)`.
pub fn at_least(found: f64, goal: f64) -> String {
    format!("{found:.2}x (goal {goal}x, {})", if found >= goal { "met" } else { "missed" })
}

/// A figure that must not exceed its goal.
pub fn at_most(found: f64, goal: f64) -> String {
    format!("{found:.2}x (goal at most {goal:.2}x, {})", if found <= goal { "met" } else { "missed" })
}

/// A part of a whole that must stay below its goal: `0.01 % (goal below 1 %, met)`.
pub fn below(found: f64, goal: f64) -> String {
    let verdict = if found < goal { "met" } else { "missed" };
    format!("{:.3} % (goal below {:.0} %, {verdict})", 100.0 * found, 100.0 * goal)
}

/// The section of a verb: when, where and how, and then the body.
pub fn section(verb: &str, how: &str, body: &str) -> String {
    let date = output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]);
    let kernel = output("uname", &["-sr"]);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    format!(
        "{date}; {}, {cores} cores, {kernel}. {how}\n\
         Repeat with `cargo run --release -p deltaic-bench{ALLOCATOR_OPTION} -- {}`.\n\n{body}",
        processor(),
        repeated(verb, std::env::args().skip(1))
    )
}

/// The options that say where a result goes, and not what it is.
const PLACES: [&str; 2] = ["--markdown", "--page"];

/// How a verb was asked for: with the options that it was given, so that one command repeats the figures. A verb that another one
/// calls has none.
fn repeated(verb: &str, given: impl Iterator<Item = String>) -> String {
    let mut arguments: Vec<String> = Vec::new();
    let mut is_place = false;
    for argument in given {
        let names_place = PLACES.iter().any(|place| argument == *place || argument.starts_with(&format!("{place}=")));
        if !is_place && !names_place {
            arguments.push(quoted(&argument));
        }
        is_place = names_place && !argument.contains('=');
    }
    if arguments.iter().any(|argument| argument == verb) { arguments.join(" ") } else { verb.to_owned() }
}

/// As a shell takes it for one word.
fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=.,:/".contains(letter);
    if argument.chars().all(is_plain) { argument.to_owned() } else { format!("'{}'", argument.replace('\'', "'\\''")) }
}

/// The middle of some figures; 0 of none.
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        len if len % 2 == 1 => sorted[len / 2],
        len => (sorted[len / 2 - 1] + sorted[len / 2]) / 2.0,
    }
}

/// Rows of data as tab-separated values.
pub fn tsv(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = heads.join("\t") + "\n";
    for row in rows {
        out.push_str(&row.join("\t"));
        out.push('\n');
    }
    out
}

fn output(program: &str, arguments: &[&str]) -> String {
    let said = Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&said).trim().to_owned()
}

fn processor() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    model.map_or("an unknown processor", |(_, name)| name).to_owned()
}

/// Replaces what stands between the verb's markers in a file.
pub fn put(path: &Path, verb: &str, section: &str) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let (open, close) = (format!("<!-- {verb} -->\n"), format!("<!-- /{verb} -->"));
    let start = text.find(&open).map(|at| at + open.len());
    let end = text.find(&close);
    let (Some(start), Some(end)) = (start, end) else {
        anyhow::bail!("{} has no markers `{}` and `{close}`", path.display(), open.trim());
    };
    ensure!(start <= end, "the markers of `{verb}` in {} are the wrong way round", path.display());
    fs::write(path, format!("{}\n{section}\n{}", &text[..start], &text[end..]))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_can_be_asked_for_again() {
        let check = |verb: &str, given: &str, expected: &str| {
            assert_eq!(repeated(verb, given.split(' ').map(str::to_owned)), expected);
        };
        check("ted", "ted --runs 3 --nodes 200,1000", "ted --runs 3 --nodes 200,1000");
        check("ted", "--runs 3 ted --page a.md --pairs 4 --markdown=b.md", "--runs 3 ted --pairs 4");
        check("parse", "parse it's", "parse 'it'\\''s'");
        check("kfdiff", "study --runs 3", "kfdiff");
    }
}

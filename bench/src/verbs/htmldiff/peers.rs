//! Who else marks what changed in a page? Packages of the registries, each in a process of its own.
//!
//! They are asked by a small script in their own language (`bench/peers/htmldiff.*`), which has the package and both
//! texts in memory before the clock starts, and says what it took from there to the marked text. Whoever is not installed
//! is left out, and named.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::kept;
use super::pages::Page;
use crate::process::{self, Outcome};
use crate::report;

/// Someone who marks pages.
pub struct Peer {
    pub name: &'static str,
    interpreter: Interpreter,
    /// How many times as fast we are to be.
    pub goal: Option<f64>,
    /// What it does.
    pub about: &'static str,
}

enum Interpreter {
    /// In this environment.
    Python(&'static str),
    Node,
}

pub const PEERS: [Peer; 4] = [
    Peer {
        name: "lxml.html.diff",
        interpreter: Interpreter::Python("venv"),
        goal: Some(20.0),
        about: "words of the body with `ins` and `del` around them; compiled",
    },
    Peer {
        name: "web-monitoring-diff",
        interpreter: Interpreter::Python("venv-web-monitoring"),
        goal: Some(50.0),
        about: "EDGI's `html_diff_render`, the whole page with `ins` and `del`",
    },
    Peer {
        name: "visual-dom-diff",
        interpreter: Interpreter::Node,
        goal: None,
        about: "a DOM with `ins`, `del` and classes; jsdom reads and writes for it, as part of the work",
    },
    Peer {
        name: "node-htmldiff",
        interpreter: Interpreter::Node,
        goal: None,
        about: "tags and words of the body with `ins` and `del` around them",
    },
];

/// What was looked for as well, and why it is not among them.
pub const NOT_HAD: &str =
    "DaisyDiff (Java; neither npm, PyPI nor Debian has it, and Maven's repository was out of reach)";

/// What an interpreter with its packages may take before the clock starts.
const START: Duration = Duration::from_secs(3);

/// What a peer made of a page.
pub enum Answer {
    Marked {
        time: Duration,
        /// The share of the text that is still there.
        kept: f64,
    },
    OutOfTime,
    /// Smaller ones took too long.
    NotAsked,
    Failed(String),
}

/// Where peers are installed, a folder for what they say, and what they may take.
pub struct Place {
    pub installed: PathBuf,
    pub folder: PathBuf,
    pub runs: usize,
    pub limit: Duration,
}

impl Peer {
    /// How many times as fast we are, beside the goal where there is one.
    pub fn lead(&self, theirs: Duration, ours: Duration) -> String {
        let lead = theirs.as_secs_f64() / ours.as_secs_f64();
        self.goal.map_or_else(|| format!("{lead:.1}x"), |goal| report::at_least(lead, goal))
    }

    /// Its version, or why it is not there.
    pub fn version(&self, place: &Place) -> Result<String> {
        let (interpreter, script) = self.script(place)?;
        let mut command = Command::new(interpreter);
        command.arg(script).arg(self.name);
        process::version(command)
    }

    /// What it makes of a page whose versions are in the files `before.html` and `after.html` of the folder.
    pub fn mark(&self, page: &Page, place: &Place) -> Result<Answer> {
        let [before, after, marked, said] =
            ["before.html", "after.html", "marked.html", "said"].map(|name| place.folder.join(name));
        let (interpreter, script) = self.script(place)?;
        let [runs, seconds] = [place.runs.to_string(), place.limit.as_secs().to_string()];
        let arguments: [OsString; 7] = [
            script.into(),
            self.name.into(),
            before.into(),
            after.into(),
            runs.into(),
            seconds.into(),
            (&marked).into(),
        ];
        let arguments = arguments.each_ref().map(|each| each.as_os_str());
        Ok(match process::within(place.limit + START, &interpreter, &arguments, &said)? {
            Outcome::Done(_) => {
                let nanoseconds: f64 = fs::read_to_string(&said)?.trim().parse().context("expected nanoseconds")?;
                let kept = kept::share(page, &fs::read_to_string(&marked)?)?;
                Answer::Marked { time: Duration::from_secs_f64(nanoseconds / 1e9), kept }
            }
            Outcome::OutOfTime => Answer::OutOfTime,
            Outcome::Failed(why) => Answer::Failed(why),
        })
    }

    /// The interpreter of its language, and the script that asks it.
    fn script(&self, place: &Place) -> Result<(PathBuf, &'static Path)> {
        let (interpreter, script) = match self.interpreter {
            Interpreter::Node => (PathBuf::from("node"), concat!(env!("CARGO_MANIFEST_DIR"), "/peers/htmldiff.mjs")),
            Interpreter::Python(environment) => {
                let interpreter = place.installed.join(environment).join("bin/python");
                ensure!(interpreter.exists(), "run `bench/peers/install`");
                (interpreter, concat!(env!("CARGO_MANIFEST_DIR"), "/peers/htmldiff.py"))
            }
        };
        Ok((interpreter, Path::new(script)))
    }
}

//! Who else can tell what changed? Programs and packages of the registries, each in a process of its own.
//!
//! Packages are asked by a small script in their own language (`bench/peers`), which says what the comparison cost
//! once the interpreter had started. Whoever is not installed is left out, and named.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use treediff::tree::Format;

use super::cases::Pair;
use super::results::Record;
use crate::process;

/// Someone who compares documents.
pub struct Peer {
    pub name: &'static str,
    formats: &'static [Format],
    way: Way,
    /// What it is, and what its operations are.
    pub about: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The program of this name.
    Program,
    Python,
    Node,
}

use Format::{Html, Json, Xml};

pub const PEERS: [Peer; 16] = [
    Peer { name: GNU_DIFF, formats: &[Xml, Html, Json], way: Way::Program, about: "lines; an operation is a hunk" },
    Peer {
        name: "xmldiff",
        formats: &[Xml, Html],
        way: Way::Python,
        about: "PyPI; LaDiff's matching, edit actions with moves",
    },
    Peer {
        name: "apted",
        formats: &[Xml, Html],
        way: Way::Python,
        about: "PyPI; the minimum in Tai's model, a distance",
    },
    Peer {
        name: "zss",
        formats: &[Xml, Html],
        way: Way::Python,
        about: "PyPI; Zhang-Shasha, the minimum in Tai's model with its operations",
    },
    Peer {
        name: "edist",
        formats: &[Xml, Html],
        way: Way::Python,
        about: "PyPI; the minimum in Tai's model with its alignment, in C",
    },
    Peer {
        name: "graphtage",
        formats: &[Xml, Html, Json],
        way: Way::Python,
        about: "PyPI; bounded search for a cheapest match",
    },
    Peer {
        name: "lxml.html.diff",
        formats: &[Html],
        way: Way::Python,
        about: "PyPI lxml; words with `ins` and `del` around them",
    },
    Peer { name: "deepdiff", formats: &[Json], way: Way::Python, about: "PyPI; paths with values" },
    Peer { name: "jsondiff", formats: &[Json], way: Way::Python, about: "PyPI; a structured patch" },
    Peer { name: "jsonpatch", formats: &[Json], way: Way::Python, about: "PyPI; RFC 6902" },
    Peer { name: "dictdiffer", formats: &[Json], way: Way::Python, about: "PyPI; adds, removes and changes" },
    Peer { name: "diff-dom", formats: &[Xml, Html], way: Way::Node, about: "npm; edit actions on a DOM, with moves" },
    Peer {
        name: "node-htmldiff",
        formats: &[Html],
        way: Way::Node,
        about: "npm; words with `ins` and `del` around them",
    },
    Peer { name: "jsondiffpatch", formats: &[Json], way: Way::Node, about: "npm; a structured delta with moves" },
    Peer { name: "fast-json-patch", formats: &[Json], way: Way::Node, about: "npm; RFC 6902" },
    Peer { name: "rfc6902", formats: &[Json], way: Way::Node, about: "npm; RFC 6902, least edits in arrays" },
];

pub const GNU_DIFF: &str = "GNU diff";

/// What was looked for as well, and why it is not among them.
pub const NOT_HAD: &str = "\
Not here: DeltaXML, Microsoft's XmlDiff and the other programs of the thesis (no registry has them); GumTree and diffxml \
in Java (Maven's repository was out of reach, Debian has none of them; APTED's program in Java is asked in `ted.md`); npm `diffx`, `xml-diff` and `xmldiff` (not \
in the registry); PyPI `xmlpatch` and `daisydiff` (not in the registry); npm `visual-dom-diff` and the virtual DOMs \
(`virtual-dom`, `morphdom`, `snabbdom`: they change or mark a page and give no script that could be counted); Debian \
`xmldiff` (an older version of the same program), `libxml-semanticdiff-perl` and `ruby-nokogiri-diff` (differences \
in words, without an order that could be applied).";

impl Peer {
    pub fn takes(&self, format: Format) -> bool {
        self.formats.contains(&format)
    }

    /// Those whose time grows quickly are asked about a part of the cases.
    pub fn is_sampled(&self) -> bool {
        self.way != Way::Program
    }

    /// Its version, or why it is not there.
    pub fn version(&self, place: &Place) -> Result<String> {
        let command = match self.way {
            Way::Program => Command::new("diff"),
            _ => {
                let (interpreter, script) = place.script(self.way)?;
                let mut command = Command::new(interpreter);
                command.arg(script).arg(self.name);
                command
            }
        };
        process::version(command)
    }

    /// Fills in what the peer made of a pair.
    pub fn measure(&self, pair: &Pair, format: Format, place: &Place, record: &mut Record) -> Result<()> {
        let output = place.folder.join("said");
        let files = pair.files.each_ref().map(|file| file.as_os_str());
        let outcome = match self.way {
            // Never long, so that nobody has to watch over it and be counted with it.
            Way::Program => process::Outcome::Done(process::measured(Path::new("diff"), &files, &output)?),
            _ => {
                let (interpreter, script) = place.script(self.way)?;
                let format = format.to_string().to_lowercase();
                let arguments = [script.as_os_str(), OsStr::new(self.name), files[0], files[1], OsStr::new(&format)];
                process::within(place.limit, &interpreter, &arguments, &output)?
            }
        };
        match outcome {
            process::Outcome::Done(cost) => self.fill(&std::fs::read(&output)?, cost, record)?,
            process::Outcome::OutOfTime => record.failure = format!("more than {} s", place.limit.as_secs()),
            process::Outcome::Failed(why) => record.failure = why,
        }
        Ok(())
    }

    fn fill(&self, said: &[u8], cost: process::Cost, record: &mut Record) -> Result<()> {
        record.peak_bytes = cost.peak_bytes;
        if self.way == Way::Program {
            record.seconds = cost.time.as_secs_f64();
            record.delta_bytes = said.len() as u64;
            // A hunk begins with the numbers of its lines, and what it shows with a sign.
            let hunks = said.split(|byte| *byte == b'\n').filter(|line| line.first().is_some_and(u8::is_ascii_digit));
            record.operations = Some(hunks.count() as u64);
            return Ok(());
        }
        let text = std::str::from_utf8(said)?;
        let cells: Vec<&str> = text.split_whitespace().collect();
        let [seconds, operations, bytes, cost] = cells[..] else {
            record.failure = format!("expected four figures, found `{}`", text.trim());
            return Ok(());
        };
        record.seconds = seconds.parse()?;
        record.operations = operations.parse().ok();
        record.delta_bytes = bytes.parse().unwrap_or_default();
        record.cost = cost.parse().ok();
        Ok(())
    }
}

/// Where peers are installed, how long they may take, and a folder for what they say.
pub struct Place {
    pub installed: PathBuf,
    pub folder: PathBuf,
    pub limit: Duration,
}

impl Place {
    /// The interpreter of a language, and the script that asks its packages.
    fn script(&self, way: Way) -> Result<(PathBuf, &'static Path)> {
        let (interpreter, script) = match way {
            Way::Node => (PathBuf::from("node"), concat!(env!("CARGO_MANIFEST_DIR"), "/peers/compare.mjs")),
            _ => (self.installed.join("venv/bin/python"), concat!(env!("CARGO_MANIFEST_DIR"), "/peers/compare.py")),
        };
        ensure!(way != Way::Python || interpreter.exists(), "run `bench/peers/install`");
        Ok((interpreter, Path::new(script)))
    }
}

//! Who is who, and what changed? Two versions as they are read, and the delta between them.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use treediff::delta::{self, ApplyOptions, Delta, Ignoring, Unordered};
use treediff::matching::{self, Algorithm, Fallback, Key, KeyError, Matching, Note, Notes};
use treediff::parse;
use treediff::render::printable;
use treediff::select::{self, Budget, Expression, SelectError, Selected, Value};
use treediff::text::shortened;
use treediff::tree::{Document, Format};

use crate::args::DiffArgs;
use crate::deltas;
use crate::exit::{Ending, Trouble};
use crate::input::{self, Source};
use crate::select::quoted_expression;
use crate::store::recorded;
use crate::waiting::Waiting;

/// Two versions and what is between them.
pub struct Comparison {
    pub before: Arc<Document>,
    pub after: Arc<Document>,
    pub delta: Delta,
    pub notes: Notes,
    pub parsing: Duration,
    pub comparing: Duration,
}

impl Comparison {
    pub fn new(sources: [Source<'_>; 2], args: &DiffArgs) -> anyhow::Result<Self> {
        if sources.iter().all(|source| source.file.as_os_str() == "-") {
            bail!("only one of the versions can come from standard input");
        }
        let Comparison { before, after, delta, notes, parsing, comparing } = match args.recorded {
            true => recorded::comparison(sources.map(|source| source.file), &args.reading)?,
            false => Comparison::anew(sources, args)?,
        };
        let start = Instant::now();
        let Ignoring { delta, after } = ignoring(delta, &before, after, args)?;
        let comparing = comparing + start.elapsed();
        warn(&notes, args.algorithm.0)?;
        Ok(Comparison { before, after, delta, notes, parsing, comparing })
    }

    fn anew([before, after]: [Source<'_>; 2], args: &DiffArgs) -> anyhow::Result<Self> {
        let start = Instant::now();
        let before = Arc::new(input::read_source(before, &args.reading)?.document.with_sorted_members());
        let after = input::read_source(Source { before: Some(&before), ..after }, &args.reading)?;
        let after = Arc::new(after.document.with_sorted_members());
        let parsing = start.elapsed();
        let matching = matched(&before, &after, args)?;
        let mut notes = matching.notes().clone();
        let delta = Delta::between(&before, &after, &matching, &options(&before, args)?).map_err(helped)?;
        let Ignoring { delta, after } = unordered(delta, &before, after, args, &mut notes)?;
        Ok(Comparison { before, after, delta, notes, parsing, comparing: start.elapsed() - parsing })
    }

    pub fn ending(&self) -> Ending {
        if self.delta.is_empty() { Ending::Done } else { Ending::Different }
    }
}

/// Refuses limits that would be for nothing.
fn check_limits(args: &DiffArgs) -> anyhow::Result<()> {
    let given = [("--max-memory", args.max_memory), ("--max-cells", args.max_cells)];
    match given.into_iter().find(|(_, limit)| limit.is_some()) {
        Some((option, _)) if args.algorithm.0 != Algorithm::Optimal => {
            let message = format!("{option}: `{}` has bounds of its own", args.algorithm.0);
            Err(Trouble::new(message, "--algorithm optimal goes by it").into())
        }
        _ if args.max_memory.is_some_and(|bytes| bytes < LEAST_MEMORY) => {
            let message = "--max-memory: less than 64k (65536 bytes) is too little to be of use";
            Err(Trouble::new(message, "--max-memory 64k is the least").into())
        }
        _ => Ok(()),
    }
}

/// With less, `optimal` reads and writes its temporary file more often than it computes.
const LEAST_MEMORY: usize = 1 << 16;

/// What `optimal` may take. A thousand million cells are half a minute or so: somebody waits.
fn budget(args: &DiffArgs) -> matching::Budget {
    let max_cells = args.max_cells.unwrap_or(1 << 30) as u64;
    let max_bytes = args.max_memory.unwrap_or(1 << 30) as u64;
    matching::Budget { max_cells, max_bytes }
}

/// Refuses keys that would be for nothing.
fn check_keys(args: &DiffArgs) -> anyhow::Result<()> {
    use Algorithm::{Goodmatch, KfdiffHash, KfdiffSort, Optimal, Ted, Unordered};
    let algorithm = args.algorithm.0;
    if !args.key_names.is_empty() && !matches!(algorithm, KfdiffHash | KfdiffSort) {
        let message = format!("--key-name: `{algorithm}` does not go by names");
        return Err(Trouble::new(message, "--algorithm kfdiff-hash and kfdiff-sort do").into());
    }
    if !args.keys.is_empty() && matches!(algorithm, Goodmatch | Optimal | Ted | Unordered) {
        let message = format!("--key: `{algorithm}` does not go by keys");
        return Err(Trouble::new(message, "--algorithm auto, xydiff, fastmatch, kfdiff-hash and kfdiff-sort do").into());
    }
    Ok(())
}

fn matched(before: &Document, after: &Document, args: &DiffArgs) -> anyhow::Result<Matching> {
    check_keys(args)?;
    check_limits(args)?;
    let context = selecting(args);
    let (mut pairs, mut notes) = (Vec::new(), Notes::default());
    for key in &args.keys {
        let found = Key::parse(key).and_then(|key| key.pairs_noting(before, after, &context, &mut notes));
        pairs.extend(found.map_err(helped_key).with_context(|| format!("--key `{key}`"))?);
    }
    let options = matching::Options {
        pairs,
        without_moves: args.no_moves,
        unordered: args.unordered,
        key_names: args.key_names.clone(),
        budget: budget(args),
        ..Default::default()
    };
    let matcher = |before: &Document, after: &Document, options: &matching::Options| {
        let _waiting = Waiting::for_matching(args.algorithm.0, before, after);
        match args.algorithm.0 {
            Algorithm::Optimal if !args.unordered => {
                let matching = matching::optimal_external(before, after, options, tempfile::tempfile);
                matching.context("the temporary file that --max-memory asks for")
            }
            algorithm => Ok(algorithm.matching(before, after, options)),
        }
    };
    let ignored = [ignored(before, args)?, ignored(after, args)?];
    warn_of_idle(&ignored, before.format(), args)?;
    let [gone, come] = ignored.map(|ignored| ignored.selected);
    let mut matching = matching::ignoring(before, after, [&gone, &come], &options, matcher)?;
    matching.add_notes(&notes);
    Ok(matching)
}

/// What somebody asked for and did not get; what was done instead is no matter for most, and in `--stats`.
fn warn(notes: &Notes, algorithm: Algorithm) -> io::Result<()> {
    use Fallback::{KeyAbsent, KeyNotUnique, NotOptimal, OrderKept, TedAsAuto};
    let is_asked_for =
        |note: &&Note| matches!(note.fallback, KeyNotUnique | KeyAbsent | OrderKept | NotOptimal | TedAsAuto);
    let mut stderr = io::BufWriter::new(io::stderr().lock());
    for note in notes.kept().iter().filter(is_asked_for) {
        writeln!(stderr, "deltaic: warning: {}", printable(&note.to_string()))?;
    }
    if notes.count(NotOptimal) > 0 {
        writeln!(stderr, "hint: --max-cells N and --max-memory N allow more")?;
    }
    if algorithm == Algorithm::Unordered {
        warn_of_first(notes, Fallback::UnorderedInTurn, &mut stderr)?;
    }
    stderr.flush()
}

/// Tells where a fallback was used first, and how often.
fn warn_of_first(notes: &Notes, fallback: Fallback, out: &mut impl Write) -> io::Result<()> {
    let Some(note) = notes.kept().iter().find(|note| note.fallback == fallback) else { return Ok(()) };
    let more = match notes.count(fallback) {
        0 | 1 => String::new(),
        2 => ", and so at 1 other place".to_owned(),
        count => format!(", and so at {} other places", count - 1),
    };
    writeln!(out, "deltaic: warning: {}{more}", printable(&note.to_string()))
}

/// The delta without changes of order, where it means nothing.
fn unordered(
    delta: Delta,
    before: &Document,
    after: Arc<Document>,
    args: &DiffArgs,
    notes: &mut Notes,
) -> anyhow::Result<Ignoring> {
    if !args.unordered || delta.is_empty() {
        return Ok(Ignoring { delta, after });
    }
    let options = as_read(args);
    let Unordered { delta, after, notes: kept } = delta.unordered(before, &after, &options).context("--unordered")?;
    notes.append(&kept);
    Ok(Ignoring { delta, after })
}

/// The delta without what is ignored, and the version that it leads to.
fn ignoring(delta: Delta, before: &Document, after: Arc<Document>, args: &DiffArgs) -> anyhow::Result<Ignoring> {
    let options = as_read(args);
    let Ignoring { delta, after } = match args.ignore_doctype {
        true => delta.ignoring_doctype(before, &after, &options).context("--ignore-doctype")?,
        false => Ignoring { delta, after },
    };
    if args.ignore.is_empty() || delta.is_empty() {
        return Ok(Ignoring { delta, after });
    }
    let [gone, come] = [ignored(before, args)?.selected, ignored(&after, args)?.selected];
    delta.ignoring(before, &after, [&gone, &come], &options).context("--ignore")
}

/// How the version that a delta leads to is read: as the two were, which a store reads over their faults.
fn as_read(args: &DiffArgs) -> ApplyOptions {
    let parse::Options { recover, limits, .. } = args.reading.options();
    ApplyOptions { recover: recover || args.recorded, limits, ..Default::default() }
}

/// All that `--ignore` selects in a version.
struct Ignored<'d> {
    selected: Vec<Selected<'d>>,
    /// For every expression, whether it selects anything.
    is_of_use: Vec<bool>,
}

fn ignored<'d>(document: &'d Document, args: &DiffArgs) -> anyhow::Result<Ignored<'d>> {
    let context = selecting(args);
    let (mut selected, mut is_of_use) = (Vec::new(), Vec::new());
    for written in &args.ignore {
        let value = Expression::parse(written).and_then(|expression| expression.evaluate(document.root(), &context));
        let value = value.map_err(helped_select).with_context(|| format!("--ignore {}", quoted_expression(written)))?;
        match value {
            Value::NodeSet(nodes) => {
                is_of_use.push(!nodes.is_empty());
                selected.extend(nodes);
            }
            _ => bail!(
                "--ignore {}: found a value, expected an expression that selects nodes",
                quoted_expression(written)
            ),
        }
    }
    Ok(Ignored { selected, is_of_use })
}

/// Says which expressions select nothing in either version: mostly they are mistyped.
fn warn_of_idle([before, after]: &[Ignored<'_>; 2], format: Format, args: &DiffArgs) -> io::Result<()> {
    let of_use = before.is_of_use.iter().zip(&after.is_of_use).map(|(before, after)| *before || *after);
    for (written, _) in args.ignore.iter().zip(of_use).filter(|(_, is_of_use)| !is_of_use) {
        let expression = printable(&quoted_expression(written));
        writeln!(io::stderr(), "deltaic: warning: --ignore {expression} selects nothing in either version")?;
        if format == Format::Json {
            writeln!(io::stderr(), "hint: {NAMES_IN_JSON}")?;
        }
    }
    Ok(())
}

/// Who knows JSON by its pointers may expect paths to begin with a key.
const NAMES_IN_JSON: &str = "in JSON the root value and the items of arrays have no name: `/*/a/*[1]/b` is what a summary calls \
                             `/a/0/b`, and `//b` looks everywhere";

/// What the expressions of the command line are evaluated with.
fn selecting<'d>(args: &DiffArgs) -> select::Context<'d> {
    select::Context {
        namespaces: args.namespaces.iter().cloned().collect(),
        budget: Budget { max_steps: args.max_steps as u64 },
        ..Default::default()
    }
}

fn helped_key(error: KeyError) -> anyhow::Error {
    match error {
        KeyError::Select(error) => helped_select(error),
        KeyError::Form(_) => error.into(),
        KeyError::NoNodes { .. } => {
            Trouble::new(error.to_string(), "a key is PATH=FIELD, such as `//product=@sku`").into()
        }
    }
}

/// An error of an expression with what helps against it.
pub fn helped_select(error: SelectError) -> anyhow::Error {
    match &error {
        SelectError::Budget { max_steps } => {
            Trouble::new(format!("more than {max_steps} steps"), "--max-steps N allows more").into()
        }
        SelectError::UnknownPrefix(prefix) => {
            let hint = format!("--ns {}=URI binds it", shortened(prefix, 100));
            Trouble::new(error.to_string(), hint).into()
        }
        _ => error.into(),
    }
}

fn options(before: &Document, args: &DiffArgs) -> anyhow::Result<delta::Options> {
    let reading = args.reading.options();
    let identities = args.xids.as_deref().map(|written| deltas::identities(written, before, &reading.limits));
    Ok(delta::Options {
        whitespace: reading.whitespace,
        without_moves: args.no_moves,
        unordered: args.unordered,
        identities: identities.transpose().context("--xids")?,
        ..delta::Options::default()
    })
}

fn helped(error: delta::BetweenError) -> anyhow::Error {
    let hint = match &error {
        delta::BetweenError::Formats { .. } => "--as FORMAT reads both as that",
        delta::BetweenError::Exhausted { .. } => "--xids with smaller numbers begins a new history",
        delta::BetweenError::Identities { .. } => {
            "--xids takes the map of BEFORE: the toXIDmap of the delta that led to it, with the same --whitespace"
        }
    };
    Trouble::new(error.to_string(), hint).into()
}

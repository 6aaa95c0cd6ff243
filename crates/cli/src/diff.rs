//! What changed between two versions? It is found out, and written as asked for.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::CommandFactory;
use clap::error::ErrorKind;
use serde::Serialize;
use treediff::delta::formats::{self, FormatError, json_patch, xml_patch};
use treediff::delta::{DeltaStats, Operation};
use treediff::render::{self, TreeDiff};

use crate::args::{Cli, DeltaFormatArg, DiffArgs};
use crate::compare::Comparison;
use crate::exit::{Ending, Trouble, is_broken_pipe};
use crate::input::Source;
use crate::node_record::write_line;
use crate::{deltas, git, output, terminal};

pub fn run(args: &DiffArgs) -> anyhow::Result<Ending> {
    if let Some(call) = git::call(args) {
        return git::run(&call, args);
    }
    let (Some(after), []) = (&args.after, args.git.as_slice()) else {
        misused();
    };
    let format = args.format.unwrap_or_else(|| usual_format(args));
    if args.full && format != DeltaFormatArg::Annotated {
        bail!("--full is for --format annotated; --context N shows more of a tree diff");
    }
    if args.words && format != DeltaFormatArg::Xydelta {
        bail!("--words is for --format xydelta; other formats have no place for them");
    }
    if let (DeltaFormatArg::Tree, Some(told)) = (format, git::lone(&args.before, after)) {
        output::write(args.output.file.as_deref(), |out| {
            Ok(terminal::heading(&told, terminal::is_coloured(args.color), out)?)
        })?;
        return Ok(Ending::Different);
    }
    let comparison = Comparison::new([Source::new(&args.before), Source::new(after)], args)?;
    match output::write(args.output.file.as_deref(), |out| write(&comparison, format, args, out)) {
        // Whoever closed the pipe has seen enough to know that there was something.
        Err(error) if !is_broken_pipe(&error) => Err(error),
        _ => Ok(comparison.ending()),
    }
}

/// Ends as clap does where arguments are missing.
fn misused() -> ! {
    let mut command = Cli::command();
    command.build();
    let diff = command.find_subcommand_mut("diff").cloned().unwrap_or(command);
    diff.clone().error(ErrorKind::WrongNumberOfValues, "expected two versions to compare").exit()
}

fn usual_format(args: &DiffArgs) -> DeltaFormatArg {
    match args.output.file.is_none() && io::stdout().is_terminal() {
        true => DeltaFormatArg::Tree,
        false => DeltaFormatArg::Xydelta,
    }
}

/// Writes what changed, and the numbers where they are asked for.
pub fn write(
    comparison: &Comparison,
    format: DeltaFormatArg,
    args: &DiffArgs,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let start = Instant::now();
    output::bounded(&args.output_limit, out, |out| write_delta(comparison, format, args, out).map_err(helped))?;
    if format == DeltaFormatArg::Annotated {
        tell_doctype(comparison)?;
    }
    if args.stats {
        write_line(&Stats::new(comparison, start.elapsed()), &mut io::stderr().lock())?;
    }
    Ok(())
}

fn write_delta(
    comparison: &Comparison,
    format: DeltaFormatArg,
    args: &DiffArgs,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let delta = &comparison.delta;
    match format {
        DeltaFormatArg::Xydelta if args.words => output::as_text(out, |text| Ok(delta.write_xydelta_in_words(text)?)),
        DeltaFormatArg::Xydelta => deltas::write_to(delta, false, out),
        DeltaFormatArg::Binary => deltas::write_to(delta, true, out),
        DeltaFormatArg::Tree => write_tree(comparison, args, out),
        _ => output::as_text(out, |out| write_text(comparison, format, args.full, out)),
    }
}

/// Says what to do about a document type declaration that the format has no words for.
fn helped(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(FormatError::Doctype(_)) => Trouble::new(error.to_string(), "--ignore-doctype leaves it out").into(),
        _ => error,
    }
}

/// Says that the document type declaration changed, of which an annotated document has nothing.
fn tell_doctype(comparison: &Comparison) -> io::Result<()> {
    let is_of_type = |operation: &Operation| matches!(operation, Operation::Doctype { .. });
    if comparison.delta.operations().iter().any(is_of_type) {
        let message = "the document type declaration changed, which an annotated document cannot say";
        writeln!(io::stderr(), "deltaic: warning: {message}: `xydelta` and `json` can")?;
    }
    Ok(())
}

/// Writes one of the formats that others read, and people.
fn write_text(
    comparison: &Comparison,
    format: DeltaFormatArg,
    is_full: bool,
    out: &mut impl fmt::Write,
) -> anyhow::Result<()> {
    let Comparison { before, after, delta, .. } = comparison;
    match format {
        DeltaFormatArg::Summary => formats::summary(delta, before, after, out)?,
        DeltaFormatArg::Json => formats::json(delta, before, after, out)?,
        DeltaFormatArg::Xdl => formats::xdl(delta, before, after, out)?,
        DeltaFormatArg::Xupdate => formats::xupdate(delta, before, after, out)?,
        DeltaFormatArg::Annotated if is_full => formats::annotated(delta, before, after, out)?,
        DeltaFormatArg::Annotated => formats::annotated_changes(delta, before, after, out)?,
        DeltaFormatArg::Xmlpatch => xml_patch::write_to(delta, before, after, out)?,
        DeltaFormatArg::Jsonpatch => json_patch::write_to(delta, before, after, &Default::default(), out)?,
        DeltaFormatArg::Xydelta | DeltaFormatArg::Binary | DeltaFormatArg::Tree => {}
    }
    Ok(())
}

fn write_tree(comparison: &Comparison, args: &DiffArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let Comparison { before, after, delta, .. } = comparison;
    let options = render::Options { siblings: args.context, ..Default::default() };
    let diff = TreeDiff::new(before, after, delta, options)?;
    let is_coloured = args.output.file.is_none() && terminal::is_coloured(args.color);
    Ok(terminal::tree(&diff, is_coloured, out)?)
}

/// `--stats`.
#[derive(Debug, Serialize)]
struct Stats {
    operations: u64,
    edit_cost: u64,
    deleted_subtrees: u64,
    deleted_nodes: u64,
    inserted_subtrees: u64,
    inserted_nodes: u64,
    moved_subtrees: u64,
    updated: u64,
    attributes: u64,
    fallbacks: BTreeMap<&'static str, u32>,
    before_nodes: usize,
    after_nodes: usize,
    parse_ms: f64,
    compare_ms: f64,
    write_ms: f64,
}

impl Stats {
    fn new(comparison: &Comparison, writing: Duration) -> Self {
        let counted = comparison.delta.stats();
        let DeltaStats { deleted_subtrees, deleted_nodes, inserted_subtrees, inserted_nodes, .. } = counted;
        let milliseconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        Stats {
            operations: counted.operations(),
            edit_cost: counted.edit_cost(),
            deleted_subtrees,
            deleted_nodes,
            inserted_subtrees,
            inserted_nodes,
            moved_subtrees: counted.moved_subtrees,
            updated: counted.updated,
            attributes: counted.attributes,
            fallbacks: comparison.notes.used().map(|used| (used.name(), comparison.notes.count(used))).collect(),
            before_nodes: comparison.before.len(),
            after_nodes: comparison.after.len(),
            parse_ms: milliseconds(comparison.parsing),
            compare_ms: milliseconds(comparison.comparing),
            write_ms: milliseconds(writing),
        }
    }
}

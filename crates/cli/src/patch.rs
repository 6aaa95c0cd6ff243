//! What does a document become? Apply a delta to it, forwards or backwards.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use treediff::delta::formats::{self, Kind, json_patch, original, xml_patch};
use treediff::delta::{ApplyError, ApplyOptions, Delta};
use treediff::parse::Options;
use treediff::render::printable;
use treediff::tree::Document;
use treediff::{matching, parse, write};

use crate::args::PatchArgs;
use crate::exit::Trouble;
use crate::input::{self, Source};
use crate::{deltas, output};

pub fn run(args: &PatchArgs) -> anyhow::Result<()> {
    if args.document.as_os_str() == "-" && args.delta.as_os_str() == "-" {
        bail!("only one of document and delta can come from standard input");
    }
    let limits = args.reading.options().limits;
    let bytes = input::bytes(&args.delta, limits.max_bytes).with_context(|| args.delta.display().to_string())?;
    let patched = match Kind::of(&bytes) {
        Some(Kind::XmlPatch) => by_steps(args, |before| Ok(xml_patch::apply(&bytes, before, &limits)?))?,
        Some(Kind::JsonPatch) => by_steps(args, |before| Ok(json_patch::apply(&bytes, before, &limits)?))?,
        Some(Kind::Original) => by_original(bytes, args)?,
        Some(Kind::Xydelta | Kind::Binary) | None => by_delta(bytes, args)?,
    };
    match args.dry_run {
        true => patched.tell(),
        false => output::write(args.output.file.as_deref(), |out| Ok(out.write_all(&patched.bytes)?)),
    }
}

/// A document, what it has become, and how.
struct Patched {
    before: Arc<Document>,
    after: Arc<Document>,
    bytes: Vec<u8>,
    /// A patch of others does not say by a delta of ours what it did.
    delta: Option<Delta>,
}

impl Patched {
    /// Says what would happen.
    fn tell(self) -> anyhow::Result<()> {
        let Patched { before, after, delta, .. } = self;
        let delta = match delta {
            Some(delta) => delta,
            None => {
                let matching = matching::auto(&before, &after, &Default::default());
                Delta::between(&before, &after, &matching, &Default::default())?
            }
        };
        output::write(None, |out| output::as_text(out, |out| Ok(formats::summary(&delta, &before, &after, out)?)))
    }
}

/// One of our own deltas, which says how its documents are to be read.
fn by_delta(bytes: Vec<u8>, args: &PatchArgs) -> anyhow::Result<Patched> {
    let limits = args.reading.options().limits;
    let delta = deltas::parse(bytes, &limits).with_context(|| args.delta.display().to_string())?;
    let delta = if args.reverse { delta.inverted() } else { delta };
    let source = Source { read_as: Some((delta.format(), delta.whitespace())), ..Source::new(&args.document) };
    let document =
        input::read_source(source, &args.reading).map_err(|error| other_format(&delta, args).unwrap_or(error))?;
    apply(delta, document.document, args)
}

/// That the document is called as if it were in another format than the delta is for, in which it has been read.
fn other_format(delta: &Delta, args: &PatchArgs) -> Option<anyhow::Error> {
    let found =
        input::by_name(&args.document).filter(|&found| args.reading.format.is_none() && found != delta.format())?;
    let (document, expected) = (args.document.display(), delta.format());
    let message = format!("{}: this delta is for {expected}, the document {document} is {found}", args.delta.display());
    let hint = format!("--as {} reads it as {expected} all the same", expected.to_string().to_lowercase());
    Some(Trouble::new(message, hint).into())
}

/// A delta of the original XyDiff, half of which is in the document that it starts from.
fn by_original(bytes: Vec<u8>, args: &PatchArgs) -> anyhow::Result<Patched> {
    if args.reverse {
        let message = format!(
            "{}: a delta of the original XyDiff is read with the version that it starts from, and so applied forwards alone",
            args.delta.display()
        );
        let hint = "apply it to the earlier version, and `deltaic diff` the two: that delta leads back as well";
        return Err(Trouble::new(message, hint).into());
    }
    let Options { whitespace, limits, .. } = args.reading.options();
    let before = Arc::new(input::read(&args.document, &args.reading)?.document);
    let options = original::Options { whitespace, limits, ..Default::default() };
    let delta = original::read(bytes, &before, &options).with_context(|| misfit(args))?;
    apply(delta, Arc::unwrap_or_clone(before), args)
}

fn apply(delta: Delta, before: Document, args: &PatchArgs) -> anyhow::Result<Patched> {
    let Options { recover, limits, .. } = args.reading.options();
    let options = ApplyOptions { force: args.force, recover, limits };
    let patched = delta.apply(&before, &options).map_err(|error| match error.is_of_result() {
        true => anyhow::Error::new(error).context(args.document.display().to_string()),
        false => {
            let is_other = matches!(error, ApplyError::SourceHash { .. });
            let other = other_format(&delta, args).filter(|_| is_other);
            other.unwrap_or_else(|| helped(error, args).context(misfit(args)))
        }
    })?;
    let bytes = write::source(&patched.document);
    tell_encoding(&before, &patched.document, args);
    let [before, after] = [before, patched.document].map(|document| Arc::new(document.with_sorted_members()));
    Ok(Patched { before, after, bytes, delta: Some(delta) })
}

/// A patch whose steps are done one after the other: it knows one direction, and no other document is told by a hash.
fn by_steps(args: &PatchArgs, steps: impl FnOnce(&Document) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<Patched> {
    check_forwards(args)?;
    let before = input::read(&args.document, &args.reading)?.document;
    let bytes = steps(&before).with_context(|| misfit(args))?;
    let after = parse::parse(bytes.clone(), before.format(), &args.reading.options())?.document;
    tell_encoding(&before, &after, args);
    let [before, after] = [before, after].map(|document| Arc::new(document.with_sorted_members()));
    Ok(Patched { before, after, bytes, delta: None })
}

/// Says where the result is in another encoding, since the old one cannot hold it.
fn tell_encoding(before: &Document, after: &Document, args: &PatchArgs) {
    if before.encoding() != after.encoding() {
        let document = args.document.display().to_string();
        let (old, new) = (before.encoding(), after.encoding());
        // There is nowhere left to tell that it could not be told.
        let _ = writeln!(
            anstream::stderr(),
            "deltaic: warning: {}: its encoding, {old}, cannot hold the result, which is written in {new}",
            printable(&document)
        );
    }
}

fn check_forwards(args: &PatchArgs) -> anyhow::Result<()> {
    if !args.reverse {
        return Ok(());
    }
    let message = format!("{}: this is a patch that leads one way only", args.delta.display());
    Err(Trouble::new(message, "deltas that `deltaic diff` writes lead back as well").into())
}

fn misfit(args: &PatchArgs) -> String {
    format!("{} does not fit {}", args.delta.display(), args.document.display())
}

fn helped(error: ApplyError, args: &PatchArgs) -> anyhow::Error {
    let hint = match &error {
        ApplyError::SourceHash { .. } if args.reverse => {
            "--reverse goes from the later version; --force tries all the same"
        }
        ApplyError::SourceHash { .. } => {
            "--reverse goes from the later version to the earlier; --force tries all the same"
        }
        _ => return error.into(),
    };
    Trouble::new(error.to_string(), hint).into()
}

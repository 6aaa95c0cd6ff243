//! Which delta is in a file? Every format that is read is told by its content; what is written is XyDelta.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use treediff::delta::formats::Kind;
use treediff::delta::{Delta, Destination, Identities, document_hash};
use treediff::parse::Limits;
use treediff::tree::Document;

use crate::args::WrittenArgs;
use crate::exit::Trouble;
use crate::{input, output};

/// Reads a delta that needs no document to be understood.
pub fn read(file: &Path, limits: &Limits) -> anyhow::Result<Delta> {
    let bytes = input::bytes(file, limits.max_bytes);
    bytes.and_then(|bytes| parse(bytes, limits)).with_context(|| file.display().to_string())
}

/// A delta in one of our own formats.
pub fn parse(bytes: Vec<u8>, limits: &Limits) -> anyhow::Result<Delta> {
    let kind = Kind::of(&bytes);
    if kind == Some(Kind::Binary) {
        return Ok(Delta::from_binary(&bytes, limits)?);
    }
    Delta::read(bytes, limits).map_err(|error| match kind {
        Some(Kind::Original) => of_another_format("a delta of the original XyDiff"),
        Some(Kind::XmlPatch) => of_another_format("an XML patch"),
        Some(Kind::JsonPatch) => of_another_format("a JSON patch"),
        None => {
            let hint = "XyDeltas (`xydelta`, also binary), deltas of the original XyDiff (`unit_delta`), XML patches (`diff` or `patch`) and JSON patches (an array) are read";
            Trouble::new(format!("this is no delta: {error}"), hint).into()
        }
        _ => error.into(),
    })
}

fn of_another_format(name: &str) -> anyhow::Error {
    let hint = "deltas of other formats need their document: apply them with `deltaic patch`, and compare the versions";
    Trouble::new(format!("this is {name}; expected a XyDelta"), hint).into()
}

/// Writes a delta that was made of others.
pub fn write(delta: &Delta, args: &WrittenArgs) -> anyhow::Result<()> {
    output::write(args.output.file.as_deref(), |out| write_to(delta, args.binary, out))
}

/// Writes a delta in one of our own two formats.
pub fn write_to(delta: &Delta, is_binary: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    match is_binary {
        true => Ok(out.write_all(&delta.to_binary())?),
        false => output::as_text(out, |text| Ok(delta.write_xydelta(text)?)),
    }
}

/// `--xids`: a map, a file with a map, or a delta, whose later version is meant, and has to be this document.
pub fn identities(written: &str, before: &Document, limits: &Limits) -> anyhow::Result<Identities> {
    if written.starts_with('(') {
        return Ok(written.parse()?);
    }
    let file = Path::new(written);
    identities_in(file, before, limits).with_context(|| file.display().to_string())
}

/// Reads no more of the file than its beginning, if that tells.
fn identities_in(file: &Path, before: &Document, limits: &Limits) -> anyhow::Result<Identities> {
    const ENOUGH: usize = 1 << 16;
    let mut opened = input::open(file)?.take(limits.max_bytes as u64);
    let mut beginning = Vec::new();
    loop {
        let more = ENOUGH.max(beginning.len()) as u64;
        let read = opened.by_ref().take(more).read_to_end(&mut beginning)?;
        if beginning.trim_ascii_start().starts_with(b"(") {
            opened.read_to_end(&mut beginning)?;
            return Ok(std::str::from_utf8(&beginning)?.trim().parse()?);
        }
        if Kind::of(&beginning) == Some(Kind::Binary) {
            opened.read_to_end(&mut beginning)?;
            return arrived(Destination::of(&Delta::from_binary(&beginning, limits)?), before);
        }
        match Destination::read(&beginning, limits)? {
            Some(destination) => return arrived(destination, before),
            None if read == 0 => bail!("found no XID map and no delta; expected `(1-7;9)` or a XyDelta"),
            None => {}
        }
    }
}

/// The identities of a version, which has to be this document: those of another would be wrong for its nodes.
fn arrived(destination: Destination, before: &Document) -> anyhow::Result<Identities> {
    let (expected, found) = (destination.hash, document_hash(before));
    if expected == found {
        return Ok(destination.identities);
    }
    let message = format!("the delta leads to a version with the hash {expected:016x}, and BEFORE has {found:016x}");
    let hint = "--xids takes the delta that led to BEFORE, made with the same --whitespace; \
                where BEFORE differs on purpose, give its map and the next XID, as in `--xids '(1-5|7)'`";
    Err(Trouble::new(message, hint).into())
}

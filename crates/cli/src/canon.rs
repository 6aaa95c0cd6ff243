//! What is a document when all that does not count is taken away?

use std::io::{self, Write};

use treediff::tree::{Document, Format};
use treediff::write;

use crate::args::CanonArgs;
use crate::input;

pub fn run(args: &CanonArgs) -> anyhow::Result<()> {
    let document = input::read(&args.reading)?.document;
    let mut stdout = io::stdout().lock();
    stdout.write_all(canonical(&document).as_bytes())?;
    stdout.write_all(b"\n")?;
    Ok(stdout.flush()?)
}

fn canonical(document: &Document) -> String {
    match document.format() {
        Format::Xml => write::canonical(document),
        Format::Html => write::html(document),
        Format::Json => write::canonical_json(document),
    }
}

//! What is a document when all that does not count is taken away?

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use treediff::render::printable;
use treediff::text::shortened;
use treediff::tree::{Document, Format};
use treediff::write;

use crate::args::CanonArgs;
use crate::{input, output};

pub fn run(args: &CanonArgs) -> anyhow::Result<()> {
    let document = input::read(&args.file, &args.reading)?.document;
    if let Some(reference) = write::unread_reference(&document) {
        warn(&args.file, &reference)?;
    }
    output::within(&args.output, |out| {
        write!(out, "{}", Canonical(&document))?;
        // Whoever takes a digest takes it of the form alone; whoever looks at it wants the prompt on a line of its own.
        if io::stdout().is_terminal() {
            writeln!(out)?;
        }
        Ok(())
    })
}

/// Says that a form is not one that can be read by itself, since it has no DOCTYPE.
fn warn(file: &Path, reference: &str) -> io::Result<()> {
    let (shown, reference) = (file.display().to_string(), shortened(reference, 100));
    writeln!(
        io::stderr(),
        "deltaic: warning: {}: the canonical form has references to what is not in the document, `{}` first, \
         and cannot be read again without its DTD",
        printable(&shown),
        printable(&reference)
    )
}

/// A canonical form that is written as it comes to be: it may be much longer than its source.
struct Canonical<'d>(&'d Document);

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.format() {
            Format::Xml => write::canonical_to(self.0, f),
            Format::Html => write::canonical_html_to(self.0, f),
            Format::Json => write::canonical_json_to(self.0, f),
        }
    }
}

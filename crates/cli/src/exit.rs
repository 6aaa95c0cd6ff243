//! How does it end? In silence and 0, with 1 where versions differ or something is left out, or with a message, a hint where one helps, and 2.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use treediff::render::printable;

/// How a verb ended that did what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is done, or the versions are the same.
    Done,
    /// The versions differ, or what was written is not all that was asked for.
    Different,
}

/// Trouble that somebody can do something about.
#[derive(Debug)]
pub struct Trouble {
    message: String,
    hint: String,
}

impl Trouble {
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Trouble { message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Trouble {}

/// The exit code of an outcome, after saying what there is to say.
pub fn code(outcome: anyhow::Result<Ending>) -> ExitCode {
    const DIFFERENT: u8 = 1;
    const TROUBLE: u8 = 2;
    match outcome {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Different) => ExitCode::from(DIFFERENT),
        // Whoever closed the pipe has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(TROUBLE)
        }
    }
}

pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io_errors.into_iter().any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn complain(error: &anyhow::Error) {
    // There is nowhere left to report that the report failed.
    let _ = write_message(error, &mut anstream::stderr().lock());
}

/// Says what is wrong, and what helps.
pub fn write_message(error: &anyhow::Error, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "deltaic: {}", printable(&format!("{error:#}")))?;
    match error.chain().find_map(|cause| cause.downcast_ref::<Trouble>()) {
        Some(trouble) => writeln!(out, "hint: {}", printable(&trouble.hint)),
        None => Ok(()),
    }
}

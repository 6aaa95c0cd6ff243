//! How does it end? In silence and 0, or with a message, a hint where one helps, and 2.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::outline::printable;

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
pub fn code(outcome: anyhow::Result<()>) -> ExitCode {
    const TROUBLE: u8 = 2;
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever closed the pipe has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(TROUBLE)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io_errors.into_iter().any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn complain(error: &anyhow::Error) {
    let mut stderr = anstream::stderr().lock();
    // There is nowhere left to report that the report failed.
    let _ = writeln!(stderr, "deltaic: {}", printable(&format!("{error:#}")));
    if let Some(trouble) = error.chain().find_map(|cause| cause.downcast_ref::<Trouble>()) {
        let _ = writeln!(stderr, "hint: {}", printable(&trouble.hint));
    }
}

//! Why is something no delta?

use crate::parse::ParseError;

/// Why a delta cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaError {
    /// It is not even well-formed, or exceeds a limit.
    #[error("the delta: {0}")]
    Parse(ParseError),
    /// It is no binary delta, or a damaged one.
    #[error("the binary delta: {0}")]
    Binary(String),
    /// The delta as a whole is not as it should be.
    #[error("the delta: {0}")]
    Header(String),
    /// One of its operations is not as it should be, or contradicts another.
    #[error("operation {number} ({kind}, line {line}): {message}")]
    Operation {
        /// Its place in the file, counted from 1.
        number: usize,
        /// The name of its element.
        kind: String,
        /// Where it begins.
        line: usize,
        /// What was found, and what was expected.
        message: String,
    },
}

/// It is said in full by this error, and so is no further cause.
impl From<ParseError> for DeltaError {
    fn from(error: ParseError) -> Self {
        DeltaError::Parse(error)
    }
}

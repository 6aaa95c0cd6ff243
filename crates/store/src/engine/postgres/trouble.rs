//! What does an error of PostgreSQL mean? By its code, which CockroachDB and YugabyteDB share; and never with the
//! password of the URL in it.

use std::error::Error as StdError;
use std::io;

use postgres::error::{DbError, ErrorPosition, Severity, SqlState};

use super::super::Access;
use super::encryption::doubt;
use crate::Error;

/// The URL is none. Nothing of it is shown: where a password has a `?` or an `@` in it, an option may be a piece of it.
pub(super) fn unreadable() -> Error {
    Error::Invalid(
        "the URL of the database is not understood: it is `postgresql://user:password@host/database`, and what \
         is neither letter nor digit in a password is written as `%` and its code"
            .into(),
    )
}

/// There is no connection to the server at this place.
pub(super) fn unanswered(place: &str, error: &postgres::Error) -> Error {
    let why = match (error.as_db_error(), error.source().and_then(doubt)) {
        (Some(said), _) => format!("{place} says: {}", said.message()),
        (None, Some(doubt)) => format!("{place}: {doubt}"),
        (None, None) => format!("{place}: {}", chain(error)),
    };
    Error::Connection { why }
}

/// What went wrong in a session, in a transaction for this.
pub(super) fn explained(error: &postgres::Error, access: Access) -> Error {
    let Some(said) = error.as_db_error() else {
        let is_io = error.source().is_some_and(|source| source.is::<io::Error>());
        let why = chain(error);
        return if error.is_closed() || is_io { Error::Connection { why } } else { Error::Database(why) };
    };
    let why = said.message().to_owned();
    if has_ended(said) {
        return Error::Connection { why };
    }
    match *said.code() {
        SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::UNIQUE_VIOLATION
        | SqlState::FOREIGN_KEY_VIOLATION
        // Somebody else has just made the same tables, or led them to the same format.
        | SqlState::DUPLICATE_TABLE
        | SqlState::DUPLICATE_COLUMN
        | SqlState::DUPLICATE_OBJECT => Error::Conflict,
        SqlState::LOCK_NOT_AVAILABLE => Error::Busy,
        SqlState::DISK_FULL => Error::Full,
        SqlState::READ_ONLY_SQL_TRANSACTION => Error::ReadOnly { why },
        SqlState::INSUFFICIENT_PRIVILEGE if access != Access::Read => Error::ReadOnly { why },
        // Of numbers that were never written: ours are far from the end of all numbers.
        SqlState::DATA_CORRUPTED
        | SqlState::INDEX_CORRUPTED
        | SqlState::NUMERIC_VALUE_OUT_OF_RANGE
        // Of tables and columns ours are known.
        | SqlState::UNDEFINED_TABLE
        | SqlState::UNDEFINED_COLUMN
        // What the server cannot make sense of is what it reads, mostly, or a file that is not there.
        | SqlState::INTERNAL_ERROR
        | SqlState::UNDEFINED_FILE => Error::damaged("the database", why),
        _ => Error::Database(located(said)),
    }
}

/// Whether the server has closed the connection with these words.
fn has_ended(said: &DbError) -> bool {
    let is_fatal = matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
    let code = said.code().code();
    is_fatal || code.starts_with("08") || code.starts_with("57P")
}

/// What the server says, and the place in the statement if it names one.
fn located(said: &DbError) -> String {
    let place = match said.position() {
        Some(ErrorPosition::Original(character)) => format!(" at character {character}"),
        _ => String::new(),
    };
    format!("{}{place} ({})", said.message(), said.code().code())
}

fn chain(error: &postgres::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

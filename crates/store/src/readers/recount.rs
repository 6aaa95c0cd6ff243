//! How does a reader go on who has lost notes? What is there is counted anew, and nothing is missed from then on.

use super::ReaderId;
use crate::engine::values;
use crate::{Error, Result, Store};

/// What was counted anew of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recount {
    /// Pages that the reader has seen.
    pub seen: Count,
    /// Versions that the reader has marked or saved.
    pub notes: Count,
}

/// How many there are, and how many there should have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// So many are there.
    pub found: i64,
    /// So many were written.
    pub expected: i64,
}

impl Count {
    /// How many are not there.
    pub fn missing(&self) -> i64 {
        self.expected.saturating_sub(self.found).max(0)
    }
}

impl Store {
    /// Takes what is there of a reader for all that there ever was: accepts that notes are lost, so that versions are dropped
    /// again, perhaps some that were saved.
    pub fn recount(&self, reader: &ReaderId) -> Result<Recount> {
        self.database.write(|transaction| {
            let of_reader = values![reader.as_str()];
            // Nobody else writes for the reader from here on.
            super::rows::lock(transaction, reader.as_str())?;
            let sql = "SELECT (SELECT count(*) FROM seen WHERE reader = $1), seen, \
                       (SELECT count(*) FROM bookmark WHERE reader = $1), bookmarks FROM reader WHERE id = $1";
            let counted = transaction.first(sql, of_reader, |mut row| {
                let mut count = || -> Result<_> { Ok(Count { found: row.take()?, expected: row.take()? }) };
                Ok(Recount { seen: count()?, notes: count()? })
            })?;
            let unknown =
                || Error::Invalid(format!("reader {reader} has seen and noted nothing: there is nothing to count"));
            let counted = counted.ok_or_else(unknown)?;
            let sql = "UPDATE reader SET seen = $1, bookmarks = $2 WHERE id = $3";
            transaction.execute(sql, values![counted.seen.found, counted.notes.found, reader.as_str()])?;
            Ok(counted)
        })
    }
}

//! Is the database in today's format? If not, it is led there step by step, each step in one transaction.

use super::{Access, Database, Transaction, values};
use crate::{Error, Result};

/// The format that this version writes.
const FORMAT: i64 = 1;

/// Makes the tables where there are none, and brings older ones up to date.
pub(crate) fn migrate(database: &Database) -> Result<()> {
    let found = database.read(format)?;
    if found > FORMAT {
        return Err(Error::NewerFormat { found, known: FORMAT });
    }
    for (step, script) in database.engine().migrations().iter().enumerate().skip(found as usize) {
        let target = step as i64 + 1;
        database
            .try_until_first(Access::Define, |transaction| {
                // Another process may have been there in the meantime.
                if format(transaction)? < target {
                    transaction.script(script)?;
                    set_format(transaction, target)?;
                }
                Ok(())
            })
            .map_err(taken)?;
    }
    Ok(())
}

/// A writer that is faster has made the tables by the next try; where there is still a conflict, they are not ours.
fn taken(error: Error) -> Error {
    let why = "there are tables of the same names that are no store: name another database or schema";
    if matches!(error, Error::Conflict) { Error::Invalid(why.into()) } else { error }
}

/// The format of what is there; 0 where there is nothing.
fn format(transaction: &mut Transaction<'_>) -> Result<i64> {
    if !transaction.has_table("meta")? {
        return Ok(0);
    }
    let written: Option<String> =
        transaction.first("SELECT value FROM meta WHERE name = 'format'", values![], |mut row| row.take())?;
    written
        .and_then(|written| written.parse().ok())
        .ok_or_else(|| Error::damaged("the store", "it does not say which format it has"))
}

fn set_format(transaction: &mut Transaction<'_>, format: i64) -> Result<()> {
    let written = format.to_string();
    transaction.execute("DELETE FROM meta WHERE name = 'format'", values![])?;
    transaction.execute("INSERT INTO meta (name, value) VALUES ('format', $1)", values![&*written])?;
    Ok(())
}

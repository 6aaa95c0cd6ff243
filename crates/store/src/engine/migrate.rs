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
        let mut transaction = database.begin(Access::Write)?;
        // Another process may have been there in the meantime.
        if format(&mut transaction)? == target - 1 {
            transaction.script(script)?;
            set_format(&mut transaction, target)?;
            transaction.commit()?;
        }
    }
    Ok(())
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

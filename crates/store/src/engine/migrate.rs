//! Is the database in today's format? If not, it is led there step by step, each step in one transaction.

use super::{Database, Transaction, values};
use crate::{Error, Result, readers};

/// In it everything that readers have seen and noted has a seal.
const SEALED: i64 = 4;

/// Makes the tables where there are none, and brings older ones up to date.
pub(crate) fn migrate(database: &Database) -> Result<()> {
    let found = match database.read(format) {
        // PostgreSQL says that there is a table which somebody else has just made, and does not show what is in it yet.
        Err(error) if error.is_damage() => database.read(format)?,
        found => found?,
    };
    if found == 0 && database.engine().has_tables() {
        return Err(Error::damaged("the store", "its database is empty: bring it back from a backup"));
    }
    migrate_by(database, database.engine().migrations(), found)
}

/// Does what each script says, from the format that was found on.
fn migrate_by(database: &Database, scripts: &[&str], found: i64) -> Result<()> {
    let known = scripts.len() as i64;
    if found > known {
        return Err(Error::NewerFormat { found, known });
    }
    for (step, script) in scripts.iter().enumerate().skip(found as usize) {
        let target = step as i64 + 1;
        database
            .define(|transaction| {
                // Another process may have been there in the meantime.
                if format(transaction)? < target {
                    transaction.script(script)?;
                    // Scripts cannot compute the hash.
                    if target == SEALED {
                        readers::rows::seal_all(transaction)?;
                    }
                    set_format(transaction, target)?;
                }
                Ok(())
            })
            .map_err(|error| taken(error, target))?;
    }
    Ok(())
}

/// A writer that is faster has made the tables by the next try; where there is still a conflict, they are not ours, or of a
/// later format than they say.
fn taken(error: Error, target: i64) -> Error {
    match error {
        Error::Conflict if target == 1 => Error::Invalid(
            "there are tables of the same names that are no store: name another database or schema".into(),
        ),
        Error::Conflict => {
            let why = format!("it says that it has the format {}, and its tables are of a later one", target - 1);
            Error::damaged("the store", format!("{why}: bring it back from a backup"))
        }
        error => error,
    }
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
        .filter(|format| *format > 0)
        .ok_or_else(|| Error::damaged("the store", "it does not say which format it has"))
}

fn set_format(transaction: &mut Transaction<'_>, format: i64) -> Result<()> {
    let written = format.to_string();
    transaction.execute("DELETE FROM meta WHERE name = 'format'", values![])?;
    transaction.execute("INSERT INTO meta (name, value) VALUES ('format', $1)", values![&*written])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sqlite::Sqlite;
    use super::*;

    const FIRST: &str = "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL); CREATE TABLE a (x INTEGER)";
    const SECOND: &str = "INSERT INTO a VALUES (1); CREATE TABLE b (y INTEGER); INSERT INTO b SELECT x FROM a";
    const WRONG: &str = "INSERT INTO b VALUES (2); INSERT INTO c VALUES (3)";

    fn in_folder(test: impl Fn(&Database)) {
        let folder = tempfile::tempdir().expect("a folder");
        test(&Database::new(Box::new(Sqlite::open(folder.path(), true).expect("a database"))));
    }

    fn found(database: &Database) -> i64 {
        database.read(format).expect("a format")
    }

    fn sum(database: &Database) -> i64 {
        database.read(|transaction| transaction.number("SELECT sum(y) FROM b", values![])).expect("a number")
    }

    #[test]
    fn every_step_is_taken_once() {
        for first_steps in 0..=2 {
            in_folder(|database| {
                let scripts = [FIRST, SECOND];
                migrate_by(database, &scripts[..first_steps], found(database)).expect("the first steps");
                assert_eq!(found(database), first_steps as i64);
                for _ in 0..2 {
                    migrate_by(database, &scripts, found(database)).expect("all steps");
                    assert_eq!((found(database), sum(database)), (2, 1));
                }
                // One that was slower than another process.
                migrate_by(database, &scripts, 0).expect("nothing is left to do");
                assert_eq!((found(database), sum(database)), (2, 1));
            });
        }
    }

    #[test]
    fn a_step_that_fails_leaves_nothing_behind() {
        in_folder(|database| {
            migrate_by(database, &[FIRST, SECOND, WRONG], 0).expect_err("there is no such table");
            assert_eq!((found(database), sum(database)), (2, 1));
            migrate_by(database, &[FIRST, SECOND, "INSERT INTO b VALUES (2)"], 2).expect("another try");
            assert_eq!((found(database), sum(database)), (3, 3));
        });
    }

    #[test]
    fn formats_that_are_none_are_refused() {
        let check = |written: &'static str, expected: &str| {
            in_folder(|database| {
                migrate(database).expect("tables");
                let sql = "UPDATE meta SET value = $1";
                database.write(|transaction| transaction.execute(sql, values![written])).expect("written");
                let refused = migrate(database).expect_err(written);
                assert_eq!(refused.to_string(), expected);
            });
        };
        let damaged = "the store is damaged: it does not say which format it has";
        ["0", "-1", "", "one"].iter().for_each(|written| check(written, damaged));
        check(
            "1",
            "the store is damaged: it says that it has the format 1, and its tables are of a later one: bring it back from a backup",
        );
        check("99", "the store has the format 99, and this deltaic knows up to 4: use a newer deltaic");
    }
}

//! How is kept where a step is, when it was taken and what kinds of operations it has? In a row with a seal: what is looked for is
//! found by these columns, and a bit that changed by itself would hide it without a word.
//!
//! The seal is one that databases compute themselves, so that a row which is passed over is looked at too: its upper bits are a
//! copy of the time and the kinds, which is all that rows are passed over by, and its lower eight a checksum of the other
//! columns, each modulo a prime and times a number of its own. Any one bit that changes is noticed.

use crate::engine::{Row, Transaction, values};
use crate::frames::Piece;
use crate::page::PageId;
use crate::{Error, Result};

/// A condition in SQL that holds where a step `s` is not what was written, as far as its time and kinds go.
macro_rules! is_hurt {
    () => {
        "(s.seal IS NULL OR (s.seal >> 8) <> s.time * 64 + s.kinds)"
    };
}
pub(crate) use is_hurt;

const PRIME: i64 = 251;

/// What the database knows of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepRow {
    pub(crate) page: PageId,
    pub(crate) number: u32,
    pub(crate) time: i64,
    pub(crate) piece: Piece,
    pub(crate) kinds: u32,
}

impl StepRow {
    /// Takes `page, number, time, frame, start, length, kinds, seal` from the start of a row.
    pub(crate) fn take(row: &mut Row) -> Result<Self> {
        let (page, number, time) = (row.take()?, row.take()?, row.take()?);
        let piece = Piece { frame: row.take()?, start: row.take()?, length: row.take()? };
        let step = StepRow { page, number, time, piece, kinds: row.take()? };
        if row.take::<Option<i64>>()?.is_some_and(|seal| step.seal() == Some(seal)) {
            Ok(step)
        } else {
            Err(Error::damaged("where it is, its time or its kinds", "its seal is another"))
        }
    }

    pub(crate) fn insert(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = "INSERT INTO step (page, number, time, frame, start, length, kinds, seal) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        self.execute(transaction, sql)
    }

    /// Writes it in place of what was known of the step.
    pub(crate) fn replace(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = "INSERT INTO step (page, number, time, frame, start, length, kinds, seal) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (page, number) DO UPDATE \
                   SET time = excluded.time, frame = excluded.frame, start = excluded.start, \
                   length = excluded.length, kinds = excluded.kinds, seal = excluded.seal";
        self.execute(transaction, sql)
    }

    /// Says where it is now, if it still was where it was.
    fn place(&self, transaction: &mut Transaction<'_>, from: Piece) -> Result<()> {
        let sql = "UPDATE step SET frame = $1, start = $2, seal = $3 \
                   WHERE page = $4 AND number = $5 AND frame = $6 AND start = $7";
        let Piece { frame, start, .. } = self.piece;
        transaction.execute(sql, values![frame, start, self.seal(), self.page, self.number, from.frame, from.start])?;
        Ok(())
    }

    fn execute(&self, transaction: &mut Transaction<'_>, sql: &'static str) -> Result<()> {
        let StepRow { page, number, time, piece: Piece { frame, start, length }, kinds } = *self;
        transaction.execute(sql, values![page, number, time, frame, start, length, kinds, self.seal()])?;
        Ok(())
    }

    /// None where the time is far beyond all times, which was never written.
    fn seal(&self) -> Option<i64> {
        let StepRow { page, number, time, piece: Piece { frame, start, length }, kinds } = *self;
        let others = [(page, 3), (number.into(), 5), (frame, 7), (start as i64, 11), (length as i64, 13)];
        let checksum = others.iter().map(|(column, factor)| column % PRIME * factor).sum::<i64>() % PRIME;
        time.checked_mul(64)?.checked_add(kinds.into())?.checked_mul(256)?.checked_add(checksum)
    }
}

/// What is known of the step to a version, where there is one.
pub(crate) fn step_row(transaction: &mut Transaction<'_>, page: PageId, number: u32) -> Result<Option<StepRow>> {
    let sql = "SELECT page, number, time, frame, start, length, kinds, seal FROM step WHERE page = $1 AND number = $2";
    transaction.first(sql, values![page, number], |mut row| StepRow::take(&mut row))
}

/// Says that a step is elsewhere, unless somebody else has put it there or dropped it. What is hurt stays as it is.
pub(crate) fn move_step(
    transaction: &mut Transaction<'_>,
    (page, number): (PageId, u32),
    from: Piece,
    to: Piece,
) -> Result<()> {
    match step_row(transaction, page, number) {
        Ok(Some(step)) if step.piece == from => StepRow { piece: to, ..step }.place(transaction, from),
        Ok(_) => Ok(()),
        Err(error) if error.is_damage() => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::{Connection, params_from_iter};

    use super::*;

    /// What migrations seal rows of older formats with.
    const SEAL: &str = "(time * 64 + kinds) * 256 + (page % 251 * 3 + number % 251 * 5 + frame % 251 * 7 + start % 251 * 11 + length % 251 * 13) % 251";

    #[test]
    fn migrations_seal_all_rows() {
        for script in
            [include_str!("../engine/migrations/sqlite/004.sql"), include_str!("../engine/migrations/postgres/004.sql")]
        {
            assert!(script.contains(&format!("UPDATE step SET seal = {SEAL};")), "{script}");
        }
    }

    fn row([page, number, time, frame, start, length, kinds]: [i64; 7]) -> Option<StepRow> {
        let piece = Piece { frame, start: start.try_into().ok()?, length: length.try_into().ok()? };
        Some(StepRow { page, number: number.try_into().ok()?, time, piece, kinds: kinds.try_into().ok()? })
    }

    proptest! {
        #[test]
        fn databases_seal_as_rows_do_and_a_flipped_bit_is_noticed(
            (page, number, frame) in (1..1i64 << 62, 0..=i64::from(u32::MAX), 1..1i64 << 62),
            time in -400_000_000_000_000..400_000_000_000_000i64,
            (start, length, kinds) in (0..1i64 << 62, 0..1i64 << 62, 0..64i64),
            (column, bit) in (0..7usize, 0..63u32),
        ) {
            let columns = [page, number, time, frame, start, length, kinds];
            let connection = Connection::open_in_memory().unwrap();
            let table = "CREATE TABLE s (page, number, time, frame, start, length, kinds, seal);";
            connection.execute_batch(table).unwrap();
            connection.execute("INSERT INTO s VALUES (?, ?, ?, ?, ?, ?, ?, 0)", params_from_iter(columns)).unwrap();
            connection.execute_batch(&format!("UPDATE s SET seal = {SEAL}")).unwrap();
            let sealed: i64 = connection.query_row("SELECT seal FROM s", [], |row| row.get(0)).unwrap();
            prop_assert_eq!(Some(sealed), row(columns).and_then(|row| row.seal()));

            let mut hurt = columns;
            hurt[column] ^= 1 << bit;
            prop_assert_ne!(Some(sealed), row(hurt).and_then(|row| row.seal()));
            let is_passed_over = [2, 6].contains(&column);
            connection.execute("UPDATE s SET time = ?, kinds = ?", [hurt[2], hurt[6]]).unwrap();
            let sql = concat!("SELECT count(*) FROM s WHERE ", is_hurt!());
            let noticed: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
            prop_assert_eq!(noticed, i64::from(is_passed_over));
        }
    }
}

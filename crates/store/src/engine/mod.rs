//! Where do rows live? In SQLite or in PostgreSQL, behind one interface that is as small as both allow.
//!
//! Statements are written once, in what both speak: values are `$1, $2 …`, numbered in the order of their first use,
//! because SQLite numbers them so. What the engines do not share is here: how a transaction begins, what an error
//! means, and how tables are made (`migrations`).

mod migrate;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
pub(crate) mod sqlite;
mod value;

use std::fmt::Debug;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use migrate::migrate;
pub(crate) use value::{Cell, Row, Value, values};

use crate::{Error, Result};

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everything is seen as it was at one moment.
    Read,
    /// What is written is on disk when the transaction is committed, and nothing of it before.
    Write,
    /// The same while nobody else writes: who has lost to others comes through at last.
    Alone,
    /// The same where tables are made or altered: alone where that can be had, else as CockroachDB wants it.
    Define,
}

/// A connection to a database.
pub(crate) trait Session: Send + Debug {
    fn begin(&mut self, access: Access) -> Result<()>;
    fn commit(&mut self) -> Result<()>;
    fn roll_back(&mut self) -> Result<()>;
    /// Runs a statement and tells how many rows it was about.
    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64>;
    /// Runs a statement and hands over its rows.
    fn query(&mut self, sql: &'static str, values: &[Value<'_>], each: &mut dyn FnMut(Row) -> Result<()>)
    -> Result<()>;
    /// Runs several statements without values.
    fn script(&mut self, sql: &str) -> Result<()>;
    /// Whether there is a table of this name.
    fn has_table(&mut self, name: &str) -> Result<bool>;
    /// Whether the connection is good for another transaction.
    fn is_alive(&self) -> bool;
}

/// A kind of database, and where it is.
pub(crate) trait Engine: Send + Sync + Debug {
    fn connect(&self) -> Result<Box<dyn Session>>;
    /// The statements that lead from each format to the next; the first makes the tables.
    fn migrations(&self) -> &'static [&'static str];
    /// Whether it is known, from elsewhere than the database, that tables were made.
    fn has_tables(&self) -> bool;
    /// Whether two transactions cannot write at once, so that a queue is better than trying again.
    fn has_one_writer(&self) -> bool;
    /// Bytes on disk.
    fn disk_bytes(&self, session: &mut dyn Session) -> Result<u64>;
    /// Gives back what deleted rows have taken.
    fn shrink(&self, session: &mut dyn Session) -> Result<()>;
    /// What is wrong with the database itself, if anything.
    fn faults(&self, session: &mut dyn Session) -> Result<Vec<String>>;
    /// Copies the whole database into a new file of SQLite, as it is at one moment, while others write; tells how much of
    /// how much is done. False where it is no database of SQLite.
    fn copy(&self, _file: &Path, _progress: &mut dyn FnMut(u64, u64)) -> Result<bool> {
        Ok(false)
    }
    /// Whether nothing can be written, and why.
    fn read_only(&self) -> Option<String>;
}

/// What is said of rows that belong to others which are not there.
fn orphaned(table: &str, parent: &str, count: u64) -> String {
    format!("rows of `{parent}` are missing, to which {count} of `{table}` belong")
}

/// An engine, with the connections that are not in use.
#[derive(Debug)]
pub(crate) struct Database {
    engine: Box<dyn Engine>,
    idle: Mutex<Vec<Box<dyn Session>>>,
    writer: Mutex<()>,
}

/// More are closed when they are given back.
const MOST_IDLE: usize = 16;

impl Database {
    pub(crate) fn new(engine: Box<dyn Engine>) -> Self {
        Database { engine, idle: Mutex::default(), writer: Mutex::default() }
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// Begins a transaction; dropped without a commit, it leaves nothing behind.
    pub(crate) fn begin(&self, access: Access) -> Result<Transaction<'_>> {
        let writes = access != Access::Read;
        if let (true, Some(why)) = (writes, self.engine.read_only()) {
            return Err(Error::ReadOnly { why });
        }
        let turn = (writes && self.engine.has_one_writer())
            .then(|| self.writer.lock().unwrap_or_else(PoisonError::into_inner));
        let session = self.begin_in_session(access)?;
        Ok(Transaction { database: self, session: Some(session), _turn: turn })
    }

    fn begin_in_session(&self, access: Access) -> Result<Box<dyn Session>> {
        while let Some(mut session) = self.idle_session() {
            match session.begin(access) {
                // The server has closed it while nobody was looking, and all others perhaps as well.
                Err(Error::Connection { .. }) => {}
                begun => return begun.map(|()| session),
            }
        }
        let mut session = self.engine.connect()?;
        session.begin(access)?;
        Ok(session)
    }

    /// A connection outside of any transaction; an empty one has shown that it is good.
    pub(crate) fn session(&self) -> Result<Box<dyn Session>> {
        let mut session = self.begin_in_session(Access::Read)?;
        session.roll_back()?;
        Ok(session)
    }

    fn idle_session(&self) -> Option<Box<dyn Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(crate) fn give_back(&self, session: Box<dyn Session>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if session.is_alive() && idle.len() < MOST_IDLE {
            idle.push(session);
        }
    }

    pub(crate) fn read<T>(&self, work: impl FnOnce(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.try_once(Access::Read, work)
    }

    /// Does some work in one transaction, again from the start where another writer came between; in the end alone.
    pub(crate) fn write<T>(&self, work: impl FnMut(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        const TRIES_AMONG_OTHERS: usize = 3;
        let access = |tried| if tried < TRIES_AMONG_OTHERS { Access::Write } else { Access::Alone };
        self.try_until_first(access, work)
    }

    /// Does some work in one transaction while nobody else writes.
    pub(crate) fn write_alone<T>(&self, work: impl FnMut(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.try_until_first(|_| Access::Alone, work)
    }

    /// Does some work in one transaction, in which tables are made or altered.
    fn define(&self, work: impl FnMut(&mut Transaction<'_>) -> Result<()>) -> Result<()> {
        self.try_until_first(|_| Access::Define, work)
    }

    /// Who is alone needs one try; but there are servers which give nobody a turn of its own.
    fn try_until_first<T>(
        &self,
        access: impl Fn(usize) -> Access,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        const MOST_TRIES: usize = 50;
        for tried in 0..MOST_TRIES {
            match self.try_once(access(tried), &mut work) {
                Err(Error::Conflict) => {}
                result => return result,
            }
        }
        Err(Error::Conflict)
    }

    fn try_once<T>(&self, access: Access, work: impl FnOnce(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut transaction = self.begin(access)?;
        let result = work(&mut transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

/// A transaction that is under way.
#[derive(Debug)]
pub(crate) struct Transaction<'d> {
    database: &'d Database,
    session: Option<Box<dyn Session>>,
    _turn: Option<MutexGuard<'d, ()>>,
}

impl Transaction<'_> {
    fn session(&mut self) -> Result<&mut dyn Session> {
        match &mut self.session {
            Some(session) => Ok(&mut **session),
            None => Err(Error::Connection { why: "the transaction is over".into() }),
        }
    }

    pub(crate) fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        self.session()?.execute(sql, values)
    }

    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        mut each: impl FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        self.session()?.query(sql, values, &mut each)
    }

    /// The first row, if there is one, as something else.
    pub(crate) fn first<T>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        mut take: impl FnMut(Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.query(sql, values, |row| {
            if found.is_none() {
                found = Some(take(row)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// All rows as something else.
    pub(crate) fn all<T>(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        mut take: impl FnMut(Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.query(sql, values, |row| {
            found.push(take(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The row that a statement gives back, such as the number of what was inserted.
    pub(crate) fn number(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<i64> {
        let found = self.first(sql, values, |mut row| row.take())?;
        found.ok_or_else(|| Error::Database(format!("no row comes of `{sql}`")))
    }

    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        self.session()?.script(sql)
    }

    pub(crate) fn has_table(&mut self, name: &str) -> Result<bool> {
        self.session()?.has_table(name)
    }

    pub(crate) fn commit(&mut self) -> Result<()> {
        self.session()?.commit()?;
        if let Some(session) = self.session.take() {
            self.database.give_back(session);
        }
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // A session that cannot even roll back is closed, which does the same.
        if let Some(mut session) = self.session.take()
            && session.roll_back().is_ok()
        {
            self.database.give_back(session);
        }
    }
}

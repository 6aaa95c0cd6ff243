//! SQLite in a folder: the file `store.db`, and `format`, which says what the folder is.

mod log;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, Progress, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::{Access, Cell, Engine, Row, Session, Value};
use crate::{Error, Result};

/// What the file `format` has in it, so that a folder whose database went away is told from one that never had one.
const MARK: &str = "This folder is a store of deltaic. What is recorded is in store.db.\n";
const PATIENCE: Duration = Duration::from_secs(60);

/// The databases of a folder.
#[derive(Debug)]
pub(crate) struct Sqlite {
    file: PathBuf,
    read_only: Option<String>,
    is_marked: bool,
    /// Where the log is kept of which something was missing.
    hurt_log: Option<PathBuf>,
}

impl Sqlite {
    /// The store in a folder, which is made where there is none and it `may_be_made`.
    pub(crate) fn open(folder: &Path, may_be_made: bool) -> Result<Self> {
        let (file, mark) = (folder.join("store.db"), folder.join("format"));
        let exists = |path: &Path| path.try_exists().map_err(io_error(folder));
        // In this order: another process may be making it, and the mark comes last.
        let is_marked = exists(&mark)?;
        match (exists(&file)?, is_marked) {
            (false, true) => return Err(Error::MissingFile { file }),
            (false, false) if !may_be_made => return Err(Error::NoStore { place: folder.display().to_string() }),
            (false, false) => make_folder(folder)?,
            (true, _) => {}
        }
        let read_only = why_read_only(folder, &file);
        let hurt_log = log::hurt(folder)?;
        Ok(Sqlite { file, read_only, is_marked, hurt_log })
    }

    fn open_read_only(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.file, flags).map_err(|error| explained(&error))?;
        let tried = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        match tried.map_err(|error| error.sqlite_error_code()) {
            Err(Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) if self.has_log() => {
                Err(Error::ReadOnly { why: self.why_unreadable() })
            }
            // In a folder that cannot be written to, and without a log, SQLite reads on no other terms.
            Err(Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) => self.open_immutable(),
            // What else is wrong is told when something is read.
            _ => Ok(connection),
        }
    }

    fn open_to_write(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = Connection::open_with_flags(&self.file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // With FULL the log is on disk when a commit returns; the default would lose the last ones with the power.
        const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON";
        let start = Instant::now();
        loop {
            match connection.execute_batch(SETTINGS) {
                // Who makes the log while another does is not made to wait, but sent away.
                Err(error) if is_busy(&error) && start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
                set => return set.map(|()| connection),
            }
        }
    }

    /// Where there is no room even for the index of the log that all processes share, it is kept in memory: so SQLite does where it
    /// may not write to that file. Without a log there is nothing to share.
    fn open_on_full_disk(&self) -> Result<Connection> {
        if self.has_log() { self.open_with("readonly_shm=1") } else { self.open_immutable() }
    }

    /// Nobody may be writing.
    fn open_immutable(&self) -> Result<Connection> {
        self.open_with("immutable=1")
    }

    fn open_with(&self, option: &str) -> Result<Connection> {
        let path = self.file.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(format!("file:{path}?{option}"), flags);
        opened.map_err(|error| explained(&error))
    }

    fn why_unreadable(&self) -> String {
        format!(
            "`{}-wal` has what was recorded last, and SQLite does not read it where it cannot write; copy the folder to \
             where it can",
            self.file.display()
        )
    }

    fn has_log(&self) -> bool {
        self.file.with_file_name("store.db-wal").metadata().is_ok_and(|log| log.len() > 0)
    }
}

/// Says what the folder is, once there is a database in it.
pub(crate) fn mark(folder: &Path) -> Result<()> {
    let mark = folder.join("format");
    if mark.exists() {
        return Ok(());
    }
    match fs::write(&mark, MARK) {
        Err(error) if !forbids(&error) => Err(io_error(&mark)(error)),
        _ => Ok(()),
    }
}

/// Whether an error says that nothing may be written; a full disk forbids nothing.
fn forbids(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// What people read is nobody else's business.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn make_folder(folder: &Path) -> Result<()> {
    make_private(folder).map_err(io_error(folder))?;
    let mut entries = fs::read_dir(folder).map_err(io_error(folder))?;
    // Beside the database that is about to come there may be its log, of a store that was being made when it was killed.
    if entries.any(|entry| entry.is_ok_and(|entry| !entry.file_name().to_string_lossy().starts_with("store.db"))) {
        return Err(Error::NotAStore { folder: folder.to_owned() });
    }
    Ok(())
}

fn why_read_only(folder: &Path, file: &Path) -> Option<String> {
    // Where we are killed before it is removed, the next one does it; and the folder is still taken for one of ours.
    let probe = folder.join("store.db-probe");
    let in_folder = fs::write(&probe, "").and_then(|()| fs::remove_file(&probe));
    let in_file = fs::OpenOptions::new().append(true).open(file).map(drop);
    let found = [(folder, in_folder), (file, in_file)];
    let refusal = found.into_iter().find(|(_, result)| result.as_ref().is_err_and(forbids));
    refusal.map(|(path, _)| format!("`{}` cannot be written to", path.display()))
}

pub(crate) fn io_error(file: &Path) -> impl FnOnce(io::Error) -> Error {
    let file = file.to_owned();
    move |why| Error::Io { file, why }
}

impl Engine for Sqlite {
    fn connect(&self) -> Result<Box<dyn Session>> {
        let (connection, is_full) = match self.read_only {
            Some(_) => (self.open_read_only()?, false),
            None => match self.open_to_write() {
                Ok(connection) => (connection, false),
                Err(error) if lacks_room(&error) => (self.open_on_full_disk()?, true),
                Err(error) => return Err(explained(&error)),
            },
        };
        connection.busy_timeout(PATIENCE).map_err(|error| explained(&error))?;
        connection.set_prepared_statement_cache_capacity(200);
        // Otherwise a statement is prepared anew with other values, in case that they should be looked up in another way.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(|error| explained(&error))?;
        let hurt_log = self.hurt_log.clone();
        Ok(Box::new(SqliteSession { connection, is_full, hurt_log }))
    }

    fn migrations(&self) -> &'static [&'static str] {
        &[
            include_str!("migrations/sqlite/001.sql"),
            include_str!("migrations/sqlite/002.sql"),
            include_str!("migrations/sqlite/003.sql"),
            include_str!("migrations/sqlite/004.sql"),
        ]
    }

    fn has_tables(&self) -> bool {
        self.is_marked
    }

    fn has_one_writer(&self) -> bool {
        true
    }

    fn disk_bytes(&self, _: &mut dyn Session) -> Result<u64> {
        let beside = ["store.db", "store.db-wal"].map(|name| self.file.with_file_name(name));
        Ok(beside.iter().filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum())
    }

    fn shrink(&self, session: &mut dyn Session) -> Result<()> {
        session.script("VACUUM")?;
        // It waits for those who read while nobody can write, so not for long: the log may as well be emptied later.
        session.script("PRAGMA busy_timeout = 500")?;
        let emptied = session.query("PRAGMA wal_checkpoint(TRUNCATE)", &[], &mut |_| Ok(()));
        session.script(&format!("PRAGMA busy_timeout = {}", PATIENCE.as_millis()))?;
        emptied
    }

    fn faults(&self, session: &mut dyn Session) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        let mut note = |mut row: Row| {
            faults.push(row.take::<String>()?);
            Ok(())
        };
        match session.query("PRAGMA integrity_check(100)", &[], &mut note) {
            Ok(()) => {}
            Err(Error::Damaged { why, .. }) => faults.push(why),
            Err(error) => return Err(error),
        }
        faults.retain(|fault| fault != "ok");
        faults.extend(orphans(session)?);
        faults.extend(self.hurt_log.as_deref().map(lost_with));
        Ok(faults)
    }

    fn copy(&self, file: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<bool> {
        copy(&self.open_read_only()?, file, progress).map_err(|error| explained(&error))?;
        Ok(true)
    }

    fn read_only(&self) -> Option<String> {
        self.read_only.clone()
    }
}

/// Copies a database. With a transaction open, all of it is as it was when that began; otherwise the copy would have to
/// begin anew with each write of another process, and perhaps never end.
fn copy(from: &Connection, file: &Path, progress: &mut dyn FnMut(u64, u64)) -> rusqlite::Result<()> {
    const PAGES_AT_ONCE: i32 = 1000;
    from.busy_timeout(PATIENCE)?;
    from.execute_batch("BEGIN; SELECT count(*) FROM meta")?;
    let mut to = Connection::open(file)?;
    let backup = Backup::new(from, &mut to)?;
    let start = Instant::now();
    loop {
        match backup.step(PAGES_AT_ONCE)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {
                let Progress { remaining, pagecount } = backup.progress();
                progress(pagecount.abs_diff(remaining).into(), pagecount.unsigned_abs().into());
            }
            _ if start.elapsed() > PATIENCE => return Err(rusqlite::Error::SqliteFailure(BUSY, None)),
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
}

const BUSY: rusqlite::ffi::Error =
    rusqlite::ffi::Error { code: ErrorCode::DatabaseBusy, extended_code: rusqlite::ffi::SQLITE_BUSY };

/// Makes sure that a database which nobody uses yet is sound, all in one file and on disk.
pub(crate) fn settle(file: &Path) -> Result<()> {
    let faults = || -> rusqlite::Result<Vec<String>> {
        let connection = Connection::open(file)?;
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        let mut check = connection.prepare("PRAGMA integrity_check(1)")?;
        check.query_map([], |row| row.get(0))?.collect()
    };
    match faults().map_err(|error| explained(&error))?.first() {
        Some(fault) if fault != "ok" => return Err(Error::damaged("the copy of the database", fault)),
        _ => {}
    }
    fs::File::open(file).and_then(|file| file.sync_all()).map_err(io_error(file))
}

/// Rows that belong to others which are not there.
fn orphans(session: &mut dyn Session) -> Result<Vec<String>> {
    let mut found = BTreeMap::new();
    let checked = session.query("PRAGMA foreign_key_check", &[], &mut |mut row| {
        let (table, _, parent): (String, Option<i64>, String) = (row.take()?, row.take()?, row.take()?);
        *found.entry((table, parent)).or_insert(0) += 1;
        Ok(())
    });
    let described = |((table, parent), count): ((String, String), u64)| super::orphaned(&table, &parent, count);
    match checked {
        Ok(()) => Ok(found.into_iter().map(described).collect()),
        Err(Error::Damaged { why, .. }) => Ok(vec![why]),
        Err(error) => Err(error),
    }
}

#[derive(Debug)]
struct SqliteSession {
    connection: Connection,
    /// Whether there was no room to open it for writing.
    is_full: bool,
    hurt_log: Option<PathBuf>,
}

/// What is said of a log of which something was missing.
fn lost_with(kept: &Path) -> String {
    format!(
        "the log `store.db-wal` was hurt, and what was recorded last with it: it is kept as `{}`; who moves that away goes on \
         with what is left",
        kept.display()
    )
}

impl Session for SqliteSession {
    fn begin(&mut self, access: Access) -> Result<()> {
        if self.is_full && access != Access::Read {
            return Err(Error::Full);
        }
        // What is recorded now would have the numbers of versions that others may have seen.
        if let Some(kept) = self.hurt_log.as_deref().filter(|kept| access != Access::Read && kept.exists()) {
            return Err(Error::damaged("the database", lost_with(kept)));
        }
        self.script(match access {
            Access::Read => "BEGIN DEFERRED",
            Access::Write | Access::Alone | Access::Define => "BEGIN IMMEDIATE",
        })
    }

    fn commit(&mut self) -> Result<()> {
        self.script("COMMIT")
    }

    fn roll_back(&mut self) -> Result<()> {
        // SQLite has already done so after some errors.
        if self.connection.is_autocommit() { Ok(()) } else { self.script("ROLLBACK") }
    }

    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| explained(&error))?;
        let rows = statement.execute(params_from_iter(values)).map_err(|error| explained(&error))?;
        Ok(rows as u64)
    }

    fn query(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| explained(&error))?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values)).map_err(|error| explained(&error))?;
        while let Some(row) = rows.next().map_err(|error| explained(&error))? {
            let cells = (0..columns).map(|column| row.get_ref(column).map(cell));
            let cells = cells.collect::<rusqlite::Result<Vec<_>>>().map_err(|error| explained(&error))?;
            each(Row::new(cells))?;
        }
        Ok(())
    }

    fn script(&mut self, sql: &str) -> Result<()> {
        self.connection.execute_batch(sql).map_err(|error| explained(&error))
    }

    fn has_table(&mut self, name: &str) -> Result<bool> {
        // Not by what the connection remembers of the tables: another may have made them a moment ago.
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = $1";
        let tables: rusqlite::Result<i64> = self.connection.query_row(sql, [name], |row| row.get(0));
        tables.map(|tables| tables > 0).map_err(|error| explained(&error))
    }

    fn is_alive(&self) -> bool {
        true
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        // No column has one; where there is one nevertheless, the row is damaged and says so.
        ValueRef::Real(_) => Cell::Null,
        ValueRef::Text(value) => match std::str::from_utf8(value) {
            Ok(value) => Cell::Text(value.to_owned()),
            Err(_) => Cell::Blob(value.to_owned()),
        },
        ValueRef::Blob(value) => Cell::Blob(value.to_owned()),
    }
}

/// What an error of SQLite means.
fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Whether a database cannot be opened because there is no room for what is beside it.
fn lacks_room(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE};
    let code = error.sqlite_error().map(|failure| failure.extended_code);
    code.is_some_and(|code| {
        [SQLITE_FULL, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMMAP].contains(&code)
    })
}

fn explained(error: &rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(failure, message) = error else { return Error::Database(error.to_string()) };
    let said = message.clone().unwrap_or_else(|| failure.to_string());
    match failure.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy,
        ErrorCode::DiskFull => Error::Full,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Error::ReadOnly { why: said },
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Error::damaged("the database", said),
        // Of a table or column: ours are known, so what is said of them is hurt.
        ErrorCode::Unknown if said.starts_with("no such ") => Error::damaged("the database", said),
        ErrorCode::ConstraintViolation => Error::Conflict,
        // Of what is made there already: PostgreSQL has a code for it.
        ErrorCode::Unknown if said.starts_with("duplicate column ") => Error::Conflict,
        _ => Error::Database(said),
    }
}

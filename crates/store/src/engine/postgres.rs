//! PostgreSQL, and what speaks like it: CockroachDB, YugabyteDB. The tables are where the connection's search path
//! leads.

mod cells;
mod encryption;
#[cfg(test)]
mod tests;
mod trouble;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::Type;
use postgres::{Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{Access, Engine, Row, Session, Value};
use crate::{Error, Result};
use cells::{bound, kind};
use encryption::Encryption;
use trouble::{explained, unanswered, unreadable};

/// All that the migrations make.
const TABLES: [&str; 11] =
    ["meta", "details", "frame", "content", "page", "version", "step", "visit", "reader", "seen", "bookmark"];

/// What a session needs, whatever the server's defaults are: what was acknowledged is on disk; nobody waits for ever,
/// unless the role or the URL has its own idea of how long; and CockroachDB does not end a transaction by itself where
/// tables are made.
const SETTINGS: &str = "
    SET synchronous_commit = on;
    SELECT set_config(name, value, false)
    FROM (VALUES ('lock_timeout', '60000'), ('statement_timeout', '1800000'),
        ('idle_in_transaction_session_timeout', '1800000')) AS wanted (name, value)
    WHERE current_setting(name) = '0';
    SELECT set_config('autocommit_before_ddl', 'off', false) WHERE version() LIKE 'CockroachDB%'";

/// Who writes says so by a lock of PostgreSQL's that many may hold at once, and who has to be alone by the same lock for
/// itself; the tables of one schema are one thing to hold. CockroachDB and YugabyteDB have no such locks, or only say so.
const HAS_TURNS: &str = "SELECT version() LIKE 'PostgreSQL%' AND version() NOT LIKE '%-YB-%'";
const AMONG_OTHERS: &str = "BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT pg_advisory_xact_lock_shared(1684368489, hashtext(current_schema()))";
const ALONE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT pg_advisory_xact_lock(1684368489, hashtext(current_schema()))";

/// Of every foreign key: the table, the one that it refers to, and how many rows refer to none.
const ORPHANS: &str = "
    SELECT 'bookmark', 'reader', count(*) FROM bookmark b
        WHERE NOT EXISTS (SELECT 1 FROM reader r WHERE r.id = b.reader) UNION ALL
    SELECT 'bookmark', 'version', count(*) FROM bookmark b
        WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.page = b.page AND v.number = b.number) UNION ALL
    SELECT 'content', 'frame', count(*) FROM content c
        WHERE NOT EXISTS (SELECT 1 FROM frame f WHERE f.id = c.frame) UNION ALL
    SELECT 'frame', 'frame', count(*) FROM frame d
        WHERE d.base IS NOT NULL AND NOT EXISTS (SELECT 1 FROM frame f WHERE f.id = d.base) UNION ALL
    SELECT 'page', 'content', count(*) FROM page p
        WHERE p.latest_content IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM content c WHERE c.id = p.latest_content) UNION ALL
    SELECT 'seen', 'page', count(*) FROM seen s
        WHERE NOT EXISTS (SELECT 1 FROM page p WHERE p.id = s.page) UNION ALL
    SELECT 'seen', 'reader', count(*) FROM seen s
        WHERE NOT EXISTS (SELECT 1 FROM reader r WHERE r.id = s.reader) UNION ALL
    SELECT 'step', 'frame', count(*) FROM step s
        WHERE NOT EXISTS (SELECT 1 FROM frame f WHERE f.id = s.frame) UNION ALL
    SELECT 'step', 'version', count(*) FROM step s
        WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.page = s.page AND v.number = s.number) UNION ALL
    SELECT 'version', 'content', count(*) FROM version v
        WHERE NOT EXISTS (SELECT 1 FROM content c WHERE c.id = v.content) UNION ALL
    SELECT 'version', 'details', count(*) FROM version v
        WHERE NOT EXISTS (SELECT 1 FROM details d WHERE d.id = v.details) UNION ALL
    SELECT 'version', 'page', count(*) FROM version v
        WHERE NOT EXISTS (SELECT 1 FROM page p WHERE p.id = v.page) UNION ALL
    SELECT 'visit', 'page', count(*) FROM visit v
        WHERE NOT EXISTS (SELECT 1 FROM page p WHERE p.id = v.page)
    ORDER BY 1, 2";

/// Who reads goes on behind what is hurt, at the same moment: without a savepoint to go back to, the server would end the
/// transaction with the first statement that fails.
const READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT whole";
const GO_ON: &str = "ROLLBACK TO SAVEPOINT whole";

/// The databases of a server.
pub(crate) struct Postgres {
    config: Config,
    connector: MakeRustlsConnect,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Postgres {
    /// The database of a URL such as `postgresql://user:password@host/database`; nothing is connected yet.
    pub(crate) fn open(url: &str) -> Result<Self> {
        let (encryption, url) = Encryption::taken_from(url)?;
        let mut config: Config = url.parse().map_err(|_| unreadable())?;
        if let Some(encryption) = &encryption {
            config.ssl_mode(encryption.mode);
        }
        if is_local(&config) {
            config.ssl_mode(SslMode::Disable);
        }
        set_defaults(&mut config);
        let connector = encryption.unwrap_or_default().connector()?;
        Ok(Postgres { config, connector })
    }

    /// Where the server is, without what is secret.
    fn place(&self) -> String {
        let ports = self.config.get_ports();
        let hosts = self.config.get_hosts().iter().enumerate().map(|(index, host)| {
            let port = ports.get(index).or(ports.first()).unwrap_or(&5432);
            match host {
                Host::Tcp(name) => format!("`{name}:{port}`"),
                #[cfg(unix)]
                Host::Unix(folder) => format!("`{}`", folder.display()),
            }
        });
        hosts.collect::<Vec<_>>().join(", ")
    }
}

/// Whether it is reached by sockets of this machine alone, where PostgreSQL does not encrypt.
fn is_local(config: &Config) -> bool {
    let is_socket = |host: &Host| !matches!(host, Host::Tcp(_));
    config.get_hostaddrs().is_empty() && config.get_hosts().iter().all(is_socket)
}

/// A server that does not answer is told from one that is slow; what the URL says comes first.
fn set_defaults(config: &mut Config) {
    const PATIENCE: Duration = Duration::from_secs(10);
    const MINUTE: Duration = Duration::from_secs(60);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(MINUTE);
    }
    if config.get_keepalives_idle() > MINUTE {
        config.keepalives_idle(MINUTE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(PATIENCE);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(3);
    }
    if config.get_application_name().is_none() {
        config.application_name("deltaic");
    }
}

impl Engine for Postgres {
    fn connect(&self) -> Result<Box<dyn Session>> {
        let client = self.config.connect(self.connector.clone()).map_err(|error| unanswered(&self.place(), &error))?;
        let mut session = PostgresSession::new(client);
        session.script(SETTINGS)?;
        session.is_cockroach = is_cockroach(&mut session)?;
        session.has_turns = numbers(&mut session, HAS_TURNS, &[])? == [1];
        Ok(Box::new(session))
    }

    fn migrations(&self) -> &'static [&'static str] {
        &[
            include_str!("migrations/postgres/001.sql"),
            include_str!("migrations/postgres/002.sql"),
            include_str!("migrations/postgres/003.sql"),
            include_str!("migrations/postgres/004.sql"),
        ]
    }

    fn has_tables(&self) -> bool {
        false
    }

    fn has_one_writer(&self) -> bool {
        false
    }

    fn disk_bytes(&self, session: &mut dyn Session) -> Result<u64> {
        if is_cockroach(session)? {
            // It does not tell; what lies in frames is nearly everything.
            let bytes = numbers(session, "SELECT coalesce(sum(octet_length(data)), 0) FROM frame", &[])?;
            return Ok(bytes.iter().sum::<i64>() as u64);
        }
        let mut bytes = 0;
        for table in TABLES {
            let sql = "SELECT coalesce(pg_total_relation_size(to_regclass($1)), 0)";
            bytes += numbers(session, sql, &[Value::Text(table)])?.iter().sum::<i64>() as u64;
        }
        Ok(bytes)
    }

    fn shrink(&self, session: &mut dyn Session) -> Result<()> {
        // CockroachDB does so by itself, and has no word for it.
        if is_cockroach(session)? {
            return Ok(());
        }
        session.script("SET statement_timeout = 0")?;
        let shrunk = session.script(&format!("VACUUM (FULL, ANALYZE) {}", TABLES.join(", ")));
        session.script("RESET statement_timeout")?;
        session.script(SETTINGS)?;
        shrunk
    }

    fn faults(&self, session: &mut dyn Session) -> Result<Vec<String>> {
        let mut faults = unsound(session)?;
        faults.extend(orphans(session)?);
        Ok(faults)
    }

    fn read_only(&self) -> Option<String> {
        None
    }
}

/// What PostgreSQL's `amcheck` finds, where that extension is installed and may be used.
fn unsound(session: &mut dyn Session) -> Result<Vec<String>> {
    const CHECKS: &str = "SELECT count(*) FROM pg_proc
        WHERE proname IN ('verify_heapam', 'bt_index_check') AND pg_function_is_visible(oid)
            AND has_function_privilege(oid, 'EXECUTE')";
    const INDEXES: &str = "SELECT indexrelid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indrelid = to_regclass($1) AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree')";
    if is_cockroach(session)? || numbers(session, CHECKS, &[])? == [0] {
        return Ok(Vec::new());
    }
    let mut faults = Vec::new();
    for table in TABLES {
        let rows = "SELECT msg FROM verify_heapam(to_regclass($1))";
        faults.extend(complaints(session, rows, Value::Text(table))?);
        for index in numbers(session, INDEXES, &[Value::Text(table)])? {
            let index = Value::Int(index);
            faults.extend(complaints(session, "SELECT bt_index_check($1::oid::regclass, true)", index)?);
        }
    }
    Ok(faults)
}

/// Rows that belong to others which are not there: PostgreSQL looks at that where one is written, and never again.
fn orphans(session: &mut dyn Session) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let counted = session.query(ORPHANS, &[], &mut |mut row| {
        let (table, parent, count): (String, String, i64) = (row.take()?, row.take()?, row.take()?);
        found.extend((count > 0).then(|| super::orphaned(&table, &parent, count as u64)));
        Ok(())
    });
    match counted {
        Err(Error::Damaged { why, .. }) => Ok(vec![why]),
        counted => counted.map(|()| found),
    }
}

fn is_cockroach(session: &mut dyn Session) -> Result<bool> {
    Ok(numbers(session, "SELECT version() LIKE 'CockroachDB%'", &[])? == [1])
}

fn numbers(session: &mut dyn Session, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    session.query(sql, values, &mut |mut row| {
        found.push(row.take()?);
        Ok(())
    })?;
    Ok(found)
}

/// What a check says, in rows or by failing.
fn complaints(session: &mut dyn Session, sql: &'static str, about: Value<'_>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let checked = session.query(sql, &[about], &mut |mut row| {
        found.extend(row.take::<Option<String>>()?.filter(|said| !said.is_empty()));
        Ok(())
    });
    match checked {
        Ok(()) => {}
        Err(Error::Damaged { why, .. }) => found.push(why),
        Err(error) => return Err(error),
    }
    Ok(found)
}

/// A connection, with the statements that it has prepared.
struct PostgresSession {
    client: Client,
    /// A value's kind is part of a statement there, and `NULL` has none.
    statements: HashMap<(&'static str, Vec<Type>), Statement>,
    is_cockroach: bool,
    /// Whether a writer can be alone there.
    has_turns: bool,
    access: Access,
    /// After an error the server takes the word `COMMIT` for `ROLLBACK`, without another error.
    is_broken: bool,
    /// Why there is no connection any more.
    lost: Option<String>,
}

impl fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSession").field("is_alive", &self.is_alive()).finish_non_exhaustive()
    }
}

impl PostgresSession {
    fn new(client: Client) -> Self {
        PostgresSession {
            client,
            statements: HashMap::new(),
            is_cockroach: false,
            has_turns: false,
            access: Access::Read,
            is_broken: false,
            lost: None,
        }
    }

    fn statement(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Statement> {
        let key = (sql, values.iter().map(kind).collect::<Result<Vec<_>>>()?);
        if let Some(statement) = self.statements.get(&key) {
            return Ok(statement.clone());
        }
        let prepared = self.client.prepare_typed(sql, &key.1);
        let statement = self.noted(prepared)?;
        self.statements.insert(key, statement.clone());
        Ok(statement)
    }

    /// An outcome as the store knows it; an error is remembered.
    fn noted<T>(&mut self, outcome: Result<T, postgres::Error>) -> Result<T> {
        outcome.map_err(|error| {
            let error = explained(&error, self.access);
            self.is_broken = true;
            if let Error::Connection { why } = &error {
                self.lost.get_or_insert_with(|| why.clone());
            }
            if self.access == Access::Read && error.is_damage() {
                self.is_broken = self.client.batch_execute(GO_ON).is_err();
            }
            error
        })
    }
}

/// Hands over row by row, as they come; what goes wrong may be the server's or the receiver's.
fn hand_over(
    client: &mut Client,
    statement: &Statement,
    values: &[Value<'_>],
    each: &mut dyn FnMut(Row) -> Result<()>,
) -> Result<Result<()>, postgres::Error> {
    let bound = values.iter().zip(statement.params()).map(|(value, kind)| bound(value, kind));
    let mut rows = client.query_raw(statement, bound)?;
    while let Some(row) = rows.next()? {
        if let Err(error) = cells::row(&row).and_then(&mut *each) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

impl Session for PostgresSession {
    fn begin(&mut self, access: Access) -> Result<()> {
        self.access = access;
        self.is_broken = false;
        self.script(match access {
            Access::Read => READING,
            Access::Write if self.has_turns => AMONG_OTHERS,
            Access::Alone | Access::Define if self.has_turns => ALONE,
            Access::Write | Access::Alone => "BEGIN ISOLATION LEVEL READ COMMITTED",
            Access::Define => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        })
    }

    fn commit(&mut self) -> Result<()> {
        if self.is_broken {
            let failed =
                || Error::Database("a statement of the transaction has failed, so nothing of it is kept".into());
            return Err(self.lost.clone().map_or_else(failed, |why| Error::Connection { why }));
        }
        self.script("COMMIT")
    }

    fn roll_back(&mut self) -> Result<()> {
        self.script("ROLLBACK")
    }

    fn execute(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        let statement = self.statement(sql, values)?;
        let bound: Vec<_> = values.iter().zip(statement.params()).map(|(value, kind)| bound(value, kind)).collect();
        let executed = self.client.execute(&statement, &bound);
        self.noted(executed)
    }

    fn query(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        each: &mut dyn FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        let statement = self.statement(sql, values)?;
        let handed_over = hand_over(&mut self.client, &statement, values, each);
        self.noted(handed_over)?
    }

    fn script(&mut self, sql: &str) -> Result<()> {
        // CockroachDB compares text by its bytes in any case, and has no columns that say so.
        let plain = self.is_cockroach.then(|| sql.replace(" COLLATE \"C\"", ""));
        let sql = plain.as_deref().unwrap_or(sql);
        let executed = self.client.batch_execute(sql);
        self.noted(executed)
    }

    fn has_table(&mut self, name: &str) -> Result<bool> {
        Ok(numbers(self, "SELECT to_regclass($1) IS NOT NULL", &[Value::Text(name)])? == [1])
    }

    fn is_alive(&self) -> bool {
        self.lost.is_none() && !self.client.is_closed()
    }
}

//! How does a test get at the tables of a store past the store, to do what nobody should?

#![allow(dead_code, reason = "each test program has its own use of it")]

use rusqlite::types::{ToSqlOutput, ValueRef};
use store::Location;

/// A connection that minds no foreign keys.
pub enum Tables {
    Sqlite(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Postgres(postgres::Client),
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl Tables {
    pub fn of(location: &Location) -> Tables {
        let (mut tables, script) = match location {
            Location::Folder(folder) => {
                let connection = rusqlite::Connection::open(folder.join("store.db")).expect("a database");
                (Tables::Sqlite(connection), "PRAGMA foreign_keys = OFF")
            }
            #[cfg(feature = "postgres")]
            Location::Database(url) => {
                let client = postgres::Client::connect(url, postgres::NoTls).expect("a database");
                (Tables::Postgres(client), "SET session_replication_role = replica")
            }
        };
        tables.run(script);
        tables
    }

    /// Runs statements without values.
    pub fn run(&mut self, script: &str) {
        match self {
            Tables::Sqlite(connection) => connection.execute_batch(script).expect("done"),
            #[cfg(feature = "postgres")]
            Tables::Postgres(client) => client.batch_execute(script).expect("done"),
        }
    }

    /// Runs a statement with values `$1, $2 …`; false where the database refuses it.
    pub fn execute(&mut self, sql: &str, values: &[Cell]) -> bool {
        match self {
            Tables::Sqlite(connection) => connection.execute(sql, rusqlite::params_from_iter(values)).is_ok(),
            #[cfg(feature = "postgres")]
            Tables::Postgres(client) => {
                let values: Vec<_> = values.iter().map(|value| value as &(dyn postgres::types::ToSql + Sync)).collect();
                client.execute(sql, &values).is_ok()
            }
        }
    }

    /// The names of the columns that a statement gives, and its rows.
    pub fn rows(&mut self, sql: &str) -> (Vec<String>, Vec<Vec<Cell>>) {
        match self {
            Tables::Sqlite(connection) => {
                let mut statement = connection.prepare(sql).expect("a statement");
                let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
                let row = |row: &rusqlite::Row<'_>| (0..names.len()).map(|at| row.get_ref(at).map(cell)).collect();
                let rows = statement.query_map([], row).expect("rows").collect::<rusqlite::Result<_>>();
                (names, rows.expect("rows"))
            }
            #[cfg(feature = "postgres")]
            Tables::Postgres(client) => {
                let statement = client.prepare(sql).expect("a statement");
                let names: Vec<String> = statement.columns().iter().map(|column| column.name().to_owned()).collect();
                let row = |row: postgres::Row| (0..names.len()).map(|at| row.get(at)).collect();
                let rows = client.query(&statement, &[]).expect("rows").into_iter().map(row).collect();
                (names, rows)
            }
        }
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Text(value) => Cell::Text(String::from_utf8(value.to_owned()).expect("text")),
        ValueRef::Blob(value) => Cell::Blob(value.to_owned()),
        ValueRef::Real(_) => panic!("no column has one"),
    }
}

impl rusqlite::ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Null => ValueRef::Null,
            Cell::Int(value) => ValueRef::Integer(*value),
            Cell::Text(value) => ValueRef::Text(value.as_bytes()),
            Cell::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

#[cfg(feature = "postgres")]
mod in_postgres {
    use std::error::Error;

    use postgres::types::private::BytesMut;
    use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

    use super::Cell;

    type Converted<T> = Result<T, Box<dyn Error + Sync + Send>>;

    impl ToSql for Cell {
        fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Converted<IsNull> {
            match self {
                Cell::Null => Ok(IsNull::Yes),
                Cell::Int(value) => value.to_sql(kind, out),
                Cell::Text(value) => value.to_sql(kind, out),
                Cell::Blob(value) => value.to_sql(kind, out),
            }
        }

        fn accepts(_: &Type) -> bool {
            true
        }

        to_sql_checked!();
    }

    impl<'a> FromSql<'a> for Cell {
        fn from_sql(kind: &Type, raw: &'a [u8]) -> Converted<Self> {
            Ok(match *kind {
                Type::INT8 => Cell::Int(i64::from_sql(kind, raw)?),
                Type::BYTEA => Cell::Blob(raw.to_owned()),
                _ => Cell::Text(String::from_sql(kind, raw)?),
            })
        }

        fn from_sql_null(_: &Type) -> Converted<Self> {
            Ok(Cell::Null)
        }

        fn accepts(_: &Type) -> bool {
            true
        }
    }
}

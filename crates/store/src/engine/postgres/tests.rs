//! Against a real server, where one is installed.

mod encryption;
mod faults;
#[path = "../../../tests/support/postgres.rs"]
mod support;

use std::sync::Barrier;
use std::thread;

use support::{Schema, Server};

use super::super::{Cell, Database, Transaction, migrate, values};
use super::*;

fn database(url: &str) -> Database {
    Database::new(Box::new(Postgres::open(url).expect("a URL")))
}

/// A database with a table `t` of all kinds, in a schema of its own.
fn with_table() -> Option<(Schema, Database)> {
    let schema = Schema::new()?;
    let database = database(&schema.url());
    let table = "CREATE TABLE t (id BIGINT PRIMARY KEY, number BIGINT, words TEXT, bytes BYTEA)";
    database.session().and_then(|mut session| session.script(table)).expect("a table");
    Some((schema, database))
}

fn insert(transaction: &mut Transaction<'_>, id: i64) -> Result<u64> {
    transaction.execute("INSERT INTO t (id) VALUES ($1)", values![id])
}

fn count(database: &Database) -> i64 {
    database.read(|transaction| transaction.number("SELECT count(*) FROM t", values![])).expect("a number")
}

fn cells(database: &Database, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Cell>> {
    let mut found = Vec::new();
    database.read(|transaction| {
        transaction.query(sql, values, |row| {
            found.extend(row.into_cells());
            Ok(())
        })
    })?;
    Ok(found)
}

#[test]
fn values_of_every_kind_come_back() {
    let Some((_schema, database)) = with_table() else { return };
    let large = vec![0xa7; 3_000_000];
    let rows: [[Value<'_>; 3]; 6] = [
        [Value::Null, Value::Null, Value::Null],
        [Value::Int(0), Value::Text(""), Value::Blob(&[])],
        [Value::Int(i64::MAX), Value::Text("ä €\u{10ffff}\n'\\"), Value::Blob(&[0, 255, 0])],
        [Value::Int(i64::MIN), Value::Null, Value::Blob(&large)],
        [Value::Null, Value::Text("x"), Value::Null],
        [Value::Int(-1), Value::Text("$1"), Value::Null],
    ];
    let insert = "INSERT INTO t (id, number, words, bytes) VALUES ($1, $2, $3, $4)";
    for (id, [number, words, bytes]) in rows.into_iter().enumerate() {
        let values = [Value::from(id), number, words, bytes];
        assert_eq!(database.write(|transaction| transaction.execute(insert, &values)).expect("it is stored"), 1);
        let found = cells(&database, "SELECT number, words, bytes FROM t WHERE id = $1", values![id]);
        assert_eq!(found.expect("it is there"), [number, words, bytes].map(cell), "row {id}");
    }
}

fn cell(value: Value<'_>) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Int(value) => Cell::Int(value),
        Value::Text(value) => Cell::Text(value.into()),
        Value::Blob(value) => Cell::Blob(value.into()),
    }
}

#[test]
fn whole_numbers_of_any_kind_are_one_kind() {
    let Some((_schema, database)) = with_table() else { return };
    let check = |sql: &'static str, values: &[Value<'_>], expected: Option<i64>| {
        let found = cells(&database, sql, values).ok();
        assert_eq!(found, expected.map(|number| vec![Cell::Int(number)]), "{sql}");
    };
    check("SELECT count(*) FROM t", &[], Some(0));
    check("SELECT coalesce(sum(number), 0) FROM t", &[], Some(0));
    check("SELECT sum(n) FROM (VALUES (9223372036854775806), (1)) AS t (n)", &[], Some(i64::MAX));
    check("SELECT sum(n) FROM (VALUES (-9223372036854775807), (-1)) AS t (n)", &[], Some(i64::MIN));
    check("SELECT sum(n) FROM (VALUES (9223372036854775806), (2)) AS t (n)", &[], None);
    check("SELECT 10000000000000000::numeric", &[], Some(10_000_000_000_000_000));
    check("SELECT 120000.00::numeric", &[], Some(120_000));
    check("SELECT 0.00000::numeric", &[], Some(0));
    check("SELECT 1.5::numeric", &[], None);
    check("SELECT 1e300::numeric", &[], None);
    check("SELECT 'NaN'::numeric", &[], None);
    check("SELECT 7::smallint", &[], Some(7));
    check("SELECT -7::int", &[], Some(-7));
    check("SELECT EXISTS (SELECT 1)", &[], Some(1));
    // Smaller kinds that a server would choose for `$1` would not hold a time.
    check("SELECT $1 - 1", values![i64::MAX], Some(i64::MAX - 1));
    check("SELECT coalesce($1, 0)", values![i64::MAX], Some(i64::MAX));
    check("SELECT $1", values![7_i64], Some(7));
    check("SELECT 1.5::float8", &[], None);
}

#[test]
fn text_that_cannot_be_stored_is_refused_before_it_is_sent() {
    let Some((_schema, database)) = with_table() else { return };
    let stored = database.write(|transaction| {
        let refused = transaction.execute("INSERT INTO t (id, words) VALUES ($1, $2)", values![1_i64, "a\0b"]);
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
        insert(transaction, 2)
    });
    assert_eq!((stored.expect("the transaction goes on"), count(&database)), (1, 1));
}

#[test]
fn a_transaction_that_is_dropped_or_broken_leaves_nothing() {
    let Some((_schema, database)) = with_table() else { return };
    let mut dropped = database.begin(Access::Write).expect("a transaction");
    insert(&mut dropped, 1).expect("a row");
    drop(dropped);
    assert_eq!(count(&database), 0);

    // The server would answer `COMMIT` without a word.
    let mut broken = database.begin(Access::Write).expect("a transaction");
    insert(&mut broken, 2).expect("a row");
    assert!(matches!(insert(&mut broken, 2), Err(Error::Conflict)));
    assert!(matches!(broken.commit(), Err(Error::Database(_))));
    drop(broken);
    assert_eq!(count(&database), 0);
}

#[test]
fn a_reader_sees_one_moment_and_writes_nothing() {
    let Some((_schema, database)) = with_table() else { return };
    let mut reader = database.begin(Access::Read).expect("a transaction");
    let mut see = |expected: i64| {
        assert_eq!(reader.number("SELECT count(*) FROM t", values![]).expect("a number"), expected);
    };
    see(0);
    database.write(|transaction| insert(transaction, 1)).expect("a row");
    see(0);
    assert!(matches!(insert(&mut reader, 2), Err(Error::ReadOnly { .. })));
    drop(reader);
    assert_eq!(count(&database), 1);
}

#[test]
fn writers_that_meet_all_come_through() {
    let Some((_schema, database)) = with_table() else { return };
    database
        .write(|transaction| transaction.execute("INSERT INTO t (id, number) VALUES (1, 0), (2, 0)", values![]))
        .expect("rows");
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (start, database) = (&start, &database);
            scope.spawn(move || {
                start.wait();
                // In both orders, so that some wait for each other until the server ends one.
                let order = if writer % 2 == 0 { [1_i64, 2] } else { [2, 1] };
                for _ in 0..10 {
                    let add = |transaction: &mut Transaction<'_>| {
                        for id in order {
                            transaction.execute("UPDATE t SET number = number + 1 WHERE id = $1", values![id])?;
                        }
                        Ok(())
                    };
                    database.write(add).expect("it is written in the end");
                }
            });
        }
    });
    assert_eq!(cells(&database, "SELECT number FROM t", &[]).expect("rows"), [Cell::Int(40), Cell::Int(40)]);
}

#[test]
fn who_is_alone_has_no_writer_beside() {
    let Some((_schema, database)) = with_table() else { return };
    let mut alone = database.begin(Access::Alone).expect("a transaction");
    thread::scope(|scope| {
        let other = scope.spawn(|| database.write(|transaction| insert(transaction, 1)));
        insert(&mut alone, 2).expect("a row");
        assert_eq!(count(&database), 0, "a reader does not wait");
        thread::sleep(Duration::from_millis(100));
        assert!(!other.is_finished());
        alone.commit().expect("it is kept");
        other.join().expect("no panic").expect("a row");
    });
    assert_eq!(count(&database), 2);
}

#[test]
fn a_receiver_may_stop_in_the_middle() {
    let Some((_schema, database)) = with_table() else { return };
    let mut transaction = database.begin(Access::Write).expect("a transaction");
    let mut received = 0;
    let stopped = transaction.query("SELECT n FROM generate_series(1, 100000) AS n", values![], |_| {
        received += 1;
        if received < 3 { Ok(()) } else { Err(Error::Busy) }
    });
    assert!(matches!(stopped, Err(Error::Busy)), "{stopped:?}");
    insert(&mut transaction, received).expect("the transaction goes on");
    transaction.commit().expect("it is kept");
    assert_eq!(cells(&database, "SELECT id FROM t", &[]).expect("a row"), [Cell::Int(3)]);
}

#[test]
fn commits_are_on_disk_whatever_the_server_thinks_of_it() {
    let Some(schema) = Schema::new() else { return };
    let database = database(&schema.url_with(" -c synchronous_commit=off -c lock_timeout=7s"));
    let set = |sql: &'static str| cells(&database, sql, &[]).expect("a setting");
    assert_eq!(set("SHOW synchronous_commit"), [Cell::Text("on".into())]);
    assert_eq!(set("SHOW lock_timeout"), [Cell::Text("7s".into())]);
    assert_eq!(set("SHOW statement_timeout"), [Cell::Text("30min".into())]);
}

#[test]
fn tables_are_made_once_whoever_comes() {
    let Some(schema) = Schema::new() else { return };
    let start = Barrier::new(6);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let database = database(&schema.url());
                start.wait();
                migrate(&database).expect("tables");
                migrate(&database).expect("nothing to do");
            });
        }
    });
    let made = "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'";
    let mut made = cells(&database(&schema.url()), made, &[]).expect("rows");
    let mut expected = TABLES.map(|name| Cell::Text(name.into()));
    made.sort_by_key(|cell| format!("{cell:?}"));
    expected.sort_by_key(|cell| format!("{cell:?}"));
    assert_eq!(made, expected);
}

#[test]
fn tables_of_somebody_else_are_left_alone() {
    let Some(schema) = Schema::new() else { return };
    let database = database(&schema.url());
    database.session().and_then(|mut session| session.script("CREATE TABLE page (words TEXT)")).expect("a table");
    let refused = migrate(&database);
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    assert_eq!(cells(&database, "SELECT to_regclass('meta') IS NULL", &[]).expect("a row"), [Cell::Int(1)]);
}

#[test]
fn a_long_url_finds_its_place() {
    let Some(schema) = Schema::new() else { return };
    let database = database(&schema.url());
    migrate(&database).expect("tables");
    // Nothing that could be compressed into an entry of an index.
    let mut seed = 7_u64;
    let url: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (seed >> 33) as u8 % 90)
    })
    .take(crate::Address::MOST_BYTES)
    .collect();
    let insert = "INSERT INTO page (key, url, method, latest) VALUES ($1, $2, 'GET', 0)";
    database.write(|transaction| transaction.execute(insert, values![&b"k"[..], &*url])).expect("a page");
}

#[test]
fn space_is_told_and_given_back() {
    // On a server of its own: what other tests may still be looking at is not given back.
    let Some(server) = Server::private() else { return };
    let database = database(&server.url());
    migrate(&database).expect("tables");
    let mut session = database.session().expect("a session");
    let bytes = |session: &mut dyn Session| database.engine().disk_bytes(session).expect("a size");
    let empty = bytes(&mut *session);
    let data: Vec<u8> = (0..2_000_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let insert = "INSERT INTO frame (length, reach, data) VALUES (1, 1, $1)";
    session.execute(insert, values![&*data]).expect("a frame");
    assert!(bytes(&mut *session) > empty + 8_000_000);
    session.execute("DELETE FROM frame", values![]).expect("no frame");
    database.engine().shrink(&mut *session).expect("smaller");
    assert!(bytes(&mut *session) < empty + 1_000_000);
    let mut timeout = Vec::new();
    let mut note = |row: Row| {
        timeout.extend(row.into_cells());
        Ok(())
    };
    session.query("SHOW statement_timeout", &[], &mut note).expect("a setting");
    assert_eq!(timeout, [Cell::Text("30min".into())]);
}

//! What becomes of a transaction when the server, its disk or the connection fails, and what is said of it?

use super::super::super::{Cell, Transaction, migrate, values};
use super::super::*;
use super::support::{Schema, Server};
use super::{cells, count, database, insert, with_table};

#[test]
fn what_the_server_says_is_understood_by_its_code() {
    let Some((_schema, database)) = with_table() else { return };
    let check = |access: Access, code: &str, is_expected: fn(&Error) -> bool| {
        let mut transaction = database.begin(access).expect("a transaction");
        let raise = format!("DO $$ BEGIN RAISE EXCEPTION 'so it is' USING ERRCODE = '{code}'; END $$");
        let error = transaction.script(&raise).expect_err(code);
        assert!(is_expected(&error), "{code}: {error:?}");
    };
    let write = |code: &str, is_expected: fn(&Error) -> bool| check(Access::Write, code, is_expected);
    for code in ["40001", "40P01", "23505", "23503", "42P07", "42701"] {
        write(code, |error| matches!(error, Error::Conflict));
    }
    for code in ["57P01", "57P02", "57P03", "08006"] {
        write(code, |error| matches!(error, Error::Connection { .. }));
    }
    write("53100", |error| matches!(error, Error::Full));
    write("55P03", |error| matches!(error, Error::Busy));
    write("25006", |error| matches!(error, Error::ReadOnly { .. }));
    write("42501", |error| matches!(error, Error::ReadOnly { why } if why == "so it is"));
    for code in ["XX000", "XX001", "XX002", "22003", "42P01", "42703", "58P01"] {
        write(code, Error::is_damage);
    }
    write("57014", |error| matches!(error, Error::Database(said) if said == "so it is (57014)"));
    check(Access::Read, "42501", |error| matches!(error, Error::Database(_)));
}

#[test]
fn a_lost_connection_is_replaced() {
    let Some((schema, database)) = with_table() else { return };
    let mut cut_off = database.begin(Access::Write).expect("a transaction");
    insert(&mut cut_off, 1).expect("a row");
    end_session(&schema, &mut cut_off);
    let lost = insert(&mut cut_off, 2);
    assert!(matches!(lost, Err(Error::Connection { .. })), "{lost:?}");
    drop(cut_off);
    assert_eq!(count(&database), 0);

    // Several that were idle when they were ended: nobody notices.
    let end_idle = || {
        let both = [(); 2].map(|()| database.begin(Access::Read).expect("a transaction"));
        for mut transaction in both {
            end_session(&schema, &mut transaction);
            transaction.session.take().into_iter().for_each(|session| database.give_back(session));
        }
    };
    end_idle();
    database.write(|transaction| insert(transaction, 3)).expect("a row");
    end_idle();
    let mut session = database.session().expect("a session");
    assert_eq!(numbers(&mut *session, "SELECT id FROM t", &[]).expect("a row"), [3]);
}

/// Ends the session of this transaction from outside.
fn end_session(schema: &Schema, transaction: &mut Transaction<'_>) {
    let process = transaction.number("SELECT pg_backend_pid()", values![]).expect("a process") as i32;
    let mut admin = schema.server().admin();
    admin.execute("SELECT pg_terminate_backend($1, 10000)", &[&process]).expect("it is ended");
}

#[test]
fn what_was_acknowledged_outlives_a_crash() {
    let Some(mut server) = Server::private() else { return };
    let database = database(&server.url_of_port());
    migrate(&database).expect("tables");
    let insert = "INSERT INTO meta (name, value) VALUES ($1, $1)";
    database.write(|transaction| transaction.execute(insert, values!["kept"])).expect("a row");
    let mut open = database.begin(Access::Write).expect("a transaction");
    open.execute(insert, values!["lost"]).expect("a row");
    server.crash();
    let lost = open.commit();
    assert!(matches!(lost, Err(Error::Connection { .. })), "{lost:?}");
    drop(open);
    assert!(matches!(database.begin(Access::Read), Err(Error::Connection { .. })));

    server.start();
    let database = self::database(&server.url_of_port());
    migrate(&database).expect("tables");
    let found = cells(&database, "SELECT name FROM meta ORDER BY name", &[]);
    assert_eq!(found.expect("rows"), ["format", "kept"].map(|name| Cell::Text(name.into())));
}

#[test]
fn who_reads_goes_on_behind_damage_at_the_same_moment() {
    let Some((_schema, database)) = with_table() else { return };
    let mut reader = database.begin(Access::Read).expect("a transaction");
    let count = |reader: &mut Transaction<'_>| reader.number("SELECT count(*) FROM t", values![]).expect("a number");
    assert_eq!(count(&mut reader), 0);
    database.write(|transaction| insert(transaction, 1)).expect("a row");
    for _ in 0..2 {
        let hurt = reader.script("DO $$ BEGIN RAISE EXCEPTION 'hurt' USING ERRCODE = 'XX001'; END $$");
        assert!(hurt.is_err_and(|error| error.is_damage()));
        assert_eq!(count(&mut reader), 0);
    }
    reader.commit().expect("it is whole");
}

#[test]
fn every_foreign_key_is_looked_at() {
    let Some(schema) = Schema::new() else { return };
    let database = database(&schema.url());
    migrate(&database).expect("tables");
    let keys = "SELECT conrelid::regclass::text, confrelid::regclass::text, 0::bigint FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2";
    assert_eq!(cells(&database, keys, &[]).expect("keys"), cells(&database, ORPHANS, &[]).expect("none of any"));
}

#[test]
fn damage_to_an_index_is_found() {
    let Some(mut server) = Server::private() else { return };
    let database = database(&server.url());
    migrate(&database).expect("tables");
    let mut session = database.session().expect("a session");
    assert_eq!(database.engine().faults(&mut *session).expect("a check"), [""; 0], "without the extension");
    server.admin().batch_execute("CREATE EXTENSION amcheck").expect("it comes with the server");
    session.script("INSERT INTO reader SELECT 'reader ' || n FROM generate_series(1, 5000) AS n").expect("rows");
    assert_eq!(database.engine().faults(&mut *session).expect("a check"), [""; 0]);

    let file = numbers(&mut *session, "SELECT pg_relation_filenode('reader_pkey')", &[]).expect("a file")[0];
    let folder = numbers(&mut *session, "SELECT oid FROM pg_database WHERE datname = 'postgres'", &[]).expect("one")[0];
    session.script("CHECKPOINT").expect("all is on disk");
    drop((session, database));
    server.crash();
    let file = server.data().join(format!("base/{folder}/{file}"));
    let mut bytes = std::fs::read(&file).expect("an index");
    // Behind the page about the index itself, where its entries are in their order: two are exchanged.
    bytes[8192 + 40..8192 + 48].rotate_left(4);
    std::fs::write(&file, bytes).expect("damage");
    server.start();
    let database = self::database(&server.url());
    let mut session = database.session().expect("a session");
    let faults = database.engine().faults(&mut *session).expect("a check");
    assert!(!faults.is_empty());
}

#[test]
fn no_message_has_the_password_in_it() {
    let check = |url: &str, expected: &str| {
        let outcome = Postgres::open(url).and_then(|engine| {
            assert!(!format!("{engine:?}").contains("secret"), "{engine:?}");
            engine.connect().map(drop)
        });
        let error = outcome.expect_err(url);
        let said = format!("{error} {error:?}");
        assert!(said.contains(expected) && !said.contains("secret"), "{url}: {said}");
    };
    check("postgresql://deltaic:secret@127.0.0.1:1/postgres", "`127.0.0.1:1`");
    check("postgresql://deltaic:secret@/none?host=/nowhere", "`/nowhere`");
    check("postgresql://deltaic:secret@127.0.0.1:1/postgres?sslmode=verify-full", "`127.0.0.1:1`");
    check("postgresql://deltaic:secret@host/postgres?sslmode=secret", "`sslmode` in the URL");
    check("postgresql://deltaic:pass?secret=1@127.0.0.1:1/postgres", "`127.0.0.1:1`");
    check("postgresql://deltaic@pass/word?secret=1@127.0.0.1:1/postgres", "is not understood");
    check("postgresql://deltaic:secret@127.0.0.1:port/postgres", "is not understood");
    check("secret", "is not understood");
    let Some(server) = Server::shared() else { return };
    let wrong = server.url_of_port().replace(&server.password(), "secret");
    check(&wrong, "password authentication failed");
    check(&server.url_of_port().replace("/postgres", "/none"), "database \"none\" does not exist");
}

#[test]
fn a_database_that_can_only_be_read_says_so() {
    let Some((schema, database)) = with_table() else { return };
    let standby = self::database(&schema.url_with(" -c default_transaction_read_only=on"));
    assert_eq!(count(&standby), 0);
    let refused = standby.write(|transaction| insert(transaction, 1));
    assert!(matches!(refused, Err(Error::ReadOnly { .. })), "{refused:?}");

    let role = format!("reader_of_{}", schema.name());
    let name = schema.name();
    let script = format!(
        "CREATE ROLE {role}; GRANT USAGE ON SCHEMA {name} TO {role}; GRANT SELECT ON {name}.t TO {role}; \
         GRANT {role} TO deltaic"
    );
    schema.server().admin().batch_execute(&script).expect("a role");
    let reader = self::database(&schema.url_with(&format!(" -c role={role}")));
    assert_eq!(count(&reader), 0);
    let refused = reader.write(|transaction| insert(transaction, 1));
    assert!(matches!(&refused, Err(Error::ReadOnly { why }) if why.contains("permission denied")), "{refused:?}");
    drop(reader);
    let script =
        format!("REVOKE ALL ON {name}.t FROM {role}; REVOKE ALL ON SCHEMA {name} FROM {role}; DROP ROLE {role}");
    schema.server().admin().batch_execute(&script).expect("the role goes");
    drop(database);
}

#[test]
fn somebody_who_holds_a_lock_for_too_long_is_reported() {
    let Some((schema, database)) = with_table() else { return };
    database.write(|transaction| insert(transaction, 1)).expect("a row");
    let mut holder = database.begin(Access::Write).expect("a transaction");
    holder.execute("UPDATE t SET number = 1", values![]).expect("a lock");
    let impatient = self::database(&schema.url_with(" -c lock_timeout=50"));
    let waited = impatient.write(|transaction| transaction.execute("UPDATE t SET number = 2", values![]));
    assert!(matches!(waited, Err(Error::Busy)), "{waited:?}");
}

//! What if a bit of a file of PostgreSQL's is another? By itself it looks at no checksum. The law is that of [`damage`],
//! where the server has `amcheck`, by which `verify` looks at indexes: one that is hurt hides rows from who reads.
//!
//! [`damage`]: super::damage

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use store::Location;

use super::damage::{Came, flips, look_at, make};
use super::engines::postgres::Server;
use super::seed;
use super::support::Draws;

/// Where it is. What is hurt may lead a statement round in circles, and then it is ended; and tables as small as these would
/// never be looked up by their indexes.
fn location(server: &Server) -> Location {
    let settings = ["statement_timeout=20000", "enable_seqscan=off"];
    let settings = settings.map(|setting| format!("-c%20{}", setting.replace('=', "%3D")));
    Location::Database(format!("{}?options={}", server.url(), settings.join("%20")))
}

/// The files of all tables and indexes, once nothing is left to be written to them.
fn settled(server: &Server) -> Vec<(PathBuf, Vec<u8>)> {
    let mut admin = server.admin();
    let quiet = ["ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()"];
    for statement in quiet.iter().chain(&["CREATE EXTENSION amcheck", "VACUUM FREEZE", "CHECKPOINT"]) {
        admin.batch_execute(statement).expect(statement);
    }
    let ours = "SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
    let sql = format!(
        "WITH tables (oid) AS ({ours} UNION SELECT reltoastrelid FROM pg_class WHERE oid IN ({ours})) \
         SELECT pg_relation_filepath(oid) FROM tables WHERE oid <> 0 UNION \
         SELECT pg_relation_filepath(indexrelid) FROM pg_index WHERE indrelid IN (SELECT oid FROM tables) ORDER BY 1"
    );
    let files = admin.query(&sql, &[]).expect("files");
    let files = files.iter().map(|row| server.data().join(row.get::<_, &str>(0)));
    let files = files.map(|file| (file.clone(), fs::read(file).expect("a file")));
    files.filter(|(_, bytes)| bytes.iter().any(|&byte| byte != 0)).collect()
}

#[test]
#[ignore = "it starts a server for every bit, and where a bit strikes is up to the server: `--run-ignored all`"]
fn a_flipped_bit_is_noticed_or_means_nothing() {
    let Some(mut server) = Server::private() else { return };
    let mut draws = Draws(seed());
    let expected = make(&location(&server), false);
    let files = settled(&server);
    let mut counts: BTreeMap<Came, usize> = BTreeMap::new();
    let mut unnoticed = Vec::new();
    server.crash();
    for _ in 0..flips().div_ceil(4) {
        let (file, whole) = &files[draws.below(files.len())];
        // Where nothing is written, hardly anything would come of it.
        let written: Vec<usize> = (0..whole.len()).filter(|&place| whole[place] != 0).collect();
        let (place, bit) = (written[draws.below(written.len())], draws.below(8));
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << bit;
        fs::write(file, bytes).expect("written");
        server.start();
        let location = location(&server);
        match catch_unwind(|| look_at(&location, &expected)) {
            Ok(came) => *counts.entry(came).or_default() += 1,
            Err(_) => unnoticed.push(format!("bit {bit} of byte {place} of {}", file.display())),
        }
        server.crash();
        fs::write(file, whole).expect("written");
    }
    eprintln!("{} files: {counts:?}", files.len());
    // All is as it was; and only a server that runs is tidied up.
    server.start();
    assert_eq!(look_at(&location(&server), &expected), Came::Nothing);
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

//! Does the short form stand for the same delta, and is anything else refused?

use crate::delta::Delta;
use crate::parse::Limits;

/// One delta with every operation, and one of each other format.
const ALL: [&str; 4] = [
    include_str!("../../../../../fuzz/seeds/delta/all.xml"),
    include_str!("../../../../../fuzz/seeds/delta/exact.xml"),
    include_str!("../../../../../fuzz/seeds/delta/html.xml"),
    include_str!("../../../../../fuzz/seeds/delta/json.xml"),
];

fn read(source: &str) -> Delta {
    Delta::read(source, &Limits::default()).unwrap()
}

fn refused(binary: &[u8]) -> String {
    Delta::from_binary(binary, &Limits::default()).unwrap_err().to_string()
}

/// The bytes with the checksum that they should have.
fn with_checksum(body: &[u8]) -> Vec<u8> {
    [body, &super::checksum(body)].concat()
}

#[test]
fn what_is_written_is_read() {
    for source in ALL {
        let delta = read(source);
        let binary = delta.to_binary();
        assert!(Delta::is_binary(&binary));
        let again = Delta::from_binary(&binary, &Limits::default()).unwrap();
        assert!(again.same_as(&delta));
        assert_eq!(again.to_xydelta(), delta.to_xydelta());
        assert!(binary.len() * 2 < delta.to_xydelta().len(), "{} bytes for {source}", binary.len());
    }
}

#[test]
fn long_deltas_too() {
    let update =
        |node: usize| format!("<update nodeXID='{node}'><OldText>{node}</OldText><NewText>-</NewText></update>");
    let updates: String = (1..=60_000).map(update).collect();
    let source = format!(
        "<xydelta xmlns='urn:deltaic:xydelta:1' fromHash='0' toHash='1' fromXIDmap='(1-60000)' toXIDmap='(1-60000)' \
         nextXID='60001'>{updates}</xydelta>"
    );
    let delta = read(&source);
    assert!(Delta::from_binary(&delta.to_binary(), &Limits::default()).unwrap().same_as(&delta));
}

#[test]
fn damage_is_seen() {
    let binary = read(ALL[0]).to_binary();
    assert_eq!(refused(b""), "the binary delta: found no `XYD` at the start");
    assert_eq!(refused(b"<xydelta/>"), "the binary delta: found no `XYD` at the start");
    assert_eq!(refused(b"XYD\x02"), "the binary delta: found version 2 of the form; expected 1");
    for len in 4..binary.len() {
        assert!(refused(&binary[..len]).starts_with("the binary delta: it "), "{len}");
    }
    for at in 4..binary.len() {
        let mut damaged = binary.clone();
        damaged[at] ^= 1;
        assert_eq!(refused(&damaged), "the binary delta: it is damaged: its checksum is another");
    }
}

#[test]
fn what_was_made_up_is_refused_or_read() {
    for source in ALL {
        let binary = read(source).to_binary();
        let body = &binary[..binary.len() - super::CHECKSUM];
        for at in 4..body.len() {
            for change in [1, 64, 255] {
                let mut made_up = body.to_vec();
                made_up[at] ^= change;
                // No panic, and no time or memory that a few bytes should not cost.
                let _ = Delta::from_binary(&with_checksum(&made_up), &Limits::default());
            }
        }
    }
    let bomb = [b"XYD\x01\0".as_slice(), &[0; 16], &[255, 255, 255, 255, 127], &[0; 9]].concat();
    assert!(refused(&with_checksum(&bomb)).contains("it says that it is 34359738367 bytes long"));
}

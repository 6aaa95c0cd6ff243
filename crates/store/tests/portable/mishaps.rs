//! Whatever happens to an archive: is it refused, or sound?

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use store::Error;

use crate::engines::{Engine, on_every_engine};
use crate::entries::{Entry, entries, packed, zst};
use crate::{exported, imported, sample};

on_every_engine! { whatever_is_taken_is_sound }

/// Something that happens to an archive.
#[derive(Debug, Clone)]
enum Mishap {
    Byte(usize, usize, u8),
    Digit(usize, usize, u8),
    Remove(usize),
    Twice(usize, usize),
    Swap(usize, usize),
    /// The bytes of one entry in another.
    Bytes(usize, usize),
    Cut(usize, usize),
}

fn mishap() -> impl Strategy<Value = Mishap> {
    prop_oneof![
        3 => any::<(usize, usize, u8)>().prop_map(|(entry, at, byte)| Mishap::Byte(entry, at, byte)),
        6 => any::<(usize, usize, u8)>().prop_map(|(entry, at, digit)| Mishap::Digit(entry, at, digit)),
        1 => any::<usize>().prop_map(Mishap::Remove),
        1 => any::<(usize, usize)>().prop_map(|(from, to)| Mishap::Twice(from, to)),
        1 => any::<(usize, usize)>().prop_map(|(left, right)| Mishap::Swap(left, right)),
        2 => any::<(usize, usize)>().prop_map(|(from, to)| Mishap::Bytes(from, to)),
        1 => any::<(usize, usize)>().prop_map(|(entry, at)| Mishap::Cut(entry, at)),
    ]
}

fn befall(entries: &mut Vec<Entry>, mishap: &Mishap) {
    let count = entries.len();
    let set = |entry: &mut Entry, at: usize, byte: u8| {
        if let Some(at) = at.checked_rem(entry.bytes.len()) {
            entry.bytes[at] = byte;
        }
    };
    match *mishap {
        Mishap::Byte(entry, at, byte) => set(&mut entries[entry % count], at, byte),
        Mishap::Digit(entry, at, digit) => {
            let entry = &mut entries[entry % count];
            let digits: Vec<usize> = (0..entry.bytes.len()).filter(|&at| entry.bytes[at].is_ascii_digit()).collect();
            if let Some(at) = at.checked_rem(digits.len()) {
                set(entry, digits[at], b'0' + digit % 10);
            }
        }
        Mishap::Remove(entry) => drop(entries.remove(entry % count)),
        Mishap::Twice(from, to) => entries.insert(to % count, entries[from % count].clone()),
        Mishap::Swap(left, right) => entries.swap(left % count, right % count),
        Mishap::Bytes(from, to) => {
            entries[to % count] = entries[to % count].clone().with(entries[from % count].bytes.clone())
        }
        Mishap::Cut(entry, at) => {
            let entry = &mut entries[entry % count];
            let length = at % (entry.bytes.len() + 1);
            *entry = entry.clone().with(&entry.bytes[..length]);
        }
    }
    // A content that is another has another name.
    for entry in entries.iter_mut().filter(|entry| entry.name().starts_with("contents/")) {
        let hash = blake3::hash(&entry.bytes).to_hex();
        *entry = entry.clone().named(&format!("contents/{}/{hash}", &hash[..2]));
    }
}

fn whatever_is_taken_is_sound(engine: Engine) {
    let good = entries(&exported(&sample(Engine::Sqlite).1));
    // A new schema takes ten times as long as a folder.
    let cases = if engine == Engine::Sqlite { 100 } else { 30 };
    let config = ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(cases) };
    let law = |mishaps: Vec<Mishap>| {
        let mut entries = good.clone();
        mishaps.iter().for_each(|mishap| befall(&mut entries, mishap));
        match imported(engine, &zst(&packed(&entries))) {
            // It was verified.
            Ok((_place, store, _)) => prop_assert!(imported(engine, &exported(&store)).is_ok()),
            Err(error) => prop_assert!(matches!(error, Error::Archive { .. }), "{error}"),
        }
        Ok(())
    };
    let held = TestRunner::new(config).run(&prop::collection::vec(mishap(), 1..3), law);
    held.unwrap_or_else(|fault| panic!("{fault}"));
}

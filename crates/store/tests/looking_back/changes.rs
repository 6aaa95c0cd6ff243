//! Do changes account for everything that differs, and for nothing else?
//!
//! An oracle counts facts in every version: words, texts, attributes with their values, comments, elements of a name. What changes say
//! that came, less what they say that went, has to be the difference of both counts, fact by fact: nothing is missed and
//! nothing made up. Whether what went and came again has moved or is another that looks the same is for the delta to decide, and is
//! nothing to this law: a move neither adds nor takes away.

use std::collections::HashMap;

use store::{Address, Change, Filter, Kind, Kinds, Search, Store};

use crate::oracle::Balance;

/// Tells how many facts there were to be accounted for.
pub fn check(store: &Store, address: &Address, balance: &Balance) -> usize {
    let mut facts = 0;
    for (path, steps) in balance {
        let mut told = told(store, address, path);
        for (number, expected) in (2..).zip(steps) {
            let found = told.remove(&number).unwrap_or_default();
            assert_eq!(differences(&found, expected), "", "{address}, version {number}, path {path:?}");
            facts += expected.len();
        }
        assert!(told.is_empty(), "{address} has changes of versions that are not there");
    }
    facts
}

/// By version and fact, how often changes say that it came, less how often that it went.
fn told(store: &Store, address: &Address, path: &str) -> HashMap<u32, HashMap<String, i64>> {
    let pattern = (!path.is_empty()).then(|| path.parse().expect("a pattern"));
    let filter = Filter::new(Kinds::ALL, pattern, None);
    let search = Search { pages: address.url().to_owned(), filter, ..Search::default() };
    let mut told: HashMap<u32, HashMap<String, i64>> = HashMap::new();
    let each = |changed: store::Changed| {
        let of_version = told.entry(changed.number).or_default();
        for change in &changed.changes {
            let went = facts(change, &change.before, path).into_iter().map(|fact| (fact, -1));
            let came = facts(change, &change.after, path).into_iter().map(|fact| (fact, 1));
            went.chain(came).for_each(|(fact, count)| *of_version.entry(fact).or_default() += count);
        }
        Ok(())
    };
    store.for_each_change(&search, each).expect("changes");
    told
}

/// What one side of a change says, in the words of the oracle.
fn facts(change: &Change, side: &Option<String>, path: &str) -> Vec<String> {
    let Some(text) = side else { return Vec::new() };
    let mut labels = change.path.rsplit('/');
    let (label, above) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let is_of_text = !matches!(label, "comment()" | "processing-instruction()");
    match path {
        "" if matches!(change.kind, Kind::Insert | Kind::Delete | Kind::Update) && is_of_text => {
            text.split_whitespace().map(str::to_owned).collect()
        }
        "text()" if label == path && !text.trim().is_empty() => vec![text.clone()],
        // The oracle does not know how a name is written that is none in XML.
        "@*" if !label.contains('\'') => vec![format!("{above}/{label} {text}")],
        "comment()" => vec![text.clone()],
        // What is below such an element is told as well, and is none.
        named if named.strip_prefix("//") == Some(label) => vec![label.to_owned()],
        _ => Vec::new(),
    }
}

/// Where both counts are not the same: the fact, and what each says.
fn differences(found: &HashMap<String, i64>, expected: &HashMap<String, i64>) -> String {
    let counts = |fact: &String| [found, expected].map(|counts| counts.get(fact).copied().unwrap_or(0));
    let differing = found.keys().chain(expected.keys()).filter(|fact| counts(fact)[0] != counts(fact)[1]);
    differing.take(3).map(|fact| format!("{fact:?} {:?}\n", counts(fact))).collect()
}

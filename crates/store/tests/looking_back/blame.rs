//! Is the version that brought an element the one that lxml would name?
//!
//! The oracle knows no identities, only what elements are by themselves: name, attributes and own texts. That is enough for two
//! bounds. Nothing can be older than what it says: of elements that are alike, no more are from a version or before than every version since
//! has of them. And what is there once in every version, in the same surroundings and in a part of the document that did not change at all, is not
//! new. Where only its surroundings are the same and that part did change, a delta may find it cheaper to write another element over it:
//! that is rare, and it is counted.

use std::collections::HashMap;

use store::{Address, Store};

use crate::oracle::{Answer, Element};
use crate::unspaced;

/// How much the bounds have said, over all documents.
#[derive(Debug, Default)]
pub struct Tally {
    elements: usize,
    /// Whose surroundings have been the same since the very version before which there can have been none.
    settled: usize,
    /// That are the only ones in their surroundings, and those of them that a delta has written over.
    in_place: usize,
    written_over: usize,
}

impl Tally {
    pub fn check(&mut self, store: &Store, address: &Address, latest: u32, answer: &Answer) {
        let blamed = store.blame(address, latest).expect("blamed");
        assert_eq!(blamed.len(), answer.blame.len(), "{address}");
        let mut by_form: HashMap<usize, Vec<u32>> = HashMap::new();
        for (one, Element(text, form, at_latest, in_place)) in blamed.iter().zip(&answer.blame) {
            let (told, place) = (one.origin.number, one.path.as_deref().unwrap_or_default());
            assert_eq!(unspaced(&one.text), unspaced(text), "{address} {place}");
            assert!(at_latest.is_none_or(|latest| told <= latest), "{address} {place}: {told}, it is in {at_latest:?}");
            by_form.entry(*form).or_default().push(told);
            self.elements += 1;
            self.settled += usize::from(*in_place == answer.bounds[*form].first().copied());
            self.in_place += usize::from(in_place.is_some());
            self.written_over += usize::from(in_place.is_some_and(|since| told > since));
        }
        for (form, mut told) in by_form {
            told.sort_unstable();
            let bounds = &answer.bounds[form];
            let is_possible = told.len() == bounds.len() && told.iter().zip(bounds).all(|(told, bound)| told >= bound);
            assert!(is_possible, "{address}: elements are from {told:?}, and cannot be older than {bounds:?}");
        }
    }

    pub fn check_all(&self) {
        assert!(self.settled * 2 > self.elements, "{self:?}");
        assert!(self.written_over * 100 < self.in_place, "{self:?}");
    }
}

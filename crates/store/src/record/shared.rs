//! Which contents do several pages bring at once? The first of them brings it for all, so that they can be written in one
//! transaction, in which the others find it.

use std::collections::HashMap;

use super::OfPage;
use crate::Outcome;

/// The contents that more than one page of a batch may bring.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// The place of the first page that has it.
    first: HashMap<blake3::Hash, usize>,
}

impl Shared {
    /// Only what is as long as something of another page is hashed for it.
    pub(super) fn among(pages: &[OfPage]) -> Self {
        let mut of_length: HashMap<usize, Option<usize>> = HashMap::new();
        for (page, body) in bodies(pages) {
            let only = of_length.entry(body.len()).or_insert(Some(page));
            *only = only.filter(|only| *only == page);
        }
        let mut first = HashMap::new();
        for (page, body) in bodies(pages).filter(|(_, body)| of_length.get(&body.len()) == Some(&None)) {
            first.entry(blake3::hash(body)).or_insert(page);
        }
        Shared { first }
    }

    /// Whether a page that is written before this one brings the content. Should it not come to that, this one finds
    /// that the content is missing, and is prepared anew.
    pub(super) fn is_brought_before(&self, page: usize, hash: &blake3::Hash) -> bool {
        self.first.get(hash).is_some_and(|first| *first < page)
    }
}

/// What may become versions, with the places of their pages.
fn bodies(pages: &[OfPage]) -> impl Iterator<Item = (usize, &[u8])> {
    pages.iter().enumerate().flat_map(|(page, captures)| {
        captures.iter().filter_map(move |(_, capture)| match &capture.outcome {
            Outcome::Response(response) if (200..300).contains(&response.status) => Some((page, &*response.body)),
            _ => None,
        })
    })
}

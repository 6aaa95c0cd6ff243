//! Which piece was there before? What is known of the pieces of one version, carried along to the next.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::Origin;

/// The origins of the pieces of the version after: that of their partner where they have one, `new` where they have none.
///
/// `pairs` are the places of pieces that are known to be the same. Any others that are equal are pairs as well, first come
/// first served: those have moved.
pub(super) fn carried<K: Eq + Hash>(
    before: &[Origin],
    keys: [Vec<K>; 2],
    pairs: impl IntoIterator<Item = (usize, usize)>,
    new: Origin,
) -> Vec<Origin> {
    let [keys_before, keys_after] = keys;
    let mut origins: Vec<Option<Origin>> = vec![None; keys_after.len()];
    let mut is_taken = vec![false; keys_before.len()];
    for (there, here) in pairs {
        origins[here] = Some(before[there]);
        is_taken[there] = true;
    }
    let mut left: HashMap<K, VecDeque<Origin>> = HashMap::new();
    for ((key, origin), _) in keys_before.into_iter().zip(before).zip(&is_taken).filter(|(_, is_taken)| !**is_taken) {
        left.entry(key).or_default().push_back(*origin);
    }
    for (key, origin) in keys_after.iter().zip(&mut origins).filter(|(_, origin)| origin.is_none()) {
        *origin = left.get_mut(key).and_then(VecDeque::pop_front);
    }
    origins.into_iter().map(|origin| origin.unwrap_or(new)).collect()
}

//! Which is the n-th? A list that is asked for places and changed at places, each in logarithmic time.
//!
//! A patch may name the millionth child of one parent a million times, before and after others came and went. The list
//! is a binary tree in which every entry counts what is below it, by class: the n-th of a class is found on one way
//! down. Two trees are joined by drawing the root from both in proportion to their sizes, which keeps the depth
//! logarithmic without anything to rebalance.

/// How many classes there are to count among.
const CLASSES: usize = 5;

/// Values in an order, each of a class from 0 to 4.
#[derive(Debug, Clone, Default)]
pub(super) struct Ordered {
    entries: Vec<Entry>,
    root: Option<u32>,
    drawn: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    value: u32,
    class: u8,
    before: Option<u32>,
    behind: Option<u32>,
    /// Entries of each class in the subtree.
    counts: [u32; CLASSES],
}

impl Ordered {
    /// The values in the order in which they come.
    pub(super) fn new(values: impl IntoIterator<Item = (u32, u8)>) -> Self {
        let entries: Vec<Entry> = values.into_iter().map(|(value, class)| Entry::new(value, class)).collect();
        let mut ordered = Ordered { entries, root: None, drawn: 0 };
        ordered.root = ordered.balance(0, ordered.entries.len());
        ordered
    }

    /// Makes a tree of the entries `from..to`; the depth of this recursion is that of the tree.
    fn balance(&mut self, from: usize, to: usize) -> Option<u32> {
        if from >= to {
            return None;
        }
        let middle = from + (to - from) / 2;
        let (before, behind) = (self.balance(from, middle), self.balance(middle + 1, to));
        Some(self.link(middle as u32, before, behind))
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.size(self.root) as usize
    }

    /// The value at a place.
    pub(super) fn get(&self, place: usize) -> Option<u32> {
        let mut left = u32::try_from(place).ok()?;
        let mut next = self.root;
        while let Some(at) = next {
            let entry = self.entry(at);
            let before = self.size(entry.before);
            if left == before {
                return Some(entry.value);
            }
            next = if left < before { entry.before } else { entry.behind };
            left = if left < before { left } else { left - before - 1 };
        }
        None
    }

    /// The n-th value of a class, counted from 0, and its place among all.
    pub(super) fn nth_of(&self, class: u8, n: usize) -> Option<(usize, u32)> {
        let mut left = u32::try_from(n).ok()?;
        let mut place = 0;
        let mut next = self.root;
        while let Some(at) = next {
            let entry = self.entry(at);
            let before = entry.before.map_or(0, |before| self.entry(before).counts[usize::from(class)]);
            if left < before {
                next = entry.before;
                continue;
            }
            place += self.size(entry.before) as usize;
            if left == before && entry.class == class {
                return Some((place, entry.value));
            }
            left -= before + u32::from(entry.class == class);
            place += 1;
            next = entry.behind;
        }
        None
    }

    /// Puts a value at a place, or behind all where there are fewer.
    pub(super) fn insert(&mut self, place: usize, value: u32, class: u8) {
        let new = self.entries.len() as u32;
        self.entries.push(Entry::new(value, class));
        let (before, behind) = self.split(self.root, u32::try_from(place).unwrap_or(u32::MAX));
        let before = self.join(before, Some(new));
        self.root = self.join(before, behind);
    }

    /// Takes the value at a place away.
    pub(super) fn remove(&mut self, place: usize) -> Option<u32> {
        let place = u32::try_from(place).ok().filter(|&place| place < self.size(self.root))?;
        let (before, rest) = self.split(self.root, place);
        let (removed, behind) = self.split(rest, 1);
        self.root = self.join(before, behind);
        removed.map(|at| self.entry(at).value)
    }

    /// The values in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let mut open = Vec::new();
        let mut next = self.root;
        std::iter::from_fn(move || {
            while let Some(at) = next {
                open.push(at);
                next = self.entry(at).before;
            }
            let entry = self.entry(open.pop()?);
            next = entry.behind;
            Some(entry.value)
        })
    }

    fn entry(&self, at: u32) -> Entry {
        self.entries[at as usize]
    }

    fn size(&self, tree: Option<u32>) -> u32 {
        tree.map_or(0, |at| self.entry(at).counts.iter().sum())
    }

    fn link(&mut self, at: u32, before: Option<u32>, behind: Option<u32>) -> u32 {
        let mut counts = Entry::new(0, self.entry(at).class).counts;
        for child in [before, behind].into_iter().flatten() {
            let below = self.entry(child).counts;
            counts.iter_mut().zip(below).for_each(|(count, below)| *count += below);
        }
        let entry = &mut self.entries[at as usize];
        (entry.before, entry.behind, entry.counts) = (before, behind, counts);
        at
    }

    /// The first `count` entries of a tree, and the others.
    fn split(&mut self, tree: Option<u32>, count: u32) -> (Option<u32>, Option<u32>) {
        let Some(at) = tree else { return (None, None) };
        let Entry { before, behind, .. } = self.entry(at);
        let own = self.size(before);
        if count <= own {
            let (first, rest) = self.split(before, count);
            (first, Some(self.link(at, rest, behind)))
        } else {
            let (first, rest) = self.split(behind, count - own - 1);
            (Some(self.link(at, before, first)), rest)
        }
    }

    fn join(&mut self, first: Option<u32>, second: Option<u32>) -> Option<u32> {
        let (Some(a), Some(b)) = (first, second) else { return first.or(second) };
        let (left, right) = (u64::from(self.size(first)), u64::from(self.size(second)));
        if self.draw() % (left + right) < left {
            let Entry { before, behind, .. } = self.entry(a);
            let behind = self.join(behind, second);
            Some(self.link(a, before, behind))
        } else {
            let Entry { before, behind, .. } = self.entry(b);
            let before = self.join(first, before);
            Some(self.link(b, before, behind))
        }
    }

    /// The next of a row of numbers that look drawn (SplitMix64).
    fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.drawn ^ (self.drawn >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Entry {
    fn new(value: u32, class: u8) -> Self {
        let mut counts = [0; CLASSES];
        counts[usize::from(class)] = 1;
        Entry { value, class, before: None, behind: None, counts }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever is done to it, it answers as a plain list does.
        #[test]
        fn answers_as_a_list(
            start in prop::collection::vec((0..100u32, 0..5u8), 0..30),
            steps in prop::collection::vec((any::<bool>(), 0..40usize, 0..100u32, 0..5u8), 0..60),
        ) {
            let (mut ordered, mut list) = (Ordered::new(start.clone()), start);
            for (inserts, place, value, class) in steps {
                if inserts {
                    ordered.insert(place, value, class);
                    list.insert(place.min(list.len()), (value, class));
                } else {
                    let expected = (place < list.len()).then(|| list.remove(place).0);
                    prop_assert_eq!(ordered.remove(place), expected);
                }
                prop_assert_eq!(ordered.len(), list.len());
                prop_assert_eq!(ordered.get(place), list.get(place).map(|entry| entry.0));
                let mut of_class = list.iter().enumerate().filter(|(_, entry)| entry.1 == class);
                let expected = of_class.nth(place / 4).map(|(at, entry)| (at, entry.0));
                prop_assert_eq!(ordered.nth_of(class, place / 4), expected);
            }
            prop_assert_eq!(ordered.iter().collect::<Vec<_>>(), list.iter().map(|entry| entry.0).collect::<Vec<_>>());
        }
    }
}

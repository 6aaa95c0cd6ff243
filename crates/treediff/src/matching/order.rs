//! Which children stay where they are, and which move past them? The heaviest increasing subsequence.
//!
//! Children that keep their order need no operation; every other one is a move. Keeping the heaviest subsequence that
//! is in order leaves the cheapest set of moves. A Fenwick tree over the positions before answers «what is the heaviest
//! subsequence that ends left of here», so that it takes O(n log n) at any width.

/// How exactly to find the children that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SiblingOrder {
    /// The cheapest set of moves, whatever the number of children.
    #[default]
    Exact,
    /// Rows of so many children on their own, as the published XyDiff does with 50: more moves than needed.
    Windows(usize),
}

/// A child that is on both sides: its position before and what it costs to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sibling {
    pub(crate) position: u32,
    pub(crate) weight: u64,
}

impl Sibling {
    /// One of which the fewest are to move, and of those the ones that leave the heaviest where they are.
    pub(crate) fn moving_least(position: u32, weight: u32) -> Self {
        const MOVE: u64 = 1 << 38;
        Sibling { position, weight: MOVE + u64::from(weight) }
    }
}

/// For each child, in the order after, whether it stays. Positions are distinct.
pub(crate) fn staying(siblings: &[Sibling], order: SiblingOrder) -> Vec<bool> {
    if siblings.is_sorted_by_key(|sibling| sibling.position) {
        return vec![true; siblings.len()];
    }
    match order {
        SiblingOrder::Exact => heaviest_increasing(siblings),
        SiblingOrder::Windows(width) => by_windows(siblings, width.max(1)),
    }
}

/// Rows of `width` children on their own: those of a row after that were in the same row before.
fn by_windows(siblings: &[Sibling], width: usize) -> Vec<bool> {
    let ranks = ranks(siblings);
    let mut stay = vec![false; siblings.len()];
    for start in (0..siblings.len()).step_by(width) {
        let row = start..(start + width).min(siblings.len());
        let kept: Vec<usize> = row.clone().filter(|&at| row.contains(&ranks[at])).collect();
        let window: Vec<Sibling> = kept.iter().map(|&at| siblings[at]).collect();
        for (at, stays) in kept.into_iter().zip(heaviest_increasing(&window)) {
            stay[at] = stays;
        }
    }
    stay
}

fn heaviest_increasing(siblings: &[Sibling]) -> Vec<bool> {
    let ranks = ranks(siblings);
    let mut best = PrefixMax::new(siblings.len());
    let mut previous = vec![NONE; siblings.len()];
    for (at, sibling) in siblings.iter().enumerate() {
        let (weight, last) = best.before(ranks[at]);
        previous[at] = last;
        best.raise(ranks[at], weight + sibling.weight, at);
    }
    let mut stay = vec![false; siblings.len()];
    let (_, mut at) = best.before(siblings.len());
    while at != NONE {
        stay[at] = true;
        at = previous[at];
    }
    stay
}

const NONE: usize = usize::MAX;

/// The place of every position among all of them in order.
fn ranks(siblings: &[Sibling]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..siblings.len()).collect();
    order.sort_unstable_by_key(|&at| siblings[at].position);
    let mut ranks = vec![0; siblings.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

/// The heaviest subsequence that ends before a rank, as its weight and its last element: a Fenwick tree of maxima.
struct PrefixMax {
    heaviest: Vec<(u64, usize)>,
}

impl PrefixMax {
    fn new(len: usize) -> Self {
        PrefixMax { heaviest: vec![(0, NONE); len + 1] }
    }

    fn before(&self, rank: usize) -> (u64, usize) {
        let mut found = (0, NONE);
        let mut at = rank;
        while at > 0 {
            if self.heaviest[at].0 > found.0 {
                found = self.heaviest[at];
            }
            at &= at - 1;
        }
        found
    }

    fn raise(&mut self, rank: usize, weight: u64, last: usize) {
        let mut at = rank + 1;
        while at < self.heaviest.len() {
            if weight > self.heaviest[at].0 {
                self.heaviest[at] = (weight, last);
            }
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn siblings(positions: &[u32]) -> Vec<Sibling> {
        positions.iter().map(|&position| Sibling { position, weight: 1 }).collect()
    }

    fn kept(siblings: &[Sibling], order: SiblingOrder) -> Vec<u32> {
        let stay = staying(siblings, order);
        siblings.iter().zip(stay).filter(|(_, stays)| *stays).map(|(sibling, _)| sibling.position).collect()
    }

    #[test]
    fn one_child_that_goes_to_the_end_is_one_move() {
        let order: Vec<u32> = (1..300).chain([0]).collect();
        assert_eq!(kept(&siblings(&order), SiblingOrder::Exact).len(), 299);
        assert_eq!(kept(&siblings(&order), SiblingOrder::Windows(50)).len(), 294);
    }

    #[test]
    fn the_example_of_the_windows_comes_out_as_published() {
        let letters = |row: &str| row.bytes().map(|letter| u32::from(letter - b'A')).collect::<Vec<u32>>();
        let order = siblings(&letters("DEJIABCFGH"));
        assert_eq!(kept(&order, SiblingOrder::Exact), letters("ABCFGH"));
        assert_eq!(kept(&order, SiblingOrder::Windows(5)), letters("DEFGH"));
    }

    #[test]
    fn a_heavy_child_stays_and_light_ones_move() {
        let order = [(1, 1), (2, 1), (0, 5)].map(|(position, weight)| Sibling { position, weight });
        assert_eq!(kept(&order, SiblingOrder::Exact), [0]);
    }

    /// The heaviest increasing subsequence by trying all.
    fn heaviest_by_trying(siblings: &[Sibling]) -> u64 {
        (0..1u32 << siblings.len())
            .filter_map(|chosen| {
                let row: Vec<_> =
                    (0..siblings.len()).filter(|at| chosen >> at & 1 == 1).map(|at| siblings[at]).collect();
                row.is_sorted_by_key(|sibling| sibling.position).then(|| row.iter().map(|sibling| sibling.weight).sum())
            })
            .max()
            .unwrap_or(0)
    }

    proptest! {
        #[test]
        fn nothing_in_order_is_heavier(order in Just((0..9u32).collect::<Vec<_>>()).prop_shuffle(), weights in prop::collection::vec(1..9u64, 9)) {
            let row: Vec<Sibling> =
                order.iter().zip(&weights).map(|(&position, &weight)| Sibling { position, weight }).collect();
            let stay = staying(&row, SiblingOrder::Exact);
            let kept: Vec<Sibling> = row.iter().zip(&stay).filter(|(_, stays)| **stays).map(|(sibling, _)| *sibling).collect();
            prop_assert!(kept.is_sorted_by_key(|sibling| sibling.position));
            prop_assert_eq!(kept.iter().map(|sibling| sibling.weight).sum::<u64>(), heaviest_by_trying(&row));
        }

        #[test]
        fn windows_keep_a_row_in_order(order in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(), width in 1..12usize) {
            prop_assert!(kept(&siblings(&order), SiblingOrder::Windows(width)).is_sorted());
        }
    }
}

//! What is there to decide below a pair? Its children without those that are equal, label by label.

use std::collections::HashMap;

use super::canon::Canon;

/// The children of a pair.
#[derive(Default)]
pub(super) struct Split {
    /// Children that are equal but for order, each with its partner.
    pub(super) equal: Vec<(u32, u32)>,
    /// What may be paired with one another.
    pub(super) groups: Vec<Group>,
    /// How many nodes there are in all children that are not equal.
    pub(super) nodes: u32,
}

/// Children of a pair that may be paired with one another.
pub(super) struct Group {
    pub(super) before: Vec<u32>,
    pub(super) after: Vec<u32>,
    pub(super) way: Way,
}

/// How the pairs of a group are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Whoever is cheapest with whomever: all have one label.
    Assigned,
    /// The cheapest that keeps the order; labels differ.
    Aligned,
    /// The first with the first, once they stand so that this brings like to like.
    InTurn,
}

impl Split {
    pub(super) fn new(before: &Canon<'_>, after: &Canon<'_>, pair: (u32, u32)) -> Self {
        let mut split = Split::default();
        let (from, to) = (before.children(pair.0), after.children(pair.1));
        if before.is_mixed(pair.0) || after.is_mixed(pair.1) {
            split.add_in_order(before, after, from, to);
        } else {
            split.add_by_label(before, after, from, to);
        }
        split
    }

    /// The same of some of its children, where of several that are equal those are taken that stay in their places. It costs
    /// the same, so that nobody asks for it who only wants to know the cost.
    pub(super) fn in_place(before: &Canon<'_>, after: &Canon<'_>, pair: (u32, u32), rows: (&[u32], &[u32])) -> Self {
        let mut split = Split::default();
        if before.is_mixed(pair.0) || after.is_mixed(pair.1) {
            split.add_in_order(before, after, rows.0, rows.1);
            return split;
        }
        // What is equal but for order need not stay: another may be the same.
        let is_same = |from, to| before.class(from) == after.class(to) && before.hash(from) == after.hash(to);
        let (from, to) = split.cut_ends(rows, is_same);
        split.pair_in_gaps(before, after, &from, &to);
        let mut decided: [Vec<u32>; 2] = [0, 1].map(|_| Vec::with_capacity(split.equal.len()));
        for &(from, to) in &split.equal {
            decided[0].push(from);
            decided[1].push(to);
        }
        decided.iter_mut().for_each(|row| row.sort_unstable());
        let left = |row: &[u32], decided: &[u32]| -> Vec<u32> {
            row.iter().copied().filter(|node| decided.binary_search(node).is_err()).collect()
        };
        split.add_by_label(before, after, &left(rows.0, &decided[0]), &left(rows.1, &decided[1]));
        split
    }

    /// Children of a class that is there more often on one side: those that stand behind the same child that is there once.
    fn pair_in_gaps(&mut self, before: &Canon<'_>, after: &Canon<'_>, from: &[u32], to: &[u32]) {
        let mut counts: HashMap<u32, [u32; 2]> = HashMap::new();
        from.iter().for_each(|&node| counts.entry(before.class(node)).or_default()[0] += 1);
        to.iter().for_each(|&node| counts.entry(after.class(node)).or_default()[1] += 1);
        if !counts.values().any(is_uneven) {
            return;
        }
        let places = |row: &[u32], class: &dyn Fn(u32) -> u32| {
            let mut last = None;
            let mut places: Vec<((u32, Option<u32>), u32)> = Vec::new();
            for &node in row {
                let class = class(node);
                match &counts[&class] {
                    [1, 1] => last = Some(class),
                    count if is_uneven(count) => places.push(((class, last), node)),
                    _ => {}
                }
            }
            places.sort_unstable();
            places
        };
        let (from, to) = (places(from, &|node| before.class(node)), places(to, &|node| after.class(node)));
        let mut to = to.into_iter().peekable();
        for (place, from) in from {
            while to.next_if(|(other, _)| *other < place).is_some() {}
            self.equal.extend(to.next_if(|(other, _)| *other == place).map(|(_, to)| (from, to)));
        }
    }

    /// Mixed content: equal ends, and the rest to be aligned.
    fn add_in_order(&mut self, before: &Canon<'_>, after: &Canon<'_>, from: &[u32], to: &[u32]) {
        let (from, to) = self.cut_ends((from, to), |from, to| before.class(from) == after.class(to));
        self.push(before, after, from, to, Way::Aligned);
    }

    /// Pairs children that are the same at both ends of two rows; returns the others, in their order.
    fn cut_ends(&mut self, rows: (&[u32], &[u32]), is_same: impl Fn(u32, u32) -> bool) -> (Vec<u32>, Vec<u32>) {
        // Only mixed content has its children in their order.
        let (mut from, mut to) = (rows.0.to_vec(), rows.1.to_vec());
        from.sort_unstable();
        to.sort_unstable();
        let same = |(from, to): (&u32, &u32)| is_same(*from, *to);
        let front = from.iter().zip(&to).take_while(|&pair| same(pair)).count();
        let back = from[front..].iter().rev().zip(to[front..].iter().rev()).take_while(|&pair| same(pair)).count();
        let (last_from, last_to) = (from.len() - back, to.len() - back);
        self.equal.extend(from[..front].iter().copied().zip(to[..front].iter().copied()));
        self.equal.extend(from[last_from..].iter().copied().zip(to[last_to..].iter().copied()));
        (from[front..last_from].to_vec(), to[front..last_to].to_vec())
    }

    /// Children stand by label, and those of one label by class: one walk through both sides.
    fn add_by_label(&mut self, before: &Canon<'_>, after: &Canon<'_>, from: &[u32], to: &[u32]) {
        for (from, to) in runs(from, to, |node| before.label(node), |node| after.label(node)) {
            let mut left = (Vec::new(), Vec::new());
            for (from, to) in runs(from, to, |node| before.class(node), |node| after.class(node)) {
                self.pair_equal(before, after, from, to, &mut left);
            }
            left.0.sort_unstable();
            left.1.sort_unstable();
            self.push(before, after, left.0, left.1, Way::Assigned);
        }
    }

    /// Children of one class: those that have the same order too, then as they come.
    fn pair_equal(
        &mut self,
        before: &Canon<'_>,
        after: &Canon<'_>,
        from: &[u32],
        to: &[u32],
        left: &mut (Vec<u32>, Vec<u32>),
    ) {
        let (mut from_left, mut to_left) = (Vec::new(), Vec::new());
        for (from, to) in runs(from, to, |node| before.hash(node), |node| after.hash(node)) {
            let both = from.len().min(to.len());
            self.equal.extend(from.iter().copied().zip(to.iter().copied()));
            from_left.extend(&from[both..]);
            to_left.extend(&to[both..]);
        }
        let both = from_left.len().min(to_left.len());
        self.equal.extend(from_left.iter().copied().zip(to_left.iter().copied()));
        left.0.extend(&from_left[both..]);
        left.1.extend(&to_left[both..]);
    }

    fn push(&mut self, before: &Canon<'_>, after: &Canon<'_>, from: Vec<u32>, to: Vec<u32>, way: Way) {
        self.nodes += from.iter().map(|&node| before.size(node)).sum::<u32>();
        self.nodes += to.iter().map(|&node| after.size(node)).sum::<u32>();
        if !from.is_empty() && !to.is_empty() {
            self.groups.push(Group { before: from, after: to, way });
        }
    }
}

/// Whether a class is there on both sides, and more often on one of them.
fn is_uneven(count: &[u32; 2]) -> bool {
    count[0] != count[1] && !count.contains(&0)
}

/// The runs of equal keys of two rows that are sorted by them, side by side; one of the two may be empty.
fn runs<'r, K: Ord>(
    mut from: &'r [u32],
    mut to: &'r [u32],
    key_from: impl Fn(u32) -> K,
    key_to: impl Fn(u32) -> K,
) -> impl Iterator<Item = (&'r [u32], &'r [u32])> {
    std::iter::from_fn(move || {
        let first = [from.first().map(|&node| key_from(node)), to.first().map(|&node| key_to(node))];
        let least = first.into_iter().flatten().min()?;
        let (run_from, rest_from) = from.split_at(from.iter().take_while(|&&node| key_from(node) == least).count());
        let (run_to, rest_to) = to.split_at(to.iter().take_while(|&&node| key_to(node) == least).count());
        (from, to) = (rest_from, rest_to);
        Some((run_from, run_to))
    })
}

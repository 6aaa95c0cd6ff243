//! How many come before? Counts that change, with sums from the beginning in logarithmic time: a Fenwick tree.

/// Numbers with the sums of their beginnings.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// At every place the sum over as many numbers before it as its lowest bit says.
    sums: Vec<u32>,
}

impl Sums {
    pub(super) fn new(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut sums = vec![0];
        sums.extend(numbers);
        for at in 1..sums.len() {
            let above = at + (at & at.wrapping_neg());
            if above < sums.len() {
                sums[above] += sums[at];
            }
        }
        Sums { sums }
    }

    /// The sum of the first `count` numbers.
    pub(super) fn before(&self, count: usize) -> u32 {
        let mut at = count;
        let mut sum = 0;
        while at > 0 {
            sum += self.sums[at];
            at &= at - 1;
        }
        sum
    }

    pub(super) fn add(&mut self, place: usize, difference: i32) {
        let mut at = place + 1;
        while at < self.sums.len() {
            self.sums[at] = self.sums[at].wrapping_add_signed(difference);
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_the_list(mut list in prop::collection::vec(0..9u32, 1..40), changes in prop::collection::vec((0..40usize, 0..9i32), 0..20)) {
            let mut sums = Sums::new(list.iter().copied());
            for (at, change) in changes {
                let at = at % list.len();
                list[at] += change as u32;
                sums.add(at, change);
            }
            for count in 0..=list.len() {
                prop_assert_eq!(sums.before(count), list[..count].iter().sum::<u32>());
            }
        }
    }
}

//! Where does chance come from? A small generator whose numbers are the same on every machine and for ever.
//!
//! SplitMix64: one multiplication chain a number, no state but a counter, and good enough for choosing nodes. A crate
//! for it would promise less: theirs may change their streams from one version to the next.

/// A seeded source of numbers.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 where the bound is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Whether something of this probability happens.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        // 53 bits, all of which a float can hold.
        ((self.next() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// A whole number whose mean is `expected`.
    pub(super) fn about(&mut self, expected: f64) -> usize {
        let whole = expected.floor();
        whole as usize + usize::from(self.chance(expected - whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(numbers, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn chances_are_kept() {
        let mut random = Random::new(7);
        assert!((0..1000).all(|_| random.chance(1.0) && !random.chance(0.0)));
        assert!((0..1000).all(|_| random.below(3) < 3 && random.below(0) == 0));
        let heads = (0..10_000).filter(|_| random.chance(0.3)).count();
        assert!((2800..3200).contains(&heads), "{heads}");
        let sum: usize = (0..1000).map(|_| random.about(2.25)).sum();
        assert!((2150..2350).contains(&sum), "{sum}");
    }
}

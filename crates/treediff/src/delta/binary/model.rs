//! What comes next? How likely the next bit is, by what came in places like this one.
//!
//! Seven models look at what followed the last one to six bytes, or the last words, another at what came behind the
//! longest repetition, one at nothing at all. A small network weighs their answers, and learns from every bit whom to
//! trust. A delta has a kilobyte or two, so counters move fast at first, and begin with what a primer has taught them.
//! Integers alone, so that every machine comes to the same.

/// Models by what stood before: the last one, two, three, four and six bytes, the word, and that with the word before.
const CONTEXTS: usize = 7;
/// Those, the one that looks at nothing, and the one that looks at repetitions.
const INPUTS: usize = CONTEXTS + 2;
/// A repetition shorter than this is none; longer than the other, it is as good as any.
const MIN_MATCH: usize = 4;
const MAX_MATCH: usize = 31;
/// How many bits a counter remembers at most.
const MEMORY: u32 = 60;
const LONG_MEMORY: u32 = 255;
const FIRST_WEIGHT: i32 = 16_000;
const LEARNING: i32 = 14;
/// Steps of the last refinement, which corrects the network by what its answers were worth.
const STEPS: usize = 33;

/// Models of a text.
#[derive(Debug)]
pub(super) struct Model {
    history: Vec<u8>,
    /// The bits of the byte that is being read, behind a 1.
    partial: usize,
    words: [u32; 2],
    hashes: [u32; CONTEXTS],
    /// The counters of all contexts, a part for each.
    counters: Vec<Counter>,
    part: usize,
    /// The counters that are asked now.
    slots: [usize; CONTEXTS],
    plain: Vec<Counter>,
    /// Behind which place the last bytes have stood before, by their hash; 0 where nowhere.
    seen: Vec<u32>,
    /// The place of the byte that a repetition promises, and how long it is.
    matched: usize,
    match_len: usize,
    match_counters: Vec<Counter>,
    /// The weights of the inputs, by whether there is a repetition, and a long one.
    weights: [[i32; INPUTS]; 3],
    inputs: [i32; INPUTS],
    mixed: i32,
    refined: Vec<Counter>,
    refined_at: usize,
    stretch: Vec<i32>,
}

/// How likely a 1 is in the upper 22 bits, and how often that was asked in the lower ten.
#[derive(Debug, Clone, Copy)]
struct Counter(u32);

impl Counter {
    const EVEN: Counter = Counter(1 << 31);

    /// Out of 65,536.
    fn chance(self) -> u32 {
        self.0 >> 16
    }

    fn learn(&mut self, bit: u32, memory: u32) {
        let (chance, count) = (i64::from(self.0 >> 10), self.0 & 0x3FF);
        let target = if bit == 1 { (1 << 22) - 1 } else { 0 };
        let moved = chance + (target - chance) * 2 / i64::from(2 * count + 3);
        self.0 = (moved as u32) << 10 | (count + u32::from(count < memory));
    }
}

impl Model {
    /// A model of a text of `len` bytes that has read `primer`.
    pub(super) fn new(primer: &[u8], len: usize) -> Self {
        let len = primer.len() + len;
        let part = (len * 16).next_power_of_two().clamp(1 << 14, 1 << 22);
        let mut model = Model {
            history: Vec::with_capacity(len),
            partial: 1,
            words: [0; 2],
            hashes: [0; CONTEXTS],
            counters: vec![Counter::EVEN; part * CONTEXTS],
            part,
            slots: [0; CONTEXTS],
            plain: vec![Counter::EVEN; 256],
            seen: vec![0; (len * 2).next_power_of_two().clamp(1 << 12, 1 << 20)],
            matched: 0,
            match_len: 0,
            match_counters: vec![Counter::EVEN; MAX_MATCH + 1],
            weights: [[FIRST_WEIGHT; INPUTS]; 3],
            inputs: [0; INPUTS],
            mixed: 0,
            refined: (0..512 * STEPS).map(|at| Counter(squash((at % STEPS) as i32 * 128 - 2048) << 20 | 20)).collect(),
            refined_at: 0,
            stretch: stretched(),
        };
        model.ask();
        for &byte in primer {
            (0..8).rev().for_each(|bit| {
                model.chance();
                model.learn(u32::from(byte >> bit & 1));
            });
        }
        model
    }

    /// How likely a 1 is, out of 65,536; never more certain than 1 in 4,096.
    pub(super) fn chance(&mut self) -> u32 {
        let place = (self.mixed + 2048) as usize * (STEPS - 1);
        let (step, weight) = (place >> 12, place as u32 & 4095);
        let from = (self.partial | usize::from(self.match_len > 0) << 8) * STEPS + step;
        self.refined_at = from + usize::from(weight >= 2048);
        let [low, high] = [from, from + 1].map(|at| self.refined[at].chance());
        let refined = (low * (4096 - weight) + high * weight) >> 12;
        ((squash(self.mixed) * 16 + refined) / 2).clamp(16, 65_520)
    }

    /// Learns what the bit is; [`Model::chance`] has been asked.
    pub(super) fn learn(&mut self, bit: u32) {
        let error = ((bit << 12) as i32 - squash(self.mixed) as i32) * LEARNING;
        let set = self.weight_set();
        for (weight, input) in self.weights[set].iter_mut().zip(self.inputs) {
            *weight += (input * error + 0x8000) >> 16;
        }
        self.refined[self.refined_at].learn(bit, LONG_MEMORY);
        self.slots.iter().for_each(|&slot| self.counters[slot].learn(bit, MEMORY));
        self.plain[self.partial].learn(bit, LONG_MEMORY);
        match self.promised_bit() {
            Some(promised) => {
                let is_kept = u32::from(promised == bit);
                self.match_counters[self.match_len.min(MAX_MATCH)].learn(is_kept, LONG_MEMORY);
                self.match_len *= is_kept as usize;
            }
            None => self.match_len = 0,
        }
        self.partial = self.partial << 1 | bit as usize;
        if self.partial >= 256 {
            self.read(self.partial as u8);
            self.partial = 1;
        }
        self.ask();
    }

    pub(super) fn last_byte(&self) -> u8 {
        self.history.last().copied().unwrap_or_default()
    }

    /// Asks every model, and weighs the answers.
    fn ask(&mut self) {
        for context in 0..CONTEXTS {
            let hash =
                (self.hashes[context] ^ (self.partial as u32).wrapping_mul(0x9E37_79B1)).wrapping_mul(0x85EB_CA6B);
            let slot = context * self.part + ((hash ^ hash >> 15) as usize & (self.part - 1));
            self.slots[context] = slot;
            self.inputs[context] = self.stretch[self.counters[slot].chance() as usize >> 4];
        }
        self.inputs[CONTEXTS] = self.stretch[self.plain[self.partial].chance() as usize >> 4];
        let trust = self.stretch[self.match_counters[self.match_len.min(MAX_MATCH)].chance() as usize >> 4];
        self.inputs[CONTEXTS + 1] = match self.promised_bit() {
            Some(1) => trust,
            Some(_) => -trust,
            None => 0,
        };
        let weighed = self
            .inputs
            .iter()
            .zip(self.weights[self.weight_set()])
            .map(|(&input, weight)| i64::from(input) * i64::from(weight));
        self.mixed = (weighed.sum::<i64>() >> 16).clamp(-2047, 2047) as i32;
    }

    fn weight_set(&self) -> usize {
        match self.match_len {
            0 => 0,
            1..=15 => 1,
            _ => 2,
        }
    }

    /// The bit that the repetition promises, as long as it has kept its word in this byte.
    fn promised_bit(&self) -> Option<u32> {
        let byte = usize::from(*self.history.get(self.matched).filter(|_| self.match_len > 0)?) | 256;
        let bits = self.partial.ilog2();
        (byte >> (8 - bits) == self.partial).then(|| (byte >> (7 - bits) & 1) as u32)
    }

    /// Takes in a whole byte.
    fn read(&mut self, byte: u8) {
        self.history.push(byte);
        if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
            let lower = u32::from(byte.to_ascii_lowercase());
            self.words[0] = (self.words[0] ^ lower).wrapping_mul(0x2F0B_4C47).wrapping_add(1);
        } else if self.words[0] != 0 {
            self.words = [0, self.words[0]];
        }
        let [word, before] = self.words;
        let both = word.wrapping_add(before.wrapping_mul(31)).wrapping_mul(0x1B56_C4E9);
        self.hashes = [
            self.hash_of_last(1),
            self.hash_of_last(2),
            self.hash_of_last(3),
            self.hash_of_last(4),
            self.hash_of_last(6),
            word.wrapping_mul(0x3C6E_F372) ^ u32::from(byte),
            both ^ u32::from(byte),
        ];
        self.find_repetition();
    }

    fn hash_of_last(&self, count: usize) -> u32 {
        let last = self.history.iter().rev().take(count);
        last.fold(count as u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193).rotate_left(5))
    }

    /// Goes on with the repetition, or finds the place where the last bytes have stood before.
    fn find_repetition(&mut self) {
        let here = self.history.len();
        let slot = (self.hash_of_last(MIN_MATCH + 1) >> 7) as usize & (self.seen.len() - 1);
        if self.match_len > 0 {
            self.matched += 1;
            self.match_len += 1;
        } else {
            let there = self.seen[slot] as usize;
            let pairs = self.history[..there].iter().rev().zip(self.history.iter().rev());
            let len = pairs.take(MAX_MATCH + 1).take_while(|(a, b)| a == b).count();
            (self.matched, self.match_len) = (there, if len >= MIN_MATCH { len } else { 0 });
        }
        self.seen[slot] = here as u32;
    }
}

/// The chance out of 4,096 that the logarithm of some odds stands for.
fn squash(odds: i32) -> u32 {
    const TABLE: [i32; 33] = [
        1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348, 3607, 3785, 3901,
        3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
    ];
    let odds = odds.clamp(-2047, 2047);
    let (at, weight) = (((odds >> 7) + 16) as usize, odds & 127);
    ((TABLE[at] * (128 - weight) + TABLE[at + 1] * weight + 64) >> 7) as u32
}

/// The way back: the logarithm of the odds for every chance out of 4,096.
fn stretched() -> Vec<i32> {
    let mut odds = -2047;
    (0..4096)
        .map(|chance| {
            while odds < 2047 && squash(odds) < chance {
                odds += 1;
            }
            odds
        })
        .collect()
}

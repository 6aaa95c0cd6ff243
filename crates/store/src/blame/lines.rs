//! Which version brought this line?

use std::collections::HashMap;

use treediff::text::{Budget, common_row};

use super::Blamed;
use super::carry::carried;
use crate::trace::Origin;

/// The lines of the last text that was added, each with the version that brought it.
///
/// ```
/// use store::blame::Lines;
/// use store::trace::Origin;
///
/// let mut lines = Lines::default();
/// for (number, text) in (1..).zip(["tea\nmilk\n", "tea\nhoney\nmilk\n"]) {
///     lines.add(Origin { number, time: jiff::Timestamp::UNIX_EPOCH }, text.to_owned());
/// }
/// let blamed = lines.blamed();
/// let told: Vec<_> = blamed.iter().map(|line| (line.origin.number, line.text.as_str())).collect();
/// assert_eq!(told, [(1, "tea"), (2, "honey"), (1, "milk")]);
/// ```
#[derive(Debug, Default)]
pub struct Lines {
    last: String,
    origins: Vec<Origin>,
}

impl Lines {
    /// The next version.
    pub fn add(&mut self, origin: Origin, text: String) {
        self.origins = next(&self.last, &self.origins, &text, origin);
        self.last = text;
    }

    /// The lines of the last version.
    pub fn blamed(&self) -> Vec<Blamed> {
        let blamed =
            |(line, origin): (&str, &Origin)| Blamed { text: line.to_owned(), path: None, xid: None, origin: *origin };
        self.last.lines().zip(&self.origins).map(blamed).collect()
    }
}

fn next(before: &str, origins: &[Origin], after: &str, new: Origin) -> Vec<Origin> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let keys = [before, after].map(|text| {
        let number = |line| {
            let next = numbers.len();
            *numbers.entry(line).or_insert(next)
        };
        text.lines().map(number).collect::<Vec<usize>>()
    });
    let lens = [keys[0].len(), keys[1].len()];
    // Where next to nothing is left of a long text, it is enough to know which lines there were.
    let pairs = common_row(lens, |there, here| keys[0][there] == keys[1][here], Budget::default()).unwrap_or_default();
    carried(origins, keys, pairs, new)
}

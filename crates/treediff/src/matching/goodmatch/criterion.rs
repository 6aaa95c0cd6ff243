//! How alike are two leaves? The paper's parameters and their integral, CS.

use super::Weights;
use super::leaves::{Leaves, SAMPLE};

/// Weights that add up to 1.
#[derive(Debug, Clone, Copy)]
pub(in crate::matching) struct Criterion {
    weights: Weights,
}

impl Criterion {
    /// Weights that are no weights, negative or not finite or all 0, are the default ones.
    pub(in crate::matching) fn new(weights: Weights) -> Self {
        let Weights { content, attributes, place } = weights;
        let sum = content + attributes + place;
        let are_weights = [content, attributes, place].iter().all(|&weight| weight >= 0.0) && sum > 0.0;
        if !are_weights || !sum.is_finite() {
            return Criterion { weights: Weights::default() };
        }
        Criterion { weights: Weights { content: content / sum, attributes: attributes / sum, place: place / sum } }
    }

    /// αP_con + βP_att + γP_dist, from 0 to 1, which is (CS + 1) / 2. A parameter that has nothing to say of the two, since
    /// neither has words or neither has attributes, leaves its weight to the others.
    pub(in crate::matching) fn of(&self, before: &Leaves<'_>, from: usize, after: &Leaves<'_>, to: usize) -> f64 {
        let content = shared(before.words(from), after.words(to));
        let attributes = shared(before.attributes(from), after.attributes(to));
        let (equal, longer) = before.equal_steps(from, after, to);
        let place = (longer > 0).then(|| f64::from(equal) / f64::from(longer));
        let Weights { content: alpha, attributes: beta, place: gamma } = self.weights;
        let parameters = [(alpha, content), (beta, attributes), (gamma, place)];
        let told = || parameters.iter().filter_map(|&(weight, parameter)| Some((weight, parameter?)));
        let weight: f64 = told().map(|(weight, _)| weight).sum();
        if weight > 0.0 { told().map(|(weight, parameter)| weight * parameter).sum::<f64>() / weight } else { 0.0 }
    }
}

/// |∩| / |∪| of two sets in order, or of samples of them; nothing if both are empty.
///
/// A sample has the least [`SAMPLE`] of its set. Among the least of the union, what is in both sets is in both samples, so
/// that counting stops there.
pub(super) fn shared(before: &[u64], after: &[u64]) -> Option<f64> {
    let (mut from, mut to) = (0, 0);
    let (mut common, mut all) = (0u32, 0u32);
    while all < SAMPLE as u32 && (from < before.len() || to < after.len()) {
        let (x, y) = (before.get(from).unwrap_or(&u64::MAX), after.get(to).unwrap_or(&u64::MAX));
        let is_common = x == y && from < before.len() && to < after.len();
        common += u32::from(is_common);
        all += 1;
        from += usize::from(is_common || from < before.len() && (x < y || to >= after.len()));
        to += usize::from(is_common || to < after.len() && (y < x || from >= before.len()));
    }
    (all > 0).then(|| f64::from(common) / f64::from(all))
}

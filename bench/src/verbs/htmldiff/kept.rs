//! Is all of the text still there? Whoever marks a page must show what both versions say.
//!
//! Without what is marked as removed the marked page should have the text of the later version, and without what is
//! marked as added that of the earlier one. White space does not count, and neither does what no reader sees (scripts,
//! styles, templates). Peers may lose a word here and there and still have done the work, so that the share of the text
//! is told: of all runs of a few characters in a version, how many are in the marked page.

use std::collections::HashMap;

use anyhow::Result;
use treediff::tree::{Document, Kind, Node};

use super::ours;
use super::pages::Page;

/// Long enough to be of one place, short enough that one lost word is little.
const RUN: usize = 8;

const UNSEEN: [&str; 6] = ["script", "style", "template", "noscript", "head", "title"];

/// The share of both versions' texts that is in the marked page.
pub fn share(page: &Page, marked: &str) -> Result<f64> {
    let [before, after, marked] = [&page.before[..], &page.after, marked].map(|source| ours::parsed(source.to_owned()));
    let marked = marked?;
    let mut counts = Counts::default();
    for (version, left_out) in [(before?, Mark::Added), (after?, Mark::Removed)] {
        counts.add(&text(&version, None), &text(&marked, Some(left_out)));
    }
    Ok(counts.share())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Added,
    Removed,
}

/// The characters that a reader sees, without those under marks of a kind.
fn text(document: &Document, left_out: Option<Mark>) -> Vec<char> {
    let mut text = Vec::new();
    let mut passed_over = 0;
    for node in document.nodes() {
        let is_below = node.end() <= passed_over;
        if !is_below && node.is_element() && (is_unseen(node) || left_out.is_some_and(|mark| is_marked(node, mark))) {
            passed_over = node.end();
        } else if !is_below && node.kind() == Kind::Text {
            text.extend(node.value().chars().filter(|character| !character.is_whitespace()));
        }
    }
    text
}

fn is_unseen(node: Node<'_>) -> bool {
    UNSEEN.contains(&node.name().local)
}

/// All mark words by `ins` and `del`; visual-dom-diff marks whole elements by their class.
fn is_marked(node: Node<'_>, mark: Mark) -> bool {
    let (name, class) = match mark {
        Mark::Added => ("ins", "vdd-added"),
        Mark::Removed => ("del", "vdd-removed"),
    };
    let has_class =
        || node.attribute("", "class").is_some_and(|value| value.split_whitespace().any(|word| word == class));
    node.name().local == name || has_class()
}

/// Runs of characters that are there, of those that should be.
#[derive(Default)]
struct Counts {
    found: usize,
    wanted: usize,
}

impl Counts {
    fn add(&mut self, version: &[char], marked: &[char]) {
        let mut there: HashMap<&[char], usize> = HashMap::new();
        for run in marked.windows(RUN) {
            *there.entry(run).or_default() += 1;
        }
        for run in version.windows(RUN) {
            self.wanted += 1;
            if let Some(left) = there.get_mut(run).filter(|left| **left > 0) {
                *left -= 1;
                self.found += 1;
            }
        }
    }

    fn share(&self) -> f64 {
        if self.wanted == 0 { 1.0 } else { self.found as f64 / self.wanted as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(marked: &str, expected: f64) {
        let [before, after] =
            ["<p>the old page says this</p>", "<p>the <b>new</b> page says this</p>"].map(str::to_owned);
        let share = share(&Page::new("", before, after), marked).expect("a share");
        assert!((share - expected).abs() < 0.01, "{share} for {marked}");
    }

    #[test]
    fn what_a_marked_page_leaves_out_is_missed() {
        check("<body><p>the <del>old</del> <ins><b>new</b></ins> page says this<script>x</script>", 1.0);
        check("<p>the <i class='a vdd-removed'>old</i><i class='vdd-added'>new</i> page says this", 1.0);
        check("<p>the new page says this", 16.0 / 22.0);
        check("<p>the old <ins>new</ins> page says this", 19.0 / 22.0);
        check("", 0.0);
    }
}

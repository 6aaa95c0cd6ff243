//! Does every path lead to the same distance, whatever the trees look like?

use std::sync::Arc;

use proptest::prelude::*;

use super::*;

/// Combs to either side, zigzags, full trees, stars, and one under the other: every path is best somewhere.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Left,
    Right,
    Zigzag,
    Full,
    Star,
    Mixed,
}

impl Shape {
    const ALL: [Shape; 6] = [Shape::Left, Shape::Right, Shape::Zigzag, Shape::Full, Shape::Star, Shape::Mixed];

    /// A tree of so many nodes or one less; the labels are given in turn, from the leaves up.
    fn tree(self, nodes: usize, labels: &mut dyn FnMut() -> u8) -> String {
        let node = |label: u8, inside: &str| match label {
            0 => format!("<a>{inside}</a>"),
            1 => format!("<b>{inside}</b>"),
            label => format!("<a k='{label}'>{inside}</a>"),
        };
        let mut spine = |on_left: fn(usize) -> bool| {
            (0..nodes.saturating_sub(1) / 2).fold(node(labels(), ""), |inside, level| {
                let leaf = node(labels(), "");
                let children = if on_left(level) { inside + &leaf } else { leaf + &inside };
                node(labels(), &children)
            })
        };
        match self {
            Shape::Left => spine(|_| true),
            Shape::Right => spine(|_| false),
            Shape::Zigzag => spine(|level| level % 2 == 0),
            Shape::Full if nodes < 3 => node(labels(), ""),
            Shape::Full => {
                let halves = [0, 1].map(|_| self.tree((nodes - 1) / 2, labels));
                node(labels(), &halves.concat())
            }
            Shape::Star => {
                let leaves: String = (1..nodes).map(|_| node(labels(), "")).collect();
                node(labels(), &leaves)
            }
            Shape::Mixed => {
                let parts = Shape::ALL[..5].iter().map(|shape| shape.tree(nodes / 5, labels));
                let parts: String = parts.collect();
                node(labels(), &parts)
            }
        }
    }

    fn document(self, nodes: usize, seed: u64) -> Arc<Document> {
        let mut state = seed | 1;
        let mut labels = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 60) as u8 % 5
        };
        parsed(&self.tree(nodes, &mut labels))
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    (0..Shape::ALL.len()).prop_map(|at| Shape::ALL[at])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn shapes_have_the_defined_distance(
        (before, after) in (shapes(), shapes()),
        (nodes_before, nodes_after) in (1usize..24, 1usize..24),
        (seed_before, seed_after) in any::<(u64, u64)>(),
    ) {
        let (before, after) = (before.document(nodes_before, seed_before), after.document(nodes_after, seed_after));
        let defined = defined(&before, &after);
        assert_all_paths_lead_to(&before, &after, defined);
        for budget in [Budget::default(), tight()] {
            let matching = ted_within(&before, &after, &Options::default(), budget);
            assert_is_mapping(&before, &after, &matching);
            prop_assert_eq!(cost(&before, &after, &matching), defined);
        }
    }
}

/// Large enough for several lanes and slots, and too large for the definition.
#[test]
fn larger_shapes_have_one_distance_along_all_paths() {
    for (at, before) in Shape::ALL.into_iter().enumerate() {
        for after in &Shape::ALL[at..] {
            let (before, after) = (before.document(90, 1), after.document(121, 2));
            let matching = ted(&before, &after, &Options::default());
            assert_is_mapping(&before, &after, &matching);
            assert_all_paths_lead_to(&before, &after, cost(&before, &after, &matching));
        }
    }
}

#[test]
fn chains_have_the_defined_distance() {
    let chain = |depth: usize, leaf: &str| format!("{}{leaf}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    let shapes = [chain(20, "x"), format!("<b>{}</b>", "<a><b>x</b><b>y</b></a>".repeat(7))];
    for before in &shapes {
        for after in &shapes {
            let [before, after] = [before, after].map(|shape| parsed(&format!("<r><d/>{shape}<e/></r>")));
            assert_all_paths_lead_to(&before, &after, defined(&before, &after));
        }
    }
}

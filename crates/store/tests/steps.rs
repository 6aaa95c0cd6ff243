//! Do the steps of real pages say what their deltas and documents say?

mod support;

use std::collections::HashMap;

use store::{Label, Step};
use treediff::delta::{Operation, Xid};
use treediff::tree::Node;

/// Every step of every page: it is read as it was written, and every path is that of its node, found in another way. A
/// document that is not well-formed may have a delta that is not.
#[test]
fn steps_of_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let (mut steps, mut unreadable) = (0, 0);
    for page in support::pages(&corpus) {
        for taken in page.steps() {
            let step = Step::from_bytes(&taken.bytes).expect("a step");
            let delta = match step.delta() {
                Ok(delta) => delta.expect("no break"),
                Err(error) => {
                    assert!(!taken.is_sound, "{}: {error}", page.name);
                    unreadable += 1;
                    continue;
                }
            };
            assert!(delta.same_as(&taken.delta), "{}", page.name);
            let identities = step.identities().expect("identities");
            assert_eq!((&identities.xids, identities.next), (delta.to_xids(), delta.next_xid()));
            let before = support::nodes(&taken.before, delta.from_xids());
            let after = support::nodes(&taken.after, delta.to_xids());
            for (operation, described) in delta.operations().iter().zip(step.operations()) {
                let written = step.paths().written(described.path);
                assert_eq!(written, path(operation, &before, &after), "{}", page.name);
            }
            steps += 1;
        }
    }
    assert!(steps > 2000 && unreadable <= 2, "{steps} steps, and {unreadable} that cannot be read");
}

fn path(operation: &Operation, before: &HashMap<Xid, Node<'_>>, after: &HashMap<Xid, Node<'_>>) -> String {
    let side = if matches!(operation, Operation::Delete { .. }) { before } else { after };
    let node = side[&operation.node()];
    let mut labels: Vec<String> =
        std::iter::once(node).chain(node.ancestors()).map(|node| Label::of(node).to_string()).collect();
    labels.pop();
    labels.reverse();
    if let Operation::Attribute { name, .. } = operation {
        labels.push(Label::attribute(&name.local).to_string());
    }
    format!("/{}", labels.join("/"))
}

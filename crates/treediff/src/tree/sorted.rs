//! In which order do the members of an object stand? In none that means anything, so that by their names serves best
//! where nodes are numbered or counted.

use bytemuck::Pod;

use super::column::Column;
use super::{Document, Format, Kind, NodeId};

impl Document {
    /// The same document with the members of every JSON object in the order of their names, compared byte by byte;
    /// equal names keep their order. Documents of other formats, and those that are in order, are returned as they are.
    ///
    /// The source stays as it was written; only the nodes have other places.
    ///
    /// ```
    /// use treediff::{parse, write};
    ///
    /// let order = parse::json(r#"{"n": 1, "a": {"c": 2, "b": 3}}"#, &Default::default())?.document;
    /// let sorted = order.clone().with_sorted_members();
    /// assert_eq!(write::json(&sorted), r#"{"a":{"b":3,"c":2},"n":1}"#);
    /// assert!(sorted.root().same_content(order.root()));
    /// # Ok::<(), parse::ParseError>(())
    /// ```
    pub fn with_sorted_members(self) -> Document {
        if self.format != Format::Json {
            return self;
        }
        match sorted_places(&self) {
            Some(places) => rearranged(self, &places),
            None => self,
        }
    }
}

/// For every node the place that it has where members are in order; `None` where all have it already.
///
/// Parents come before their children, so a parent's new place is known when those of its children are counted out.
fn sorted_places(document: &Document) -> Option<Vec<u32>> {
    let mut places: Vec<u32> = (0..document.len() as u32).collect();
    let mut children = Vec::new();
    let mut is_sorted = true;
    for parent in document.nodes().filter(|node| node.kind().is_container()) {
        children.clear();
        children.extend(parent.children());
        if parent.kind() == Kind::Object && !children.is_sorted_by_key(|member| member.name().local) {
            children.sort_by_key(|member| member.name().local);
            is_sorted = false;
        }
        let mut next = places[parent.id().index()] + 1;
        for child in &children {
            places[child.id().index()] = next;
            next += child.size();
        }
    }
    (!is_sorted).then_some(places)
}

/// The document with every node at its new place. JSON has no attributes and no declarations to take along.
fn rearranged(mut document: Document, places: &[u32]) -> Document {
    let size_at = |node: usize| document.node(NodeId(node as u32)).size();
    let ends: Vec<u32> = (0..places.len()).map(|node| places[node] + size_at(node)).collect();
    let parents: Vec<u32> = document.parents.iter().map(|&parent| places[parent as usize]).collect();
    document.ends = moved(&ends, places);
    document.parents = moved(&parents, places);
    document.labels = moved(&document.labels, places);
    document.spans = moved(&document.spans, places);
    document.hashes = moved(&document.hashes, places);
    document.weights = moved(&document.weights.values, places).to_vec().into();
    let mut origins = document.origins.to_vec();
    origins.iter_mut().for_each(|origin| origin.node = places[origin.node as usize]);
    origins.sort_unstable_by_key(|origin| origin.node);
    document.origins = origins.into();
    document
}

fn moved<T: Pod>(values: &[T], places: &[u32]) -> Column<T> {
    let mut moved = vec![T::zeroed(); values.len()];
    for (&value, &place) in values.iter().zip(places) {
        moved[place as usize] = value;
    }
    moved.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parse::{self, Options};
    use crate::tree::{Node, Saved};
    use crate::write;

    fn parsed(source: &str) -> Document {
        parse::json(source, &Options::default()).unwrap().document
    }

    fn check(source: &str, expected: &str) {
        let before = parsed(source);
        let sorted = before.clone().with_sorted_members();
        assert_eq!(write::json(&sorted), expected);
        same_but_for_order(&before, &sorted);
    }

    fn same_but_for_order(before: &Document, sorted: &Document) {
        assert_eq!(write::canonical_json(before), write::canonical_json(sorted));
        assert_eq!(before.source(), sorted.source());
        assert_eq!(before.root().weight(), sorted.root().weight());
        let mut all = [before, sorted].map(|document| document.nodes().map(facts).collect::<Vec<_>>());
        all.iter_mut().for_each(|facts| facts.sort());
        assert_eq!(all[0], all[1]);
        for object in sorted.nodes().filter(|node| node.kind() == Kind::Object) {
            assert!(object.children().is_sorted_by_key(|member| member.name().local));
        }
        let reopened = Saved::open(sorted.save()).unwrap().document().unwrap();
        assert_eq!(write::json(&reopened), write::json(sorted));
    }

    /// What a node is whatever its place: where it was written, and what of it is stored.
    fn facts(node: Node<'_>) -> (Option<usize>, String, u64, u32, u32) {
        let parent = node.parent().and_then(Node::source_range);
        let names = format!("{:?} {} {} in {parent:?}", node.kind(), node.name(), node.value());
        (node.source_range().map(|range| range.start), names, node.hash(), node.weight(), node.size())
    }

    #[test]
    fn members_are_ordered_by_name_and_items_are_not() {
        check("{}", "{}");
        check("7", "7");
        check(r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#);
        check(
            r#"[{"b":[2,1],"a":{"d":{},"c":0}},[{"z":1,"y":2}]]"#,
            r#"[{"a":{"c":0,"d":{}},"b":[2,1]},[{"y":2,"z":1}]]"#,
        );
        check(r#"{"\u0062":1,"a":2,"":3}"#, r#"{"":3,"a":2,"b":1}"#);
    }

    #[test]
    fn equal_names_keep_their_order() {
        let options = Options { recover: true, ..Options::default() };
        let twice = parse::json(r#"{"b":1,"a":2,"b":3,"a":4}"#, &options).unwrap().document;
        assert_eq!(write::json(&twice.with_sorted_members()), r#"{"a":2,"a":4,"b":1,"b":3}"#);
    }

    #[test]
    fn what_is_in_order_or_no_json_stays() {
        let ordered = parsed(r#"{"a":[3,2,1],"b":{"c":1}}"#);
        let labels = ordered.labels().as_ptr();
        assert_eq!(ordered.with_sorted_members().labels().as_ptr(), labels);
        let xml = parse::xml("<b><a/></b>", &Options::default()).unwrap().document;
        assert_eq!(write::canonical(&xml.with_sorted_members()), "<b><a></a></b>");
    }

    #[test]
    fn depth_does_not_matter() {
        let levels = 200_000;
        let source = format!("{}1{}", r#"{"b":1,"a":"#.repeat(levels), "}".repeat(levels));
        let sorted = parsed(&source).with_sorted_members();
        assert_eq!(write::json(&sorted), format!("{}1{}", r#"{"a":"#.repeat(levels), r#","b":1}"#.repeat(levels)));
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf =
            prop_oneof![any::<i32>().prop_map(Into::into), "[a-c\u{e9}\"]{0,3}".prop_map(serde_json::Value::String)];
        leaf.prop_recursive(6, 60, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::Array),
                prop::collection::vec(("[a-z\u{e9}\u{1F600}\u{FF5E}]{0,2}", inner), 0..6)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn nothing_but_the_order_changes(value in json()) {
            let document = parsed(&value.to_string());
            same_but_for_order(&document, &document.clone().with_sorted_members());
        }
    }
}

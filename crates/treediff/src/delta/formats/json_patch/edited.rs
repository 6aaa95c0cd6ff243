//! How does a JSON document change under operations? A tree over the document that has only what pointers went through.
//!
//! A value is a piece of the document or of the patch until an operation goes through it; then its children are listed,
//! each of them such a piece. Members are found by key, items by index, neither by looking at all the others.
//!
//! A copy shares all with its original until an operation goes through either, and what it adds is counted beforehand:
//! copies of copies grow by powers of two, and are refused before they take any room.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::ordered::Ordered;
use super::apply::{Trouble, kind_in_words, shortened};
use super::{number, pointer};
use crate::parse::Limits;
use crate::tree::{Document, Kind, Node};

/// A value of the edited document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u32);

#[derive(Debug, Clone)]
pub(super) enum Value<'d> {
    /// As it stands in the document or in the patch.
    Whole(Node<'d>),
    Object(Members<'d>),
    Array(Items<'d>),
}

impl<'d> Value<'d> {
    /// What the value was before anything changed in it.
    pub(super) fn origin(&self) -> Node<'d> {
        match self {
            Value::Whole(node) => *node,
            Value::Object(members) => members.origin,
            Value::Array(items) => items.origin,
        }
    }
}

/// Where a value is kept.
#[derive(Debug, Clone)]
enum Slot<'d> {
    Own(Value<'d>),
    /// The object or array at another place, which never changes any more.
    Shared(Place),
}

/// How much a value adds to a document.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    nodes: usize,
    bytes: usize,
}

impl Amount {
    fn add(&mut self, other: Amount) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// The members of an object, in the order in which they are written.
#[derive(Debug, Clone)]
pub(super) struct Members<'d> {
    /// What the object was.
    pub(super) origin: Node<'d>,
    /// Those that were removed leave an empty entry.
    pub(super) list: Vec<Option<(Cow<'d, str>, Place)>>,
    by_key: HashMap<Cow<'d, str>, usize>,
}

/// The items of an array.
#[derive(Debug, Clone)]
pub(super) struct Items<'d> {
    /// What the array was.
    pub(super) origin: Node<'d>,
    pub(super) list: Ordered,
}

/// A document under a patch.
#[derive(Debug)]
pub(super) struct Edited<'d> {
    values: Vec<Slot<'d>>,
    /// What objects and arrays amount to that can be shared.
    amounts: HashMap<u32, Amount>,
    root: Option<Place>,
    /// Nodes and bytes that copies may still add.
    nodes_left: usize,
    bytes_left: usize,
}

/// Where a pointer leads, but for its last step.
enum Last<'t> {
    Root,
    In(Place, &'t str),
}

impl<'d> Edited<'d> {
    pub(super) fn new(document: &'d Document, limits: &Limits) -> Self {
        let mut edited = Edited {
            values: Vec::new(),
            amounts: HashMap::new(),
            root: None,
            nodes_left: limits.max_nodes.saturating_sub(document.len()),
            bytes_left: limits.max_bytes.saturating_sub(document.source().len()),
        };
        edited.root = document.root_element().map(|root| edited.value(root));
        edited
    }

    /// The root value.
    pub(super) fn root(&self) -> Option<Place> {
        self.root
    }

    pub(super) fn get(&self, place: Place) -> &Value<'d> {
        let mut place = place;
        loop {
            match &self.values[place.0 as usize] {
                Slot::Own(value) => return value,
                // One step: what is shared is a value of its own.
                Slot::Shared(origin) => place = *origin,
            }
        }
    }

    /// A new value, not yet anywhere.
    pub(super) fn value(&mut self, node: Node<'d>) -> Place {
        self.push(Value::Whole(node))
    }

    fn push(&mut self, value: Value<'d>) -> Place {
        self.push_slot(Slot::Own(value))
    }

    fn push_slot(&mut self, slot: Slot<'d>) -> Place {
        self.values.push(slot);
        Place(self.values.len() as u32 - 1)
    }

    /// The value that a pointer leads to.
    pub(super) fn find(&mut self, path: &[Cow<'_, str>]) -> Result<Place, Trouble> {
        let mut place = self.root.ok_or(Trouble::Leaf("an empty document"))?;
        for token in path {
            place = self.child(place, token)?;
        }
        Ok(place)
    }

    fn find_last<'t>(&mut self, path: &'t [Cow<'_, str>]) -> Result<Last<'t>, Trouble> {
        match path.split_last() {
            None => Ok(Last::Root),
            Some((last, parents)) => Ok(Last::In(self.find(parents)?, last)),
        }
    }

    fn child(&mut self, place: Place, token: &str) -> Result<Place, Trouble> {
        match self.open(place)? {
            Value::Object(members) => members.get(token).ok_or_else(|| Trouble::NoMember(shortened(token))),
            Value::Array(items) => {
                let at = items.existing(token)?;
                items.list.get(at).map(Place).ok_or_else(|| items.none(token))
            }
            Value::Whole(leaf) => Err(Trouble::Leaf(kind_in_words(leaf.kind()))),
        }
    }

    /// Adds a value as `add` does: a member that is there is replaced, an item is put before the one that is there.
    pub(super) fn add(&mut self, path: &[Cow<'_, str>], value: Place) -> Result<(), Trouble> {
        let Last::In(parent, token) = self.find_last(path)? else {
            self.root = Some(value);
            return Ok(());
        };
        match self.open(parent)? {
            Value::Object(members) => members.set(token, value),
            Value::Array(items) => {
                let at = if token == "-" { items.list.len() } else { items.index(token)? };
                if at > items.list.len() {
                    return Err(items.none(token));
                }
                items.list.insert(at, value.0, 0);
            }
            Value::Whole(leaf) => return Err(Trouble::Leaf(kind_in_words(leaf.kind()))),
        }
        Ok(())
    }

    /// Takes the value that a pointer leads to out of the document.
    pub(super) fn remove(&mut self, path: &[Cow<'_, str>]) -> Result<Place, Trouble> {
        let Last::In(parent, token) = self.find_last(path)? else { return Err(Trouble::RemovesAll) };
        match self.open(parent)? {
            Value::Object(members) => members.remove(token).ok_or_else(|| Trouble::NoMember(shortened(token))),
            Value::Array(items) => {
                let at = items.existing(token)?;
                items.list.remove(at).map(Place).ok_or_else(|| items.none(token))
            }
            Value::Whole(leaf) => Err(Trouble::Leaf(kind_in_words(leaf.kind()))),
        }
    }

    /// Puts a value in the place of the one that a pointer leads to.
    pub(super) fn replace(&mut self, path: &[Cow<'_, str>], value: Place) -> Result<(), Trouble> {
        let Last::In(parent, token) = self.find_last(path)? else {
            self.root = Some(value);
            return Ok(());
        };
        self.child(parent, token)?;
        match self.open(parent)? {
            Value::Object(members) => members.set(token, value),
            Value::Array(items) => {
                let at = items.existing(token)?;
                items.list.remove(at);
                items.list.insert(at, value.0, 0);
            }
            Value::Whole(_) => {}
        }
        Ok(())
    }

    /// A copy of the value that a pointer leads to, which both share from then on.
    pub(super) fn copied(&mut self, path: &[Cow<'_, str>]) -> Result<Place, Trouble> {
        let original = self.find(path)?;
        let Amount { nodes, bytes } = self.freeze(original);
        self.nodes_left = self.nodes_left.checked_sub(nodes).ok_or(Trouble::TooLarge("what --max-nodes allows"))?;
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(Trouble::TooLarge("what --max-bytes allows"))?;
        let copy = self.alike(original);
        Ok(self.push_slot(copy))
    }

    /// Puts a value where nobody goes through it any more, so that it can be shared, and says what it amounts to. What is
    /// in it can be shared then as well.
    fn freeze(&mut self, place: Place) -> Amount {
        if matches!(&self.values[place.0 as usize], Slot::Own(Value::Object(_) | Value::Array(_))) {
            let frozen = Place(self.values.len() as u32);
            let own = std::mem::replace(&mut self.values[place.0 as usize], Slot::Shared(frozen));
            self.values.push(own);
            self.count(frozen);
        }
        self.amount(place)
    }

    /// Counts what an object or array amounts to, and all objects and arrays in it that are not shared yet.
    fn count(&mut self, frozen: Place) {
        let mut containers = vec![frozen];
        let mut at = 0;
        while let Some(&container) = containers.get(at) {
            if let Slot::Own(Value::Object(members)) = &mut self.values[container.0 as usize] {
                // Nobody has to go through what was removed again and again.
                members.forget_removed();
            }
            let is_own =
                |child: &Place| matches!(&self.values[child.0 as usize], Slot::Own(Value::Object(_) | Value::Array(_)));
            containers.extend(self.children(container).into_iter().filter(is_own));
            at += 1;
        }
        // Children come behind their parents.
        for &container in containers.iter().rev() {
            let mut sum = Amount { nodes: 1, bytes: 2 };
            self.children(container).into_iter().for_each(|child| sum.add(self.amount(child)));
            self.amounts.insert(container.0, sum);
        }
    }

    /// What a value amounts to that can be shared.
    fn amount(&self, place: Place) -> Amount {
        match &self.values[place.0 as usize] {
            Slot::Own(Value::Whole(node)) => {
                Amount { nodes: node.size() as usize, bytes: node.source_range().map_or(0, |range| range.len()) }
            }
            Slot::Own(_) => self.amounts.get(&place.0).copied().unwrap_or_default(),
            Slot::Shared(frozen) => self.amounts.get(&frozen.0).copied().unwrap_or_default(),
        }
    }

    /// Another slot of a value that can be shared.
    fn alike(&self, place: Place) -> Slot<'d> {
        match &self.values[place.0 as usize] {
            Slot::Own(Value::Whole(node)) => Slot::Own(Value::Whole(*node)),
            Slot::Own(_) => Slot::Shared(place),
            Slot::Shared(frozen) => Slot::Shared(*frozen),
        }
    }

    /// The children that are listed, in order.
    pub(super) fn children(&self, place: Place) -> Vec<Place> {
        match self.get(place) {
            Value::Whole(_) => Vec::new(),
            Value::Object(members) => members.list.iter().flatten().map(|(_, child)| *child).collect(),
            Value::Array(items) => items.list.iter().map(Place).collect(),
        }
    }

    /// Lists the children of an object or array; those of one that is shared are shared.
    fn open(&mut self, place: Place) -> Result<&mut Value<'d>, Trouble> {
        let opened = match self.values[place.0 as usize] {
            Slot::Own(Value::Whole(node)) => match node.kind() {
                Kind::Object => Some(Value::Object(self.members(node)?)),
                Kind::Array => Some(Value::Array(self.items(node))),
                _ => None,
            },
            Slot::Own(_) => None,
            Slot::Shared(frozen) => Some(self.apart(frozen)),
        };
        let slot = &mut self.values[place.0 as usize];
        if let Some(opened) = opened {
            *slot = Slot::Own(opened);
        }
        match slot {
            Slot::Own(value) => Ok(value),
            Slot::Shared(_) => Err(Trouble::Leaf("a value that is shared")),
        }
    }

    /// A value of its own that is like a shared one.
    fn apart(&mut self, frozen: Place) -> Value<'d> {
        let slots: Vec<Slot<'d>> = self.children(frozen).into_iter().map(|child| self.alike(child)).collect();
        let copies: Vec<Place> = slots.into_iter().map(|slot| self.push_slot(slot)).collect();
        match self.get(frozen) {
            Value::Object(members) => Value::Object(members.with(&copies)),
            Value::Array(items) => {
                Value::Array(Items { origin: items.origin, list: Ordered::new(copies.iter().map(|copy| (copy.0, 0))) })
            }
            Value::Whole(node) => Value::Whole(*node),
        }
    }

    fn members(&mut self, origin: Node<'d>) -> Result<Members<'d>, Trouble> {
        let mut members = Members { origin, list: Vec::new(), by_key: HashMap::new() };
        for member in as_written(origin) {
            let key = Cow::Borrowed(member.name().local);
            if members.by_key.insert(key.clone(), members.list.len()).is_some() {
                return Err(Trouble::Ambiguous(shortened(&key)));
            }
            let value = self.value(member);
            members.list.push(Some((key, value)));
        }
        Ok(members)
    }

    fn items(&mut self, origin: Node<'d>) -> Items<'d> {
        let items: Vec<(u32, u8)> = origin.children().map(|item| (self.value(item).0, 0)).collect();
        Items { origin, list: Ordered::new(items) }
    }

    /// Whether a value is the one that a patch expects. The cost is bounded by the size of what is expected.
    pub(super) fn is(&mut self, found: Place, expected: Node<'d>) -> Result<bool, Trouble> {
        let mut pairs = vec![(found, expected)];
        while let Some((found, expected)) = pairs.pop() {
            let node = self.get(found).origin();
            if node.kind() != expected.kind() {
                return Ok(false);
            }
            match node.kind() {
                Kind::Object | Kind::Array => {
                    if !self.compare_children(found, expected, &mut pairs)? {
                        return Ok(false);
                    }
                }
                Kind::Number if number::equal(&node.value(), &expected.value()) => {}
                _ if node.value() == expected.value() => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Adds the children to the pairs to compare; `false` where they are not as many, or have other keys.
    fn compare_children(
        &mut self,
        found: Place,
        expected: Node<'d>,
        pairs: &mut Vec<(Place, Node<'d>)>,
    ) -> Result<bool, Trouble> {
        let wanted = expected.children().count();
        if let Value::Whole(node) = *self.get(found)
            && node.children().take(wanted + 1).count() != wanted
        {
            return Ok(false);
        }
        match self.open(found)? {
            Value::Object(members) if members.by_key.len() == wanted => {
                for member in expected.children() {
                    let Some(partner) = members.get(member.name().local) else { return Ok(false) };
                    pairs.push((partner, member));
                }
                Ok(true)
            }
            Value::Array(items) if items.list.len() == wanted => {
                pairs.extend(items.list.iter().map(Place).zip(expected.children()));
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// The children in the order of the source, which is not that of the tree where members are sorted.
pub(super) fn as_written(container: Node<'_>) -> Vec<Node<'_>> {
    let mut children: Vec<Node<'_>> = container.children().collect();
    if container.kind() == Kind::Object {
        children.sort_by_key(|child| child.source_range().map_or(usize::MAX, |range| range.start));
    }
    children
}

impl<'d> Members<'d> {
    fn get(&self, key: &str) -> Option<Place> {
        let at = *self.by_key.get(key)?;
        self.list.get(at)?.as_ref().map(|(_, value)| *value)
    }

    fn set(&mut self, key: &str, value: Place) {
        match self.by_key.get(key) {
            Some(&at) => {
                if let Some((_, old)) = self.list.get_mut(at).and_then(Option::as_mut) {
                    *old = value;
                }
            }
            None => {
                self.by_key.insert(Cow::Owned(key.to_owned()), self.list.len());
                self.list.push(Some((Cow::Owned(key.to_owned()), value)));
            }
        }
    }

    /// The same members with other values, in their order.
    fn with(&self, values: &[Place]) -> Self {
        let keys = self.list.iter().flatten().map(|(key, _)| key.clone());
        let list: Vec<_> = keys.zip(values).map(|(key, value)| Some((key, *value))).collect();
        Members { origin: self.origin, by_key: places(&list), list }
    }

    fn forget_removed(&mut self) {
        if self.by_key.len() < self.list.len() {
            self.list.retain(Option::is_some);
            self.by_key = places(&self.list);
        }
    }

    fn remove(&mut self, key: &str) -> Option<Place> {
        let at = self.by_key.remove(key)?;
        self.list.get_mut(at)?.take().map(|(_, value)| value)
    }
}

/// Where each member stands in a list.
fn places<'d>(list: &[Option<(Cow<'d, str>, Place)>]) -> HashMap<Cow<'d, str>, usize> {
    let keys = list.iter().zip(0..).filter_map(|(member, at)| Some((member.as_ref()?.0.clone(), at)));
    keys.collect()
}

impl Items<'_> {
    fn index(&self, token: &str) -> Result<usize, Trouble> {
        let is_number = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
        match pointer::index(token) {
            Some(index) => Ok(index),
            None if is_number && !token.starts_with('0') => Err(self.none(token)),
            None => Err(Trouble::NoIndex(shortened(token))),
        }
    }

    /// The index of an item that is there; `-` is behind all that are.
    fn existing(&self, token: &str) -> Result<usize, Trouble> {
        if token == "-" { Err(self.none(token)) } else { self.index(token) }
    }

    fn none(&self, token: &str) -> Trouble {
        Trouble::NoItem { index: shortened(token), len: self.list.len() }
    }
}

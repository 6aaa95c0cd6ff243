//! Where can something come in? Between the children that stayed, and what fits there goes by what is around.

use std::collections::{HashMap, HashSet};

use super::plan::{Addition, Content, is_blank_text};
use super::random::Random;
use super::rules::{Rules, is_aside};
use crate::tree::{Document, Kind, Label, NameId, Node, NodeId};

/// A place for a new child.
pub(super) struct Place {
    pub(super) parent: NodeId,
    pub(super) before: u32,
    /// Whether it is for a text; otherwise for anything else.
    pub(super) takes_text: bool,
}

/// Which parents a place is looked for in.
#[derive(Debug, Clone, Copy)]
enum Among {
    All,
    /// Those that may have a place for a text.
    OfTexts,
    /// Those that have children of a label.
    Homes(Label),
}

/// The places for new children: between the children that stayed.
pub(super) struct Places<'p> {
    document: &'p Document,
    rules: &'p Rules,
    parents: Vec<NodeId>,
    /// Those of them that may have a place for a text; in data there are few, so that chance alone would not find one.
    text_parents: Vec<NodeId>,
    /// Of these, up to which they have been looked through one by one.
    looked_through: usize,
    /// In a page, the parents that have children of a label; chance alone would not find one that fits.
    homes: HashMap<Label, Vec<NodeId>>,
    /// The staying children of all nodes, those of a node from `first[node]` to `first[node + 1]`.
    children: Vec<NodeId>,
    first: Vec<usize>,
    /// Whether a child is a text with other characters than white space.
    has_text: Vec<bool>,
    /// For the label of a parent one of the children that such parents have.
    cousins: HashMap<Label, NodeId>,
    taken: HashSet<(NodeId, u32)>,
    /// The names of the members of objects.
    keys: HashSet<(NodeId, NameId)>,
}

impl<'p> Places<'p> {
    /// The places below the nodes that stayed, which are given in document order, without those that are taken.
    pub(super) fn new(
        document: &'p Document,
        staying: &[Node<'p>],
        taken: &[Addition],
        rules: &'p Rules,
        random: &mut Random,
    ) -> Self {
        let (first, children) = by_parent(document, staying);
        let elements = staying.iter().filter(|node| node.kind().is_container() && rules.is_open(node.id()));
        let mut places = Places {
            document,
            rules,
            parents: elements.map(|element| element.id()).collect(),
            text_parents: Vec::new(),
            looked_through: 0,
            homes: HashMap::new(),
            first,
            children,
            has_text: vec![false; document.len()],
            cousins: HashMap::new(),
            taken: taken.iter().map(|addition| (addition.parent, addition.before)).collect(),
            keys: HashSet::new(),
        };
        places.look_around(staying, random);
        if rules.is_page {
            places.keep_to_likes();
        }
        let may_take_text = |parent: &NodeId| places.may_take_text(*parent);
        places.text_parents = places.parents.iter().copied().filter(may_take_text).collect();
        places
    }

    /// Keeps the names of members for those that are to move, since some of them may have to stay.
    pub(super) fn keep_keys(&mut self, moving: &[NodeId]) {
        for &id in moving {
            let parent = self.document.parents()[id.index()];
            self.keys.insert((NodeId(parent), self.document.labels()[id.index()].name()));
        }
    }

    /// Notes who has texts, and for every label of a parent one of the children of such parents, each alike likely.
    fn look_around(&mut self, staying: &[Node<'p>], random: &mut Random) {
        let mut seen: HashMap<Label, usize> = HashMap::new();
        for child in staying {
            let parent = self.document.parents()[child.id().index()] as usize;
            let is_text = child.kind() == Kind::Text && !self.rules.is_blank[child.id().index()];
            self.has_text[parent] |= is_text;
            if self.document.labels()[parent].kind() == Kind::Object {
                self.keys.insert((NodeId(parent as u32), child.label().name()));
            }
            if is_text || (child.kind() != Kind::Text && !is_aside(child.kind())) {
                let label = self.document.labels()[parent];
                let count = seen.entry(label).or_default();
                *count += 1;
                if random.below(*count) == 0 {
                    self.cousins.insert(label, child.id());
                }
            }
        }
    }

    /// In a page, leaves out the parents that nothing is known to fit into, and notes where children of which labels are.
    fn keep_to_likes(&mut self) {
        let parents = std::mem::take(&mut self.parents);
        for &parent in &parents {
            let mut labels: Vec<Label> =
                self.children(parent).iter().map(|id| self.document.labels()[id.index()]).collect();
            labels.sort_unstable();
            labels.dedup();
            labels.into_iter().for_each(|label| self.homes.entry(label).or_default().push(parent));
        }
        let is_known = |parent: &NodeId| self.may_take_text(*parent) || self.has_model(*parent);
        self.parents = parents.into_iter().filter(is_known).collect();
    }

    fn has_model(&self, parent: NodeId) -> bool {
        let has_sibling = || self.children(parent).iter().any(|&id| self.is_model(self.document.node(id), parent));
        has_sibling() || self.cousin(parent).is_some_and(|cousin| self.is_model(cousin, parent))
    }

    /// Whether a new child of `parent` can be named like a node.
    fn is_model(&self, like: Node<'_>, parent: NodeId) -> bool {
        self.rules.is_model(like) && self.rules.fits_new(like, parent)
    }

    /// Whether there are texts among its children and room beside them, or it is empty and its like has texts.
    fn may_take_text(&self, parent: NodeId) -> bool {
        match self.children(parent).len() {
            _ if !self.document.node(parent).is_element() => false,
            0 if self.rules.is_page => self.cousin(parent).is_some_and(|cousin| cousin.kind() == Kind::Text),
            0 => !self.cousin(parent).is_some_and(Node::is_element),
            1 => false,
            _ => self.has_text[parent.index()],
        }
    }

    fn children(&self, parent: NodeId) -> &[NodeId] {
        &self.children[self.first[parent.index()]..self.first[parent.index() + 1]]
    }

    /// A free place for something new, if one is found in a few tries; it is taken from now on.
    pub(super) fn find(&mut self, random: &mut Random) -> Option<Place> {
        self.find_among(Among::All, random, |_| true)
    }

    fn find_among(&mut self, among: Among, random: &mut Random, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        for _ in 0..TRIES {
            let parents = match among {
                Among::All => &self.parents,
                Among::OfTexts => &self.text_parents,
                Among::Homes(label) => self.homes.get(&label)?,
            };
            let &parent = parents.get(random.below(parents.len()))?;
            let gap = random.below(self.children(parent).len() + 1);
            let place = self.place(parent, gap, random);
            if fits(&place) && self.taken.insert((parent, place.before)) {
                return Some(place);
            }
        }
        if matches!(among, Among::OfTexts) { self.next_empty(random, fits) } else { None }
    }

    /// The next empty parent that takes a text. Texts mostly go to where others were, so that the last ones would hardly find
    /// the last places by chance.
    fn next_empty(&mut self, random: &mut Random, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        while let Some(&parent) = self.text_parents.get(self.looked_through) {
            self.looked_through += 1;
            let place = self.place(parent, 0, random);
            if self.children(parent).is_empty() && fits(&place) && self.taken.insert((parent, place.before)) {
                return Some(place);
            }
        }
        None
    }

    /// A free place for what was taken out: of a text where texts are, of a member of an object in an object that has
    /// none of its name, of an item of an array in an array, of an element of a page where such elements are.
    pub(super) fn find_for(
        &mut self,
        node: Node<'_>,
        random: &mut Random,
        fits: impl Fn(&Place) -> bool,
    ) -> Option<Place> {
        let (document, rules, key) = (self.document, self.rules, node.label().name());
        let is_text = node.kind() == Kind::Text;
        let among = match is_text {
            true => Among::OfTexts,
            false if rules.is_page => Among::Homes(node.label()),
            false => Among::All,
        };
        let kind_of = |id: NodeId| document.node(id).kind();
        let from = node.parent().map(Node::kind)?;
        let keys = std::mem::take(&mut self.keys);
        let found = self.find_among(among, random, |place| {
            let is_like_before = match from {
                Kind::Object => kind_of(place.parent) == from && !keys.contains(&(place.parent, key)),
                Kind::Array => kind_of(place.parent) == from,
                _ => place.takes_text == is_text,
            };
            is_like_before && rules.fits(node.id(), place.parent) && fits(place)
        });
        self.keys = keys;
        if let Some(place) = found.as_ref().filter(|_| from == Kind::Object) {
            self.keys.insert((place.parent, key));
        }
        found
    }

    /// What a gap between children is for goes by what is around: never a text beside a text; a text or an element
    /// where there are texts; in an empty element whatever other elements of its name have.
    fn place(&self, parent: NodeId, gap: usize, random: &mut Random) -> Place {
        let children = self.children(parent);
        let kind = |at: usize| children.get(at).map(|&child| self.document.node(child).kind());
        let is_beside_text = kind(gap) == Some(Kind::Text) || (gap > 0 && kind(gap - 1) == Some(Kind::Text));
        let takes_text = !is_beside_text && self.may_take_text(parent) && (children.is_empty() || random.chance(0.5));
        let before = children.get(gap).map_or_else(|| self.document.node(parent).end(), |child| child.0);
        Place { parent, before, takes_text }
    }

    fn cousin(&self, parent: NodeId) -> Option<Node<'p>> {
        let label = self.document.node(parent).label();
        self.cousins.get(&label).map(|&cousin| self.document.node(cousin))
    }

    /// A new element as a child of `parent`: named like a sibling, else like a cousin, else like the parent itself,
    /// which is nothing for a page.
    pub(super) fn element_for(&self, parent: NodeId, random: &mut Random) -> Option<Content> {
        let siblings = self.children(parent);
        let sibling = (0..TRIES.min(siblings.len()))
            .map(|_| self.document.node(siblings[random.below(siblings.len())]))
            .find(|sibling| self.is_model(*sibling, parent));
        let cousin = self.cousin(parent).filter(|cousin| self.is_model(*cousin, parent));
        let itself = Some(self.document.node(parent)).filter(|_| !self.rules.is_page);
        let like = sibling.or(cousin).or(itself)?;
        let has_text = like.first_child().is_some_and(|child| child.kind() == Kind::Text && !is_blank_text(child));
        Some(Content::Element { like: like.id(), has_text })
    }
}

/// The children of every node in one list, and where in it those of each node begin.
fn by_parent(document: &Document, staying: &[Node<'_>]) -> (Vec<usize>, Vec<NodeId>) {
    let parent_of = |node: &Node<'_>| document.parents()[node.id().index()] as usize;
    let mut first = vec![0; document.len() + 1];
    for child in staying {
        first[parent_of(child) + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut children = vec![NodeId::DOCUMENT; staying.len()];
    let mut next = first.clone();
    for child in staying {
        let place = &mut next[parent_of(child)];
        children[*place] = child.id();
        *place += 1;
    }
    (first, children)
}

/// How often a place is looked for, before it is left.
const TRIES: usize = 16;

//! How does one walk a document? A [`Node`] is a document and a place in it; moving is arithmetic on the arrays.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use super::walk::Walk;
use super::{Document, Format, Kind, Label, Name, NameId, NodeId, Span, StoredAttribute, WideElement, XML_NAMESPACE};
use crate::parse::decode;

/// A node of a document.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    id: NodeId,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {} #{}", self.kind(), self.name(), self.id.0)
    }
}

impl PartialEq for Node<'_> {
    /// Whether it is the same node of the same document.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

impl<'d> Node<'d> {
    pub(super) fn new(document: &'d Document, id: NodeId) -> Self {
        Node { document, id }
    }

    fn at(self, index: u32) -> Self {
        Node { document: self.document, id: NodeId(index) }
    }

    /// The document that the node is of.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// The node's place in document order.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The index behind the node's subtree: its nodes are `id..end`.
    pub fn end(self) -> u32 {
        self.document.ends[self.id.index()]
    }

    /// Kind and name in one.
    pub fn label(self) -> Label {
        self.document.labels[self.id.index()]
    }

    /// What the node is.
    pub fn kind(self) -> Kind {
        self.label().kind()
    }

    /// Whether it is an element.
    pub fn is_element(self) -> bool {
        self.kind() == Kind::Element
    }

    /// The expanded name: of an element, of a processing instruction's target, of an entity, or a JSON member's key.
    pub fn name(self) -> Name<'d> {
        self.document.names.get(self.label().name())
    }

    /// The prefix that the element's name is written with, empty where it has none.
    pub fn prefix(self) -> &'d str {
        if self.document.format != Format::Xml || !self.is_element() || self.name().namespace.is_empty() {
            return "";
        }
        let tag = &self.document.text[self.span().start() as usize..];
        let name = tag.strip_prefix('<').unwrap_or(tag).split([' ', '\t', '\r', '\n', '/', '>']).next();
        name.and_then(|name| name.split_once(':')).map_or("", |(prefix, _)| prefix)
    }

    /// The name as written, prefix included.
    pub fn qualified_name(self) -> Cow<'d, str> {
        qualified(self.prefix(), self.name().local)
    }

    /// The subtree's hash: equal content has equal hashes.
    pub fn hash(self) -> u64 {
        self.document.hashes[self.id.index()]
    }

    /// The number of nodes in the subtree.
    pub fn size(self) -> u32 {
        self.end() - self.id.0
    }

    /// The subtree's weight: 1 for every node, and the logarithm of its length for every value.
    pub fn weight(self) -> u32 {
        self.document.weights.within(self.id.index()..self.end() as usize)
    }

    /// The parent; the document node has none.
    pub fn parent(self) -> Option<Node<'d>> {
        (self.id != NodeId::DOCUMENT).then(|| self.at(self.document.parents[self.id.index()]))
    }

    /// The children in order.
    pub fn children(self) -> Children<'d> {
        Children { document: self.document, next: self.id.0 + 1, end: self.end() }
    }

    /// The first child.
    pub fn first_child(self) -> Option<Node<'d>> {
        (self.id.0 + 1 < self.end()).then(|| self.at(self.id.0 + 1))
    }

    /// The last child; costs a climb from the last descendant.
    pub fn last_child(self) -> Option<Node<'d>> {
        (self.id.0 + 1 < self.end()).then(|| self.climb(self.end() - 1, self.id.0))
    }

    /// The sibling behind.
    pub fn next_sibling(self) -> Option<Node<'d>> {
        let parent = self.parent()?;
        (self.end() < parent.end()).then(|| self.at(self.end()))
    }

    /// The sibling before; costs a climb from the node before in document order.
    pub fn previous_sibling(self) -> Option<Node<'d>> {
        let parent = self.parent()?.id.0;
        (self.id.0 > parent + 1).then(|| self.climb(self.id.0 - 1, parent))
    }

    /// The ancestor-or-self of `from` whose parent is `parent`.
    fn climb(self, from: u32, parent: u32) -> Node<'d> {
        let mut index = from;
        while self.document.parents[index as usize] != parent {
            index = self.document.parents[index as usize];
        }
        self.at(index)
    }

    /// The parent, its parent, and so on up to the document node.
    pub fn ancestors(self) -> Ancestors<'d> {
        Ancestors { next: self.parent() }
    }

    /// The nodes below, in document order.
    pub fn descendants(self) -> Descendants<'d> {
        Descendants::new(self.document, self.id.0 + 1, self.end())
    }

    /// The subtree, each container entered and left, as a writer needs it.
    ///
    /// ```
    /// use treediff::{parse, tree::Step};
    ///
    /// let document = parse::xml("<a>x<b/></a>", &Default::default())?.document;
    /// let steps: Vec<String> = document.root_element().unwrap().walk().map(|step| match step {
    ///     Step::Enter(node) => format!("{:?}", node.kind()),
    ///     Step::Leave(node) => format!("/{}", node.name()),
    /// }).collect();
    /// assert_eq!(steps, ["Element", "Text", "Element", "/b", "/a"]);
    /// # Ok::<(), parse::ParseError>(())
    /// ```
    pub fn walk(self) -> Walk<'d> {
        Walk::new(self)
    }

    /// Whether `other` is below this node.
    pub fn contains(self, other: Node<'d>) -> bool {
        self.id < other.id && other.id.0 < self.end()
    }

    /// The node's own value: a text's or comment's characters, a processing instruction's data, a JSON string or
    /// number. Empty for containers.
    #[inline]
    pub fn value(self) -> Cow<'d, str> {
        match self.kind() {
            kind if kind.is_container() => Cow::Borrowed(""),
            Kind::Reference => Cow::Borrowed(self.name().local),
            kind => {
                let span = self.span();
                decode::value(self.document.format, kind, &self.document.text[span.range()], span.is_encoded())
            }
        }
    }

    /// The bytes of the node's own value as its text has them, not decoded.
    pub(crate) fn raw_value(self) -> &'d [u8] {
        &self.document.text.as_bytes()[self.span().range()]
    }

    /// The characters of all texts in the subtree; of comments and processing instructions their own value. A
    /// reference that was not followed adds nothing.
    pub fn string_value(self) -> Cow<'d, str> {
        if !self.kind().is_container() {
            return self.value();
        }
        let mut texts = self.descendants().filter(|node| {
            let kind = node.kind();
            !kind.is_container() && !matches!(kind, Kind::Comment | Kind::ProcessingInstruction | Kind::Reference)
        });
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        let mut whole = first.value();
        for text in texts {
            whole.to_mut().push_str(&text.value());
        }
        whole
    }

    /// The attributes of an element, in the order of their names' hashes; namespace declarations are none.
    pub fn attributes(self) -> Attributes<'d> {
        let count = self.attribute_count();
        // Most elements have none, and where they would begin takes a sum to know.
        let first = if count > 0 { self.document.first_attribute(self.id.0) } else { 0 };
        Attributes { document: self.document, next: first, end: first + count }
    }

    /// The attributes of two elements side by side: those with one name together. Both are in one order, so that it takes
    /// one walk through both.
    pub(crate) fn attributes_beside<'o>(
        self,
        other: Node<'o>,
    ) -> impl Iterator<Item = (Option<Attribute<'d>>, Option<Attribute<'o>>)> {
        let (mut here, mut there) = (self.attributes().peekable(), other.attributes().peekable());
        std::iter::from_fn(move || {
            let order = match (here.peek(), there.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(here), Some(there)) => here.order_key().cmp(&there.order_key()),
            };
            let first = if order.is_le() { here.next() } else { None };
            Some((first, if order.is_ge() { there.next() } else { None }))
        })
    }

    /// Whether two elements have attributes of the same names that are written alike: then they have the same values.
    pub(crate) fn writes_same_attributes(self, other: Node<'_>) -> bool {
        self.attribute_count() == other.attribute_count()
            && self.document.format == other.document.format
            && self
                .attributes()
                .zip(other.attributes())
                .all(|(here, there)| here.raw_value() == there.raw_value() && here.order_key() == there.order_key())
    }

    /// The number of attributes.
    pub fn attribute_count(self) -> u32 {
        let counted = u32::from(self.document.attribute_counts.get(self.id.index()));
        if counted < WideElement::COUNTED {
            return counted;
        }
        let index = self.id.0;
        counted + self.document.extra_attributes_before(index + 1) - self.document.extra_attributes_before(index)
    }

    /// All attributes of the subtree.
    pub(crate) fn attributes_below(self) -> &'d [StoredAttribute] {
        let document = self.document;
        let range = document.first_attribute(self.id.0)..document.first_attribute(self.end());
        &document.attributes[range.start as usize..range.end as usize]
    }

    /// A hash of the node's kind, name and attributes, whatever its children.
    pub(crate) fn start_hash(self) -> u64 {
        self.label().hash(&self.document.names) ^ self.attributes_hash()
    }

    /// The value of an attribute.
    pub fn attribute(self, namespace: &str, local: &str) -> Option<Cow<'d, str>> {
        if self.attribute_count() == 0 {
            return None;
        }
        self.attribute_of(self.document.names.find(namespace, local)?)
    }

    /// The same by the number of its name, for those who ask many elements.
    pub(crate) fn attribute_of(self, name: NameId) -> Option<Cow<'d, str>> {
        self.attributes().find(|attribute| attribute.name_id() == name).map(Attribute::value)
    }

    /// The element's ID: an attribute that the DTD declares so, `xml:id`, or `id` in HTML.
    pub fn id_value(self) -> Option<Cow<'d, str>> {
        if !self.is_element() {
            return None;
        }
        self.attributes().find(|attribute| self.is_id(*attribute)).map(Attribute::value)
    }

    fn is_id(self, attribute: Attribute<'d>) -> bool {
        match attribute.name() {
            Name { namespace: XML_NAMESPACE, local: "id" } => true,
            Name { namespace: "", local: "id" } if self.document.format == Format::Html => true,
            _ => {
                let declared = [self.label().name().0, attribute.stored.name];
                self.document.id_attributes.binary_search(&declared).is_ok()
            }
        }
    }

    /// The namespaces that the element itself declares, as prefix and URI; an empty URI undeclares.
    pub fn declarations(self) -> impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)> {
        let document = self.document;
        self.declaration_indices().map(move |index| document.declaration(index))
    }

    /// Where the element's declarations stand in the document's list of them.
    pub(crate) fn declaration_indices(self) -> Range<usize> {
        let all = &self.document.declarations;
        let first = all.partition_point(|declaration| declaration.node < self.id.0);
        let own = all[first..].iter().take_while(|declaration| declaration.node == self.id.0).count();
        first..first + own
    }

    /// Where the node stands in the source: an element from its start tag to its end tag. `None` for what is not
    /// there itself, such as the content of an entity or an element that HTML implies.
    pub fn source_range(self) -> Option<Range<usize>> {
        let document = self.document;
        let span = match document.origins.binary_search_by_key(&self.id.0, |origin| origin.node) {
            Ok(at) => document.origins[at].span,
            Err(_) => self.span(),
        };
        let implied = document.format == Format::Html && span.range().is_empty() && self.is_element();
        (span.end() <= document.source_len && !implied).then(|| span.range())
    }

    /// All text before the node's own value, in the source or wherever the value stands.
    pub(crate) fn text_before_value(self) -> &'d str {
        &self.document.text[..self.span().start() as usize]
    }

    pub(crate) fn span(self) -> Span {
        self.document.spans[self.id.index()]
    }

    /// Whether two subtrees have the same content: what equal hashes promise, confirmed.
    ///
    /// Names, values, attributes and structure count; prefixes, namespace declarations, the order of attributes
    /// and of the members of JSON objects do not.
    pub fn same_content(self, other: Node<'_>) -> bool {
        self.hash() == other.hash() && self.size() == other.size() && same_nodes(self, other)
    }

    /// Whether two subtrees have one shape, and the same values, whatever their names are: what is written alike means the same.
    /// The attributes of a subtree stand behind one another, so that each array is gone through once.
    pub(crate) fn same_values(self, other: Node<'_>) -> bool {
        let (x, y) = (self.document, other.document);
        let (here, there) = (self.id.index()..self.end() as usize, other.id.index()..other.end() as usize);
        let ends = x.ends[here.clone()].iter().zip(&y.ends[there.clone()]);
        let counts = |(here, there)| x.node(NodeId(here)).attribute_count() == y.node(NodeId(there)).attribute_count();
        let are_wide = !x.wide.is_empty() || !y.wide.is_empty();
        let written_alike = |one: Span, two: Span| {
            one.is_encoded() == two.is_encoded() && x.text.as_bytes()[one.range()] == y.text.as_bytes()[two.range()]
        };
        let range = |document: &Document, nodes: &Range<usize>| {
            document.first_attribute(nodes.start as u32)..document.first_attribute(nodes.end as u32)
        };
        let mut attributes =
            range(x, &here).zip(range(y, &there)).map(|(one, two)| (x.attribute(one), y.attribute(two)));
        let mut leaves = here.clone().zip(there.clone()).filter(|(at, _)| !x.labels[*at].kind().is_container());
        here.len() == there.len()
            && ends.fold(true, |same, (one, two)| same & (one - self.id.0 == two - other.id.0))
            && x.attribute_counts.values[here.clone()] == y.attribute_counts.values[there.clone()]
            && (!are_wide || (self.id.0..self.end()).zip(other.id.0..).all(counts))
            && attributes.all(|(one, two)| written_alike(one.span(), two.span()) || one.value() == two.value())
            && leaves.all(|(one, two)| {
                let ids = [NodeId(one as u32), NodeId(two as u32)];
                written_alike(x.spans[one], y.spans[two]) || x.node(ids[0]).value() == y.node(ids[1]).value()
            })
    }

    /// Whether the two nodes themselves are alike: label, value, attributes; whatever their children.
    pub fn same_node(self, other: Node<'_>) -> bool {
        self.kind() == other.kind()
            && self.name() == other.name()
            && self.value() == other.value()
            && same_attributes(self, other)
    }
}

/// Both subtrees are ranges in document order, so they are walked side by side; only where members of objects may
/// stand in another order are nodes paired one by one.
fn same_nodes(a: Node<'_>, b: Node<'_>) -> bool {
    if a.document.format == Format::Json {
        return same_values(a, b);
    }
    let left = Descendants::new(a.document, a.id.0, a.end());
    let right = Descendants::new(b.document, b.id.0, b.end());
    left.zip(right).all(|(a, b)| a.size() == b.size() && a.same_node(b))
}

fn same_values(a: Node<'_>, b: Node<'_>) -> bool {
    let mut pairs = vec![(a, b)];
    while let Some((a, b)) = pairs.pop() {
        let mut left: Vec<Node<'_>> = a.children().collect();
        let mut right: Vec<Node<'_>> = b.children().collect();
        if left.len() != right.len() || !a.same_node(b) {
            return false;
        }
        if a.kind() == Kind::Object {
            left.sort_by_key(|member| member.name());
            right.sort_by_key(|member| member.name());
        }
        pairs.extend(left.into_iter().zip(right));
    }
    true
}

fn same_attributes(a: Node<'_>, b: Node<'_>) -> bool {
    // Both are in the order of their names' hashes; equal hashes of unequal names would need a collision, and then
    // the answer is «not the same», which is safe.
    a.attribute_count() == b.attribute_count()
        && a.attributes().zip(b.attributes()).all(|(x, y)| x.name() == y.name() && x.value() == y.value())
}

/// What may stand before the name of an attribute.
const AROUND_NAMES: &[char] = &[' ', '\t', '\r', '\n', '"', '\'', '<', '/'];

/// An attribute of an element.
#[derive(Clone, Copy)]
pub struct Attribute<'d> {
    document: &'d Document,
    index: u32,
    stored: StoredAttribute,
}

impl fmt::Debug for Attribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:?}", self.name(), self.value())
    }
}

impl<'d> Attribute<'d> {
    pub(super) fn new(document: &'d Document, index: u32) -> Self {
        Attribute { document, index, stored: document.attributes[index as usize] }
    }

    /// The place in the document's list of attributes: unique, and rising in document order of the elements.
    pub fn index(self) -> u32 {
        self.index
    }

    /// The document that the attribute is of.
    pub(super) fn document(self) -> &'d Document {
        self.document
    }

    /// Where the value stands in the document's text.
    pub(super) fn span(self) -> Span {
        self.stored.value
    }

    /// The expanded name.
    pub fn name(self) -> Name<'d> {
        self.document.names.get(self.name_id())
    }

    /// The hash of the name, by which the attributes of an element are in order, in every document alike.
    pub(crate) fn name_hash(self) -> u64 {
        self.document.names.hash(self.name_id())
    }

    fn order_key(self) -> (u64, Name<'d>) {
        (self.name_hash(), self.name())
    }

    /// The interned name.
    pub fn name_id(self) -> NameId {
        NameId(self.stored.name)
    }

    /// The value, normalised as XML says.
    pub fn value(self) -> Cow<'d, str> {
        self.document.attribute_text(self.stored.value)
    }

    /// Whether two attributes have one value: as they are written, where that is what they mean.
    pub(crate) fn same_value(self, other: Attribute<'_>) -> bool {
        match (self.raw_value(), other.raw_value()) {
            ((here, false), (there, false)) => here == there,
            _ => self.value() == other.value(),
        }
    }

    /// The bytes of the value as the text has them, and whether they are still encoded.
    pub(crate) fn raw_value(self) -> (&'d [u8], bool) {
        let span = self.stored.value;
        (&self.document.text.as_bytes()[span.range()], span.is_encoded())
    }

    /// The prefix that the name is written with, empty where it has none.
    pub fn prefix(self) -> &'d str {
        match (self.document.format, self.name().namespace) {
            (_, "") => "",
            (_, XML_NAMESPACE) => "xml",
            (Format::Xml, _) => self.written_prefix(),
            _ => html_prefix(self.name()),
        }
    }

    /// The builder of XML trees sees to it that a name, `=` and a quote stand before every value.
    fn written_prefix(self) -> &'d str {
        let before = self.text_to_name();
        match before.strip_suffix(self.name().local) {
            Some(rest) => rest.strip_suffix(':').and_then(|prefix| prefix.rsplit(AROUND_NAMES).next()).unwrap_or(""),
            // In a delta the local name may be escaped.
            None => self.written_name().split_once(':').map_or("", |it| it.0),
        }
    }

    /// The name as it stands before the value, which in a delta may be escaped; of XML alone.
    pub(super) fn written_name(self) -> &'d str {
        self.text_to_name().rsplit(AROUND_NAMES).next().unwrap_or("")
    }

    /// All text before the value, up to the end of the name.
    fn text_to_name(self) -> &'d str {
        let blank: &[char] = &[' ', '\t', '\r', '\n'];
        let before = &self.document.text[..self.span().start() as usize];
        before.trim_end_matches(['"', '\'']).trim_end_matches(blank).trim_end_matches('=').trim_end_matches(blank)
    }

    /// The name as written, prefix included.
    pub fn qualified_name(self) -> Cow<'d, str> {
        match self.name() {
            Name { namespace: "", local } => Cow::Borrowed(local),
            Name { local, .. } => qualified(self.prefix(), local),
        }
    }

    /// Where the value stands in the source, without its quotes; `None` for defaults and the like.
    pub fn source_range(self) -> Option<Range<usize>> {
        ({ self.stored.value }.end() <= self.document.source_len).then(|| { self.stored.value }.range())
    }
}

fn qualified<'d>(prefix: &str, local: &'d str) -> Cow<'d, str> {
    if prefix.is_empty() { Cow::Borrowed(local) } else { Cow::Owned(format!("{prefix}:{local}")) }
}

/// The children of a node.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node::new(self.document, NodeId(self.next));
        self.next = node.end();
        Some(node)
    }
}

/// Nodes in document order.
#[derive(Debug, Clone)]
pub struct Descendants<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Descendants<'d> {
    pub(super) fn new(document: &'d Document, next: u32, end: u32) -> Self {
        Descendants { document, next, end }
    }

    fn at(&self, index: u32) -> Node<'d> {
        Node::new(self.document, NodeId(index))
    }
}

impl<'d> Iterator for Descendants<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        Some(self.at(self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Descendants<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        self.end -= 1;
        Some(self.at(self.end))
    }
}

impl ExactSizeIterator for Descendants<'_> {}

/// The ancestors of a node, nearest first.
#[derive(Debug, Clone)]
pub struct Ancestors<'d> {
    next: Option<Node<'d>>,
}

impl<'d> Iterator for Ancestors<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        let node = self.next?;
        self.next = node.parent();
        Some(node)
    }
}

/// The attributes of an element.
#[derive(Debug, Clone)]
pub struct Attributes<'d> {
    document: &'d Document,
    next: u32,
    end: u32,
}

impl<'d> Iterator for Attributes<'d> {
    type Item = Attribute<'d>;

    fn next(&mut self) -> Option<Attribute<'d>> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        Some(self.document.attribute(self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Attributes<'_> {}

/// The prefix that an attribute of HTML has: what is written with any other is in no namespace.
pub(crate) fn html_prefix(name: Name<'_>) -> &'static str {
    match name.namespace {
        XML_NAMESPACE => "xml",
        "http://www.w3.org/1999/xlink" => "xlink",
        super::XMLNS_NAMESPACE if name.local != "xmlns" => "xmlns",
        _ => "",
    }
}

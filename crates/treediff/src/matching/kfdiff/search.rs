//! What tells the siblings of a label path apart? The simplest field whose values are there once in every group.
//!
//! A key belongs to a label path, so that it is sought once for `/catalog/product` and not once for every catalog. What
//! a few of the nodes have says what could be a field; whether it is one is asked of all of them, in both versions. First
//! come names that are keys by experience, then attributes and texts from the top down; of those that would do the one
//! whose values stayed the most from one version to the other. Where none does alone, two or three may together.
//! Everything is bounded: at most [`MAX_CANDIDATES`] fields and about as many combinations of [`COMBINED`] of them, each
//! of which is one look at the nodes of the path.

use super::field::{Field, FieldPath, children, label_hash, leaf_value};
use super::paths::Paths;
use super::steps;
use super::table::Table;
use crate::tree::{Attribute, Document, Kind, Node, NodeId};

/// Names of attributes and children that mostly identify what has them, the best first; case does not count.
pub(super) const KEY_NAMES: [&str; 24] = [
    "id", "key", "uuid", "guid", "ssn", "isbn", "issn", "doi", "sku", "ean", "name", "title", "code", "symbol", "href",
    "url", "uri", "src", "link", "email", "login", "path", "ref", "label",
];

/// So many fields are tried alone.
const MAX_CANDIDATES: usize = 24;
/// So many of them are tried in twos and threes.
const COMBINED: usize = 6;
/// So many nodes are asked for what they have.
const SAMPLES: usize = 3;
/// So many computed fields are compared by how much they stay.
const COMPARED: usize = 4;

/// Whether a field tells siblings apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Unique,
    /// Where it is there, which is not everywhere.
    UniqueWherePresent,
    Useless,
}

/// A field that may do, and where it was seen.
#[derive(Clone, Copy)]
struct Candidate<'d> {
    path: FieldPath,
    rank: Rank,
    /// Its name is one of those that experience knows.
    is_known: bool,
    /// The node that was asked, the one at the end of the path, and its attribute.
    sample: Node<'d>,
    end: Node<'d>,
    attribute: Option<Attribute<'d>>,
}

/// Known names in their order; then the shorter paths; then as they came.
type Rank = (usize, usize, usize);

/// The siblings of a label path, for one search after the other.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    /// Those that have a sibling of their name, in the order of their documents.
    nodes: [Vec<NodeId>; 2],
}

impl Siblings {
    fn collect(&mut self, documents: [&Document; 2], path: u64, paths: &mut Paths) {
        for (side, nodes) in self.nodes.iter_mut().enumerate() {
            let parents = documents[side].parents();
            let parent = |node: NodeId| parents[node.index()];
            nodes.clear();
            let mut is_alone = true;
            paths.visit(side, path, |node| {
                let is_sibling = nodes.last().is_some_and(|last| parent(*last) == parent(node));
                // The one before had none on either side.
                if is_alone && !is_sibling {
                    nodes.pop();
                }
                is_alone = !is_sibling;
                nodes.push(node);
            });
            if is_alone {
                nodes.pop();
            }
        }
    }
}

pub(super) struct Search<'s, 'd> {
    documents: [&'d Document; 2],
    siblings: &'s Siblings,
    seen: &'s mut Table,
    /// How many of the known names were given, and which of the candidates that have such a name do not tell siblings apart.
    given: usize,
    unfit: Option<usize>,
}

/// What a search has found.
pub(super) struct Found {
    /// The best field, and how it is written; one without paths where there is none.
    pub(super) field: (Field, String),
    /// What has a name that was given, but does not tell siblings apart.
    pub(super) unfit: Option<String>,
}

impl<'s, 'd> Search<'s, 'd> {
    pub(super) fn new(
        documents: [&'d Document; 2],
        path: u64,
        paths: &mut Paths,
        siblings: &'s mut Siblings,
        seen: &'s mut Table,
    ) -> Self {
        siblings.collect(documents, path, paths);
        Search { documents, siblings, seen, given: 0, unfit: None }
    }

    /// Whether there is nothing to tell apart.
    pub(super) fn is_idle(&self) -> bool {
        self.siblings.nodes.iter().all(Vec::is_empty)
    }

    /// The best field, by the names that were given before all others.
    pub(super) fn found(&mut self, given_names: &[String]) -> Found {
        self.given = given_names.len();
        let candidates = self.candidates(given_names);
        let best = self.best(&candidates);
        let field = (
            best.map_or(Field::default(), |best| best.0),
            best.map_or("-".to_owned(), |best| written(best, &candidates)),
        );
        let unfit = self.unfit.map(|at| candidates[at].written());
        Found { field, unfit }
    }

    fn best(&mut self, candidates: &[Candidate<'d>]) -> Option<(Field, Chosen)> {
        let mut computed: Vec<usize> = Vec::new();
        let mut partial = None;
        for (at, candidate) in candidates.iter().enumerate() {
            let field = Field::of([candidate.path]);
            match (self.verdict(&field), candidate.is_known) {
                (Verdict::Unique, true) => return Some((field, [Some(at), None, None])),
                (Verdict::Unique, false) => computed.push(at),
                (Verdict::UniqueWherePresent, true) => partial = partial.or(Some((field, at))),
                (Verdict::Useless, true) if candidate.rank.0 < self.given => self.unfit = self.unfit.or(Some(at)),
                _ => {}
            }
            if computed.len() == COMPARED {
                break;
            }
        }
        if let Some(at) = self.most_stable(&computed, candidates) {
            return Some((Field::of([candidates[at].path]), [Some(at), None, None]));
        }
        match partial {
            Some((field, at)) => Some((field.partial(), [Some(at), None, None])),
            None => self.combined(candidates),
        }
    }

    fn verdict(&mut self, field: &Field) -> Verdict {
        let (mut all, mut present) = (0, 0);
        for (nodes, document) in self.siblings.nodes.iter().zip(self.documents) {
            let parents = document.parents();
            for group in nodes.chunk_by(|one, next| parents[one.index()] == parents[next.index()]) {
                self.seen.clear(group.len());
                all += group.len();
                for (at, &node) in group.iter().enumerate() {
                    let Some(hash) = field.hash(document.node(node)) else { continue };
                    present += 1;
                    let first = *self.seen.entry(hash, at as u32) as usize;
                    // Those of one value need not be told apart.
                    if first != at && document.hashes()[group[first].index()] != document.hashes()[node.index()] {
                        return Verdict::Useless;
                    }
                }
            }
        }
        match present {
            0 => Verdict::Useless,
            _ if present == all => Verdict::Unique,
            _ => Verdict::UniqueWherePresent,
        }
    }

    /// Of several fields the one of whose values the most are in both versions.
    fn most_stable(&mut self, choices: &[usize], candidates: &[Candidate<'d>]) -> Option<usize> {
        if let [] | [_] = choices {
            return choices.first().copied();
        }
        let mut best: Option<(usize, usize)> = None;
        for &at in choices {
            let count = self.stays(&Field::of([candidates[at].path]));
            if best.is_none_or(|(most, _)| count > most) {
                best = Some((count, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// How many nodes have a key value that is in the other version too.
    fn stays(&mut self, field: &Field) -> usize {
        let [before, after] = &self.siblings.nodes;
        self.seen.clear(before.len());
        for hash in before.iter().filter_map(|node| field.hash(self.documents[0].node(*node))) {
            self.seen.entry(hash, 0);
        }
        let hashes = after.iter().filter_map(|node| field.hash(self.documents[1].node(*node)));
        hashes.filter(|hash| self.seen.get(*hash).is_some()).count()
    }

    /// Two or three fields that do together.
    fn combined(&mut self, candidates: &[Candidate<'d>]) -> Option<(Field, Chosen)> {
        let count = candidates.len().min(COMBINED);
        let pairs = || (0..count).flat_map(|one| (one + 1..count).map(move |two| (one, two)));
        let twos = pairs().map(|(one, two)| [Some(one), Some(two), None]);
        let threes = pairs().flat_map(|(one, two)| (two + 1..count).map(move |three| [one, two, three].map(Some)));
        for chosen in twos.chain(threes) {
            let field = Field::of(chosen.iter().flatten().map(|&at| candidates[at].path));
            if self.verdict(&field) == Verdict::Unique {
                return Some((field, chosen));
            }
        }
        None
    }

    /// What a few of the nodes have, the best first.
    fn candidates(&self, known_names: &[String]) -> Vec<Candidate<'d>> {
        let mut found = Candidates {
            known_names,
            all: Vec::with_capacity(8),
            level: Vec::with_capacity(8),
            below: Vec::with_capacity(8),
        };
        for (side, most) in [(0, SAMPLES - 1), (1, 1)] {
            let samples = self.siblings.nodes[side].iter().take(most);
            samples.for_each(|node| found.add(self.documents[side].node(*node)));
        }
        found.all.sort_unstable_by_key(|candidate| candidate.rank);
        found.all.truncate(MAX_CANDIDATES);
        found.all
    }
}

/// The candidates that a field is made of.
type Chosen = [Option<usize>; 3];

fn written((field, chosen): (Field, Chosen), candidates: &[Candidate<'_>]) -> String {
    let mut out = String::new();
    for &at in chosen.iter().flatten() {
        if !out.is_empty() {
            out.push(',');
        }
        candidates[at].write(&mut out);
    }
    if field.is_partial {
        out.push('?');
    }
    out
}

impl Candidate<'_> {
    fn written(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        if self.path.is_content() {
            return out.push('.');
        }
        let mut way: Vec<Node<'_>> =
            std::iter::once(self.end).chain(self.end.ancestors()).take(self.path.steps().len()).collect();
        way.reverse();
        for (at, node) in way.into_iter().enumerate() {
            if at > 0 {
                out.push('/');
            }
            steps::write(node, out);
        }
        if let Some(attribute) = self.attribute {
            if self.end != self.sample {
                out.push('/');
            }
            steps::write_attribute(attribute, out);
        }
    }
}

struct Candidates<'n, 'd> {
    known_names: &'n [String],
    all: Vec<Candidate<'d>>,
    level: Vec<(Node<'d>, FieldPath)>,
    below: Vec<(Node<'d>, FieldPath)>,
}

impl<'d> Candidates<'_, 'd> {
    /// What a node has, from the top down.
    fn add(&mut self, sample: Node<'d>) {
        self.level.clear();
        self.level.push((sample, FieldPath::CONTENT));
        while !self.level.is_empty() && self.all.len() < 2 * MAX_CANDIDATES {
            self.below.clear();
            for at in 0..self.level.len() {
                let (node, path) = self.level[at];
                self.add_values(sample, node, path);
                self.go_down(node, path);
            }
            std::mem::swap(&mut self.level, &mut self.below);
        }
        if sample.size() > 1 && leaf_value(sample).is_some() {
            self.push(Candidate::new(FieldPath::CONTENT, sample, sample, None), usize::MAX);
        }
    }

    /// The attributes of a node, and its text if it has nothing else.
    fn add_values(&mut self, sample: Node<'d>, node: Node<'d>, path: FieldPath) {
        let names = node.document().names();
        if node.attribute_count() > 0 {
            for attribute in node.attributes().take(MAX_CANDIDATES) {
                let path = path.to_attribute(names.hash(attribute.name_id()));
                self.push(Candidate::new(path, sample, node, Some(attribute)), path.steps().len());
            }
        }
        if node != sample && leaf_value(node).is_some() {
            self.push(Candidate::new(path, sample, node, None), path.steps().len());
        }
    }

    /// The children of a node that can be told apart by their names.
    fn go_down(&mut self, node: Node<'d>, path: FieldPath) {
        for child in children(node).filter(|child| has_values(child.kind())) {
            let is_alone = children(node).filter(|other| other.label() == child.label()).nth(1).is_none();
            if let Some(path) = path.down(label_hash(child)).filter(|_| is_alone && self.below.len() < MAX_CANDIDATES) {
                self.below.push((child, path));
            }
        }
    }

    /// Adds a path once; the longer it is, the later it is tried.
    fn push(&mut self, candidate: Candidate<'d>, len: usize) {
        if self.all.iter().any(|other| other.path == candidate.path) {
            return;
        }
        let known = candidate.known_place(self.known_names);
        let rank = (known.unwrap_or(usize::MAX), len, self.all.len());
        self.all.push(Candidate { rank, is_known: known.is_some(), ..candidate });
    }
}

impl<'d> Candidate<'d> {
    fn new(path: FieldPath, sample: Node<'d>, end: Node<'d>, attribute: Option<Attribute<'d>>) -> Self {
        Candidate { path, rank: Rank::default(), is_known: false, sample, end, attribute }
    }

    /// The place of its name among those that experience knows, if it is of the node itself or of a child.
    fn known_place(&self, given: &[String]) -> Option<usize> {
        let name = match (self.attribute, self.path.steps().len()) {
            (Some(attribute), 0) => attribute.name().local,
            (None, 1) => self.end.name().local,
            _ => return None,
        };
        given.iter().map(String::as_str).chain(KEY_NAMES).position(|known| known.eq_ignore_ascii_case(name))
    }
}

fn has_values(kind: Kind) -> bool {
    !matches!(kind, Kind::Text | Kind::Comment | Kind::ProcessingInstruction | Kind::Reference)
}

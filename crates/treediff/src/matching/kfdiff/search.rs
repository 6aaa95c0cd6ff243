//! What tells the siblings of a label path apart? The simplest field whose values are there once in every group.
//!
//! A key belongs to a label path, so that it is sought once for `/catalog/product` and not once for every catalog. What
//! a few of the nodes have says what could be a field; whether it is one is asked of all of them, in both versions. First
//! come names that are keys by experience, then attributes and texts from the top down; of those that would do the one
//! whose values stayed the most from one version to the other. Where none does alone, two or three may together.
//! Everything is bounded: at most [`MAX_CANDIDATES`] fields and about as many combinations of [`COMBINED`] of them, each
//! of which is one look at the nodes of the path.

use super::field::{Field, FieldPath, MAX_STEPS, children, label_hash, leaf_value};
use super::paths::Paths;
use super::steps;
use super::table::Table;
use crate::tree::{Kind, Node};

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
    /// Where it is there; it is there in half of the nodes or more.
    UniqueWherePresent,
    Useless,
}

/// A field that may do.
struct Candidate {
    path: FieldPath,
    rank: Rank,
    /// Its name is one of those that experience knows.
    is_known: bool,
}

/// Known names in their order; then the shorter paths; then as they came.
type Rank = (usize, usize, usize);

pub(super) struct Search<'s, 'd> {
    /// Siblings with one name, all of the label path, in the order of their documents.
    groups: [Vec<Node<'d>>; 2],
    seen: &'s mut Table,
}

impl<'s, 'd> Search<'s, 'd> {
    pub(super) fn new(
        documents: [&'d crate::tree::Document; 2],
        path: u64,
        paths: &mut Paths,
        seen: &'s mut Table,
    ) -> Self {
        let groups = [0, 1].map(|side| {
            let mut nodes: Vec<Node<'d>> = paths.nodes(side, path).map(|node| documents[side].node(node)).collect();
            retain_siblings(&mut nodes);
            nodes
        });
        Search { groups, seen }
    }

    /// Whether there is nothing to tell apart.
    pub(super) fn is_idle(&self) -> bool {
        self.groups.iter().all(Vec::is_empty)
    }

    /// The best field; one without paths where there is none.
    pub(super) fn field(&mut self, known_names: &[String]) -> Field {
        let candidates = self.candidates(known_names);
        let mut computed: Vec<Field> = Vec::new();
        let mut partial = None;
        for candidate in &candidates {
            let field = Field::of(candidate.path.clone());
            match (self.verdict(&field), candidate.is_known) {
                (Verdict::Unique, true) => return field,
                (Verdict::Unique, false) => computed.push(field),
                (Verdict::UniqueWherePresent, true) => partial = partial.or(Some(field)),
                _ => {}
            }
            if computed.len() == COMPARED {
                break;
            }
        }
        self.most_stable(computed).or(partial).or_else(|| self.combined(&candidates)).unwrap_or_default()
    }

    fn verdict(&mut self, field: &Field) -> Verdict {
        let (mut all, mut present) = (0, 0);
        for nodes in &self.groups {
            for group in nodes.chunk_by(|one, next| one.parent() == next.parent()) {
                self.seen.clear(group.len());
                all += group.len();
                for (at, node) in group.iter().enumerate() {
                    let Some(hash) = field.hash(*node) else { continue };
                    present += 1;
                    let first = *self.seen.entry(hash, 0, at as u32) as usize;
                    // Those of one value need not be told apart.
                    if first != at && group[first].hash() != node.hash() {
                        return Verdict::Useless;
                    }
                }
            }
        }
        match present {
            _ if present == all => Verdict::Unique,
            _ if present * 2 >= all => Verdict::UniqueWherePresent,
            _ => Verdict::Useless,
        }
    }

    /// Of several fields the one of whose values the most are in both versions.
    fn most_stable(&mut self, fields: Vec<Field>) -> Option<Field> {
        let stays = |field: &Field, seen: &mut Table| {
            let [before, after] = &self.groups;
            seen.clear(before.len());
            before.iter().filter_map(|node| field.hash(*node)).for_each(|hash| *seen.entry(hash, 0, 0) = 0);
            after.iter().filter(|node| field.hash(**node).is_some_and(|hash| seen.get(hash, 0).is_some())).count()
        };
        let mut best: Option<(usize, Field)> = None;
        for field in fields {
            let count = stays(&field, self.seen);
            if best.as_ref().is_none_or(|(most, _)| count > *most) {
                best = Some((count, field));
            }
        }
        best.map(|(_, field)| field)
    }

    /// Two or three fields that do together.
    fn combined(&mut self, candidates: &[Candidate]) -> Option<Field> {
        let paths: Vec<&FieldPath> = candidates.iter().map(|candidate| &candidate.path).take(COMBINED).collect();
        let together = |chosen: &[usize]| Field { paths: chosen.iter().map(|&at| paths[at].clone()).collect() };
        let all: Vec<usize> = (0..paths.len()).collect();
        // Where all of them do not, none of fewer do.
        if paths.len() < 2 || self.verdict(&together(&all)) != Verdict::Unique {
            return None;
        }
        let pairs = || all.iter().flat_map(|&one| (one + 1..paths.len()).map(move |two| [one, two]));
        let twos = pairs().map(|pair| pair.to_vec());
        let threes = pairs().flat_map(|[one, two]| (two + 1..paths.len()).map(move |three| vec![one, two, three]));
        twos.chain(threes).map(|chosen| together(&chosen)).find(|field| self.verdict(field) == Verdict::Unique)
    }

    /// What a few of the nodes have, the best first.
    fn candidates(&self, known_names: &[String]) -> Vec<Candidate> {
        let mut found = Candidates { known_names, all: Vec::new() };
        let [before, after] = &self.groups;
        before.iter().take(SAMPLES - 1).chain(after.iter().take(1)).for_each(|node| found.add(*node));
        found.all.sort_by_key(|candidate| candidate.rank);
        found.all.truncate(MAX_CANDIDATES);
        found.all
    }
}

/// Leaves the nodes that have a sibling among them, which stands beside them.
fn retain_siblings(nodes: &mut Vec<Node<'_>>) {
    let is_sibling = |at: usize, nodes: &[Node<'_>]| {
        let parent = nodes[at].parent();
        at > 0 && nodes[at - 1].parent() == parent || nodes.get(at + 1).is_some_and(|next| next.parent() == parent)
    };
    let kept: Vec<bool> = (0..nodes.len()).map(|at| is_sibling(at, nodes)).collect();
    let mut kept = kept.into_iter();
    nodes.retain(|_| kept.next().unwrap_or(false));
}

struct Candidates<'n> {
    known_names: &'n [String],
    all: Vec<Candidate>,
}

impl Candidates<'_> {
    /// What a node has, from the top down.
    fn add(&mut self, sample: Node<'_>) {
        let mut level = vec![(sample, Vec::new(), String::new())];
        for depth in 0..=MAX_STEPS {
            let mut below = Vec::new();
            for (node, hashes, written) in &level {
                self.add_values(*node, hashes, written);
                if depth < MAX_STEPS {
                    self.go_down(*node, hashes, written, &mut below);
                }
            }
            level = below;
            if self.all.len() >= 2 * MAX_CANDIDATES {
                break;
            }
        }
        if sample.size() > 1 && leaf_value(sample).is_some() {
            self.push(FieldPath::content(), "", (usize::MAX, 0));
        }
    }

    /// The attributes of a node, and its text if it has nothing else.
    fn add_values(&mut self, node: Node<'_>, steps: &[u64], written: &str) {
        let names = node.document().names();
        for attribute in node.attributes().take(MAX_CANDIDATES) {
            let written = format!("{written}{}", steps::written_attribute(attribute));
            let path = FieldPath { steps: steps.to_vec(), attribute: Some(names.hash(attribute.name_id())), written };
            self.push(path, attribute.name().local, (steps.len(), steps.len()));
        }
        if !steps.is_empty() && leaf_value(node).is_some() {
            let written = written.trim_end_matches('/').to_owned();
            let path = FieldPath { steps: steps.to_vec(), attribute: None, written };
            self.push(path, node.name().local, (steps.len(), steps.len() - 1));
        }
    }

    /// The children of a node that can be told apart by their names.
    fn go_down<'d>(&self, node: Node<'d>, steps: &[u64], written: &str, below: &mut Vec<(Node<'d>, Vec<u64>, String)>) {
        let row: Vec<Node<'d>> = children(node).filter(|child| has_values(child.kind())).collect();
        for child in &row {
            let is_alone = row.iter().filter(|other| other.label() == child.label()).count() == 1;
            if is_alone && below.len() < MAX_CANDIDATES {
                let step = [steps, &[label_hash(*child)]].concat();
                below.push((*child, step, format!("{written}{}/", steps::written(*child))));
            }
        }
    }

    /// Adds a path once; `depth` is how far down it leads, and how far down the node is that a known name must be of.
    fn push(&mut self, path: FieldPath, name: &str, (len, above): (usize, usize)) {
        if self.all.iter().any(|candidate| candidate.path == path) {
            return;
        }
        let known = || {
            let given = self.known_names.iter().map(String::as_str);
            given.chain(KEY_NAMES).position(|known| known.eq_ignore_ascii_case(name))
        };
        let known = if above == 0 { known() } else { None };
        let rank = (known.unwrap_or(usize::MAX), len, self.all.len());
        self.all.push(Candidate { path, rank, is_known: known.is_some() });
    }
}

fn has_values(kind: Kind) -> bool {
    !matches!(kind, Kind::Text | Kind::Comment | Kind::ProcessingInstruction | Kind::Reference)
}

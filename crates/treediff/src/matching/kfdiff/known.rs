//! Which keys are known already? Label paths with their key fields, learned from documents or given, and kept as text.

use std::fmt;
use std::str::FromStr;

use super::field::{Field, FieldPath, MAX_PATHS};
use super::paths;
use super::steps::{self, Form};
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId, Saved, SavedError};

/// The key fields of label paths: what tells siblings of one name apart, such as `@sku` for `/catalog/product`.
///
/// They are found by [`Kfdiff`](super::Kfdiff) where siblings of one name have to be told apart, and a next comparison
/// that is given them does not search again. As text they are a line for every path, which people may write as well:
///
/// ```
/// use treediff::matching::{KeyFields, Kfdiff};
/// use treediff::parse;
///
/// let [before, after] = ["<l><i><n>a</n><v>1</v></i><i><n>b</n><v>1</v></i></l>", "<l><i><n>b</n><v>2</v></i></l>"]
///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| parsed.document));
/// let (before, after) = (before?, after?);
/// let mut keys = KeyFields::default();
/// Kfdiff::sorting().matching(&before, &after, &mut keys, &Default::default());
/// assert_eq!(keys.to_string(), "deltaic keys 1\n/l/i\tn\n");
/// assert_eq!(keys.to_string().parse::<KeyFields>()?.field("/l/i"), Some("n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A path is the names from the root on, `{uri}local` where they have a namespace; in JSON `o:`, `a:`, `s:`, `n:` and
/// `l:` before a name say that it is that of an object, array, string, number or literal. A field is up to three paths
/// with commas between them, each down to a child, grandchild or great-grandchild, or to an attribute `@name` of one, or
/// `.`, the node's own text; a `?` behind them says that some of the siblings have no such values, and `-` that nothing
/// tells these siblings apart. `%` and two digits stand for what has a meaning here.
#[derive(Debug, Clone, Default)]
pub struct KeyFields {
    /// The hashes of label paths, and their fields: what is looked at for every pair of parents, without the texts.
    paths: Vec<u64>,
    fields: Vec<Field>,
    written: Vec<Written>,
    /// The place of each of these, where there are more than a few.
    places: ByHash<u64, u32>,
    /// Bytes of learned paths.
    kept_bytes: usize,
}

/// A label path and its field as written.
#[derive(Debug, Clone)]
struct Written {
    /// Empty where the path is too long to be kept.
    path: String,
    field: String,
}

/// What is wrong with written key fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFieldsError {
    /// They begin with another line.
    #[error("found no key fields: expected the first line to be `{HEAD}`")]
    NotKeys,
    /// A line is not a path, a tab and a field.
    #[error("line {line}: found `{found}`, expected a path, a tab and a field")]
    Line {
        /// The line, from 1.
        line: usize,
        /// How it begins.
        found: String,
    },
    /// A path is empty, leads nowhere, is too long, or goes up.
    #[error("`{found}` is no {what}: {flaw}")]
    Path {
        /// `path` or `field`.
        what: &'static str,
        /// How it begins.
        found: String,
        /// What is wrong with it.
        flaw: &'static str,
    },
    /// There are more than documents have.
    #[error("found more than {MAX_KNOWN} key fields")]
    TooMany,
    /// The saved document that they are kept with is damaged.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// What is kept with a saved document is no text.
    #[error("the key fields kept with the saved document are no text")]
    NoText,
}

const HEAD: &str = "deltaic keys 1";
/// So many label paths are looked through sooner than a table is asked.
const FEW: usize = 16;
/// So many are read; more than any document needs.
const MAX_KNOWN: usize = 1 << 16;
/// Longer label paths are not kept.
const MAX_PATH_STEPS: usize = 32;
/// Learned paths are kept as long as they take no more than this together.
const MAX_KEPT_BYTES: usize = 1 << 20;

impl KeyFields {
    /// How many label paths are known.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Gives the key field of a label path, such as `@sku` of `/catalog/product`.
    ///
    /// # Errors
    /// Where the path or the field is empty, goes up, or is too long.
    pub fn give(&mut self, path: &str, field: &str) -> Result<(), KeyFieldsError> {
        let hash = path_hash(path)?;
        self.put(hash, read_field(field)?, Written { path: path.to_owned(), field: field.to_owned() });
        Ok(())
    }

    /// The key field of a label path, as written.
    pub fn field(&self, path: &str) -> Option<&str> {
        self.find(path_hash(path).ok()?).map(|place| self.written_at(place)).filter(|field| !field.is_empty())
    }

    /// The label paths and their key fields as written, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let kept = self.written.iter().filter(|written| !written.path.is_empty());
        kept.map(|written| (written.path.as_str(), written.field.as_str()))
    }

    /// The key fields that are kept with a saved document ([`crate::tree::Document::save_with_keys`]).
    pub fn of_saved(saved: &Saved) -> Result<Option<Self>, KeyFieldsError> {
        let Some(bytes) = saved.keys()? else { return Ok(None) };
        std::str::from_utf8(&bytes).map_err(|_| KeyFieldsError::NoText)?.parse().map(Some)
    }

    /// The place of the key field of a label path.
    pub(super) fn find(&self, path: u64) -> Option<u32> {
        match self.paths.len() {
            0..=FEW => self.paths.iter().position(|known| *known == path).map(|place| place as u32),
            _ => self.places.get(&path).copied(),
        }
    }

    /// A look at all fields, as [`Document::fetch`](crate::tree::Document::fetch) has one at a document.
    pub(super) fn fetch(&self) {
        if self.len() <= FEW {
            let paths = self.paths.iter().fold(0, |all, path| all ^ *path as usize);
            std::hint::black_box(self.fields.iter().fold(paths, |all, field| all ^ field.paths().len()));
        }
    }

    /// The field at a place that [`KeyFields::find`] gave.
    pub(super) fn field_at(&self, place: u32) -> &Field {
        &self.fields[place as usize]
    }

    /// The same as written.
    pub(super) fn written_at(&self, place: u32) -> &str {
        &self.written[place as usize].field
    }

    /// Remembers the field of the label path of a node, and how it is written; gives its place.
    pub(super) fn learn(&mut self, path: u64, node: Node<'_>, (field, written): (Field, String)) -> u32 {
        let room = MAX_KEPT_BYTES.saturating_sub(self.kept_bytes);
        let kept = written_path(node, room).filter(|_| self.len() < MAX_KNOWN).unwrap_or_default();
        self.kept_bytes += kept.len();
        self.put(path, field, Written { path: kept, field: written })
    }

    fn put(&mut self, hash: u64, field: Field, written: Written) -> u32 {
        if let Some(place) = self.find(hash) {
            self.fields[place as usize] = field;
            self.written[place as usize].field = written.field;
            return place;
        }
        let place = self.len() as u32;
        self.paths.push(hash);
        self.fields.push(field);
        self.written.push(written);
        match self.paths.len() {
            0..=FEW => {}
            _ if self.places.is_empty() => self.places.extend(self.paths.iter().copied().zip(0..)),
            _ => drop(self.places.insert(hash, place)),
        }
        place
    }
}

/// The label path of a node, where it is not too long to be kept.
fn written_path(node: Node<'_>, room: usize) -> Option<String> {
    let above = node.ancestors().take_while(|above| above.id() != NodeId::DOCUMENT);
    let way: Vec<Node<'_>> = std::iter::once(node).chain(above).take(MAX_PATH_STEPS + 1).collect();
    let bytes = |node: &Node<'_>| node.name().namespace.len() + node.name().local.len();
    // Many paths may have one long beginning.
    if way.len() > MAX_PATH_STEPS || way.iter().map(bytes).sum::<usize>() > room {
        return None;
    }
    let mut written = String::with_capacity(64);
    for &node in way.iter().rev() {
        written.push('/');
        steps::write(node, &mut written);
    }
    Some(written)
}

impl fmt::Display for KeyFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        self.iter().try_for_each(|(path, field)| writeln!(f, "{path}\t{field}"))
    }
}

impl FromStr for KeyFields {
    type Err = KeyFieldsError;

    fn from_str(text: &str) -> Result<Self, KeyFieldsError> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, head)| head != HEAD) {
            return Err(KeyFieldsError::NotKeys);
        }
        let mut keys = KeyFields::default();
        for (at, line) in lines {
            let (path, field) = line
                .split_once('\t')
                .ok_or_else(|| KeyFieldsError::Line { line: at + 1, found: crate::text::shortened(line, 40) })?;
            keys.give(path, field)?;
            if keys.len() > MAX_KNOWN {
                return Err(KeyFieldsError::TooMany);
            }
        }
        Ok(keys)
    }
}

fn flawed(what: &'static str, found: &str, flaw: &'static str) -> KeyFieldsError {
    KeyFieldsError::Path { what, found: crate::text::shortened(found, 60), flaw }
}

fn path_hash(path: &str) -> Result<u64, KeyFieldsError> {
    let fault = |flaw| flawed("path", path, flaw);
    let below = path.strip_prefix('/').ok_or_else(|| fault("expected one such as `/catalog/product`"))?;
    if below.split('/').nth(MAX_PATH_STEPS).is_some() {
        return Err(fault("it has too many steps"));
    }
    below
        .split('/')
        .try_fold(paths::ROOT, |hash, name| Ok(paths::step(hash, steps::label_hash(name, Form::Node).map_err(fault)?)))
}

fn read_field(written: &str) -> Result<Field, KeyFieldsError> {
    if written == "-" {
        return Ok(Field::default());
    }
    let paths = written.strip_suffix('?').unwrap_or(written);
    if paths.split(',').nth(MAX_PATHS).is_some() {
        return Err(flawed("field", written, "it has more than three paths"));
    }
    let paths = paths.split(',').map(|path| read_path(path).map_err(|flaw| flawed("field", written, flaw)));
    let field = Field::of(paths.collect::<Result<Vec<_>, _>>()?);
    Ok(if written.ends_with('?') { field.partial() } else { field })
}

fn read_path(path: &str) -> Result<FieldPath, &'static str> {
    if path == "." {
        return Ok(FieldPath::CONTENT);
    }
    let (nodes, attribute) = match path.rsplit_once('/') {
        Some((nodes, last)) if last.starts_with('@') => (Some(nodes), Some(last)),
        None if path.starts_with('@') => (None, Some(path)),
        _ => (Some(path), None),
    };
    let mut read = FieldPath::CONTENT;
    for name in nodes.into_iter().flat_map(|nodes| nodes.split('/')) {
        read = read.down(steps::label_hash(name, Form::Node)?).ok_or("it has more than three steps")?;
    }
    match attribute {
        Some(name) => Ok(read.to_attribute(steps::label_hash(&name[1..], Form::Attribute)?)),
        None => Ok(read),
    }
}

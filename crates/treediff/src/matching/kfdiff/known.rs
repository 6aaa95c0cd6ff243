//! Which keys are known already? Label paths with their key fields, learned from documents or given, and kept as text.

use std::fmt;
use std::str::FromStr;

use super::field::{Field, FieldPath, MAX_PATHS, MAX_STEPS};
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
/// assert_eq!(keys.to_string().parse::<KeyFields>()?.field("/l/i"), Some("n".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A path is the names from the root on, `{uri}local` where they have a namespace; in JSON `o:`, `a:`, `s:`, `n:` and
/// `l:` before a name say that it is that of an object, array, string, number or literal. A field is up to three paths
/// with commas between them, each down to a child, grandchild or great-grandchild, or to an attribute `@name` of one, or
/// `.`, the node's own text; `-` says that nothing tells these siblings apart. `%` and two digits stand for what has a
/// meaning here.
#[derive(Debug, Clone, Default)]
pub struct KeyFields {
    known: Vec<Known>,
    places: ByHash<u64, u32>,
}

#[derive(Debug, Clone)]
struct Known {
    /// Empty where the path is too long to be kept.
    path: String,
    field: Field,
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
/// So many are read; more than any document needs.
const MAX_KNOWN: usize = 1 << 16;
/// Longer label paths are not kept.
const MAX_PATH_STEPS: usize = 32;

impl KeyFields {
    /// How many label paths are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Gives the key field of a label path, such as `@sku` of `/catalog/product`.
    ///
    /// # Errors
    /// Where the path or the field is empty, goes up, or is too long.
    pub fn give(&mut self, path: &str, field: &str) -> Result<(), KeyFieldsError> {
        let hash = path_hash(path)?;
        let field = read_field(field)?;
        self.put(hash, path.to_owned(), field);
        Ok(())
    }

    /// The key field of a label path, as written.
    pub fn field(&self, path: &str) -> Option<String> {
        let known = self.find(path_hash(path).ok()?)?;
        Some(written(known))
    }

    /// The label paths and their key fields as written, in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = (&str, String)> {
        self.known
            .iter()
            .filter(|known| !known.path.is_empty())
            .map(|known| (known.path.as_str(), written(&known.field)))
    }

    /// The key fields that are kept with a saved document ([`crate::tree::Document::save_with_keys`]).
    pub fn of_saved(saved: &Saved) -> Result<Option<Self>, KeyFieldsError> {
        let Some(bytes) = saved.keys()? else { return Ok(None) };
        std::str::from_utf8(&bytes).map_err(|_| KeyFieldsError::NoText)?.parse().map(Some)
    }

    pub(super) fn find(&self, path: u64) -> Option<&Field> {
        let &place = self.places.get(&path)?;
        Some(&self.known[place as usize].field)
    }

    /// Remembers the field of the label path of a node.
    pub(super) fn learn(&mut self, path: u64, node: Node<'_>, field: Field) {
        let above = node.ancestors().take_while(|above| above.id() != NodeId::DOCUMENT).take(MAX_PATH_STEPS);
        let mut names: Vec<String> = std::iter::once(node).chain(above).map(steps::written).collect();
        names.reverse();
        let is_kept = names.len() <= MAX_PATH_STEPS && self.known.len() < MAX_KNOWN;
        let written = if is_kept { format!("/{}", names.join("/")) } else { String::new() };
        self.put(path, written, field);
    }

    fn put(&mut self, hash: u64, path: String, field: Field) {
        let place = *self.places.entry(hash).or_insert(self.known.len() as u32) as usize;
        match self.known.get_mut(place) {
            Some(known) => known.field = field,
            None => self.known.push(Known { path, field }),
        }
    }
}

fn written(field: &Field) -> String {
    if field.paths.is_empty() { "-".to_owned() } else { field.written() }
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
            if keys.known.len() > MAX_KNOWN {
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

fn read_field(field: &str) -> Result<Field, KeyFieldsError> {
    if field == "-" {
        return Ok(Field::default());
    }
    let paths: Vec<&str> = field.split(',').take(MAX_PATHS + 1).collect();
    if paths.len() > MAX_PATHS {
        return Err(flawed("field", field, "it has more than three paths"));
    }
    let paths = paths.into_iter().map(|path| read_path(path).map_err(|flaw| flawed("field", field, flaw)));
    Ok(Field { paths: paths.collect::<Result<_, _>>()? })
}

fn read_path(path: &str) -> Result<FieldPath, &'static str> {
    if path == "." {
        return Ok(FieldPath::content());
    }
    let mut names: Vec<&str> = path.split('/').take(MAX_STEPS + 2).collect();
    let attribute =
        names.pop_if(|last| last.starts_with('@')).map(|last| steps::label_hash(&last[1..], Form::Attribute));
    if names.len() > MAX_STEPS {
        return Err("it has more than three steps");
    }
    let steps = names.into_iter().map(|name| steps::label_hash(name, Form::Node)).collect::<Result<_, _>>()?;
    Ok(FieldPath { steps, attribute: attribute.transpose()?, written: path.to_owned() })
}

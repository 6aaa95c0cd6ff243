//! Which places are meant? A pattern of label paths, as one would write an XPath without predicates.
//!
//! A pattern is matched label by label along the tree of paths: what is kept of a path is which steps of the pattern may have
//! been taken when it is reached, as bits, and those of a path follow from those of the path above.

use std::fmt;
use std::str::FromStr;

use memchr::memmem;

use crate::steps::{Label, LabelKind, LabelPaths};

/// A pattern of places, such as `//table/tr`, `/html/head/title`, `@href`, `//p/text()` or `/*/items/*/price`.
///
/// `/` goes to a child, `//` to any descendant, and a pattern that begins with neither is looked for anywhere. A step is a name,
/// `@name`, `*`, `@*`, `text()`, `comment()`, `processing-instruction()` or `node()`; names are local names, prefixes are passed over; what is no
/// plain name stands in quotes. A change matches where its node, or any that it is in, is selected: `//table` means all that
/// changes in tables. What came or went in a larger piece is a change of its own: `//price` finds that of a new item.
///
/// ```
/// use store::PathPattern;
///
/// let pattern: PathPattern = "//table/@class".parse()?;
/// assert_eq!(pattern.to_string(), "//table/@class");
/// assert!("//table[1]".parse::<PathPattern>().is_err());
/// # Ok::<(), store::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    is_anywhere: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Named(String),
    AnyElement,
    Attribute(String),
    AnyAttribute,
    Kind(LabelKind),
    AnyNode,
}

/// Why a text is no pattern of places.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A step is none.
    #[error("found `{found}` in the pattern, expected a name, `@name`, `*`, `text()` or the like between slashes")]
    Step {
        /// What is there.
        found: String,
    },
    /// It has too many steps.
    #[error("the pattern has {found} steps, {MOST_STEPS} are possible")]
    TooLong {
        /// How many it has.
        found: usize,
    },
}

/// A bit is kept for each step, and one for the beginning.
const MOST_STEPS: usize = 63;

/// Which steps of a pattern may have been taken at a place, as bits; the last says that the place, or one above it, is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken(u64);

impl Taken {
    /// Whether anything below may be meant.
    pub(super) fn is_on_the_way(self) -> bool {
        self.0 != 0
    }
}

impl PathPattern {
    /// For every path which steps lead there.
    pub(super) fn taken(&self, paths: &LabelPaths<'_>) -> Vec<Taken> {
        let mut taken = Vec::with_capacity(paths.count());
        taken.push(Taken(1));
        for (above, label) in paths.iter() {
            taken.push(self.advanced(taken[above], label));
        }
        taken
    }

    /// Whether the place, or one above it, is meant.
    pub(super) fn is_whole(&self, taken: Taken) -> bool {
        taken.0 & 1 << self.steps.len() != 0
    }

    /// Whether the last step may be taken in what is written like this.
    pub(super) fn may_be_written(&self, written: &str) -> bool {
        match self.steps.last().map(|step| &step.test) {
            Some(Test::Named(name) | Test::Attribute(name)) => {
                let local = name.split_once(':').map_or(&**name, |(_, local)| local);
                // A key of JSON may be written in more ways than one.
                let is_there = |text: &str| memmem::find(written.as_bytes(), text.as_bytes()).is_some();
                is_there(local) || is_there("format=\"json\"")
            }
            _ => true,
        }
    }

    /// The steps that may have been taken at a label, by those above it. What is meant is so with all below it.
    pub(super) fn advanced(&self, Taken(above): Taken, label: Label<'_>) -> Taken {
        let mut taken = above & 1 << self.steps.len();
        for (at, step) in self.steps.iter().enumerate().filter(|(at, _)| above >> at & 1 == 1) {
            taken |= u64::from(step.is_anywhere) << at;
            taken |= u64::from(step.test.holds(label)) << (at + 1);
        }
        Taken(taken)
    }
}

impl Test {
    fn holds(&self, label: Label<'_>) -> bool {
        match self {
            Test::Named(name) => label.kind == LabelKind::Named && is_named(label, name),
            Test::AnyElement => matches!(label.kind, LabelKind::Named | LabelKind::Unnamed),
            Test::Attribute(name) => label.kind == LabelKind::Attribute && is_named(label, name),
            Test::AnyAttribute => label.kind == LabelKind::Attribute,
            Test::Kind(kind) => label.kind == *kind,
            Test::AnyNode => label.kind != LabelKind::Attribute,
        }
    }
}

/// A prefix of the pattern is passed over, but a key of JSON may look as if it had one.
fn is_named(label: Label<'_>, name: &str) -> bool {
    label.name == name || name.split_once(':').is_some_and(|(_, local)| label.name == local)
}

impl FromStr for PathPattern {
    type Err = PatternError;

    fn from_str(pattern: &str) -> Result<Self, PatternError> {
        let mut steps = Vec::new();
        let mut rest = if pattern == "/" { "" } else { pattern };
        while !rest.is_empty() || pattern.is_empty() {
            let anywhere = rest.strip_prefix("//");
            let child = rest.strip_prefix('/').filter(|_| anywhere.is_none());
            let (test, behind) = split_test(child.or(anywhere).unwrap_or(rest));
            steps.push(Step { is_anywhere: child.is_none(), test: read_test(test)? });
            rest = behind;
        }
        if steps.len() > MOST_STEPS {
            return Err(PatternError::TooLong { found: steps.len() });
        }
        Ok(PathPattern { steps })
    }
}

/// A step, and what is behind it; a slash in quotes ends none.
fn split_test(rest: &str) -> (&str, &str) {
    let mut is_quoted = false;
    let end = rest.find(|c| {
        is_quoted ^= c == '\'';
        c == '/' && !is_quoted
    });
    rest.split_at(end.unwrap_or(rest.len()))
}

fn read_test(test: &str) -> Result<Test, PatternError> {
    Ok(match test {
        "*" => Test::AnyElement,
        "@*" => Test::AnyAttribute,
        "text()" => Test::Kind(LabelKind::Text),
        "comment()" => Test::Kind(LabelKind::Comment),
        "processing-instruction()" => Test::Kind(LabelKind::Instruction),
        "node()" => Test::AnyNode,
        _ => match test.strip_prefix('@') {
            Some(name) => Test::Attribute(read_name(name)?),
            None => Test::Named(read_name(test)?),
        },
    })
}

fn read_name(name: &str) -> Result<String, PatternError> {
    let quoted = name.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    if let Some(inner) = quoted.filter(|inner| !inner.replace("''", "").contains('\'')) {
        return Ok(inner.replace("''", "'"));
    }
    let label = Label { kind: LabelKind::Named, name };
    // A name that is written in quotes has to be.
    if label.to_string() != name {
        return Err(PatternError::Step { found: name.to_owned() });
    }
    Ok(name.to_owned())
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("/");
        }
        for step in &self.steps {
            f.write_str(if step.is_anywhere { "//" } else { "/" })?;
            match &step.test {
                Test::Named(name) => Label { kind: LabelKind::Named, name }.fmt(f)?,
                Test::AnyElement => f.write_str("*")?,
                Test::Attribute(name) => Label::attribute(name).fmt(f)?,
                Test::AnyAttribute => f.write_str("@*")?,
                Test::Kind(kind) => Label { kind: *kind, name: "" }.fmt(f)?,
                Test::AnyNode => f.write_str("node()")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

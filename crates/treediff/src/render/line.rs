//! What is a line of a tree diff? A mark, an indentation, and runs of text that say what they are.

use std::fmt;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is there for orientation.
    Context,
    /// It came.
    Inserted,
    /// It went away.
    Deleted,
    /// It came from elsewhere in the document.
    MovedHere,
    /// It went elsewhere in the document.
    MovedAway,
    /// Something in the line is not as it was.
    Changed,
    /// Here something is left out that did not change.
    Omitted,
}

impl Mark {
    /// The character in front of the line.
    pub fn sign(self) -> char {
        match self {
            Mark::Context | Mark::Omitted => ' ',
            Mark::Inserted => '+',
            Mark::Deleted => '-',
            Mark::MovedHere => '←',
            Mark::MovedAway => '→',
            Mark::Changed => '~',
        }
    }
}

/// What a run of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Angle brackets, quotes, braces, and `…` for what is left out.
    Markup,
    /// The name of an element, attribute or member.
    Name,
    /// A value, or a part of it that stayed.
    Value,
    /// What is gone from the line.
    Deleted,
    /// What is new in the line.
    Inserted,
    /// A remark that is no part of the document.
    Note,
}

/// Some characters of a line; none of them is a control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What they are.
    pub role: Role,
    /// The characters.
    pub text: String,
}

/// A line of a tree diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is about.
    pub mark: Mark,
    /// How far it is to be indented; levels that are left out do not count.
    pub depth: usize,
    /// What it says.
    pub runs: Vec<Run>,
}

impl Line {
    pub(super) fn new(mark: Mark, depth: usize) -> Self {
        Line { mark, depth, runs: Vec::new() }
    }

    /// Adds a run; one after another of the same role become one.
    pub(super) fn push(&mut self, role: Role, text: &str) {
        match self.runs.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => self.runs.push(Run { role, text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Line {
    /// Without colours, as `git diff --word-diff` has it: `[-gone-]{+new+}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:indent$}", self.mark.sign(), "", indent = 2 * self.depth)?;
        self.runs.iter().try_for_each(|run| match run.role {
            Role::Deleted => write!(f, "[-{}-]", run.text),
            Role::Inserted => write!(f, "{{+{}+}}", run.text),
            _ => f.write_str(&run.text),
        })
    }
}

//! In which order is what changed told? That of the version after, what is gone at the place where it was.

use std::collections::HashSet;

use super::changes::{Changes, Gone, Passage};
use super::describe::{Describer, Shape, came, went};
use super::siblings::{Shown, Siblings};
use super::{Line, Mark, Options, Role};
use crate::tree::{Children, Kind, Node, NodeId};

/// What a subtree is to the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In both versions; a subtree of `after` that may have changes in it.
    Same,
    /// New, but for what moved there.
    New,
    /// Gone, but for what moved elsewhere; a subtree of `before`.
    Old,
}

/// A container on the way from the root to what is being shown.
struct Frame<'c, 'd> {
    node: Node<'d>,
    state: State,
    children: Children<'d>,
    /// The children that are gone and were not yet met.
    gone: &'c [Gone],
    /// Where in `before` the next child stood that is neither new nor gone.
    position: u32,
    siblings: Siblings<'d>,
    /// The depth of the children's lines.
    depth: usize,
    /// Whether the container itself is left out: it is too far above any change.
    is_hidden: bool,
}

/// A line about a node.
struct Sight<'c, 'd> {
    shape: Shape<'d>,
    mark: Mark,
    changes: Option<&'c Changes<'d>>,
    note: Option<String>,
}

/// What comes next among the children of a container.
enum Item<'d> {
    Child(Node<'d>),
    Gone(NodeId, Passage),
}

impl<'d> Frame<'_, 'd> {
    /// The next child: the gone ones where they stood, before what is new in their place.
    fn next(&mut self, changes: &Changes<'d>) -> Option<Item<'d>> {
        if self.gone.first().is_some_and(|first| first.position <= self.position) {
            return self.next_gone();
        }
        let Some(child) = self.children.next() else { return self.next_gone() };
        if self.state == State::Same && changes.come(child).is_none() {
            self.position += 1;
        }
        Some(Item::Child(child))
    }

    fn next_gone(&mut self) -> Option<Item<'d>> {
        let (first, rest) = self.gone.split_first()?;
        self.gone = rest;
        self.position += 1;
        Some(Item::Gone(first.node, first.passage))
    }
}

/// The walk, and where the lines go.
pub struct Walker<'c, 'd, S> {
    changes: &'c Changes<'d>,
    options: Options,
    near: HashSet<NodeId>,
    open: Vec<Frame<'c, 'd>>,
    show: S,
    /// Whether the last line says that something is left out, which need not be said twice.
    is_omitting: bool,
}

impl<'c, 'd, E, S: FnMut(Line) -> Result<(), E>> Walker<'c, 'd, S> {
    pub fn new(changes: &'c Changes<'d>, options: Options, show: S) -> Self {
        let near = changes.near(options.ancestors);
        Walker { changes, options, near, open: Vec::new(), show, is_omitting: false }
    }

    pub fn walk(mut self) -> Result<(), E> {
        self.doctype()?;
        let root = self.changes.after.root();
        if self.changes.has_changes_below(root) {
            self.open(root, State::Same, 0, false);
        }
        while let Some(innermost) = self.open.last_mut() {
            match innermost.next(self.changes) {
                Some(Item::Child(child)) => self.child(child)?,
                Some(Item::Gone(node, passage)) => self.gone(node, passage)?,
                None => self.close()?,
            }
        }
        Ok(())
    }

    fn doctype(&mut self) -> Result<(), E> {
        let Some(both) = self.changes.doctype else { return Ok(()) };
        for (text, mark) in both.into_iter().zip([Mark::Deleted, Mark::Inserted]) {
            if let Some(text) = text {
                let mut line = Line::new(mark, 0);
                line.push(Role::Markup, &super::printable(text));
                self.line(line)?;
            }
        }
        Ok(())
    }

    fn child(&mut self, child: Node<'d>) -> Result<(), E> {
        let Some(frame) = self.open.last() else { return Ok(()) };
        let changes = self.changes;
        match (frame.state, changes.come(child)) {
            (State::Old, _) => match changes.left(child) {
                Some(passage @ Passage::Moved(_)) => self.gone(child.id(), passage),
                _ => self.subtree(child, State::Old, Mark::Deleted, None),
            },
            (_, Some(Passage::Moved(number))) => {
                let note = changes.moves.get(number).map(|&one| came(number, one, changes));
                self.before_change()?;
                self.subtree(child, State::Same, Mark::MovedHere, note)
            }
            (State::New, None) => self.subtree(child, State::New, Mark::Inserted, None),
            (_, Some(Passage::Alone)) => {
                self.before_change()?;
                self.subtree(child, State::New, Mark::Inserted, None)
            }
            (State::Same, None) => self.same(child),
        }
    }

    /// A child that is where it was.
    fn same(&mut self, child: Node<'d>) -> Result<(), E> {
        let is_changed = self.changes.is_changed(child)
            || self.around(child, State::Same).is_some_and(|text| self.changes.is_changed(text));
        if is_changed {
            self.before_change()?;
            return self.subtree(child, State::Same, Mark::Changed, None);
        }
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        if self.changes.has_changes_below(child) {
            let shown = frame.siblings.rest();
            self.context(shown)?;
            return self.subtree(child, State::Same, Mark::Context, None);
        }
        match frame.siblings.pass(child) {
            Some(child) => self.subtree(child, State::Same, Mark::Context, None),
            None => Ok(()),
        }
    }

    /// A child that is no more where it was.
    fn gone(&mut self, node: NodeId, passage: Passage) -> Result<(), E> {
        self.before_change()?;
        let node = self.changes.before.node(node);
        let Passage::Moved(number) = passage else {
            return self.subtree(node, State::Old, Mark::Deleted, None);
        };
        let note = self.changes.moves.get(number).map(|&one| went(number, one, self.changes));
        let shape = match self.around(node, State::Old) {
            _ if node.size() == 1 => Shape::Whole,
            Some(text) => Shape::Around(text),
            None => Shape::Folded,
        };
        // Its changes are told where it is now.
        self.describe(node, Sight { shape, mark: Mark::MovedAway, changes: None, note })
    }

    /// One line for a subtree that fits, or else its opening, and its children are next.
    fn subtree(&mut self, node: Node<'d>, state: State, mark: Mark, note: Option<String>) -> Result<(), E> {
        let changes = (state == State::Same).then_some(self.changes);
        let is_open = match changes {
            Some(changes) => changes.has_changes_below(node),
            None => node.size() > 1,
        };
        let around = self.around(node, state);
        let shape = match around {
            Some(text) => Shape::Around(text),
            None if is_open => Shape::Opening,
            None if node.size() > 1 => Shape::Folded,
            None => Shape::Whole,
        };
        let depth = self.depth();
        let is_hidden = mark == Mark::Context && is_open && !self.is_near(node);
        match (shape, is_hidden) {
            (Shape::Opening, true) => self.omit(depth)?,
            _ => self.describe(node, Sight { shape, mark, changes, note })?,
        }
        if shape == Shape::Opening {
            self.open(node, state, if is_hidden { depth } else { depth + 1 }, is_hidden);
        }
        Ok(())
    }

    /// Whether a container that leads to a change is close enough to it to be shown.
    fn is_near(&self, node: Node<'d>) -> bool {
        self.near.contains(&node.id()) || node.parent().is_some_and(|parent| parent.id() == NodeId::DOCUMENT)
    }

    /// The text of an element that has nothing else, before and after, so that both fit on a line.
    fn around(&self, node: Node<'d>, state: State) -> Option<Node<'d>> {
        let text = node.first_child().filter(|child| node.is_element() && child.kind() == Kind::Text)?;
        let is_alone = text.end() == node.end()
            && match state {
                State::Same => self.changes.gone(node).is_empty() && self.changes.come(text).is_none(),
                State::New => self.changes.come(text).is_none(),
                State::Old => !matches!(self.changes.left(text), Some(Passage::Moved(_))),
            };
        is_alone.then_some(text)
    }

    fn open(&mut self, node: Node<'d>, state: State, depth: usize, is_hidden: bool) {
        let gone = if state == State::Same { self.changes.gone(node) } else { &[] };
        let context = if is_hidden { 0 } else { self.options.siblings };
        let siblings = Siblings::new(context);
        self.open.push(Frame {
            node,
            state,
            children: node.children(),
            gone,
            position: 0,
            siblings,
            depth,
            is_hidden: is_hidden || node.kind() == Kind::Document,
        });
    }

    /// The end of the innermost container.
    fn close(&mut self) -> Result<(), E> {
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        let shown = frame.siblings.rest();
        self.context(shown)?;
        let Some(frame) = self.open.pop() else { return Ok(()) };
        if frame.is_hidden {
            return Ok(());
        }
        let mark = match frame.state {
            State::Same => Mark::Context,
            State::New => Mark::Inserted,
            State::Old => Mark::Deleted,
        };
        self.describe(frame.node, Sight { shape: Shape::Closing, mark, changes: None, note: None })
    }

    fn before_change(&mut self) -> Result<(), E> {
        let Some(frame) = self.open.last_mut() else { return Ok(()) };
        let shown = frame.siblings.before_change();
        self.context(shown)
    }

    /// Siblings that did not change.
    fn context(&mut self, shown: Shown<'d>) -> Result<(), E> {
        let is_hidden = self.open.last().is_some_and(|frame| frame.is_hidden && frame.node.kind() != Kind::Document);
        if shown.is_cut || (is_hidden && !shown.nodes.is_empty()) {
            self.omit(self.depth())?;
        }
        if is_hidden {
            return Ok(());
        }
        shown.nodes.into_iter().try_for_each(|node| self.subtree(node, State::Same, Mark::Context, None))
    }

    fn omit(&mut self, depth: usize) -> Result<(), E> {
        if self.is_omitting {
            return Ok(());
        }
        let mut line = Line::new(Mark::Omitted, depth);
        line.push(Role::Markup, "…");
        self.line(line)?;
        self.is_omitting = true;
        Ok(())
    }

    fn describe(&mut self, node: Node<'d>, sight: Sight<'c, 'd>) -> Result<(), E> {
        let mut line = Line::new(sight.mark, self.depth());
        let is_full = matches!(sight.mark, Mark::Inserted | Mark::Deleted);
        let describer = Describer { changes: sight.changes, is_full, options: self.options };
        describer.describe(node, sight.shape, &mut line);
        if let Some(note) = sight.note {
            line.push(Role::Note, &note);
        }
        self.line(line)
    }

    fn line(&mut self, line: Line) -> Result<(), E> {
        self.is_omitting = false;
        (self.show)(line)
    }

    fn depth(&self) -> usize {
        self.open.last().map_or(0, |frame| frame.depth)
    }
}

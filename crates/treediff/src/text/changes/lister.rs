//! Which runs are one change? The list of changes in the order they are read, and what changed about words that stayed.

use std::collections::HashMap;
use std::ops::Range;

use super::super::reading::{Reading, atoms};
use super::around::{Around, Told};
use super::attributes::Attributes;
use super::cells::{Cells, ColumnId};
use super::details::notices;
use super::looks::{Look, Looks};
use super::moves::Move;
use super::readable::Hunk;
use super::{Change, ChangeKind, Changes, Detail, Entities, Fate, Run, rules};
use crate::tree::hash::ByHash;
use crate::tree::{Node, NodeId};

/// The changes with their list.
pub fn told<'d>(
    changes: Changes<'d>,
    moves: Vec<Move>,
    (attributes, around): (Attributes, Around),
    entities: &Entities,
) -> Changes<'d> {
    let Changes { runs, before, after, cells, .. } = changes;
    let rules = rules::told([&before, &after], &runs, &moves);
    let mut lister = Lister {
        looks: Looks {
            before: &before,
            after: &after,
            entities,
            attributes,
            around,
            told_around: Told::default(),
            rules,
            sentence: 0,
        },
        cells: &cells,
        runs: Vec::with_capacity(runs.len()),
        list: Vec::new(),
        formats: Vec::new(),
        known_looks: HashMap::new(),
        look_block: None,
        format_block: None,
        linked: None,
        columns: ByHash::default(),
        moved: vec![Vec::new(); moves.len()],
        firsts: firsts(&moves),
        are_columns: moves.iter().map(|moved| moved.column.is_some()).collect(),
        numbers: vec![None; moves.len()],
        carried: Vec::new(),
    };
    lister.look_at_moved(&moves);
    for run in runs {
        lister.run(run);
    }
    let are_handlers_others = lister.looks.attributes.are_handlers_others();
    let unseen = lister.looks.attributes.take_unseen();
    let (runs, list, formats) = lister.finished(&moves);
    let mut notices = notices([&before, &after], entities, are_handlers_others);
    notices.extend(unseen);
    Changes { before, after, runs, list, formats, notices, cells }
}

/// Numbers the changes while runs are given to it in their order.
struct Lister<'r, 'd> {
    looks: Looks<'r, 'd>,
    cells: &'r Cells,
    runs: Vec<Run>,
    list: Vec<Change>,
    formats: Vec<Detail>,
    /// How words look by what is around them, by what is told of it, and the last block in which that was told.
    known_looks: HashMap<[Option<String>; 4], usize>,
    look_block: Option<NodeId>,
    /// The block in which formatting was told last.
    format_block: Option<NodeId>,
    /// The links that the last change is in, while runs of it may follow.
    linked: Option<Linked>,
    /// The changes that are whole columns which came or went, by their sides.
    columns: ByHash<(usize, ColumnId), usize>,
    /// For every move the runs that it comes from, the first that is told with it, whether it is of a column, and its number in
    /// the list as soon as it has one.
    moved: Vec<Vec<usize>>,
    firsts: Vec<usize>,
    are_columns: Vec<bool>,
    numbers: Vec<Option<usize>>,
    /// Words that moved and look different, by their moves.
    carried: Vec<Carried>,
}

/// Words that went with a move and lead elsewhere or look different now.
struct Carried {
    moved: usize,
    items: Hunk,
    look: Look,
    /// Whether the move has no other words.
    is_all: bool,
    /// What they are a change of by themselves, and the runs that they are.
    number: Option<usize>,
    runs: Vec<usize>,
}

/// The links that all words of a change are part of: 0 for none, and `None` for a side of which it has no words yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Linked {
    change: usize,
    links: [Option<u32>; 2],
    /// Whether it is told that they lead elsewhere.
    is_told: bool,
}

impl Linked {
    /// The same with more words, unless those are part of other links, or of none on both sides.
    fn with(self, links: [Option<u32>; 2]) -> Option<Self> {
        let sides = || self.links.into_iter().zip(links);
        let is_one = sides().all(|(link, next)| link.is_none() || next.is_none() || link == next);
        let both = [0, 1].map(|side| self.links[side].or(links[side]));
        (is_one && both.into_iter().flatten().any(|link| link > 0)).then_some(Linked { links: both, ..self })
    }
}

impl Lister<'_, '_> {
    fn run(&mut self, run: Run) {
        match run.fate {
            Fate::Same => self.same(run),
            _ => match run.change {
                Some(moved) => self.moved(run, moved),
                None => self.by_columns(run),
            },
        }
    }

    /// Cuts what came or went where a column begins or ends that did so as a whole.
    fn by_columns(&mut self, run: Run) {
        let side = usize::from(run.fate == Fate::Added);
        if !self.cells.has_lone_columns(side) {
            return self.replaced(run);
        }
        let (reading, items) = match side {
            0 => (self.looks.before, run.before.clone()),
            _ => (self.looks.after, run.after.clone()),
        };
        let cells = self.cells;
        let column = |at: usize| cells.lone_column(side, reading.node(reading.segment_of(reading.items()[at])));
        let mut start = items.start;
        while start < items.end {
            let of = column(start);
            let end = (start..items.end).find(|&at| column(at) != of).unwrap_or(items.end);
            let part = match side {
                0 => Run { before: start..end, ..run.clone() },
                _ => Run { after: start..end, ..run.clone() },
            };
            match of {
                Some(of) => self.in_column((side, of), part),
                None => self.replaced(part),
            }
            start = end;
        }
    }

    /// A part of a column that came or went.
    fn in_column(&mut self, column: (usize, ColumnId), run: Run) {
        self.linked = None;
        let number = match self.columns.get(&column) {
            Some(number) => *number,
            None => {
                let kind = if run.fate == Fate::Added { ChangeKind::Added } else { ChangeKind::Removed };
                let number = self.change(kind);
                self.list[number].is_column = true;
                self.columns.insert(column, number);
                number
            }
        };
        self.tell_attributes(number, &run);
        self.push(Run { change: Some(number), ..run });
    }

    /// Goes on with the last change where nothing is between it and this run and both are one to a reader.
    fn replaced(&mut self, run: Run) {
        let links = self.links_of(&run);
        let linked = self.linked.zip(links).and_then(|(linked, links)| linked.with(links));
        let number = match self.runs.last().filter(|last| self.are_one(last, &run)).and_then(|last| last.change) {
            Some(number) => {
                if run.fate == Fate::Added && self.list[number].kind == ChangeKind::Removed {
                    self.list[number].kind = ChangeKind::Replaced;
                }
                self.linked = linked;
                number
            }
            None => match linked.filter(|linked| linked.is_told) {
                Some(linked) => {
                    self.list[linked.change].kind = ChangeKind::Replaced;
                    linked.change
                }
                None => {
                    let kind = if run.fate == Fate::Added { ChangeKind::Added } else { ChangeKind::Removed };
                    let change = self.change(kind);
                    self.linked = links.map(|links| Linked { change, links, is_told: false });
                    change
                }
            },
        };
        self.tell_link();
        self.tell_attributes(number, &run);
        self.push(Run { change: Some(number), ..run });
    }

    /// The links that all words of a run are part of, which is on one side.
    fn links_of(&self, run: &Run) -> Option<[Option<u32>; 2]> {
        let link = |reading: &Reading<'_>, items: &Range<usize>| {
            let mut links = reading.items()[items.clone()].iter().map(|item| reading.segment_of(*item).link);
            let first = links.next()?;
            links.all(|link| link == first).then_some(first)
        };
        match run.fate {
            Fate::Removed => link(self.looks.before, &run.before).map(|link| [Some(link), None]),
            _ => link(self.looks.after, &run.after).map(|link| [None, Some(link)]),
        }
    }

    /// Tells that words in the place of others lead elsewhere.
    fn tell_link(&mut self) {
        let Some(Linked { change, links: [Some(there), Some(here)], is_told: false }) = self.linked else { return };
        let [from, to] = self.looks.addresses(there, here);
        if !self.looks.lead_alike(from.as_deref(), to.as_deref()) {
            self.list[change].details.push(Detail::Link { from, to });
            self.linked = self.linked.map(|linked| Linked { is_told: true, ..linked });
        }
    }

    /// Tells of attributes where none of the words that would have shown them stayed.
    fn tell_attributes(&mut self, number: usize, run: &Run) {
        if run.after.is_empty() || self.looks.attributes.is_empty() {
            return;
        }
        let items = &self.looks.after.items()[run.after.clone()];
        let mut segments: Vec<usize> = items.iter().map(|item| item.segment()).collect();
        segments.dedup();
        for segment in segments {
            let told = self.looks.attributes.take_read(segment);
            self.list[number].details.extend(told);
        }
    }

    /// Whether a run in the place of another is one change with it, or goes on in the same paragraph.
    fn are_one(&self, last: &Run, run: &Run) -> bool {
        let is_one = |reading: &Reading<'_>, items: &Range<usize>| {
            let block = |at: usize| reading.segment_of(reading.items()[at]).block;
            block(items.start - 1) == block(items.start)
        };
        // What is looked at as a whole is a change of its own, where it is by itself.
        let is_whole = || [last, run].iter().any(|run| self.looks.atom(run).is_some());
        let is_column = last.change.is_some_and(|change| self.list[change].is_column);
        match (last.fate, run.fate) {
            _ if is_column => false,
            (Fate::Removed, Fate::Added) => true,
            (Fate::Removed, Fate::Removed) | (Fate::Added, Fate::Added) if is_whole() => false,
            (Fate::Removed, Fate::Removed) => is_one(self.looks.before, &run.before),
            (Fate::Added, Fate::Added) => is_one(self.looks.after, &run.after),
            _ => false,
        }
    }

    /// A part of a move; what it was, what it is, or what was edited on the way.
    fn moved(&mut self, run: Run, moved: usize) {
        self.linked = None;
        let first = self.firsts[moved];
        if !run.after.is_empty() && self.numbers[first].is_none() {
            let number = self.change(ChangeKind::Moved);
            self.list[number].is_column = self.are_columns[first];
            self.numbers[first] = Some(number);
        }
        if let Some(number) = self.numbers[first] {
            self.tell_attributes(number, &run);
        }
        let items = |run: &Run| if run.fate == Fate::MovedFrom { run.before.clone() } else { run.after.clone() };
        let piece = |items: Range<usize>| match run.fate {
            Fate::MovedFrom => Run { before: items, ..run.clone() },
            _ => Run { after: items, ..run.clone() },
        };
        let (mut start, end) = (items(&run).start, items(&run).end);
        for at in self.carried_in(&run, moved) {
            let (there, here) = self.carried[at].items.clone();
            let carried = if run.fate == Fate::MovedFrom { there } else { here };
            self.push_moved(piece(start..carried.start), moved);
            start = carried.end;
            self.carried(piece(carried), at);
        }
        self.push_moved(piece(start..end), moved);
    }

    /// Which of the words that look different are in a run.
    fn carried_in(&self, run: &Run, moved: usize) -> Range<usize> {
        let start = |carried: &Carried| match run.fate {
            Fate::MovedFrom => (carried.moved, carried.items.0.start),
            _ => (carried.moved, carried.items.1.start),
        };
        let place = |item: usize| self.carried.partition_point(|carried| start(carried) < (moved, item));
        match run.fate {
            Fate::MovedFrom => place(run.before.start)..place(run.before.end),
            Fate::MovedTo => place(run.after.start)..place(run.after.end),
            _ => 0..0,
        }
    }

    /// Words that moved and look different: where they are now it is told how.
    fn carried(&mut self, run: Run, at: usize) {
        let Carried { moved, ref items, look, is_all, .. } = self.carried[at];
        let mut format = None;
        if run.fate == Fate::MovedTo {
            let before = items.0.clone();
            let look = self.looks.of_run(look, &run);
            let details = self.looks.details(look, &Run { before, ..run.clone() });
            let own = |(kind, _): &(ChangeKind, Detail)| if is_all { None } else { Some(*kind) };
            let number = details.first().and_then(own).map(|kind| self.change(kind));
            self.carried[at].number = number;
            if let Some(number) = number.or(self.numbers[self.firsts[moved]]) {
                self.list[number].details.extend(details.into_iter().map(|(_, detail)| detail));
            }
            format = self.format(look, &run);
        }
        self.carried[at].runs.push(self.runs.len());
        self.push_moved(Run { format, ..run }, moved);
    }

    fn push_moved(&mut self, run: Run, moved: usize) {
        if !run.before.is_empty() || !run.after.is_empty() {
            self.moved[moved].push(self.runs.len());
            // Its number is known when all are.
            self.runs.push(Run { change: None, ..run });
        }
    }

    /// Finds the words that look different where they moved to.
    fn look_at_moved(&mut self, moves: &[Move]) {
        for (at, moved) in moves.iter().enumerate() {
            for stayed in moved.stayed() {
                self.look_at_stayed(at, &stayed, moved.edits.is_empty());
            }
        }
        self.looks.sentence = 0;
    }

    fn look_at_stayed(&mut self, moved: usize, stayed: &Hunk, is_whole: bool) {
        let mut start = 0;
        let mut look = self.looks.look((stayed.0.start, stayed.1.start), None);
        while start < stayed.1.len() {
            let (end, next) = self.looks.alike(look, stayed, start);
            let look_there = look.at_another_place();
            if look_there != Look::default() {
                let is_all = is_whole && (start, end) == (0, stayed.1.len());
                let (items, number) = (part(stayed, start..end), None);
                self.carried.push(Carried { moved, items, look: look_there, is_all, number, runs: Vec::new() });
            }
            (start, look) = (end, next);
        }
    }

    /// Cuts what stayed where its looks change.
    fn same(&mut self, run: Run) {
        let stayed = (run.before.clone(), run.after.clone());
        let mut start = 0;
        let mut look = self.looks.look((run.before.start, run.after.start), None);
        while start < run.after.len() {
            let (end, next) = self.looks.alike(look, &stayed, start);
            let (before, after) = part(&stayed, start..end);
            self.looking(look, Run { before, after, ..run.clone() });
            (start, look) = (end, next);
        }
    }

    /// A run of which nothing but its look may have changed.
    fn looking(&mut self, look: Look, run: Run) {
        let look = self.looks.of_run(look, &run);
        let mut details = self.looks.details(look, &run);
        let links = look.links.map(|(there, here)| [Some(there), Some(here)]);
        let linked = self.linked.zip(links).and_then(|(linked, links)| linked.with(links));
        let change = match linked {
            Some(Linked { change, is_told, .. }) => {
                details.retain(|(kind, _)| *kind != ChangeKind::Link || !is_told);
                if self.list[change].kind != ChangeKind::Link {
                    self.list[change].kind = ChangeKind::Replaced;
                }
                Some(change)
            }
            None => details.first().map(|(kind, _)| self.change(*kind)),
        };
        self.linked = change.zip(links).map(|(change, links)| Linked { change, links, is_told: true });
        if let Some(number) = change {
            self.list[number].details.extend(details.into_iter().map(|(_, detail)| detail));
        }
        let format = self.format(look, &run);
        self.push(Run { change, format, ..run });
    }

    /// Which of the formats it is that something looks so, where it only looks different.
    fn format(&mut self, look: Look, run: &Run) -> Option<usize> {
        let detail = self.looks.format(look).or_else(|| self.look_around(look, run))?;
        let after = self.looks.after;
        let block = after.items().get(run.after.start).map(|item| after.segment_of(*item).block);
        // What came in or went parts words that look different in one way.
        let is_told = self.formats.last() == Some(&detail) && block == self.format_block;
        if !is_told {
            self.formats.push(detail);
            self.format_block = block;
        }
        Some(self.formats.len() - 1)
    }

    /// How words look by what is around them: as of attributes it is said once of all that look alike, and once in a block.
    /// A mark between words that are others says nothing.
    fn look_around(&mut self, look: Look, run: &Run) -> Option<Detail> {
        let has_words = self.looks.after.items()[run.after.clone()].iter().any(|item| item.counts());
        let (detail, block) = if has_words { self.looks.take_look_around(look)? } else { return None };
        let key = match &detail {
            Detail::Look { element, name, from, to, .. } => {
                [Some(element.clone()), Some(name.clone()), from.clone(), to.clone()]
            }
            Detail::Format { from, to } => [None, None, Some(from.clone()), Some(to.clone())],
            _ => return None,
        };
        if let Some(&at) = self.known_looks.get(&key) {
            if let Detail::Look { times, .. } = &mut self.formats[at] {
                *times += 1;
            }
            return None;
        }
        let is_first = self.look_block.replace(block) != Some(block);
        is_first.then(|| {
            self.known_looks.insert(key, self.formats.len());
            detail
        })
    }

    fn change(&mut self, kind: ChangeKind) -> usize {
        self.list.push(Change { kind, runs: Vec::new(), details: Vec::new(), is_column: false });
        self.list.len() - 1
    }

    fn push(&mut self, run: Run) {
        if let Some(number) = run.change {
            self.list[number].runs.push(self.runs.len());
        }
        self.runs.push(run);
    }

    fn finished(mut self, moves: &[Move]) -> (Vec<Run>, Vec<Change>, Vec<Detail>) {
        for (at, mut moved) in std::mem::take(&mut self.moved).into_iter().enumerate() {
            let Some(number) = self.numbers[self.firsts[at]] else { continue };
            moved.sort_by_key(|&run| moves[at].order(&self.runs[run]));
            for &run in &moved {
                self.runs[run].change = Some(number);
            }
            self.list[number].runs.extend(moved);
        }
        for Carried { number, runs, .. } in std::mem::take(&mut self.carried) {
            let Some(number) = number else { continue };
            for run in runs {
                self.runs[run].change = Some(number);
                // It is told where it is now.
                self.list[number].runs.extend((self.runs[run].fate == Fate::MovedTo).then_some(run));
            }
        }
        let Lister { looks, runs, mut list, formats, .. } = self;
        for change in &mut list {
            match change.kind {
                ChangeKind::Replaced => {
                    look_at_wholes(change, &runs, &looks);
                    look_at_white(change, &runs, &looks);
                    look_at_alike(change, &runs, &looks);
                }
                ChangeKind::Moved => look_at_wholes_among_words(change, &runs, &looks),
                _ => {}
            }
        }
        (runs, list, formats)
    }
}

/// For every move the first that is told with it: all cells of a column are told at once.
fn firsts(moves: &[Move]) -> Vec<usize> {
    let mut columns: ByHash<(NodeId, usize), usize> = ByHash::default();
    let first = |(at, moved): (usize, &Move)| moved.column.map_or(at, |column| *columns.entry(column).or_insert(at));
    moves.iter().enumerate().map(first).collect()
}

/// Some of the items that stayed, by their places among them.
fn part((there, here): &Hunk, places: Range<usize>) -> Hunk {
    (there.start + places.start..there.start + places.end, here.start + places.start..here.start + places.end)
}

/// Words in the place of white space are new, and white space in the place of words is nothing.
fn look_at_white(change: &mut Change, runs: &[Run], looks: &Looks<'_, '_>) {
    let has_words = |fate: Fate| {
        change.runs.iter().map(|&at| &runs[at]).filter(|run| run.fate == fate || run.fate == Fate::Same).any(|run| {
            match fate {
                Fate::Removed => !looks.before.is_white(&run.before),
                _ => !looks.after.is_white(&run.after),
            }
        })
    };
    change.kind = match (has_words(Fate::Removed), has_words(Fate::Added)) {
        (false, true) => ChangeKind::Added,
        (true, false) => ChangeKind::Removed,
        _ => change.kind,
    };
}

/// Says what became of something that is looked at as a whole, where it is in the place of another: an image is another one, and a
/// field is used otherwise, or is no image.
fn look_at_wholes(change: &mut Change, runs: &[Run], looks: &Looks<'_, '_>) {
    let atoms = change.runs.iter().map(|&at| looks.atom(&runs[at]));
    let Some(atoms) = atoms.collect::<Option<Vec<Node<'_>>>>() else {
        return look_at_wholes_among_words(change, runs, looks);
    };
    if !atoms.iter().any(|atom| atoms::is_field(*atom)) {
        change.kind = ChangeKind::Image;
    }
    let [before, after] = atoms[..] else { return };
    if before.name() != after.name() {
        // An input may be a list of choices now, and hold the same.
        if atoms::description(before) == atoms::description(after) {
            change.kind = ChangeKind::Attribute;
            let (element, name) = (atoms::kind(after).to_owned(), "kind".to_owned());
            let [from, to] = [before, after].map(|atom| Some(atom.name().local.to_owned()));
            change.details.push(Detail::Attribute { element, name, from, to });
        }
        return;
    }
    if atoms::is_field(after) {
        change.kind = ChangeKind::Attribute;
        change.details.extend(looks.of_nodes(before, after));
    } else {
        change.details.extend(beyond_descriptions(before, after, looks));
    }
}

/// Says of words in the place of others that read alike what is another about them: where they lead to, or an image among them.
fn look_at_alike(change: &mut Change, runs: &[Run], looks: &Looks<'_, '_>) {
    let read = |reading: &Reading<'_>, other: Fate, items: fn(&Run) -> &Range<usize>| -> String {
        let its = change.runs.iter().map(|&at| &runs[at]).filter(|run| run.fate != other);
        let all = its.flat_map(|run| &reading.items()[items(run).clone()]);
        all.map(|item| reading.written(*item)).collect()
    };
    let are_alike = || {
        let was = read(looks.before, Fate::Added, |run| &run.before);
        was == read(looks.after, Fate::Removed, |run| &run.after)
    };
    if change.kind == ChangeKind::Replaced && !change.details.is_empty() && are_alike() {
        let leads_elsewhere = change.details.iter().any(|detail| matches!(detail, Detail::Link { .. }));
        change.kind = if leads_elsewhere { ChangeKind::Link } else { ChangeKind::Attribute };
    }
}

/// Says the same of what stands among words.
fn look_at_wholes_among_words(change: &mut Change, runs: &[Run], looks: &Looks<'_, '_>) {
    for pair in change.runs.windows(2).map(|pair| [&runs[pair[0]], &runs[pair[1]]]) {
        if pair.map(|run| run.fate) != [Fate::Removed, Fate::Added] {
            continue;
        }
        if let [Some(before), Some(after)] = pair.map(|run| looks.atom(run))
            && before.name() == after.name()
        {
            change.details.extend(beyond_descriptions(before, after, looks));
        }
    }
}

/// What is another about something that is looked at as a whole; what both descriptions say need not be said again.
fn beyond_descriptions(before: Node<'_>, after: Node<'_>, looks: &Looks<'_, '_>) -> Vec<Detail> {
    let mut told = looks.of_nodes(before, after);
    if atoms::description(before) != atoms::description(after) {
        let is_described = |name: &str| [before, after].map(atoms::described_by).contains(&Some(name));
        told.retain(|detail| !matches!(detail, Detail::Attribute { name, .. } if is_described(name)));
    }
    told
}

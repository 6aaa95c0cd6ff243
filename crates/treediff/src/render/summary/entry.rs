//! How is one change told? What it is, its words, a few words around them, and where it stands.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::headings::Headings;
use super::labels::Labels;
use super::tables::{Cell, Tables};
use crate::text::{Change, ChangeKind, Changes, Detail, Fate, Reading, Run, shortened};
use crate::tree::NodeId;

/// A change as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which of [`Changes::list`] it is, from 1; changes of formatting have no number.
    pub number: Option<usize>,
    /// What kind it is.
    pub kind: ChangeKind,
    /// What is in the place of another, for [`ChangeKind::Image`]: `image`, `video`, `frame`; `None` where it is no longer what it was.
    /// For other kinds `column`, where all of a column of a table came, went or moved.
    pub whole: Option<String>,
    /// Its words; of what moved, those at the new place.
    pub pieces: Vec<Piece>,
    /// What stands around it in its sentence.
    pub place: Place,
    /// What the headers say of the cell of a table that all of it stands in.
    pub cell: Cell,
    /// Where it was, for what moved.
    pub from: Option<(Vec<String>, Place)>,
    /// Which way it went, for what moved.
    pub direction: Option<Direction>,
    /// What changed beyond the words.
    pub details: Vec<Detail>,
    /// Which of [`Changes::runs`] it is told at.
    pub(crate) run: usize,
}

/// Which way something moved past what stayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It is nearer to the beginning of the page.
    Up,
    /// It is nearer to its end.
    Down,
}

impl Direction {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
        }
    }
}

/// Words that have one fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What became of them.
    pub fate: Fate,
    /// The words, shortened where they are many.
    pub text: String,
    /// Whether there is white space before them.
    pub is_spaced: bool,
    /// Whether they say which white space it is.
    pub is_described: bool,
}

/// What is right beside something in its sentence, with white space as it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The words before it.
    pub leading: String,
    /// The words behind it.
    pub trailing: String,
}

impl Entry {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self.kind {
            ChangeKind::Image => self.whole.as_deref().unwrap_or(ChangeKind::Replaced.name()),
            kind => kind.name(),
        }
    }

    /// The same, and what all of it is, where that is more than words: `added column`.
    pub fn name_with_whole(&self) -> Cow<'_, str> {
        match self.whole.as_ref().filter(|_| self.kind != ChangeKind::Image) {
            Some(whole) => Cow::Owned(format!("{} {whole}", self.name())),
            None => Cow::Borrowed(self.name()),
        }
    }

    /// The words that were there.
    pub fn before(&self) -> Option<String> {
        self.joined(|fate| fate != Fate::Added)
    }

    /// The words that are there.
    pub fn after(&self) -> Option<String> {
        self.joined(|fate| fate != Fate::Removed)
    }

    /// What was edited on the way, for what moved: words that are gone, and those in their place.
    pub fn edits(&self) -> impl Iterator<Item = &[Piece]> {
        let is_edit = |piece: &Piece| matches!(piece.fate, Fate::Removed | Fate::Added);
        let pieces = if self.kind == ChangeKind::Moved { &self.pieces[..] } else { &[] };
        let groups = pieces.chunk_by(move |left, right| is_edit(left) && is_edit(right) && left.fate != right.fate);
        let has_words = |group: &&[Piece]| group.iter().any(|piece| piece.text.contains(char::is_alphanumeric));
        groups.filter(move |group| is_edit(&group[0]) && has_words(group))
    }

    fn joined(&self, is_meant: impl Fn(Fate) -> bool) -> Option<String> {
        let mut joined: Option<String> = None;
        for piece in self.pieces.iter().filter(|piece| is_meant(piece.fate)) {
            match &mut joined {
                Some(joined) => {
                    joined.push_str(match piece {
                        Piece { is_described: true, .. } => ", ",
                        Piece { is_spaced: true, .. } => " ",
                        _ => "",
                    });
                    joined.push_str(&piece.text);
                }
                None => joined = Some(piece.text.clone()),
            }
        }
        joined
    }
}

/// Words of a sentence that are told on either side of a change.
const AROUND: usize = 8;

/// Characters of those words.
const AROUND_CHARACTERS: usize = 60;

/// Tells the changes between two pages.
pub struct Teller<'c, 'd> {
    changes: &'c Changes<'d>,
    headings: [Headings; 2],
    /// For every heading of the version before, an item of the version after that it still has.
    became: Vec<Option<usize>>,
    tables: [Tables; 2],
    labels: [Labels<'c, 'd>; 2],
    most_changes: usize,
    most: usize,
}

impl<'c, 'd> Teller<'c, 'd> {
    /// Tells the first changes, at most so many, and at most so many characters of each text.
    pub fn new(changes: &'c Changes<'d>, most_changes: usize, most: usize) -> Self {
        let headings = [changes.before(), changes.after()].map(Headings::new);
        let became = headings[0].items().map(|items| after_of(changes.runs(), items)).collect();
        let cells = |reading| cells(changes, most_changes, reading);
        let tables = [changes.before(), changes.after()].map(|reading| Tables::new(reading, &cells(reading)));
        let labels = [changes.before(), changes.after()].map(Labels::new);
        Teller { changes, headings, became, tables, labels, most_changes, most }
    }

    /// The entries in the order of reading.
    pub fn entries(&self) -> Vec<Entry> {
        let first = self.changes.list().iter().take(self.most_changes);
        let numbered = first.enumerate().filter_map(|(at, change)| self.change(at, change));
        let runs = self.changes.runs().iter().enumerate();
        // Words that look different may be parted by others; it is told of the first.
        let mut told = None;
        let looking = runs.filter_map(|(at, run)| {
            let format = run.format.filter(|format| told.replace(*format) != Some(*format))?;
            Some(self.formatting(at, run, format))
        });
        let looking = looking.take(self.most_changes);
        let mut entries: Vec<Entry> = numbered.chain(looking).collect();
        entries.sort_by_key(|entry| (entry.run, entry.number.is_none()));
        entries
    }

    /// Which heading an entry stands under.
    pub fn heading(&self, entry: &Entry) -> Heading {
        let runs = self.changes.runs();
        let run = &runs[entry.run];
        let here = |item: usize| Heading { side: 1, place: self.headings[1].place(item) };
        if run.fate != Fate::Removed {
            return self.heading_of(run);
        }
        // What is in its place now, unless a section begins with that; or what stayed beside it.
        let next = runs.get(entry.run + 1).filter(|next| next.fate == Fate::Added && next.change == run.change);
        let is_in_place = |next: &&Run| {
            let [there, here] = [(0, run.before.start), (1, next.after.start)]
                .map(|(side, item)| self.headings[side].holding(item).is_some());
            there || !here
        };
        let in_place = next.filter(is_in_place).map(|next| next.after.start);
        in_place.or_else(|| self.stayed_beside(entry.run)).map_or_else(|| self.heading_of(run), here)
    }

    /// An item of the version after that stayed beside what is gone, in the same block.
    fn stayed_beside(&self, at: usize) -> Option<usize> {
        let (runs, before) = (self.changes.runs(), self.changes.before());
        let items = &runs[at].before;
        let block = |item: usize| before.items().get(item).map(|item| before.segment_of(*item).block);
        let is_near = |run: &&Run, item: usize| run.fate == Fate::Same && block(item) == block(items.start);
        let last = at.checked_sub(1).map(|last| &runs[last]).filter(|last| is_near(last, items.start.wrapping_sub(1)));
        let next = runs.get(at + 1).filter(|next| is_near(next, items.end));
        last.map(|last| last.after.end - 1).or(next.map(|next| next.after.start))
    }

    fn change(&self, number: usize, change: &Change) -> Option<Entry> {
        let runs = self.changes.runs();
        let with = |fate: Fate| change.runs.iter().copied().filter(move |&at| runs[at].fate == fate);
        // A change is read where it is; what is only gone, where it was.
        let first = with(Fate::MovedTo).chain(change.runs.iter().copied()).next()?;
        let is_here = |&at: &usize| matches!(runs[at].fate, Fate::Same | Fate::Added | Fate::MovedTo);
        let here = || change.runs.iter().copied().filter(is_here);
        let (start, end) = here().next().zip(here().next_back()).unwrap_or((first, *change.runs.last()?));
        let from = with(Fate::MovedFrom).next().zip(with(Fate::MovedFrom).next_back());
        // A column went neither up nor down.
        let direction = from.filter(|_| !change.is_column);
        Some(Entry {
            number: Some(number + 1),
            kind: change.kind,
            whole: whole(self.changes, change).or(change.is_column.then_some("column")).map(str::to_owned),
            pieces: self.pieces(&change.runs),
            place: self.place(start, end),
            cell: if change.is_column { Cell::default() } else { self.cell(start, end) },
            from: from.map(|(start, end)| (self.path(self.origin_of(&runs[start])), self.place(start, end))),
            direction: direction.map(|(start, _)| if start < first { Direction::Down } else { Direction::Up }),
            details: change.details.clone(),
            run: first,
        })
    }

    fn formatting(&self, at: usize, run: &Run, format: usize) -> Entry {
        let fate = run.fate;
        Entry {
            number: None,
            kind: ChangeKind::Formatting,
            whole: None,
            pieces: vec![self.piece(fate, run, self.most)],
            place: self.place(at, at),
            cell: self.cell(at, at),
            from: None,
            direction: None,
            details: self.changes.formats().get(format).cloned().into_iter().collect(),
            run: at,
        }
    }

    /// As much of the words of both sides as is wanted.
    fn pieces(&self, runs: &[usize]) -> Vec<Piece> {
        // What moved does not take the room of what was edited in it.
        let mut left = [self.most; 3];
        let mut pieces = Vec::new();
        // Nobody can read white space, unless there are words beside it.
        let is_white = runs.iter().all(|&at| self.is_white(&self.changes.runs()[at]));
        for run in runs.iter().map(|&at| &self.changes.runs()[at]).filter(|run| run.fate != Fate::MovedFrom) {
            let left = match run.fate {
                Fate::Removed => &mut left[0],
                Fate::MovedTo => &mut left[1],
                _ => &mut left[2],
            };
            if *left > 0 {
                let mut piece = self.piece(run.fate, run, *left);
                if is_white {
                    piece.text = shortened(&self.white(run), *left);
                    piece.is_described = true;
                }
                *left = left.saturating_sub(piece.text.chars().count());
                pieces.push(piece);
            }
        }
        pieces
    }

    fn piece(&self, fate: Fate, run: &Run, most: usize) -> Piece {
        let (reading, items) = self.side(run);
        let is_spaced = reading.is_apart(items.start);
        let text = self.field(run).unwrap_or_else(|| excerpt(reading, items, most));
        Piece { fate, text, is_spaced, is_described: false }
    }

    /// What a run is called that is a field alone: more than it holds, a reader knows its label.
    fn field(&self, run: &Run) -> Option<String> {
        let (reading, items) = self.side(run);
        let field = reading.atom(items.clone()).filter(|_| reading.kind_of_atom(items) == Some("field"))?;
        self.labels[usize::from(!is_before(run.fate))].told(field)
    }

    /// Whether a run is on one side and has nothing but white space.
    fn is_white(&self, run: &Run) -> bool {
        let (reading, items) = self.side(run);
        matches!(run.fate, Fate::Removed | Fate::Added) && reading.is_white(&items)
    }

    /// The white space of a run in words: `1 line break, 4 spaces`.
    fn white(&self, run: &Run) -> String {
        let (reading, items) = self.side(run);
        let white: Vec<char> = reading.items()[items].iter().flat_map(|item| reading.written(*item).chars()).collect();
        let counted = white.chunk_by(|left, right| left == right).map(|same| {
            let name = match same[0] {
                ' ' => "space",
                '\t' => "tab",
                '\n' => "line break",
                _ => "blank",
            };
            format!("{} {name}{}", same.len(), if same.len() > 1 { "s" } else { "" })
        });
        counted.collect::<Vec<_>>().join(", ")
    }

    /// The side on which a run is read.
    fn side(&self, run: &Run) -> (&'c Reading<'d>, Range<usize>) {
        side(self.changes, run)
    }

    /// What stands around runs that are on one side, in their sentences.
    fn place(&self, first: usize, last: usize) -> Place {
        let runs = self.changes.runs();
        let (reading, start) = self.side(&runs[first]);
        let (_, end) = self.side(&runs[last]);
        let (start, end) = (start.start, end.end);
        let from = sentence(reading, start).start.max(start.saturating_sub(AROUND));
        let to = sentence(reading, end.saturating_sub(1)).end.min(end + AROUND);
        Place { leading: leading(reading, from..start), trailing: trailing(reading, end..to.max(end)) }
    }

    /// What the headers say of the cell that runs on one side stand in.
    fn cell(&self, first: usize, last: usize) -> Cell {
        let runs = self.changes.runs();
        let (reading, start) = self.side(&runs[first]);
        let (_, end) = self.side(&runs[last]);
        let cell_of = |at: usize| reading.items().get(at).map(|item| reading.segment_of(*item).cell);
        let cell = cell_of(start.start).filter(|cell| cell_of(end.end.saturating_sub(1)) == Some(*cell));
        let tables = &self.tables[usize::from(!is_before(runs[first].fate))];
        cell.map(|cell| tables.cell(cell)).unwrap_or_default()
    }

    /// That of the version after; for what is only in the version before what became of its heading there, and the
    /// heading as it was where that is gone too.
    fn heading_of(&self, run: &Run) -> Heading {
        match run.fate {
            Fate::Removed | Fate::MovedFrom => self.heading_before(self.headings[0].place(run.before.start), run),
            _ => Heading { side: 1, place: self.headings[1].place(run.after.start) },
        }
    }

    /// The heading that something was under and has left: that of the section around, for a heading which moved itself.
    fn origin_of(&self, run: &Run) -> Heading {
        let before = &self.headings[0];
        match before.holding(run.before.start) {
            Some(own) => match before.above(own) {
                None => Heading { side: 0, place: None },
                above => self.heading_before(above, run),
            },
            None => self.heading_of(run),
        }
    }

    /// A heading of the version before; before the first of them, that of what stands before a run now.
    fn heading_before(&self, place: Option<usize>, run: &Run) -> Heading {
        let after = |item: usize| Heading { side: 1, place: self.headings[1].place(item) };
        match place {
            Some(heading) => self.became[heading].map_or(Heading { side: 0, place }, after),
            None => run.after.start.checked_sub(1).map_or(Heading { side: 1, place }, after),
        }
    }

    /// A heading and those of the sections around, outermost first.
    pub fn path(&self, Heading { side, place }: Heading) -> Vec<String> {
        self.headings[side].path(place)
    }
}

/// The side on which a run is read.
fn side<'c, 'd>(changes: &'c Changes<'d>, run: &Run) -> (&'c Reading<'d>, Range<usize>) {
    match is_before(run.fate) {
        true => (changes.before(), run.before.clone()),
        false => (changes.after(), run.after.clone()),
    }
}

/// What people call all that is in a change of something that is looked at as a whole, where they are of one kind.
pub fn whole<'d>(changes: &Changes<'d>, change: &Change) -> Option<&'d str> {
    let sides = change.runs.iter().map(|&at| side(changes, &changes.runs()[at]));
    let mut kinds = sides.map(|(reading, items)| reading.kind_of_atom(items));
    let first = kinds.next().flatten().filter(|_| change.kind == ChangeKind::Image)?;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// Whether words with this fate are read in the version before.
fn is_before(fate: Fate) -> bool {
    matches!(fate, Fate::Removed | Fate::MovedFrom)
}

/// The cells of one side in which something changed that is told.
fn cells(changes: &Changes<'_>, most_changes: usize, reading: &Reading<'_>) -> HashSet<NodeId> {
    let is_told = |number: Option<usize>| number.is_some_and(|number| number < most_changes);
    let changed = changes.runs().iter().filter(|run| is_told(run.change) || is_told(run.format));
    let sides = changed.map(|run| side(changes, run)).filter(|(side, _)| std::ptr::eq(*side, reading));
    let items = sides.filter_map(|(_, items)| reading.items().get(items.start));
    items.map(|item| reading.segment_of(*item).cell).filter(|cell| *cell != NodeId::DOCUMENT).collect()
}

/// Something that entries stand under: a heading of one side, or what is before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    side: usize,
    place: Option<usize>,
}

/// Where the first of these items of the version before is that stayed.
fn after_of(runs: &[Run], items: Range<usize>) -> Option<usize> {
    let first = runs.partition_point(|run| run.before.end <= items.start);
    let mut there = runs[first..].iter().take_while(|run| run.before.start < items.end);
    let stayed = there.find(|run| run.fate == Fate::Same)?;
    Some(stayed.after.start + items.start.saturating_sub(stayed.before.start))
}

/// Words of a page; of a single one that is too long its beginning.
fn excerpt(reading: &Reading<'_>, items: Range<usize>, most: usize) -> String {
    match reading.items().get(items.start) {
        Some(first) if !items.is_empty() && reading.written(*first).chars().nth(most).is_some() => {
            shortened(reading.written(*first), most)
        }
        _ => reading.excerpt(items, most),
    }
}

/// The items of the sentence that an item is in.
fn sentence(reading: &Reading<'_>, item: usize) -> Range<usize> {
    let sentences = reading.sentences();
    let at = sentences.partition_point(|sentence| sentence.items().end <= item);
    sentences.get(at).map_or(item..item, |sentence| sentence.items())
}

/// The last words before something.
fn leading(reading: &Reading<'_>, items: Range<usize>) -> String {
    if items.is_empty() {
        return String::new();
    }
    let is_cut = sentence(reading, items.start).start < items.start;
    let is_spaced = reading.is_apart(items.end);
    let words = excerpt(reading, items, AROUND_CHARACTERS);
    [if is_cut { "… " } else { "" }, &words, if is_spaced { " " } else { "" }].concat()
}

/// The first words behind something.
fn trailing(reading: &Reading<'_>, items: Range<usize>) -> String {
    if items.is_empty() {
        return String::new();
    }
    let is_cut = items.end < sentence(reading, items.start).end;
    let is_spaced = reading.is_apart(items.start);
    let words = excerpt(reading, items, AROUND_CHARACTERS);
    [if is_spaced { " " } else { "" }, &words, if is_cut { " …" } else { "" }].concat()
}

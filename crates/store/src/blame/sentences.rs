//! Which version brought this sentence?

use std::sync::Arc;

use treediff::matching;
use treediff::text::Reading;
use treediff::text::{Changes, Entities, Fate, Run, Sentence, Vocabulary};
use treediff::tree::{Document, Node};

use super::Blamed;
use super::carry::carried;
use super::places::Places;
use crate::trace::Origin;

/// The sentences of the last page that was added, each with the version that brought it.
///
/// A sentence is the same where its words are, whatever they look like and wherever they lead.
///
/// ```
/// use std::sync::Arc;
/// use store::blame::Sentences;
/// use store::trace::Origin;
/// use treediff::parse::{self, Options, Whitespace};
///
/// let mut sentences = Sentences::default();
/// for (number, page) in (1..).zip(["<p>Tea is hot. Milk is cold.", "<p>Tea is <b>hot</b>. Milk is warm. Honey is sweet."]) {
///     let document = parse::html(page, &Options { whitespace: Whitespace::Exact, ..Default::default() })?.document;
///     sentences.add(Origin { number, time: jiff::Timestamp::UNIX_EPOCH }, Arc::new(document));
/// }
/// let told: Vec<_> = sentences.blamed().into_iter().map(|one| (one.origin.number, one.text)).collect();
/// let expected = [(1, "Tea is hot."), (2, "Milk is warm."), (2, "Honey is sweet.")];
/// assert_eq!(told, expected.map(|(number, text)| (number, text.to_owned())));
/// # Ok::<(), parse::ParseError>(())
/// ```
#[derive(Debug, Default)]
pub struct Sentences {
    last: Option<(Arc<Document>, Vec<Origin>)>,
}

impl Sentences {
    /// The next version. White space has to have been kept when it was parsed ([`treediff::parse::Whitespace::Exact`]), or words
    /// run together.
    pub fn add(&mut self, origin: Origin, document: Arc<Document>) {
        let origins = match &self.last {
            Some((before, origins)) => next(before, origins, &document, origin),
            None => vec![origin; Reading::new(&document, &mut Vocabulary::default()).sentences().len()],
        };
        self.last = Some((document, origins));
    }

    /// Whatever comes next is new: there was a version that is no page.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// The sentences of the last version.
    pub fn blamed(&self) -> Vec<Blamed> {
        self.last.as_ref().map_or_else(Vec::new, |(document, origins)| blamed(document, origins))
    }
}

fn next(before: &Document, origins: &[Origin], after: &Document, new: Origin) -> Vec<Origin> {
    let matching = matching::auto(before, after, &Default::default());
    let changes = Changes::of_all_sentences(before, after, &matching, &Entities::default());
    let readings = [changes.before(), changes.after()];
    let keys = readings.map(|reading| {
        let sentences = 0..reading.sentences().len();
        sentences.map(|sentence| reading.numbers(sentence).collect::<Vec<u32>>()).collect::<Vec<_>>()
    });
    let same = changes.runs().iter().filter(|run| run.fate == Fate::Same);
    let pairs = same.flat_map(|run| whole_sentences(readings.map(Reading::sentences), run));
    // An image that has got another name is the same image, and says something else.
    let pairs: Vec<(usize, usize)> = pairs.filter(|(there, here)| keys[0][*there] == keys[1][*here]).collect();
    carried(origins, keys, pairs, new)
}

/// The sentences of both sides that begin and end together in a run of the same items.
fn whole_sentences([before, after]: [&[Sentence]; 2], run: &Run) -> Vec<(usize, usize)> {
    let first = after.partition_point(|sentence| sentence.items().start < run.after.start);
    let inside = after[first..].iter().take_while(|sentence| sentence.items().end <= run.after.end);
    let pair = |(here, sentence): (usize, &Sentence)| {
        let there = |item: usize| item - run.after.start + run.before.start;
        let items = there(sentence.items().start)..there(sentence.items().end);
        let place = before.binary_search_by_key(&items.start, |sentence| sentence.items().start).ok()?;
        (before[place].items() == items).then_some((place, here))
    };
    (first..).zip(inside).filter_map(pair).collect()
}

fn blamed(document: &Document, origins: &[Origin]) -> Vec<Blamed> {
    let reading = Reading::new(document, &mut Vocabulary::default());
    let blocks: Vec<Node<'_>> = reading.sentences().iter().map(|sentence| block(&reading, *sentence)).collect();
    let places = Places::of(blocks.iter().copied());
    let blamed = |((sentence, block), origin): ((&Sentence, Node<'_>), &Origin)| Blamed {
        text: reading.excerpt(sentence.items(), usize::MAX),
        path: Some(places.path(block)),
        xid: None,
        origin: *origin,
    };
    reading.sentences().iter().zip(blocks.iter().copied()).zip(origins).map(blamed).collect()
}

/// The nearest element around a sentence that breaks sentences.
fn block<'d>(reading: &Reading<'d>, sentence: Sentence) -> Node<'d> {
    let first = reading.items()[sentence.items()].first();
    first.map_or(reading.document().root(), |item| reading.document().node(reading.segment_of(*item).block))
}

//! What changed, in the page itself? Views of two versions, each one HTML file that needs nothing else.
//!
//! [`merged`] and [`side_by_side`] are a document that is wholly ours (`top`) around the page, which is in a frame
//! (`page`): its styles cannot reach the banner, its scripts cannot run, and a policy in the file (`policy`) sees to it that
//! nothing is loaded which nobody allowed. [`listing`] is our own markup alone.
//!
//! ```text
//!   ┌─────────────────────────────────────────────┐
//!   │ café.html → café.html   3 changes   ‹ 2 of 3 › │  banner
//!   ├───────────────────────────────────────────┬─┤
//!   │  Café                                     │ │
//!   │  Open [every day] {at weekends}.          │▪│  map of changes
//!   │  …                          (a frame)     │▪│
//!   └───────────────────────────────────────────┴─┘
//! ```

mod digest;
mod listing;
mod map;
mod markup;
mod page;
mod policy;
pub(crate) mod safe;
mod top;

pub use listing::{listing, listing_to};
pub use safe::{NoOrigin, Origin};

use std::fmt;
use std::sync::LazyLock;

use memchr::memmem;

use super::Summary;
use crate::matching::Matching;
use crate::text::{ChangeKind, Changes};
use crate::tree::{Document, hash};
use page::{Others, Page, PageOptions, Side};
use top::{Frame, Top, View};

/// How much of a change is told beside the page.
const TOLD: usize = 120;

/// How a view is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What the versions are called: names of files, or times.
    pub names: [String; 2],
    /// The address of the page, that relative ones in it are meant by. Content may be loaded from its origin.
    pub base: Option<String>,
    /// Where else content may be loaded from.
    pub allowed: Vec<Origin>,
    /// For [`merged`]: the version before with what is new put in, rather than the version after with what is gone.
    pub reverse: bool,
    /// For [`merged`]: without what is gone, or with [`Options::reverse`] without what is new.
    pub without_deleted: bool,
    /// More changes than these are too many to be read in one page: [`merged`] says so, no link or arrow leads to the others, and
    /// [`listing`] ends with them.
    pub most_changes: usize,
    /// How one gets to see both versions side by side, told where there are too many changes.
    pub side_by_side: Option<String>,
    /// How one gets to see all changes, told where a list ends before them.
    pub all_changes: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            names: ["before", "after"].map(str::to_owned),
            base: None,
            allowed: Vec::new(),
            reverse: false,
            without_deleted: false,
            most_changes: 500,
            side_by_side: None,
            all_changes: None,
        }
    }
}

impl Options {
    /// Where content may be loaded from.
    fn origins(&self) -> Vec<Origin> {
        let base = self.base.iter().filter_map(|base| base.parse().ok());
        base.chain(self.allowed.iter().cloned()).collect()
    }
}

/// One page with what is gone and what is new in it.
///
/// ```
/// use treediff::parse::{self, Whitespace};
/// use treediff::render::html::{self, Options};
/// use treediff::text::{Changes, Entities};
///
/// let exact = parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
/// let before = parse::html("<p>Open every day.", &exact)?.document;
/// let after = parse::html("<p>Open at weekends.", &exact)?.document;
/// let matching = treediff::matching::auto(&before, &after, &Default::default());
/// let changes = Changes::new(&before, &after, &matching, &Entities::default());
/// let view = html::merged(&changes, &matching, &Options::default());
/// assert!(view.starts_with("<!DOCTYPE html>"));
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn merged(changes: &Changes<'_>, matching: &Matching, options: &Options) -> String {
    collected(changes, |out| merged_to(changes, matching, options, out))
}

/// Writes what [`merged`] returns, piece by piece; fails only where `out` does.
pub fn merged_to(
    changes: &Changes<'_>,
    matching: &Matching,
    options: &Options,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    let key = key(changes);
    let allowed = options.origins();
    let base = options.base.as_deref().and_then(safe::Url::parse);
    let side = if options.reverse { Side::Before } else { Side::After };
    let others = if options.without_deleted { Others::Hidden } else { Others::Shown };
    let (base, most_changes) = (base.as_ref(), options.most_changes);
    let page = PageOptions { side, others, key: &key, base, allowed: &allowed, most_changes };
    let page = Page { changes, matching, options: page };
    let frames = [Frame { name: "page", title: "The page with its changes", page }];
    framed(View::Merged, changes, options, &key, frames, out)
}

/// Both pages beside each other.
pub fn side_by_side(changes: &Changes<'_>, matching: &Matching, options: &Options) -> String {
    collected(changes, |out| side_by_side_to(changes, matching, options, out))
}

/// Writes what [`side_by_side`] returns, piece by piece; fails only where `out` does.
pub fn side_by_side_to(
    changes: &Changes<'_>,
    matching: &Matching,
    options: &Options,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    let key = key(changes);
    let allowed = options.origins();
    let base = options.base.as_deref().and_then(safe::Url::parse);
    let page = |side: Side| {
        let (base, others, most_changes) = (base.as_ref(), Others::Places, options.most_changes);
        let options = PageOptions { side, others, key: &key, base, allowed: &allowed, most_changes };
        Page { changes, matching, options }
    };
    let frames = [
        Frame { name: "before", title: &options.names[0], page: page(Side::Before) },
        Frame { name: "after", title: &options.names[1], page: page(Side::After) },
    ];
    framed(View::SideBySide, changes, options, &key, frames, out)
}

fn framed<const N: usize>(
    view: View,
    changes: &Changes<'_>,
    options: &Options,
    key: &str,
    frames: [Frame<'_>; N],
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let summary = Summary::of_first(changes, options.most_changes, TOLD);
    let shows = |kind: ChangeKind| frames.iter().any(|frame| frame.page.options.shows(kind));
    let top = Top { view, changes, summary: &summary, options, key, shows: &shows };
    top.write(out, |out| top::push_frames(&frames, out))
}

/// A view as a whole, with room for the pages and our own part.
fn collected(changes: &Changes<'_>, write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    const OURS: usize = 1 << 16;
    let pages = [changes.before(), changes.after()].map(|reading| reading.document().source().len());
    let mut out = String::with_capacity(pages[0] + pages[1] + OURS);
    // Writing to a string cannot fail.
    let _ = write(&mut out);
    out
}

/// Where references in a page at `base` lead to, the page's own `<base>` minded; `None` for those that do not lead to the web.
///
/// ```
/// use treediff::{parse, render::html};
///
/// let page = parse::html("<base href=/news/><img src=cup.png>", &Default::default())?.document;
/// let address = html::addresses(&page, Some("https://example.org/"));
/// assert_eq!(address("cup.png").as_deref(), Some("https://example.org/news/cup.png"));
/// # Ok::<(), treediff::parse::ParseError>(())
/// ```
pub fn addresses(page: &Document, base: Option<&str>) -> impl Fn(&str) -> Option<String> + use<> {
    safe::addresses(page, base.and_then(safe::Url::parse).as_ref())
}

/// A name that is in neither page, and always the same for the same pages. It is in every mark, so that it is as short as can be
/// while nobody finds a page with its own key in it; what comes out of escapes is looked at besides (`safe`).
fn key(changes: &Changes<'_>) -> String {
    let sources = [changes.before(), changes.after()].map(|reading| reading.document().source());
    let mut number = sources.iter().fold(0, |sum, source| hash::mix(sum, hash::bytes(source.as_bytes())));
    loop {
        let key = key_of(number);
        // Somebody may have found one.
        if !sources.iter().any(|source| memmem::find(source.as_bytes(), key.as_bytes()).is_some()) {
            return key;
        }
        number = number.wrapping_add(1);
    }
}

/// A letter, and ten digits and letters, which are 51 bits.
fn key_of(number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let rests = std::iter::successors(Some(number), |rest| Some(rest / 36));
    let digits = rests.take(10).map(|rest| char::from(DIGITS[(rest % 36) as usize]));
    std::iter::once('d').chain(digits).collect()
}

/// What a link in a frame leads to that shows the page without its own styles.
fn plain(key: &str) -> String {
    format!("{key}-plain")
}

/// The styles of marks in a page, for the first of its style sheets; and those for a page that may load others.
fn frame_styles(key: &str, may_load: bool) -> String {
    static PIECES: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("assets/frame.css").split("KEY").collect());
    let loaded = if may_load { include_str!("assets/loaded.css") } else { "" };
    PIECES.join(key) + &loaded.replace("KEY", key)
}

#[cfg(test)]
mod tests;

//! Which references stay in the value of an attribute? Those to entities that nobody declared or loads. They are part of the
//! value as they are written, and are not the same as a text that reads like them.

use std::borrow::Cow;
use std::ops::Range;

use super::{Attribute, Format, hash};
use crate::parse::decode;

impl<'d> Attribute<'d> {
    /// Whether a reference to an entity that is not known is part of the value, which has it as it is written. Where
    /// entities that are known were followed in the same value, it cannot be told any more.
    pub(crate) fn keeps_reference(self) -> bool {
        self.kept_references().is_some()
    }

    /// Which ampersands of the value begin such references, as a number that is the same where they are the same; `None`
    /// where none does.
    pub(crate) fn kept_references(self) -> Option<u64> {
        let span = self.span();
        let may_keep = self.document().format() == Format::Xml && span.is_encoded();
        if may_keep { kept_references(&self.document().text[span.range()]) } else { None }
    }

    /// The hash of the value.
    pub(crate) fn value_hash(self) -> u64 {
        value_hash(&self.value(), self.kept_references())
    }

    /// The value with the references that are part of it apart from the rest.
    pub(crate) fn pieces(self) -> impl Iterator<Item = ValuePiece<'d>> {
        let span = self.span();
        let may_keep = self.document().format() == Format::Xml && span.is_encoded();
        let mut rest = &self.document().text[span.range()];
        let mut is_done = false;
        let text = move |written: &'d str| {
            ValuePiece::Text(decode::attribute(self.document().format(), written, span.is_encoded()))
        };
        std::iter::from_fn(move || {
            let reference = if may_keep { kept_reference(rest) } else { None };
            match reference {
                Some(place) if place.start == 0 => {
                    let (reference, behind) = rest.split_at(place.end);
                    rest = behind;
                    Some(ValuePiece::Reference(reference))
                }
                Some(place) => {
                    let (before, from) = rest.split_at(place.start);
                    rest = from;
                    Some(text(before))
                }
                None => (!std::mem::replace(&mut is_done, true)).then(|| text(rest)),
            }
        })
    }
}

/// A piece of the value of an attribute.
#[derive(Debug)]
pub(crate) enum ValuePiece<'d> {
    /// What it means.
    Text(Cow<'d, str>),
    /// A reference as it is written, to what is not known.
    Reference(&'d str),
}

/// Where the first reference to an entity that is not known stands in a value as it is written.
fn kept_reference(written: &str) -> Option<Range<usize>> {
    let is_known = |name: &str| matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") || name.starts_with('#');
    let mut ampersands = written.match_indices('&').map(|(at, _)| at).peekable();
    std::iter::from_fn(|| {
        let at = ampersands.next()?;
        Some((at, &written[at + 1..ampersands.peek().copied().unwrap_or(written.len())]))
    })
    .filter_map(|(at, behind)| behind.split_once(';').map(|(name, _)| (at, name)))
    .find(|(_, name)| !is_known(name) && is_reference_name(name))
    .map(|(at, name)| at..at + name.len() + "&;".len())
}

/// Which ampersands of a value begin references to entities that are not known, by what is written: 0 where all of them do, a
/// hash of their numbers where some do, `None` where none does.
pub(crate) fn kept_references(written: &str) -> Option<u64> {
    let (mut rest, mut ampersands, mut references) = (written, 0, 0);
    let mut which = 0;
    while let Some(place) = kept_reference(rest) {
        ampersands += ampersands_in(&rest[..place.start]);
        which = hash::mix(which, ampersands);
        (ampersands, references) = (ampersands + 1, references + 1);
        rest = &rest[place.end..];
    }
    ampersands += ampersands_in(rest);
    match references {
        0 => None,
        _ if references == ampersands => Some(0),
        _ => Some(which),
    }
}

/// The hash of a value, with which of its ampersands begin references, as [`kept_references`] tells: `&name;` that stays a
/// reference is not the same as `&amp;name;`, though they read alike.
pub(crate) fn value_hash(value: &str, references: Option<u64>) -> u64 {
    let hash = hash::bytes(value.as_bytes());
    references.map_or(hash, |which| hash::mix(hash, which.wrapping_add(1)))
}

/// How many ampersands there are in the value of what is written.
fn ampersands_in(written: &str) -> u64 {
    let value = decode::attribute(Format::Xml, written, true);
    memchr::memchr_iter(b'&', value.as_bytes()).count() as u64
}

fn is_reference_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !".-_:".contains(c))
}

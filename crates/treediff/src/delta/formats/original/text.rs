//! What does an update make of a text? The later deltas say it by pieces: replaced, inserted, deleted.

use super::fault::Fault;
use crate::tree::Node;

/// The new value of a text, by the children of an `u` element. Places and lengths count UTF-16 units of the old value.
pub(super) fn updated(value: &str, update: Node<'_>) -> Result<String, Fault> {
    let mut pieces = update.children().filter(|child| child.is_element()).peekable();
    if pieces.peek().is_some_and(|first| first.name().local == "ov") {
        return whole(value, update);
    }
    let old: Vec<u16> = value.encode_utf16().collect();
    let mut new: Vec<u16> = Vec::with_capacity(old.len());
    let mut done = 0;
    for piece in pieces {
        let start = number(piece, "pos")?;
        let end = match piece.name().local {
            "ti" => start,
            "td" | "tr" => start.saturating_add(number(piece, "len")?),
            _ => return Err(Fault::Unknown),
        };
        let kept = old.get(done..start).filter(|_| end <= old.len());
        new.extend(kept.ok_or(Fault::Characters { end, len: old.len() })?);
        new.extend(piece.string_value().encode_utf16());
        done = end;
    }
    new.extend(&old[done..]);
    String::from_utf16(&new).map_err(|_| Fault::Characters { end: done, len: old.len() })
}

/// The old value and the new one in full.
fn whole(value: &str, update: Node<'_>) -> Result<String, Fault> {
    let part = |name: &'static str| {
        let found = update.children().find(|child| child.name().local == name);
        found.map(|part| part.string_value().into_owned()).ok_or(Fault::Missing(name))
    };
    let (old, new) = (part("ov")?, part("nv")?);
    if old == value { Ok(new) } else { Err(Fault::Attribute("ov".to_owned())) }
}

fn number(piece: Node<'_>, name: &'static str) -> Result<usize, Fault> {
    let value = piece.attribute("", name).ok_or(Fault::Missing(name))?;
    value.trim().parse().map_err(|_| Fault::Number { name, value: value.into_owned() })
}

//! What do the attributes of a delta and of its operations say?

use std::borrow::Cow;

use super::read::named_node;
use crate::delta::{Delta, Operation, Place, Xid, XidMap};
use crate::matching::Fallbacks;
use crate::parse::Whitespace;
use crate::tree::{Format, Kind, Node, XML_NAMESPACE};

/// The delta that a root element announces, without its operations.
pub(super) fn header(root: Node<'_>) -> Result<Delta, String> {
    let fields = Fields(root);
    fields.only(
        &["fromHash", "toHash", "fromXIDmap", "toXIDmap"],
        &["format", "whitespace", "escaped", "fallbacks", "nextXID"],
    )?;
    if let Some(other) = root.attribute("", "escaped").filter(|value| value != "true") {
        return Err(format!("found `{}` as `escaped`; expected true", shown(&other)));
    }
    let (from_xids, to_xids) = (fields.xids("fromXIDmap")?, fields.xids("toXIDmap")?);
    Ok(Delta {
        format: format(root)?,
        whitespace: match root.attribute("", "whitespace").as_deref() {
            None | Some("layout") => Whitespace::Layout,
            Some("exact") => Whitespace::Exact,
            Some(other) => return Err(format!("found the white space `{}`; expected layout or exact", shown(other))),
        },
        from_hash: fields.hash("fromHash")?,
        to_hash: fields.hash("toHash")?,
        next_xid: match root.attribute("", "nextXID") {
            Some(_) => named_node(fields.number("nextXID")?)?,
            None => from_xids.first_above(&to_xids),
        },
        from_xids,
        to_xids,
        fallbacks: root.attribute("", "fallbacks").map_or_else(Fallbacks::default, |names| Fallbacks::named(&names)),
        operations: Vec::new(),
    })
}

/// What the documents of a delta are written in.
pub(super) fn format(root: Node<'_>) -> Result<Format, String> {
    match root.attribute("", "format").as_deref() {
        None | Some("xml") => Ok(Format::Xml),
        Some("html") => Ok(Format::Html),
        Some("json") => Ok(Format::Json),
        Some(other) => Err(format!("found the format `{}`; expected xml, html or json", shown(other))),
    }
}

/// The attributes of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'d>(pub(super) Node<'d>);

impl Fields<'_> {
    /// Whether there are no attributes but these, and all that are required.
    pub(super) fn only(self, required: &[&str], optional: &[&str]) -> Result<(), String> {
        let known = || required.iter().chain(optional).copied();
        let mut missing = required.len();
        for attribute in self.0.attributes() {
            let name = attribute.name();
            let is_required = name.namespace.is_empty() && required.contains(&name.local);
            missing = missing.saturating_sub(usize::from(is_required));
            let is_known = is_required
                || match name.namespace {
                    "" => optional.contains(&name.local),
                    XML_NAMESPACE => known().any(|known| known.strip_prefix("xml:") == Some(name.local)),
                    _ => false,
                };
            if !is_known {
                let expected = match known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ") {
                    none if none.is_empty() => "none".to_owned(),
                    some => some,
                };
                return Err(format!("found the attribute `{}`; expected {expected}", shown(&name.to_string())));
            }
        }
        // Which one it is takes looking each up, and is seldom asked.
        if missing == 0 { Ok(()) } else { required.iter().try_for_each(|name| self.value(name).map(|_| ())) }
    }

    fn value(&self, name: &str) -> Result<Cow<'_, str>, String> {
        self.0.attribute("", name).ok_or_else(|| format!("found no attribute `{name}`"))
    }

    pub(super) fn text(self, name: &str) -> Result<String, String> {
        self.value(name).map(Cow::into_owned)
    }

    fn number(self, name: &str) -> Result<u64, String> {
        let written = self.value(name)?;
        let is_number = !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| written.parse().ok()).flatten();
        number.ok_or_else(|| format!("found `{}` as `{name}`; expected a number", shown(&written)))
    }

    fn hash(self, name: &str) -> Result<u64, String> {
        let written = self.value(name)?;
        let is_hash = written.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = is_hash.then(|| u64::from_str_radix(&written, 16).ok()).flatten();
        hash.ok_or_else(|| format!("found `{}` as `{name}`; expected up to 16 hex digits", shown(&written)))
    }

    fn xids(self, name: &str) -> Result<XidMap, String> {
        self.value(name)?.parse().map_err(|error| format!("`{name}`: {error}"))
    }

    pub(super) fn node(self) -> Result<Xid, String> {
        named_node(self.number("nodeXID")?)
    }

    fn place(self, parent: &str, position: &str) -> Result<Place, String> {
        let counted = self.number(position)?;
        let from_zero = counted.checked_sub(1).and_then(|position| u32::try_from(position).ok());
        let position = from_zero
            .ok_or_else(|| format!("found `{counted}` as `{position}`; positions are numbers from 1 to 4294967295"))?;
        Ok(Place { parent: Xid(self.number(parent)?), position })
    }

    /// Where a payload of `size` nodes is and who they are.
    pub(super) fn payload(self, size: u64, format: Format) -> Result<(Place, XidMap), String> {
        let optional = if format == Format::Json { "name" } else { "xml:space" };
        self.only(&["parentXID", "position", "DataXIDmap"], &[optional])?;
        if let Some(space) = self.0.attribute(XML_NAMESPACE, "space").filter(|space| space != "preserve") {
            return Err(format!("found `{}` as `xml:space`; expected preserve", shown(&space)));
        }
        let (place, xids) = (self.place("parentXID", "position")?, self.data_xids()?);
        if xids.len() != size {
            return Err(format!("found {} XIDs for a payload of {size} nodes", xids.len()));
        }
        Ok((place, xids))
    }

    pub(super) fn moved(self) -> Result<Operation, String> {
        const FIELDS: [&str; 4] = ["sourceParentXID", "sourcePosition", "targetParentXID", "targetPosition"];
        let [source_parent, source_position, target_parent, target_position] = FIELDS;
        self.only(&[&FIELDS[..], &["DataXIDmap"]].concat(), &[])?;
        if let Some(child) = self.0.first_child() {
            return Err(format!("found {} in a move; expected nothing", described(child)));
        }
        Ok(Operation::Move {
            from: self.place(source_parent, source_position)?,
            to: self.place(target_parent, target_position)?,
            xids: self.data_xids()?,
        })
    }

    fn data_xids(self) -> Result<XidMap, String> {
        match self.xids("DataXIDmap")? {
            none if none.is_empty() => Err("found no XID in `DataXIDmap`".to_owned()),
            some => Ok(some),
        }
    }
}

/// A node as messages have it.
pub(super) fn described(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Element => format!("the element `{}`", shown(node.name().local)),
        Kind::Text => format!("the text `{}`", shown(node.value().trim())),
        Kind::Comment => "a comment".to_owned(),
        Kind::Reference => format!("the reference `&{};`", shown(node.name().local)),
        _ => "a processing instruction".to_owned(),
    }
}

/// A text as messages have it: not too much of it.
pub(super) fn shown(text: &str) -> String {
    crate::text::shortened(text, 60)
}

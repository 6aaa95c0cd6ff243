//! What does a program want to know of a node? One JSON object, flat, so that any depth fits on a line.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use treediff::tree::{Attribute, Kind, Node};
use treediff::write::attributes_as_written;

/// A node in `--json` output.
#[derive(Debug, Serialize)]
pub struct NodeRecord<'d> {
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'d, str>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'d str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<AttributeRecord<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Cow<'d, str>>,
    hash: String,
    size: u32,
    weight: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Cow<'d, str>>,
}

/// An attribute in `--json` output.
#[derive(Debug, Serialize)]
pub struct AttributeRecord<'d> {
    pub name: Cow<'d, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub namespace: &'d str,
    pub value: Cow<'d, str>,
}

impl<'d> NodeRecord<'d> {
    pub fn new(node: Node<'d>) -> Self {
        NodeRecord {
            depth: None,
            kind: kind_name(node.kind()),
            name: has_name(node).then(|| node.qualified_name()),
            namespace: node.name().namespace,
            attributes: attributes_as_written(node).into_iter().map(AttributeRecord::new).collect(),
            value: (!node.kind().is_container()).then(|| node.value()),
            hash: format!("{:016x}", node.hash()),
            size: node.size(),
            weight: node.weight(),
            range: node.source_range().map(|range| [range.start, range.end]),
            source: None,
        }
    }

    pub fn at_depth(self, depth: usize) -> Self {
        NodeRecord { depth: Some(depth), ..self }
    }

    pub fn with_source(self, source: Cow<'d, str>) -> Self {
        NodeRecord { source: Some(source), ..self }
    }
}

impl<'d> AttributeRecord<'d> {
    pub fn new(attribute: Attribute<'d>) -> Self {
        AttributeRecord {
            name: attribute.qualified_name(),
            namespace: attribute.name().namespace,
            value: attribute.value(),
        }
    }
}

/// Writes one line of JSON.
pub fn write_line(record: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

/// Whether the node has a name, be it an empty one, as a key of a JSON object can be.
pub fn has_name(node: Node<'_>) -> bool {
    !node.name().local.is_empty() || node.parent().is_some_and(|parent| parent.kind() == Kind::Object)
}

pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Document => "document",
        Kind::Element => "element",
        Kind::Text => "text",
        Kind::Comment => "comment",
        Kind::ProcessingInstruction => "processing-instruction",
        Kind::Reference => "reference",
        Kind::Object => "object",
        Kind::Array => "array",
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Literal => "literal",
    }
}

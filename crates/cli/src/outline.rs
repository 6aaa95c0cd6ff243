//! What does a tree look like? A line for every node, indented, as wide as the terminal.
//!
//! Whatever comes from a document is printed without control characters: a page cannot talk to the terminal.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use treediff::render::push_visible;
use treediff::tree::{Document, Kind, Node};
use treediff::write::attributes_as_written;

use crate::node_record::has_name;
use crate::tree::with_depth;

const DEFAULT_WIDTH: usize = 80;
/// Deeper nodes are indented no further but say how deep they are: a deep document is not a wide one.
const DEEPEST_INDENT: usize = 30;
/// What a line gets even where the indentation leaves less.
const LEAST_ROOM: usize = 30;

/// Writes the outline of a document; `width` 0 shortens nothing.
pub fn write(document: &Document, width: Option<usize>, out: &mut impl Write) -> io::Result<()> {
    let terminal = || terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
    let width = match width.unwrap_or_else(terminal) {
        0 => usize::MAX,
        width => width,
    };
    let palette = Palette::for_stdout();
    if let Some(doctype) = document.doctype() {
        let mut line = Line::new(0, width);
        line.push(palette.faint, doctype);
        line.write(out)?;
    }
    for (depth, node) in with_depth(document).skip(1) {
        let mut line = Line::new(depth - 1, width);
        line.describe(node, &palette);
        line.write(out)?;
    }
    Ok(())
}

struct Palette {
    name: Style,
    attribute: Style,
    value: Style,
    faint: Style,
}

impl Palette {
    fn for_stdout() -> Self {
        if anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never {
            let plain = Style::new();
            return Palette { name: plain, attribute: plain, value: plain, faint: plain };
        }
        Palette {
            name: Style::new().bold(),
            attribute: AnsiColor::Cyan.on_default(),
            value: AnsiColor::Green.on_default(),
            faint: Style::new().dimmed(),
        }
    }
}

/// A line that takes no more than there is room for.
struct Line {
    text: String,
    room: usize,
    is_cut: bool,
}

impl Line {
    fn new(depth: usize, width: usize) -> Self {
        let indent = 2 * depth.min(DEEPEST_INDENT);
        let mut line =
            Line { text: " ".repeat(indent), room: width.saturating_sub(indent).max(LEAST_ROOM), is_cut: false };
        if depth > DEEPEST_INDENT {
            line.push(Style::new(), &format!("({depth}) "));
        }
        line
    }

    fn describe(&mut self, node: Node<'_>, palette: &Palette) {
        match node.kind() {
            Kind::Element => self.element(node, palette),
            Kind::Text => self.quoted(&node.value(), palette),
            Kind::Comment => self.push(palette.faint, &format!("<!--{}-->", node.value())),
            Kind::ProcessingInstruction => {
                self.push(palette.faint, &format!("<?{} {}?>", node.name().local, node.value()));
            }
            Kind::Reference => self.push(palette.faint, &format!("&{};", node.name().local)),
            _ => self.json_value(node, palette),
        }
    }

    fn element(&mut self, node: Node<'_>, palette: &Palette) {
        self.push(palette.name, &node.qualified_name());
        for attribute in attributes_as_written(node) {
            if self.is_cut {
                return;
            }
            self.push(palette.attribute, &format!(" {}=", attribute.qualified_name()));
            self.quoted(&attribute.value(), palette);
        }
    }

    fn json_value(&mut self, node: Node<'_>, palette: &Palette) {
        if has_name(node) {
            self.push(palette.name, node.name().local);
            self.push(Style::new(), ": ");
        }
        match node.kind() {
            Kind::Object => self.push(palette.faint, if node.size() > 1 { "object" } else { "empty object" }),
            Kind::Array => self.push(palette.faint, if node.size() > 1 { "array" } else { "empty array" }),
            Kind::String => self.quoted(&node.value(), palette),
            _ => self.push(palette.value, &node.value()),
        }
    }

    fn quoted(&mut self, value: &str, palette: &Palette) {
        self.push(palette.value, "\"");
        self.push(palette.value, value);
        self.push(palette.value, "\"");
    }

    /// Adds a piece, or as much of it as fits and a mark that there was more.
    fn push(&mut self, style: Style, piece: &str) {
        if self.is_cut {
            return;
        }
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{style}");
        for character in piece.chars() {
            if self.room <= 1 {
                self.text.push('…');
                self.is_cut = true;
                break;
            }
            let before = self.text.len();
            push_visible(character, &mut self.text);
            self.room = self.room.saturating_sub(self.text[before..].chars().count());
        }
        let _ = write!(self.text, "{style:#}");
    }

    fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        self.text.push('\n');
        out.write_all(self.text.as_bytes())
    }
}

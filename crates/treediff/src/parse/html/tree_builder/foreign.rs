//! The rules of SVG and MathML within a page, and the names that are written in another case there.

use super::*;
use crate::parse::html::open_elements::Slot;
use crate::parse::html::tokenizer::Form;
use crate::tree::{NameId, XML_NAMESPACE, XMLNS_NAMESPACE};

const MATHML_TEXT: [TagName; 5] = [tag::MI, tag::MO, tag::MN, tag::MS, tag::MTEXT];
const SVG_HTML: [TagName; 3] = [tag::FOREIGNOBJECT, tag::DESC, tag::TITLE];
const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";

impl TreeBuilder<'_> {
    /// Whether the token is for the rules of foreign content.
    #[inline(always)]
    pub(super) fn is_for_foreign(&self, token: Token) -> bool {
        let current = self.open.current();
        self.open.depth() > 0 && !current.name.is_html() && !self.is_html_again(current, token)
    }

    /// Whether HTML's own rules hold within a foreign element: at an integration point, for most tokens.
    fn is_html_again(&self, current: Slot, token: Token) -> bool {
        let name = current.name.tag();
        let is_mathml = current.name.namespace() == Namespace::MathMl;
        let is_mathml_text = is_mathml && MATHML_TEXT.contains(&name);
        let is_annotation = is_mathml && name == tag::ANNOTATION_XML;
        match token {
            Token::Eof => true,
            Token::Start(start) if is_mathml_text && !matches!(start.name, tag::MGLYPH | tag::MALIGNMARK) => true,
            Token::Start(start) if is_annotation && start.name == tag::SVG => true,
            Token::Text(_) | Token::Null(_) if is_mathml_text => true,
            Token::Start(_) | Token::Text(_) | Token::Null(_) => self.is_html_integration_point(current),
            _ => false,
        }
    }

    fn is_html_integration_point(&self, current: Slot) -> bool {
        match current.name.namespace() {
            Namespace::Html => false,
            Namespace::Svg => SVG_HTML.contains(&current.name.tag()),
            Namespace::MathMl => current.name.tag() == tag::ANNOTATION_XML && self.says_html(current.node),
        }
    }

    /// Whether an `annotation-xml` says that it is HTML.
    fn says_html(&self, node: NodeId) -> bool {
        let Some(encoding) = self.tokenizer.attribute_names.find("", "encoding") else { return false };
        let attribute = self.arena.attributes(node).iter().find(|attribute| attribute.name == encoding);
        let Some(attribute) = attribute else { return false };
        let mut value = String::new();
        let written = &self.tokenizer.source()[attribute.value.range()];
        character_references::decode_into(written, Place::Attribute, &mut value, |_, _| {});
        value.eq_ignore_ascii_case("text/html") || value.eq_ignore_ascii_case("application/xhtml+xml")
    }

    pub(super) fn in_foreign(&mut self, token: Token) -> Flow {
        match token {
            Token::Null(at) => {
                self.insert_text(Text { start: at, end: at + 1, form: Form::References });
                Flow::Done
            }
            Token::Text(text) => {
                self.insert_text(text);
                if self.frameset_ok && !self.is_blank(text) {
                    self.frameset_ok = false;
                }
                Flow::Done
            }
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(start) if self.breaks_out(start) => self.break_out(token),
            Token::Start(start) => self.start_foreign(start, self.open.current().name.namespace()),
            Token::End(Tag { name: tag::BR | tag::P, .. }) => self.break_out(token),
            Token::End(end) => self.end_foreign(end),
            Token::Doctype(_) | Token::Eof => self.unexpected(token),
        }
    }

    /// Whether a tag is so much of HTML that it ends the foreign content.
    fn breaks_out(&self, start: Tag) -> bool {
        match start.name {
            tag::B
            | tag::BIG
            | tag::BLOCKQUOTE
            | tag::BODY
            | tag::BR
            | tag::CENTER
            | tag::CODE
            | tag::DD
            | tag::DIV
            | tag::DL
            | tag::DT
            | tag::EM
            | tag::EMBED
            | tag::H1
            | tag::H2
            | tag::H3
            | tag::H4
            | tag::H5
            | tag::H6
            | tag::HEAD
            | tag::HR
            | tag::I
            | tag::IMG
            | tag::LI
            | tag::LISTING
            | tag::MENU
            | tag::META
            | tag::NOBR
            | tag::OL
            | tag::P
            | tag::PRE
            | tag::RUBY
            | tag::S
            | tag::SMALL
            | tag::SPAN
            | tag::STRONG
            | tag::STRIKE
            | tag::SUB
            | tag::SUP
            | tag::TABLE
            | tag::TT
            | tag::U
            | tag::UL
            | tag::VAR => true,
            tag::FONT => self.tokenizer.attributes.iter().any(|attribute| {
                matches!(self.tokenizer.attribute_names.get(attribute.name).local, "color" | "face" | "size")
            }),
            _ => false,
        }
    }

    /// Closes foreign elements up to HTML or where HTML may stand, and goes on there.
    fn break_out(&mut self, token: Token) -> Flow {
        self.unexpected(token);
        loop {
            let current = self.open.current();
            let is_mathml_text =
                current.name.namespace() == Namespace::MathMl && MATHML_TEXT.contains(&current.name.tag());
            if current.name.is_html() || is_mathml_text || self.is_html_integration_point(current) {
                break;
            }
            self.pop();
        }
        self.in_mode(self.mode, token)
    }

    /// Inserts an SVG or MathML element.
    pub(super) fn start_foreign(&mut self, start: Tag, namespace: Namespace) -> Flow {
        let node = self.insert_named(start, ElementName::new(namespace, start.name));
        self.adjust_attributes(node, namespace);
        if start.self_closing {
            self.arena.element_mut(node).has_end_tag = true;
            self.pop();
        }
        Flow::Done
    }

    fn adjust_attributes(&mut self, node: NodeId, namespace: Namespace) {
        for attribute in self.arena.attributes_mut(node) {
            attribute.name = adjusted(&mut self.tokenizer.attribute_names, attribute.name, namespace);
        }
    }

    fn end_foreign(&mut self, end: Tag) -> Flow {
        if self.open.current().name.tag() != end.name {
            self.problem(Problem::UnexpectedEndTag(end.name));
        }
        match self.open.last_foreign(end.name) {
            Some(place) => {
                self.pop_to_place(place, Some(end));
                Flow::Done
            }
            None => self.in_mode(self.mode, Token::End(end)),
        }
    }
}

/// The name that an attribute has on a foreign element.
fn adjusted(names: &mut crate::tree::Names, name: NameId, namespace: Namespace) -> NameId {
    let local = names.get(name).local;
    let (uri, local) = match local.split_once(':') {
        Some(("xlink", "actuate" | "arcrole" | "href" | "role" | "show" | "title" | "type")) => {
            (XLINK_NAMESPACE, &local["xlink:".len()..])
        }
        Some(("xml", "lang" | "space")) => (XML_NAMESPACE, &local["xml:".len()..]),
        Some(("xmlns", "xlink")) => (XMLNS_NAMESPACE, "xlink"),
        _ if local == "xmlns" => (XMLNS_NAMESPACE, "xmlns"),
        _ if namespace == Namespace::MathMl && local == "definitionurl" => ("", "definitionURL"),
        _ if namespace == Namespace::Svg => match cased(&SVG_ATTRIBUTES, local) {
            Some(cased) => ("", cased),
            None => return name,
        },
        _ => return name,
    };
    let local = local.to_owned();
    names.intern(uri, &local)
}

/// The name of an SVG element as it is written in the standard, from its lower case.
pub(in crate::parse::html) fn svg_element(lower: &str) -> &str {
    cased(&SVG_ELEMENTS, lower).unwrap_or(lower)
}

fn cased(names: &[&'static str], lower: &str) -> Option<&'static str> {
    names.iter().find(|name| name.eq_ignore_ascii_case(lower)).copied()
}

#[rustfmt::skip]
const SVG_ELEMENTS: [&str; 37] = [
    "altGlyph", "altGlyphDef", "altGlyphItem", "animateColor", "animateMotion", "animateTransform", "clipPath",
    "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting",
    "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR",
    "feGaussianBlur", "feImage", "feMerge", "feMergeNode", "feMorphology", "feOffset", "fePointLight",
    "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence", "foreignObject", "glyphRef", "linearGradient",
    "radialGradient", "textPath",
];

#[rustfmt::skip]
const SVG_ATTRIBUTES: [&str; 58] = [
    "attributeName", "attributeType", "baseFrequency", "baseProfile", "calcMode", "clipPathUnits",
    "diffuseConstant", "edgeMode", "filterUnits", "glyphRef", "gradientTransform", "gradientUnits", "kernelMatrix",
    "kernelUnitLength", "keyPoints", "keySplines", "keyTimes", "lengthAdjust", "limitingConeAngle", "markerHeight",
    "markerUnits", "markerWidth", "maskContentUnits", "maskUnits", "numOctaves", "pathLength",
    "patternContentUnits", "patternTransform", "patternUnits", "pointsAtX", "pointsAtY", "pointsAtZ",
    "preserveAlpha", "preserveAspectRatio", "primitiveUnits", "refX", "refY", "repeatCount", "repeatDur",
    "requiredExtensions", "requiredFeatures", "specularConstant", "specularExponent", "spreadMethod",
    "startOffset", "stdDeviation", "stitchTiles", "surfaceScale", "systemLanguage", "tableValues", "targetX",
    "targetY", "textLength", "viewBox", "viewTarget", "xChannelSelector", "yChannelSelector", "zoomAndPan",
];

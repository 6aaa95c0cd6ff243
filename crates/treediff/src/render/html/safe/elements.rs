//! What becomes of an element? One rule for every name that is known; others are shown as if they meant nothing.

use crate::parse::html::names::{class, classes_of};
use crate::tree::{HTML_NAMESPACE, Name};

pub(super) const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";
pub(super) const MATHML_NAMESPACE: &str = "http://www.w3.org/1998/Math/MathML";

/// What is done with the elements of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Written as it is.
    Keep,
    /// Written under another name.
    As(&'static str),
    /// Not written, but what is in it.
    Children,
    /// Not written, nor what is in it.
    Nothing,
    /// A box that tells what was there.
    Box,
    /// A style sheet in the page.
    Style,
    /// A style sheet elsewhere, or something else that is linked.
    Link,
    /// A field or button.
    Input,
    /// A form, which becomes a plain block: its fields would be properties of it under their ids, and hide those that a
    /// script walks by.
    Form,
    /// A template, of which what is in it is written where browsers show that.
    Template,
    /// A set of frames: the body of its page, or a part of another set.
    Frames,
    /// The top of a drawing or formula.
    Drawing,
    /// A part of a drawing, for which the writer of drawings alone asks.
    Part,
    /// A part that holds words and no parts.
    Words,
}

/// Which attributes, besides those that all may have, elements of a name may have.
pub(super) mod group {
    pub(crate) const ANY: u16 = 1 << 0;
    pub(crate) const TABLE: u16 = 1 << 1;
    pub(crate) const LIST: u16 = 1 << 2;
    pub(crate) const EDIT: u16 = 1 << 3;
    pub(crate) const ANCHOR: u16 = 1 << 4;
    pub(crate) const MAP: u16 = 1 << 5;
    pub(crate) const PICTURE: u16 = 1 << 6;
    pub(crate) const MEDIA: u16 = 1 << 7;
    pub(crate) const TRACK: u16 = 1 << 8;
    pub(crate) const SOURCE: u16 = 1 << 9;
    pub(crate) const CONTROL: u16 = 1 << 10;
    pub(crate) const OPENS: u16 = 1 << 11;
    pub(crate) const SHEET: u16 = 1 << 12;
    pub(crate) const AREA: u16 = 1 << 13;
    pub(crate) const SVG: u16 = 1 << 14;
    pub(crate) const MATHML: u16 = 1 << 15;
}

/// What is known of the elements of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) rule: Rule,
    /// The groups that it belongs to; see [`group`].
    pub(super) groups: u16,
    /// Whether it has neither content nor end tag.
    pub(super) is_void: bool,
    /// Whether it is written as it is, and its tag has nothing that is asked of it by name, as that of most.
    pub(super) is_ordinary: bool,
}

impl Element {
    pub(super) const NOTHING: Element = Element::new(Rule::Nothing, 0);

    const fn new(rule: Rule, groups: u16) -> Element {
        Element { rule, groups, is_void: false, is_ordinary: false }
    }

    pub(super) fn of(name: Name<'_>) -> Element {
        match name.namespace {
            HTML_NAMESPACE => {
                let rule = html_rule(name.local);
                let is_void = classes_of(name.local) & class::VOID != 0;
                let is_ordinary = rule == Rule::Keep && !PARTICULAR.contains(&name.local);
                Element { is_void, is_ordinary, ..Element::new(rule, group::ANY | html_groups(name.local)) }
            }
            SVG_NAMESPACE => Element::new(svg_rule(name.local), group::SVG),
            MATHML_NAMESPACE => Element::new(mathml_rule(name.local), group::MATHML),
            _ => Element::NOTHING,
        }
    }
}

/// Elements whose tags always get attributes of ours, or a line end behind them, in `tags`.
const PARTICULAR: [&str; 5] = ["audio", "button", "pre", "textarea", "video"];

fn html_rule(local: &str) -> Rule {
    match local {
        "html" | "head" | "body" => Rule::Keep,
        // Sections and blocks.
        "address" | "article" | "aside" | "blockquote" | "center" | "dd" | "details" | "dialog" | "dir" | "div"
        | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        | "header" | "hgroup" | "hr" | "legend" | "li" | "main" | "menu" | "nav" | "ol" | "p" | "pre" | "search"
        | "section" | "summary" | "ul" => Rule::Keep,
        "table" | "caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr" => Rule::Keep,
        // Words.
        "a" | "abbr" | "acronym" | "b" | "bdi" | "bdo" | "big" | "br" | "cite" | "code" | "data" | "del" | "dfn"
        | "em" | "font" | "i" | "ins" | "kbd" | "mark" | "nobr" | "q" | "rb" | "rp" | "rt" | "rtc" | "ruby" | "s"
        | "samp" | "small" | "span" | "strike" | "strong" | "sub" | "sup" | "time" | "tt" | "u" | "var" | "wbr" => {
            Rule::Keep
        }
        // Pictures, sound, fields.
        "area" | "audio" | "img" | "map" | "picture" | "source" | "track" | "video" => Rule::Keep,
        "button" | "datalist" | "label" | "meter" | "optgroup" | "option" | "output" | "progress" | "select"
        | "textarea" => Rule::Keep,
        "input" => Rule::Input,
        "form" => Rule::Form,
        "listing" | "plaintext" | "xmp" => Rule::As("pre"),
        "frameset" => Rule::Frames,
        "style" => Rule::Style,
        "link" => Rule::Link,
        // Scripts do not run, so this is what is to be shown.
        "noscript" | "slot" => Rule::Children,
        "applet" | "canvas" | "embed" | "fencedframe" | "frame" | "iframe" | "object" | "portal" | "webview" => {
            Rule::Box
        }
        // As it is, it could make a shadow tree, where no style of ours reaches.
        "template" => Rule::Template,
        "base" | "basefont" | "bgsound" | "keygen" | "meta" | "noembed" | "noframes" | "param" | "script" | "title" => {
            Rule::Nothing
        }
        _ if is_custom(local) => Rule::Keep,
        _ => Rule::As("span"),
    }
}

/// Whether a name is one that no browser gives a meaning to, and that can be written.
fn is_custom(local: &str) -> bool {
    local.contains('-') && local.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn html_groups(local: &str) -> u16 {
    use group::*;
    match local {
        "table" | "td" | "th" | "tr" | "col" | "colgroup" | "tbody" | "thead" | "tfoot" => TABLE,
        "ol" | "ul" | "li" | "menu" | "dir" => LIST,
        "ins" | "del" | "time" | "blockquote" | "q" => EDIT,
        "a" => ANCHOR,
        "area" => ANCHOR | AREA,
        "map" => MAP,
        "img" => PICTURE,
        "audio" | "video" => MEDIA,
        "track" => TRACK,
        "source" => SOURCE,
        "button" | "data" | "label" | "meter" | "optgroup" | "option" | "output" | "progress" | "select"
        | "textarea" | "fieldset" | "input" => CONTROL,
        "details" | "dialog" => OPENS,
        "link" | "style" => SHEET,
        _ => 0,
    }
}

/// Neither `foreignObject`, which is a way back into HTML, nor anything that runs, links or loads, nor animations:
/// they can set any attribute, an address as well as a class.
fn svg_rule(local: &str) -> Rule {
    match local {
        "svg" => Rule::Drawing,
        "style" => Rule::Style,
        "title" | "desc" => Rule::Words,
        "a" => Rule::Children,
        "circle" | "clipPath" | "defs" | "ellipse" | "filter" | "g" | "image" | "line" | "linearGradient"
        | "marker" | "mask" | "path" | "pattern" | "polygon" | "polyline" | "radialGradient" | "rect" | "stop"
        | "switch" | "symbol" | "text" | "textPath" | "tspan" | "use" => Rule::Part,
        "feBlend"
        | "feColorMatrix"
        | "feComponentTransfer"
        | "feComposite"
        | "feConvolveMatrix"
        | "feDiffuseLighting"
        | "feDisplacementMap"
        | "feDistantLight"
        | "feDropShadow"
        | "feFlood"
        | "feFuncA"
        | "feFuncB"
        | "feFuncG"
        | "feFuncR"
        | "feGaussianBlur"
        | "feMerge"
        | "feMergeNode"
        | "feMorphology"
        | "feOffset"
        | "fePointLight"
        | "feSpecularLighting"
        | "feSpotLight"
        | "feTile"
        | "feTurbulence" => Rule::Part,
        _ => Rule::Nothing,
    }
}

fn mathml_rule(local: &str) -> Rule {
    match local {
        "math" => Rule::Drawing,
        "annotation" | "mi" | "mn" | "mo" | "ms" | "mtext" => Rule::Words,
        "menclose" | "merror" | "mfenced" | "mfrac" | "mlabeledtr" | "mmultiscripts" | "mover" | "mpadded"
        | "mphantom" | "mprescripts" | "mroot" | "mrow" | "mspace" | "msqrt" | "mstyle" | "msub" | "msubsup"
        | "msup" | "mtable" | "mtd" | "mtr" | "munder" | "munderover" | "none" | "semantics" => Rule::Part,
        // It shows one of its children at a time, by a click; all of them say more.
        "maction" => Rule::Children,
        _ => Rule::Nothing,
    }
}

//! What becomes of an attribute? It is dropped, unless it is known for elements of the kind that has it.

use super::elements::group::*;
use crate::tree::{Name, XML_NAMESPACE};

const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";

/// What is done with the value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Written as it is.
    Keep,
    /// Declarations of CSS.
    Style,
    /// A property of CSS under its own name, as SVG has them.
    Property,
    /// Something to follow.
    Link,
    /// An address that is told and never followed.
    Address,
    /// Something to load: an image, sound, film, subtitles.
    Load,
    /// Several images to choose from.
    Choice,
    /// A place in the page, or nothing.
    Inside,
    /// What kind of field, list or film it is.
    Type,
    /// The name of a place, a map, or a choice.
    Name,
    /// An image or a part of the same drawing.
    Reference,
}

/// What is known of the attributes of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute {
    /// The groups of elements that may have it, each with what is done.
    treatments: [(u16, Treatment); 3],
}

impl Attribute {
    pub(super) const NONE: Attribute = Attribute { treatments: [(0, Treatment::Keep); 3] };

    /// What is known of a name, in a document that has drawings or formulas in it or not.
    pub(super) fn of(name: Name<'_>, has_foreign: bool) -> Attribute {
        let mut treatments = Attribute::NONE.treatments;
        match name.namespace {
            "" => {
                treatments[0] = html(name.local);
                if has_foreign {
                    treatments[1] = svg(name.local);
                    treatments[2] = mathml(name.local);
                }
            }
            XML_NAMESPACE if matches!(name.local, "lang" | "space") => treatments[0] = (SVG | MATHML, Treatment::Keep),
            XLINK_NAMESPACE if name.local == "href" => treatments[0] = (SVG, Treatment::Reference),
            _ => {}
        }
        Attribute { treatments }
    }

    /// What is done with it on an element of these groups; `None` where it is dropped.
    pub(super) fn on(self, groups: u16) -> Option<Treatment> {
        self.treatments.into_iter().find(|(allowed, _)| allowed & groups != 0).map(|(_, treatment)| treatment)
    }
}

/// Nothing here does anything by itself: no handlers, targets, downloads, focus, editing, popovers or shortcuts. `name`
/// is left to those whose names do not become properties of the document.
fn html(local: &str) -> (u16, Treatment) {
    use Treatment::*;
    match local {
        "style" => (ANY, Style),
        "class" | "id" | "title" | "lang" | "dir" | "role" | "hidden" | "translate" => (ANY, Keep),
        // Looks, as pages of old have them.
        "align" | "alink" | "bgcolor" | "border" | "bordercolor" | "cellpadding" | "cellspacing" | "char"
        | "charoff" | "clear" | "color" | "compact" | "face" | "frame" | "height" | "hspace" | "leftmargin"
        | "link" | "marginheight" | "marginwidth" | "noshade" | "nowrap" | "rules" | "size" | "text" | "topmargin"
        | "valign" | "vlink" | "vspace" | "width" => (ANY, Keep),
        "background" => (ANY, Load),
        "abbr" | "axis" | "colspan" | "headers" | "rowspan" | "scope" | "span" | "summary" => (TABLE, Keep),
        "reversed" | "start" => (LIST, Keep),
        "datetime" => (EDIT, Keep),
        "cite" => (EDIT, Address),
        "type" => (CONTROL | LIST | SOURCE, Type),
        "value" => (CONTROL | LIST, Keep),
        "href" => (ANCHOR | SHEET, Link),
        "name" => (ANCHOR | MAP | CONTROL, Name),
        "alt" => (PICTURE | AREA, Keep),
        "coords" | "shape" => (ANCHOR, Keep),
        "usemap" => (PICTURE, Inside),
        "src" => (PICTURE | MEDIA | SOURCE | TRACK, Load),
        "srcset" => (PICTURE | SOURCE, Choice),
        "sizes" => (PICTURE | SOURCE, Keep),
        "media" => (SOURCE | SHEET, Keep),
        "poster" => (MEDIA, Load),
        "controls" | "loop" | "muted" | "playsinline" => (MEDIA, Keep),
        "default" | "kind" | "srclang" => (TRACK, Keep),
        "open" => (OPENS, Keep),
        "label" => (CONTROL | TRACK, Keep),
        "checked" | "cols" | "disabled" | "for" | "high" | "low" | "max" | "maxlength" | "min" | "multiple"
        | "optimum" | "placeholder" | "rows" | "selected" | "step" | "wrap" => (CONTROL, Keep),
        _ if is_open_ended(local) => (ANY | SVG | MATHML, Keep),
        _ => (0, Keep),
    }
}

/// Names that begin as ours do, with nothing in them that a tag could not have.
fn is_open_ended(local: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.');
    (local.starts_with("data-") || local.starts_with("aria-")) && local.bytes().all(is_plain)
}

fn svg(local: &str) -> (u16, Treatment) {
    use Treatment::*;
    match local {
        "class" | "id" | "lang" | "media" | "role" => (SVG, Keep),
        "style" => (SVG, Style),
        "href" => (SVG, Reference),
        // Shapes.
        "cx"
        | "cy"
        | "d"
        | "fr"
        | "fx"
        | "fy"
        | "height"
        | "pathLength"
        | "points"
        | "preserveAspectRatio"
        | "r"
        | "rotate"
        | "rx"
        | "ry"
        | "textLength"
        | "lengthAdjust"
        | "startOffset"
        | "method"
        | "spacing"
        | "side"
        | "systemLanguage"
        | "viewBox"
        | "width"
        | "x"
        | "x1"
        | "x2"
        | "y"
        | "y1"
        | "y2"
        | "z"
        | "dx"
        | "dy" => (SVG, Keep),
        "clipPathUnits"
        | "gradientTransform"
        | "gradientUnits"
        | "markerHeight"
        | "markerUnits"
        | "markerWidth"
        | "maskContentUnits"
        | "maskUnits"
        | "offset"
        | "orient"
        | "patternContentUnits"
        | "patternTransform"
        | "patternUnits"
        | "refX"
        | "refY"
        | "spreadMethod" => (SVG, Keep),
        // Filters.
        "amplitude" | "azimuth" | "baseFrequency" | "bias" | "diffuseConstant" | "divisor" | "edgeMode"
        | "elevation" | "exponent" | "filterUnits" | "in" | "in2" | "intercept" | "k1" | "k2" | "k3" | "k4"
        | "kernelMatrix" | "kernelUnitLength" | "limitingConeAngle" | "mode" | "numOctaves" | "operator" | "order"
        | "pointsAtX" | "pointsAtY" | "pointsAtZ" | "preserveAlpha" | "primitiveUnits" | "radius" | "result"
        | "scale" | "seed" | "slope" | "specularConstant" | "specularExponent" | "stdDeviation" | "stitchTiles"
        | "surfaceScale" | "tableValues" | "targetX" | "targetY" | "type" | "values" | "xChannelSelector"
        | "yChannelSelector" => (SVG, Keep),
        // Looks.
        "alignment-baseline"
        | "baseline-shift"
        | "clip-path"
        | "clip-rule"
        | "color"
        | "color-interpolation"
        | "color-interpolation-filters"
        | "direction"
        | "display"
        | "dominant-baseline"
        | "fill"
        | "fill-opacity"
        | "fill-rule"
        | "filter"
        | "flood-color"
        | "flood-opacity"
        | "font-family"
        | "font-size"
        | "font-size-adjust"
        | "font-stretch"
        | "font-style"
        | "font-variant"
        | "font-weight"
        | "letter-spacing"
        | "lighting-color"
        | "marker-end"
        | "marker-mid"
        | "marker-start"
        | "mask"
        | "opacity"
        | "overflow"
        | "paint-order"
        | "shape-rendering"
        | "stop-color"
        | "stop-opacity"
        | "stroke"
        | "stroke-dasharray"
        | "stroke-dashoffset"
        | "stroke-linecap"
        | "stroke-linejoin"
        | "stroke-miterlimit"
        | "stroke-opacity"
        | "stroke-width"
        | "text-anchor"
        | "text-decoration"
        | "text-rendering"
        | "transform"
        | "transform-origin"
        | "unicode-bidi"
        | "vector-effect"
        | "visibility"
        | "word-spacing"
        | "writing-mode" => (SVG, Property),
        _ => (0, Keep),
    }
}

fn mathml(local: &str) -> (u16, Treatment) {
    use Treatment::*;
    match local {
        "class" | "id" | "lang" | "role" | "dir" => (MATHML, Keep),
        "style" => (MATHML, Style),
        "accent" | "accentunder" | "align" | "bevelled" | "close" | "columnalign" | "columnlines" | "columnspacing"
        | "columnspan" | "denomalign" | "depth" | "display" | "displaystyle" | "encoding" | "fence" | "form"
        | "frame" | "framespacing" | "height" | "intent" | "arg" | "largeop" | "linethickness" | "lspace"
        | "mathbackground" | "mathcolor" | "mathsize" | "mathvariant" | "maxsize" | "minsize" | "movablelimits"
        | "notation" | "numalign" | "open" | "rowalign" | "rowlines" | "rowspacing" | "rowspan" | "rspace"
        | "scriptlevel" | "separator" | "separators" | "stretchy" | "subscriptshift" | "superscriptshift"
        | "symmetric" | "voffset" | "width" => (MATHML, Keep),
        _ => (0, Keep),
    }
}

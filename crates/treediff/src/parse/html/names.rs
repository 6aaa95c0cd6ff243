//! Which element is this? Tag names as small numbers, so that the rules of the standard are jump tables.
//!
//! The names that the standard's rules mention are known at compile time and found by a hash that is computed while
//! the name is read; all others are interned as they come. An element's name adds its namespace.

use crate::tree::{HTML_NAMESPACE, NameId, Names, hash};

/// A tag name in lower case: known, or an index into the document's own unknown names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TagName(u32);

macro_rules! tag_names {
    ($($id:ident $text:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Index { $($id),*, COUNT }

        const KNOWN: [&str; Index::COUNT as usize] = [$($text),*];

        /// The known names, by their upper-case spelling.
        #[allow(dead_code)] // some are in a class of elements and in no rule of their own
        pub(super) mod tag {
            use super::{Index, TagName};
            $(pub(crate) const $id: TagName = TagName(Index::$id as u32);)*
        }
    };
}

tag_names! {
    A "a", ADDRESS "address", ANNOTATION_XML "annotation-xml", APPLET "applet", AREA "area", ARTICLE "article",
    ASIDE "aside", B "b", BASE "base", BASEFONT "basefont", BGSOUND "bgsound", BIG "big", BLOCKQUOTE "blockquote",
    BODY "body", BR "br", BUTTON "button", CAPTION "caption", CENTER "center", CODE "code", COL "col",
    COLGROUP "colgroup", DD "dd", DESC "desc", DETAILS "details", DIALOG "dialog", DIR "dir", DIV "div", DL "dl",
    DT "dt", EM "em", EMBED "embed", FIELDSET "fieldset", FIGCAPTION "figcaption", FIGURE "figure", FONT "font",
    FOOTER "footer", FOREIGNOBJECT "foreignobject", FORM "form", FRAME "frame", FRAMESET "frameset", H1 "h1",
    H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", HEAD "head", HEADER "header", HGROUP "hgroup", HR "hr",
    HTML "html", I "i", IFRAME "iframe", IMAGE "image", IMG "img", INPUT "input", KEYGEN "keygen", LI "li",
    LINK "link", LISTING "listing", MAIN "main", MALIGNMARK "malignmark", MARQUEE "marquee", MATH "math",
    MENU "menu", META "meta", MGLYPH "mglyph", MI "mi", MN "mn", MO "mo", MS "ms", MTEXT "mtext", NAV "nav",
    NOBR "nobr", NOEMBED "noembed", NOFRAMES "noframes", NOSCRIPT "noscript", OBJECT "object", OL "ol",
    OPTGROUP "optgroup", OPTION "option", P "p", PARAM "param", PLAINTEXT "plaintext", PRE "pre", RB "rb", RP "rp",
    RT "rt", RTC "rtc", RUBY "ruby", S "s", SCRIPT "script", SEARCH "search", SECTION "section", SELECT "select",
    SMALL "small", SOURCE "source", SPAN "span", STRIKE "strike", STRONG "strong", STYLE "style", SUB "sub",
    SUMMARY "summary", SUP "sup", SVG "svg", TABLE "table", TBODY "tbody", TD "td", TEMPLATE "template",
    TEXTAREA "textarea", TFOOT "tfoot", TH "th", THEAD "thead", TITLE "title", TR "tr", TRACK "track", TT "tt",
    U "u", UL "ul", VAR "var", WBR "wbr", XMP "xmp",
}

impl TagName {
    /// The number of the name, for tables by name.
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The name's number among those that are not known at compile time.
    pub(super) fn unknown_index(self) -> Option<usize> {
        self.index().checked_sub(KNOWN.len())
    }
}

/// The tag names of a document.
#[derive(Debug)]
pub(super) struct TagNames {
    unknown: Names,
    scratch: String,
}

impl TagNames {
    pub(super) const KNOWN: usize = KNOWN.len();

    pub(super) fn new() -> Self {
        TagNames { unknown: Names::new(), scratch: String::new() }
    }

    /// The number of a name as written; `hash` is the [`rolling_hash`] over its bytes.
    #[inline(always)]
    pub(super) fn find(&mut self, written: &str, hash: u32) -> TagName {
        known(written, hash).unwrap_or_else(|| self.intern(written))
    }

    #[inline(never)]
    fn intern(&mut self, written: &str) -> TagName {
        lower_into(written, &mut self.scratch);
        TagName(self.unknown.intern("", &self.scratch).0 + KNOWN.len() as u32)
    }

    /// The name in lower case.
    pub(super) fn get(&self, name: TagName) -> &str {
        match name.unknown_index() {
            None => KNOWN[name.index()],
            Some(at) => self.unknown.get(NameId(at as u32)).local,
        }
    }
}

/// The attribute names that were met last, by their first 16 bytes: a page has few and writes them over and over. A
/// name that meets another here costs no more than it would without.
#[derive(Debug)]
pub(super) struct RecentNames {
    slots: [([u64; 2], NameId); 64],
}

impl RecentNames {
    /// No name is here under no bytes at all.
    pub(super) fn new() -> Self {
        RecentNames { slots: [([0; 2], NameId::NONE); 64] }
    }

    /// The id of a name without NULs, as it has to be in `names`.
    #[inline(always)]
    pub(super) fn intern(&mut self, written: &str, names: &mut Names) -> NameId {
        if written.len() > 16 {
            return names.intern("", written);
        }
        let words = hash::padded(written.as_bytes());
        let slot = &mut self.slots[(hash::mix(words[0], words[1]) % 64) as usize];
        if slot.0 != words || words == [0; 2] {
            *slot = (words, names.intern("", written));
        }
        slot.1
    }
}

/// The number of a name that is known at compile time.
#[inline(always)]
fn known(written: &str, hash: u32) -> Option<TagName> {
    let mut slot = slot_of(hash);
    loop {
        match SLOTS[slot] {
            FREE => return None,
            known if KNOWN[known as usize].eq_ignore_ascii_case(written) => return Some(TagName(u32::from(known))),
            _ => slot = (slot + 1) % SLOTS.len(),
        }
    }
}

/// Writes a name as the tokenizer reads it: ASCII in lower case, NUL as U+FFFD.
pub(super) fn lower_into(written: &str, lower: &mut String) {
    lower.clear();
    lower.extend(written.chars().map(|char| match char {
        '\0' => char::REPLACEMENT_CHARACTER,
        other => other.to_ascii_lowercase(),
    }));
}

/// The next state of the hash over a tag name, which does not see the case of letters.
#[inline(always)]
pub(super) const fn rolling_hash(state: u32, byte: u8) -> u32 {
    state.wrapping_mul(31).wrapping_add((byte | 0x20) as u32)
}

const FREE: u8 = u8::MAX;

/// Open addressing over the known names.
static SLOTS: [u8; 1024] = slots();

const fn slot_of(hash: u32) -> usize {
    (hash.wrapping_mul(0x9E37_79B1) >> 22) as usize
}

const fn slots() -> [u8; 1024] {
    let mut slots = [FREE; 1024];
    let mut index = 0;
    while index < KNOWN.len() {
        let name = KNOWN[index].as_bytes();
        let mut hash = 0;
        let mut at = 0;
        while at < name.len() {
            hash = rolling_hash(hash, name[at]);
            at += 1;
        }
        let mut slot = slot_of(hash);
        while slots[slot] != FREE {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = index as u8;
        index += 1;
    }
    slots
}

/// Where an element's name belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    Html,
    Svg,
    MathMl,
}

impl Namespace {
    pub(crate) fn uri(self) -> &'static str {
        match self {
            Namespace::Html => HTML_NAMESPACE,
            Namespace::Svg => "http://www.w3.org/2000/svg",
            Namespace::MathMl => "http://www.w3.org/1998/Math/MathML",
        }
    }
}

/// An element's namespace and tag name in one word; HTML elements have the number of their tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ElementName(u32);

impl ElementName {
    const NAMESPACE_SHIFT: u32 = 30;
    /// The name of what is no element.
    pub(super) const NONE: ElementName = ElementName(u32::MAX);

    #[inline(always)]
    pub(super) const fn new(namespace: Namespace, tag: TagName) -> Self {
        ElementName((namespace as u32) << Self::NAMESPACE_SHIFT | tag.0)
    }

    #[inline(always)]
    pub(super) const fn html(tag: TagName) -> Self {
        ElementName(tag.0)
    }

    #[inline(always)]
    pub(super) fn is_html(self) -> bool {
        self.0 >> Self::NAMESPACE_SHIFT == 0
    }

    pub(super) fn namespace(self) -> Namespace {
        match self.0 >> Self::NAMESPACE_SHIFT {
            0 => Namespace::Html,
            1 => Namespace::Svg,
            _ => Namespace::MathMl,
        }
    }

    #[inline(always)]
    pub(super) fn tag(self) -> TagName {
        TagName(self.0 & ((1 << Self::NAMESPACE_SHIFT) - 1))
    }

    /// Whether it is an HTML element of this tag.
    #[inline(always)]
    pub(super) fn is(self, tag: TagName) -> bool {
        self == ElementName::html(tag)
    }

    /// Whether it is an HTML element of one of these tags.
    pub(super) fn is_any(self, tags: &[TagName]) -> bool {
        tags.iter().any(|&tag| self.is(tag))
    }

    /// What the rules say of elements of this name; see [`class`].
    #[inline(always)]
    pub(super) fn classes(self) -> u16 {
        match self.namespace() {
            Namespace::Html => HTML_CLASSES.get(self.tag().index()).copied().unwrap_or(0),
            Namespace::Svg if SVG_SPECIAL.contains(&self.tag()) => FOREIGN_SPECIAL,
            Namespace::MathMl if MATHML_SPECIAL.contains(&self.tag()) => FOREIGN_SPECIAL,
            _ => 0,
        }
    }

    /// Whether elements of this name are in a class.
    #[inline(always)]
    pub(super) fn is_in(self, class: u16) -> bool {
        self.classes() & class != 0
    }
}

/// Classes of elements. The first are fences: a search through the open elements stops at them.
pub(crate) mod class {
    /// «Special» elements.
    pub(crate) const SPECIAL: u16 = 1 << 0;
    /// The bounds of the plain scope.
    pub(crate) const SCOPE: u16 = 1 << 1;
    /// The bounds of button scope.
    pub(crate) const BUTTON_SCOPE: u16 = 1 << 2;
    /// The bounds of list item scope.
    pub(crate) const LIST_SCOPE: u16 = 1 << 3;
    /// The bounds of table scope.
    pub(crate) const TABLE_SCOPE: u16 = 1 << 4;
    /// Special elements but `address`, `div` and `p`, where a new list item stops looking for the one before.
    pub(crate) const ITEM_STOP: u16 = 1 << 5;
    /// Elements that decide the insertion mode when it is reset.
    pub(crate) const MODE: u16 = 1 << 6;
    /// How many of the classes are fences.
    pub(crate) const FENCES: usize = 7;

    /// Elements whose end tags are generated when implied.
    pub(crate) const IMPLIED_END: u16 = 1 << 7;
    /// Elements whose end tags are generated when implied thoroughly.
    pub(crate) const THOROUGHLY_IMPLIED_END: u16 = 1 << 8;
    /// Elements that may be open when the body ends.
    pub(crate) const OPEN_AT_END: u16 = 1 << 9;
    /// Elements whose white space counts.
    pub(crate) const PRESERVES: u16 = 1 << 10;
    /// Elements without content or end tag.
    pub(crate) const VOID: u16 = 1 << 11;
    /// Elements whose text is serialised as it is.
    pub(crate) const RAW_TEXT: u16 = 1 << 12;
}

const FOREIGN_SPECIAL: u16 = class::SPECIAL | class::SCOPE | class::BUTTON_SCOPE | class::LIST_SCOPE | class::ITEM_STOP;
const SVG_SPECIAL: [TagName; 3] = [tag::FOREIGNOBJECT, tag::DESC, tag::TITLE];
const MATHML_SPECIAL: [TagName; 6] = [tag::MI, tag::MO, tag::MN, tag::MS, tag::MTEXT, tag::ANNOTATION_XML];

static HTML_CLASSES: [u16; KNOWN.len()] = html_classes();

const fn html_classes() -> [u16; KNOWN.len()] {
    use class::*;
    use tag::*;
    let mut classes = [0; KNOWN.len()];
    let special = [
        ADDRESS, APPLET, AREA, ARTICLE, ASIDE, BASE, BASEFONT, BGSOUND, BLOCKQUOTE, BODY, BR, BUTTON, CAPTION, CENTER,
        COL, COLGROUP, DD, DETAILS, DIR, DIV, DL, DT, EMBED, FIELDSET, FIGCAPTION, FIGURE, FOOTER, FORM, FRAME,
        FRAMESET, H1, H2, H3, H4, H5, H6, HEAD, HEADER, HGROUP, HR, HTML, IFRAME, IMG, INPUT, KEYGEN, LI, LINK,
        LISTING, MAIN, MARQUEE, MENU, META, NAV, NOEMBED, NOFRAMES, NOSCRIPT, OBJECT, OL, P, PARAM, PLAINTEXT, PRE,
        SCRIPT, SEARCH, SECTION, SELECT, SOURCE, STYLE, SUMMARY, TABLE, TBODY, TD, TEMPLATE, TEXTAREA, TFOOT, TH,
        THEAD, TITLE, TR, TRACK, UL, WBR, XMP,
    ];
    add(&mut classes, SPECIAL | ITEM_STOP, &special);
    classes[ADDRESS.0 as usize] &= !ITEM_STOP;
    classes[DIV.0 as usize] &= !ITEM_STOP;
    classes[P.0 as usize] &= !ITEM_STOP;
    let scope = [APPLET, CAPTION, HTML, TABLE, TD, TH, MARQUEE, OBJECT, SELECT, TEMPLATE];
    add(&mut classes, SCOPE | BUTTON_SCOPE | LIST_SCOPE, &scope);
    add(&mut classes, BUTTON_SCOPE, &[BUTTON]);
    add(&mut classes, LIST_SCOPE, &[OL, UL]);
    add(&mut classes, TABLE_SCOPE, &[HTML, TABLE, TEMPLATE]);
    let mode = [TD, TH, TR, TBODY, THEAD, TFOOT, CAPTION, COLGROUP, TABLE, TEMPLATE, HEAD, BODY, FRAMESET, HTML];
    add(&mut classes, MODE, &mode);
    let implied = [DD, DT, LI, OPTGROUP, OPTION, P, RB, RP, RT, RTC];
    add(&mut classes, IMPLIED_END | THOROUGHLY_IMPLIED_END, &implied);
    let thoroughly = [CAPTION, COLGROUP, TBODY, TD, TFOOT, TH, THEAD, TR];
    add(&mut classes, THOROUGHLY_IMPLIED_END, &thoroughly);
    let open_at_end = [DD, DT, LI, OPTGROUP, OPTION, P, RB, RP, RT, RTC, TBODY, TD, TFOOT, TH, THEAD, TR, BODY, HTML];
    add(&mut classes, OPEN_AT_END, &open_at_end);
    let preserves = [PRE, TEXTAREA, LISTING, SCRIPT, STYLE, XMP, PLAINTEXT, IFRAME, NOEMBED, NOFRAMES];
    add(&mut classes, PRESERVES, &preserves);
    let void = [
        AREA, BASE, BASEFONT, BGSOUND, BR, COL, EMBED, FRAME, HR, IMG, INPUT, KEYGEN, LINK, META, PARAM, SOURCE, TRACK,
        WBR,
    ];
    add(&mut classes, VOID, &void);
    add(&mut classes, RAW_TEXT, &[STYLE, SCRIPT, XMP, IFRAME, NOEMBED, NOFRAMES, PLAINTEXT]);
    classes
}

const fn add(classes: &mut [u16; KNOWN.len()], class: u16, tags: &[TagName]) {
    let mut at = 0;
    while at < tags.len() {
        classes[tags[at].0 as usize] |= class;
        at += 1;
    }
}

/// What the rules say of HTML elements of a name; see [`class`].
pub(crate) fn classes_of(local: &str) -> u16 {
    known(local, local.bytes().fold(0, rolling_hash)).map_or(0, |tag| ElementName::html(tag).classes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_found_whatever_their_case() {
        let mut names = TagNames::new();
        for (at, name) in KNOWN.iter().enumerate() {
            for written in [name.to_string(), name.to_uppercase()] {
                let hash = written.bytes().fold(0, rolling_hash);
                assert_eq!(names.find(&written, hash).index(), at, "{written}");
            }
        }
    }

    #[test]
    fn unknown_names_are_interned_in_lower_case() {
        let mut names = TagNames::new();
        let mut find = |written: &str| {
            let found = names.find(written, written.bytes().fold(0, rolling_hash));
            (found, names.get(found).to_owned())
        };
        let (custom, text) = find("My-Tag\0");
        assert_eq!(text, "my-tag\u{fffd}");
        assert_eq!(find("my-tag\0").0, custom);
        assert_ne!(find("my-tog").0, custom);
    }
}

//! What is an element to a reader? Whether it breaks sentences, is looked at as a whole, is not seen, or only looks.

use crate::tree::{HTML_NAMESPACE, Label, Name, Names, Node};

/// What an element is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its content is read where it stands; it may look different.
    Inline(Formats),
    /// Where the words below it lead to.
    Link,
    /// Content of its own: a sentence ends before and behind it.
    Block,
    /// The same, and its text is nobody's but its partner's.
    Cell,
    /// The same, and white space counts in it.
    Preserved,
    /// A sentence ends here, and nothing is in it.
    Break,
    /// Content that is looked at as a whole.
    Atom,
    /// The same, and what is in it is read as well: it stands for what is not loaded or drawn.
    Fallback,
    /// Nothing of it is seen.
    Unseen,
}

/// How words look by the elements around them; elements that look alike are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Formats(u16);

/// What looks of its own: the elements that make it, and what it is called.
const FORMATS: [(&[&str], &str); 11] = [
    (&["b", "strong"], "bold"),
    (&["i", "em", "cite", "var", "dfn"], "italic"),
    (&["code", "kbd", "samp", "tt"], "code"),
    (&["u", "ins"], "underlined"),
    (&["s", "strike", "del"], "struck out"),
    (&["sup"], "superscript"),
    (&["sub"], "subscript"),
    (&["small"], "small"),
    (&["big"], "big"),
    (&["mark"], "highlighted"),
    (&["q"], "quoted"),
];

/// The bit of superscript.
const RAISED: u16 = 1 << 5;

/// What looks so says something else: ten to the sixth is not a hundred and six, and what is struck out does not hold. The bits of
/// these, and what words are that look so.
const SENSES: [(u16, &str); 3] = [(1 << 4, "struck out"), (RAISED, "raised"), (1 << 6, "lowered")];

impl Formats {
    pub(super) const NONE: Formats = Formats(0);

    fn of(local: &str) -> Self {
        let at = FORMATS.iter().position(|(elements, _)| elements.contains(&local));
        Formats(at.map_or(0, |at| 1 << at))
    }

    /// These and others.
    pub fn with(self, others: Formats) -> Self {
        Formats(self.0 | others.0)
    }

    /// Whether words are raised above others.
    pub(super) fn are_raised(self) -> bool {
        self.0 & RAISED != 0
    }

    /// Those by which words say something else, without those by which they only look different.
    pub fn sense(self) -> Self {
        Formats(self.0 & SENSES.iter().fold(0, |bits, (bit, _)| bits | bit))
    }

    /// Those by which words only look different.
    pub fn looks(self) -> Self {
        Formats(self.0 & !self.sense().0)
    }

    /// What words are that say something else by how they look.
    pub fn senses(self) -> impl Iterator<Item = &'static str> {
        SENSES.into_iter().filter(move |(bit, _)| self.0 & bit != 0).map(|(_, name)| name)
    }

    /// What they are called, `plain` where there are none.
    pub fn describe(self) -> String {
        let names = FORMATS.iter().enumerate().filter(|(at, _)| self.0 >> at & 1 == 1).map(|(_, (_, name))| *name);
        let names: Vec<&str> = names.collect();
        if names.is_empty() { "plain".to_owned() } else { names.join(", ") }
    }
}

/// How deep words are in what is set apart on a page, as far as anybody counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nesting([u8; SETTINGS.len()]);

/// What is set apart: the elements that do it, and what they are called. Lists come first.
const SETTINGS: [(&[&str], &str); 6] = [
    (&["ol", "ul", "menu", "dir"], "list"),
    (&["blockquote"], "quotation"),
    (&["table"], "table"),
    (&["dl"], "definition list"),
    (&["fieldset"], "box"),
    (&["figure"], "figure"),
];

/// Which of the [`SETTINGS`] an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting(usize);

impl Setting {
    fn of(name: Name<'_>) -> Option<Self> {
        SETTINGS.iter().position(|(elements, _)| elements.contains(&name.local)).map(Setting)
    }

    /// Whether it is a list with items.
    pub fn is_list(self) -> bool {
        self.0 == 0
    }
}

impl Nesting {
    pub(super) const NONE: Nesting = Nesting([0; SETTINGS.len()]);

    /// What it is below an element that sets apart.
    pub(super) fn below(mut self, setting: Setting) -> Self {
        self.0[setting.0] = self.0[setting.0].saturating_add(1);
        self
    }

    /// How many lists are around.
    pub fn lists(self) -> u8 {
        self.0[0]
    }

    /// The first in which two differ, in words.
    pub fn described(self, other: Self) -> Option<[String; 2]> {
        let at = (0..SETTINGS.len()).find(|&at| self.0[at] != other.0[at])?;
        let (levels, name) = ([self.0[at], other.0[at]], SETTINGS[at].1);
        Some(levels.map(|level| match level {
            0 => format!("no {name}"),
            1 if levels.contains(&0) => name.to_owned(),
            level => format!("{name} level {level}"),
        }))
    }
}

/// The roles of all names of a document and what else is known of these, so that each is looked up once.
#[derive(Debug)]
pub struct Roles(Vec<Known>);

/// What is known of elements of a name.
#[derive(Debug)]
struct Known {
    role: Role,
    /// What they set apart.
    setting: Option<Setting>,
    /// Whether they stand by themselves.
    is_apart: bool,
    /// Whether they are links or buttons.
    may_be_control: bool,
}

impl Roles {
    pub fn new(names: &Names) -> Self {
        let known = |(_, name): (_, Name<'_>)| {
            let is_html = name.namespace == HTML_NAMESPACE;
            Known {
                role: role(name),
                setting: Setting::of(name),
                is_apart: is_html && matches!(name.local, "button" | "label"),
                may_be_control: is_html && matches!(name.local, "a" | "button"),
            }
        };
        Roles(names.iter().map(known).collect())
    }

    fn known(&self, label: Label) -> Option<&Known> {
        self.0.get(label.name().index())
    }

    pub fn of(&self, label: Label) -> Role {
        self.known(label).map_or(Role::Inline(Formats::default()), |known| known.role)
    }

    pub fn setting(&self, label: Label) -> Option<Setting> {
        self.known(label).and_then(|known| known.setting)
    }

    /// Whether no word goes on across the ends of such an element.
    pub fn is_apart(&self, label: Label) -> bool {
        self.known(label).is_some_and(|known| known.is_apart)
    }

    /// Whether such an element is there even if nothing in it is.
    pub fn may_be_control(&self, label: Label) -> bool {
        self.known(label).is_some_and(|known| known.may_be_control)
    }
}

/// Whether an element is a template that browsers show below its host as soon as they read it, without any script.
pub fn is_shadow(element: Node<'_>) -> bool {
    element.name() == Name { namespace: HTML_NAMESPACE, local: "template" }
        && element
            .attribute("", "shadowrootmode")
            .is_some_and(|mode| ["open", "closed"].into_iter().any(|known| mode.eq_ignore_ascii_case(known)))
        && element.parent().is_some_and(|host| host.is_element() && may_be_host(host.name()))
}

/// Whether elements of a name may have a tree of their own in the place of what is in them.
fn may_be_host(name: Name<'_>) -> bool {
    let is_known = || {
        matches!(
            name.local,
            "article"
                | "aside"
                | "blockquote"
                | "body"
                | "div"
                | "footer"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "header"
                | "main"
                | "nav"
                | "p"
                | "section"
                | "span"
        )
    };
    name.namespace == HTML_NAMESPACE && (name.local.contains('-') || is_known())
}

/// What an element of this name is to a reader.
pub fn role(name: Name<'_>) -> Role {
    if name.namespace != HTML_NAMESPACE {
        // Drawings and formulas are looked at as a whole, whatever is in them.
        return Role::Atom;
    }
    match name.local {
        "a" => Role::Link,
        "td" | "th" => Role::Cell,
        "pre" | "listing" | "xmp" | "plaintext" => Role::Preserved,
        "br" | "hr" => Role::Break,
        // What is in sound and video is for browsers that know neither, of which there are none.
        "audio" | "embed" | "frame" | "iframe" | "img" | "input" | "math" | "meter" | "progress" | "select" | "svg"
        | "textarea" | "video" => Role::Atom,
        "applet" | "canvas" | "object" => Role::Fallback,
        "area" | "base" | "basefont" | "bgsound" | "col" | "datalist" | "head" | "link" | "meta" | "noembed"
        | "noframes" | "param" | "portal" | "script" | "source" | "style" | "template" | "title" | "track" => {
            Role::Unseen
        }
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "colgroup" | "dd"
        | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer"
        | "form" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "html" | "legend"
        | "li" | "main" | "menu" | "nav" | "ol" | "optgroup" | "option" | "p" | "search" | "section" | "summary"
        | "table" | "tbody" | "tfoot" | "thead" | "tr" | "ul" => Role::Block,
        local => Role::Inline(Formats::of(local)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_raised_by_one_element() {
        let elements = FORMATS.iter().flat_map(|(elements, _)| *elements).copied();
        assert_eq!(elements.filter(|local| Formats::of(local).are_raised()).collect::<Vec<_>>(), ["sup"]);
    }
}

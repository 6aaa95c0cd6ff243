//! What is around a page? A banner with the changes told in words, their map, the one script, and a policy before all.
//!
//! Nothing of it comes from the pages but texts, which are escaped. `body` tells scripts the key of the marks and how many
//! changes there are; without JavaScript the links lead to the marks all the same.

use std::fmt::{self, Write};
use std::sync::LazyLock;

use super::markup::{Out, escaped, push_document, push_value};
use super::page::Page;
use super::policy::{digest, policy};
use super::{Options, map};
use crate::render::printable;
use crate::render::summary::{Entry, Summary, Told};
use crate::text::{ChangeKind, Changes};

pub const STYLES: &str = include_str!("assets/top.css");
const SCRIPT: &str = include_str!("assets/top.js");

const SWITCHED: &str = "the page without its own styles: nothing but a mark looks like one, and nothing is hidden";

const LOOKING: &str = "to what only looks different, one after another";

/// Worked out once: it takes as long as marking five kilobytes of a page.
static DIGEST: LazyLock<String> = LazyLock::new(|| digest(SCRIPT));

/// What a document shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Merged,
    SideBySide,
    Changes,
}

impl View {
    fn name(self) -> &'static str {
        match self {
            View::Merged => "merged",
            View::SideBySide => "side-by-side",
            View::Changes => "changes",
        }
    }
}

/// A page in a frame.
pub struct Frame<'f> {
    pub name: &'static str,
    pub title: &'f str,
    pub page: Page<'f>,
}

/// What a document is made of.
pub struct Top<'t, 'd> {
    pub view: View,
    pub changes: &'t Changes<'d>,
    pub summary: &'t Summary,
    pub options: &'t Options,
    pub key: &'t str,
    /// Whether changes of a kind have a mark that one can go to.
    pub shows: &'t dyn Fn(ChangeKind) -> bool,
}

impl Top<'_, '_> {
    /// Writes the whole document around what `push_main` writes.
    pub fn write(&self, to: &mut dyn Write, push_main: impl FnOnce(&mut Out<'_>)) -> fmt::Result {
        let mut out = Out::new(to);
        self.push_head(&mut out.buffer);
        self.push_banner(&mut out.buffer);
        out.buffer.push_str("<main>");
        push_main(&mut out);
        out.buffer.push_str("</main>\n");
        map::push(self.view, self.changes, self.summary, self.key, &mut out);
        for piece in ["<script>", SCRIPT, "</script>\n</body>\n</html>\n"] {
            out.buffer.push_str(piece);
        }
        out.finish()
    }

    /// The policy comes first: what stands before it would not be held by it.
    fn push_head(&self, out: &mut String) {
        let origins = if self.view == View::Changes { Vec::new() } else { self.options.origins() };
        let policy = policy(&DIGEST, &origins);
        let [before, after] = self.names();
        let _ = write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{count}: {before} → {after}</title>\n<style>{STYLES}</style>\n</head>\n\
             <body data-key=\"{key}\" data-changes=\"{changes}\" data-view=\"{view}\">\n",
            count = self.summary.count(),
            key = self.key,
            changes = self.reached(),
            view = self.view.name(),
        );
    }

    /// What the versions are called, so that nothing in it turns what stands beside it.
    fn names(&self) -> [String; 2] {
        self.options.names.each_ref().map(|name| escaped(&printable(name)))
    }

    /// How many changes there are to go to: the script finds marks that have no link, and in a list of changes there are none.
    fn reached(&self) -> usize {
        match self.view {
            View::Changes => self.summary.entries().filter(|entry| entry.number.is_some()).count(),
            View::Merged | View::SideBySide => self.changes.list().len(),
        }
    }

    fn push_banner(&self, out: &mut String) {
        let [before, after] = self.names();
        let _ = write!(
            out,
            "<header id=\"banner\">\n<div class=\"bar\">\n\
             <h1><bdi title=\"before\">{before}</bdi> <span>→</span> <bdi title=\"after\">{after}</bdi></h1>\n\
             <p id=\"count\">{count}</p>\n",
            count = self.summary.count(),
        );
        self.push_buttons(out);
        self.push_switches(out);
        push_legend(out);
        out.push_str("</div>\n<div class=\"bar\">\n<output id=\"current\">");
        out.push_str(match self.changes.list().len() {
            0 if self.has_formatting() => {
                "Nothing to go to but what only looks different: Formatting, with JavaScript."
            }
            0 => "Nothing to go to.",
            _ if self.view == View::Changes => "No change is chosen yet: first, or a link at the edge.",
            _ => "No change is chosen yet: first, then the arrows beside a change, or a link at the edge.",
        });
        out.push_str("</output>\n");
        self.push_notices(out);
        out.push_str("</div>\n</header>\n");
    }

    /// Links that lead to the first and last change by themselves. Those that lead on from the current one are for the script, which
    /// alone knows it, and hidden until it is there; the arrows of the marks do the same without.
    fn push_buttons(&self, out: &mut String) {
        let is_shown = |entry: &&Entry| entry.number.is_some() && (self.shows)(entry.kind);
        let numbered = || self.summary.entries().filter(is_shown);
        let (first, last) = (numbered().next(), numbered().last());
        out.push_str("<nav id=\"go\" aria-label=\"Changes\">");
        for (id, label, said, entry) in [
            ("first", "First", "aria-keyshortcuts=\"Home\"", first),
            ("previous", "Previous", "aria-keyshortcuts=\"p k\" hidden", last),
            ("next", "Next", "aria-keyshortcuts=\"n j\" hidden", first),
            ("last", "Last", "aria-keyshortcuts=\"End\"", last),
        ] {
            let _ = write!(out, "<a id=\"{id}\" {said}");
            match entry {
                Some(entry) => map::push_link(self.view, entry, self.key, out),
                None => out.push_str(" aria-disabled=\"true\""),
            }
            let _ = write!(out, ">{label}</a>");
        }
        if self.has_formatting() {
            let _ = write!(
                out,
                "<a id=\"formatting\" href=\"#\" title=\"{LOOKING}\" aria-keyshortcuts=\"f\" hidden>Formatting</a>"
            );
        }
        out.push_str("</nav>\n");
    }

    /// Whether something only looks different in a page that is shown.
    fn has_formatting(&self) -> bool {
        self.view != View::Changes && !self.changes.formats().is_empty()
    }

    /// Links to the pages without their styles, where marks alone look like marks and nothing is hidden; the script goes there and back.
    fn push_switches(&self, out: &mut String) {
        let frames: &[(&str, &str)] = match self.view {
            View::Merged => &[("page", "Plain")],
            View::SideBySide => &[("before", "Plain before"), ("after", "Plain after")],
            View::Changes => return,
        };
        out.push_str("<nav id=\"switches\" aria-label=\"Pages without their styles\">");
        for (frame, label) in frames {
            let _ = write!(
                out,
                "<a href=\"about:srcdoc#{}\" target=\"{frame}\" title=\"{SWITCHED}\" aria-keyshortcuts=\"u\">{label}</a>",
                super::plain(self.key)
            );
        }
        out.push_str("</nav>\n");
    }

    /// What changed and is not seen in the page, and that there is too much of what is.
    fn push_notices(&self, out: &mut String) {
        let (count, most) = (self.changes.list().len(), self.options.most_changes);
        if count > most {
            out.push_str("<p class=\"notice\">");
            if self.view == View::Merged {
                let _ = write!(out, "More than {most} changes are hard to read in one page. ");
                match &self.options.side_by_side {
                    Some(way) => {
                        let _ = write!(out, "Both versions side by side: <code>{}</code>. ", escaped(way));
                    }
                    None => out.push_str("See both versions side by side. "),
                }
            }
            let is_list = self.view == View::Changes;
            let _ = match is_list {
                true => write!(out, "The first {most} of {count} changes are listed."),
                false => write!(out, "Links and arrows lead to the first {most} of {count}."),
            };
            if let Some(way) = self.options.all_changes.as_ref().filter(|_| is_list) {
                let _ = write!(out, " All of them: <code>{}</code>", escaped(way));
            }
            out.push_str("</p>\n");
        }
        for notice in &self.summary.notices {
            out.push_str("<p class=\"notice\">");
            push_value(&Told::new(notice).to_string(), out);
            out.push_str("</p>\n");
        }
    }
}

/// What the marks look like, and which keys there are.
fn push_legend(out: &mut String) {
    out.push_str("<details id=\"legend\"><summary>Legend</summary>\n<ul>");
    for (kind, element, says) in [
        (ChangeKind::Added, "ins", "is new"),
        (ChangeKind::Removed, "del", "is gone"),
        (ChangeKind::Moved, "span", "is at another place"),
        (ChangeKind::Link, "span", "leads elsewhere"),
        (ChangeKind::Image, "span", "is another image, or the like"),
        (ChangeKind::Attribute, "span", "has another title, label or the like"),
        (ChangeKind::Entity, "span", "is at the same address and not the same"),
        (ChangeKind::Formatting, "span", "only looks different, and is not counted"),
    ] {
        let name = kind.name();
        let _ = write!(out, "<li><{element} class=\"mark {name}\">{name}</{element}> {says}</li>");
    }
    out.push_str(
        "</ul>\n<p><kbd>n</kbd> or <kbd>j</kbd> next, <kbd>p</kbd> or <kbd>k</kbd> previous, \
         <kbd>Home</kbd> first, <kbd>End</kbd> last; \
         <kbd>f</kbd> or Formatting: to what only looks different, <kbd>Shift</kbd>+<kbd>f</kbd> back; \
         <kbd>u</kbd> or Plain: the page without its own styles, where nothing but a mark looks like one, and back.</p>\n\
         <noscript><p>Keys need JavaScript. Without it First, Last and the links at the edge lead to the changes, \
         and the arrows beside a change to those before and behind; any of them leads back from Plain.</p></noscript></details>\n",
    );
}

/// Frames with their pages; where there are two, under their names.
pub fn push_frames<const N: usize>(frames: &[Frame<'_>; N], out: &mut Out<'_>) {
    let is_named = N > 1;
    for Frame { name, title, page } in frames {
        let title = escaped(&printable(title));
        if is_named {
            let _ = writeln!(out.buffer, "<section><h2>{name}: <bdi>{title}</bdi></h2>");
        }
        let label = if is_named { format!("{name}: {title}") } else { title };
        let _ = write!(
            out.buffer,
            "<iframe name=\"{name}\" title=\"{label}\" \
             sandbox=\"allow-same-origin allow-popups allow-popups-to-escape-sandbox\" srcdoc=\""
        );
        page.write(|piece| {
            push_document(piece, &mut out.buffer);
            out.pass();
        });
        out.buffer.push_str("\"></iframe>\n");
        out.buffer.push_str(if is_named { "</section>\n" } else { "" });
    }
}

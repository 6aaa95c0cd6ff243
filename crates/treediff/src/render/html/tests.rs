use proptest::prelude::*;

use super::*;
use crate::matching;
use crate::parse::{self, Whitespace};
use crate::text::Entities;
use crate::tree::Document;

fn page(source: &str) -> Document {
    let options = parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
    parse::html(source, &options).expect("a page").document
}

/// All three views of two pages.
fn views(before: &str, after: &str, options: &Options) -> [String; 3] {
    let (before, after) = (page(before), page(after));
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    [merged(&changes, &matching, options), side_by_side(&changes, &matching, options), listing(&changes, options)]
}

/// The value of an attribute of an element that a selector selects.
fn attribute(view: &Document, selector: &str, name: &str) -> Option<String> {
    let selected = crate::select::css(view, selector).expect("a selector");
    Some(selected.first()?.attribute("", name)?.into_owned())
}

#[test]
fn the_list_names_rows_and_columns() {
    let table = |price: &str| format!("<table><tr><th>Plan<th>&lt;Price><tr><th>Pro<td>{price}</table>");
    let [_, _, listing] = views(&table("10"), &table("12"), &Options::default());
    let expected = "<p class=\"detail\">in row <bdi>Pro</bdi>, column <bdi>&lt;Price&gt;</bdi></p>";
    assert!(listing.contains(expected), "{listing}");
}

#[test]
fn the_list_says_what_is_a_column() {
    let table = |columns: &[[&str; 3]]| {
        let rows: String = (0..3)
            .map(|row| {
                let cells: String = columns.iter().map(|column| format!("<td>{}", column[row])).collect();
                format!("<tr>{cells}")
            })
            .collect();
        format!("<table>{rows}</table>")
    };
    let (plan, price) = (["Plan", "Basic", "Pro"], ["Price", "5", "10"]);
    let [narrow, wide] = [table(&[plan, price]), table(&[plan, ["Storage", "20 GB", "1 TB"], price])];
    let [_, _, added] = views(&narrow, &wide, &Options::default());
    assert!(added.contains(">1</a> added column</p>"), "{added}");
    let [_, _, removed] = views(&wide, &narrow, &Options::default());
    assert!(removed.contains(">1</a> removed column</p>"), "{removed}");
    // Of an image it is its name already.
    let [_, _, image] = views("<p>a <img src=a>", "<p>a <img src=b>", &Options::default());
    assert!(image.contains(">1</a> image</p>"), "{image}");
}

/// Takes pieces of up to so many bytes, and no more than so many of them.
struct Sink {
    taken: String,
    longest: usize,
    left: usize,
}

impl fmt::Write for Sink {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
        self.longest = self.longest.max(piece.len());
        self.taken.push_str(piece);
        Ok(())
    }
}

/// A view may be much larger than its page, and is never in memory as a whole.
#[test]
fn views_are_written_piece_by_piece() {
    let paragraphs =
        |word: &str| (0..3_000).map(|at| format!("<p>{at} \"{word}\" & a {word}</p>\n")).collect::<String>();
    let (before, after) = (page(&paragraphs("cat")), page(&paragraphs("dog")));
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    let options = Options::default();
    let written = |left: usize| {
        let mut sink = Sink { taken: String::new(), longest: 0, left };
        (merged_to(&changes, &matching, &options, &mut sink), sink)
    };
    let (result, sink) = written(usize::MAX);
    assert_eq!((result, &*sink.taken), (Ok(()), &*merged(&changes, &matching, &options)));
    assert!(sink.taken.len() > 300_000 && sink.longest < 50_000, "{} of {}", sink.longest, sink.taken.len());
    assert_eq!(written(3).0, Err(fmt::Error));
}

#[test]
fn every_view_says_what_it_is() {
    let names = ["a & <b>.html", "\"c\".html"].map(str::to_owned);
    let options = Options { names, ..Options::default() };
    let shown = views("<p>one two<p>three", "<p>one 2<p>three<p>four", &options);
    for (view, name) in shown.iter().zip(["merged", "side-by-side", "changes"]) {
        let view = page(view);
        let count = attribute(&view, "body", "data-changes").unwrap();
        let key = attribute(&view, "body", "data-key").unwrap();
        assert_eq!(attribute(&view, "body", "data-view").as_deref(), Some(name));
        assert_eq!(attribute(&view, "html", "lang").as_deref(), Some("en"));
        let is_plain = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
        assert!(key.len() == 11 && key.starts_with('d') && key.bytes().all(is_plain), "{key}");
        let links = crate::select::css(&view, "#map a").unwrap();
        assert_eq!(links.len().to_string(), count, "{name}");
        let title = crate::select::css(&view, "title").unwrap()[0].string_value().into_owned();
        assert!(title.ends_with(": a & <b>.html → \"c\".html"), "{title}");
        for selector in ["#banner", "#banner output#current", "#next[href]", "#previous[href]", "#legend"] {
            assert_eq!(crate::select::css(&view, selector).unwrap().len(), 1, "{selector}");
        }
    }
}

/// Formatting is no part of the count, and has a button of its own where there is some.
#[test]
fn formatting_can_be_gone_to() {
    let [merged, beside, listing] = views("<h2>One</h2><p>two", "<h3>One</h3><p>2", &Options::default());
    for view in [&merged, &beside] {
        let view = page(view);
        let key = attribute(&view, "body", "data-key").unwrap();
        assert_eq!(attribute(&view, "body", "data-changes").as_deref(), Some("1"));
        assert_eq!(crate::select::css(&view, "#go > #formatting[hidden]").unwrap().len(), 1);
        for frame in crate::select::css(&view, "iframe").unwrap() {
            let inner = page(&frame.attribute("", "srcdoc").unwrap());
            let mark = format!("[data-{key}-kind=format]");
            assert_eq!(attribute(&inner, &mark, &format!("data-{key}-format")).as_deref(), Some("1"));
        }
    }
    let [peaceful, ..] = views("<p>one", "<p>1", &Options::default());
    for view in [listing, peaceful] {
        assert_eq!(crate::select::css(&page(&view), "#formatting").unwrap().len(), 0);
    }
}

#[test]
fn the_policy_is_the_first_in_the_head_and_names_the_script() {
    for view in views("<p>one", "<p>two", &Options::default()) {
        let view = page(&view);
        let head = crate::select::css(&view, "head").unwrap()[0];
        let first = head.children().find(|child| child.is_element()).unwrap();
        assert_eq!(first.attribute("", "http-equiv").as_deref(), Some("Content-Security-Policy"));
        let script = crate::select::css(&view, "script").unwrap();
        let [script] = script.as_slice() else { panic!("{} scripts", script.len()) };
        let policy = policy::policy(&policy::digest(&script.string_value()), &[]);
        assert_eq!(first.attribute("", "content").as_deref(), Some(&*policy));
    }
}

#[test]
fn content_is_loaded_from_where_somebody_said() {
    let allowed = vec!["https://static.example.org".parse().unwrap()];
    let options = Options { base: Some("https://example.org/a/".to_owned()), allowed, ..Options::default() };
    let [merged, _, listing] = views("<p>one", "<p>two", &options);
    assert!(merged.contains("img-src data: https://example.org https://static.example.org;"));
    assert!(!listing.contains("example.org"), "changes alone load nothing");
}

/// Whatever a page says, it is text outside of the frame.
#[test]
fn pages_write_no_markup_around_themselves() {
    let attack = "&lt;/title>&lt;script>alert(1)&lt;/script>\"' onclick=alert(1) &lt;!--";
    let page_with = |said: &str| {
        format!(
            "<title>{attack}{said}</title><h1>{attack}</h1><p title='{attack}{said}'>a {attack} {said} <img alt='{attack}{said}'>"
        )
    };
    for view in views(&page_with("one"), &page_with("two"), &Options::default()) {
        let view = page(&view);
        assert_eq!(crate::select::css(&view, "script").unwrap().len(), 1);
        assert_eq!(crate::select::css(&view, "[onclick]").unwrap().len(), 0);
        assert_eq!(crate::select::css(&view, "body > header + main + nav + script").unwrap().len(), 1);
    }
}

#[test]
fn too_much_is_said_to_be() {
    let many = |word: &str| (0..20).map(|at| format!("<p>{word} and {at} that stays<p>same {at}")).collect::<String>();
    let side_by_side = Some("show 'a' <b>".to_owned());
    let all_changes = Some("list <all>".to_owned());
    let options = Options { most_changes: 10, side_by_side, all_changes, ..Options::default() };
    let [merged, beside, listing] = views(&many("one"), &many("two"), &options);
    assert!(merged.contains("More than 10 changes are hard to read in one page. "));
    assert!(merged.contains("<code>show 'a' &lt;b&gt;</code>"));
    assert!(!beside.contains("hard to read"));
    for view in [&merged, &beside] {
        assert!(view.contains("Links and arrows lead to the first 10 of 20.</p>"));
        let view = page(view);
        assert_eq!(attribute(&view, "body", "data-changes").as_deref(), Some("20"));
        assert_eq!(crate::select::css(&view, "#map a").unwrap().len(), 10);
    }
    assert!(listing.contains("The first 10 of 20 changes are listed. All of them: <code>list &lt;all&gt;</code></p>"));
    assert!(listing.contains("</section>\n<p>… and 10 more.</p>\n"));
    let listing = page(&listing);
    assert_eq!(attribute(&listing, "body", "data-changes").as_deref(), Some("10"));
    assert_eq!(crate::select::css(&listing, "li.change").unwrap().len(), 10);
}

/// A page in which everything changed is shown in a few times its size.
#[test]
fn marks_are_small() {
    const CELLS: usize = 5_000;
    let table = |from: usize| {
        let cells = (0..CELLS).map(|at| format!("<td>{}{}", from + at, if at % 10 == 9 { "<tr>" } else { "" }));
        format!("<table><tr>{}</table>", cells.collect::<String>())
    };
    let [before, after] = [table(10_000), table(20_000)];
    let options = Options { most_changes: 0, ..Options::default() };
    let sizes = views(&before, &after, &options).map(|view| view.len());
    let ours = views("", "", &options).map(|view| view.len());
    let per_cell = [0, 1, 2].map(|view| (sizes[view] - ours[view]) / CELLS);
    assert!(per_cell[0] <= 120 && per_cell[1] <= 220 && per_cell[2] == 0, "{per_cell:?}");
}

#[test]
fn links_of_the_map_are_not_over_each_other() {
    let many = |word: &str| (0..300).map(|at| format!("<p>{word} {at}<p>same {at}")).collect::<String>();
    let [merged, ..] = views(&many("one"), &many("two"), &Options::default());
    let view = page(&merged);
    let style = |node: &crate::tree::Node<'_>| node.attribute("", "style").unwrap().into_owned();
    let number = |style: String| style.split(':').nth(1).unwrap().trim_end_matches('%').parse::<f64>().unwrap();
    let height = number(style(&crate::select::css(&view, "#map").unwrap()[0]));
    let tops: Vec<f64> = crate::select::css(&view, "#map a").unwrap().iter().map(|link| number(style(link))).collect();
    assert_eq!(tops.len(), 300);
    let is_apart = |pair: &[f64]| pair[1] - pair[0] > height - 0.01;
    assert!(tops.windows(2).all(is_apart) && tops[299] + height < 100.01 && tops[0] >= 0.0, "{height} {tops:?}");
}

#[test]
fn keys_depend_on_both_pages_and_where_one_ends() {
    let keys = [("a", "b"), ("b", "a"), ("ab", ""), ("", "ab")].map(|(before, after)| {
        let [merged, ..] = views(before, after, &Options::default());
        attribute(&page(&merged), "body", "data-key").unwrap()
    });
    let different: std::collections::HashSet<&String> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
}

/// Pieces of pages, of which any row is one.
const PIECES: [&str; 24] = [
    "<p>",
    "<h1>One",
    "</h1>",
    "<h3>Three</h3>",
    "<ul><li>",
    "</ul>",
    "<table><tr><td>",
    "</table>",
    "<b>",
    "</b>",
    "<a href=x>",
    "<a href='javascript:alert(1)'>",
    "</a>",
    "<img src=a alt='\"<script>'>",
    "<pre> a\n\n b",
    "</pre>",
    "The quick brown fox jumps. ",
    "A sentence that may have moved away. ",
    "&lt;/script>&lt;!--",
    "word ",
    "x\u{202e}y\u{0}",
    "<title>t&quot;</title>",
    "<p title=t>",
    "<script>s()</script>",
];

fn any_page() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..Default::default() })]

    /// Whatever the pages: every change has its link and is told once, in order, and our document stays as we wrote it.
    #[test]
    fn every_change_is_told(before in any_page(), after in any_page()) {
        let [one, other] = [&before, &after].map(|source| page(source));
        let matching = matching::auto(&one, &other, &Default::default());
        let changes = Changes::new(&one, &other, &matching, &Entities::default());
        let summary = Summary::new(&changes, 10);
        let numbers: Vec<usize> = summary.entries().filter_map(|entry| entry.number).collect();
        prop_assert_eq!(&numbers, &(1..=changes.list().len()).collect::<Vec<_>>());
        prop_assert_eq!(summary.entries().count() - numbers.len(), changes.formats().len());
        let json: serde_json::Value = serde_json::from_str(&summary.json()).unwrap();
        prop_assert_eq!(json["changes"].as_u64(), Some(numbers.len() as u64));
        for view in views(&before, &after, &Options::default()) {
            let view = page(&view);
            let count = |selector: &str| crate::select::css(&view, selector).unwrap().len();
            prop_assert_eq!(count("#map > a"), numbers.len());
            prop_assert_eq!((count("script"), count("body > *"), count("html > *")), (1, 4, 2));
        }
    }
}

/// Styles of marks as they are written, in the page and around it.
mod colours {
    use super::super::{frame_styles, top};

    /// Text is read at this contrast, by WCAG 2 AA; what is only looked at needs the lesser one.
    const TEXT: f64 = 4.5;
    const SHAPE: f64 = 3.0;

    fn channels(colour: &str) -> [f64; 3] {
        let digits = u32::from_str_radix(colour.trim_start_matches('#'), 16).expect(colour);
        [16, 8, 0].map(|shift| f64::from(digits >> shift & 0xff) / 255.0)
    }

    fn linear(part: f64) -> f64 {
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let light = |colour: &str| {
            let [red, green, blue] = channels(colour).map(linear);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (one, other) = (light(one), light(other));
        one.max(other) / one.min(other)
    }

    /// The colours that are set by name, of the light scheme and of the dark one.
    fn schemes() -> [std::collections::HashMap<String, String>; 2] {
        let (light, dark) = top::STYLES.split_once("@media screen and (prefers-color-scheme: dark)").unwrap();
        [light, dark].map(|styles| {
            let declared = styles.split([';', '{', '}']).filter_map(|rule| rule.trim().strip_prefix("--"));
            let named = declared.filter_map(|rule| rule.split_once(": #"));
            named.map(|(name, value)| (name.to_owned(), format!("#{value}"))).collect()
        })
    }

    #[test]
    fn text_around_a_page_has_contrast() {
        let texts = [
            ("ink", "paper"),
            ("ink", "bar"),
            ("quiet", "paper"),
            ("quiet", "bar"),
            ("added-ink", "added-ground"),
            ("removed-ink", "removed-ground"),
            ("moved-ink", "moved-ground"),
            ("link-ink", "link-ground"),
            ("notice-ink", "notice-ground"),
        ];
        let shapes = ["added", "removed", "moved", "link", "focus"]
            .into_iter()
            .flat_map(|name| [(name, "bar"), (name, "paper")]);
        for colours in schemes() {
            let pairs = texts.into_iter().map(|pair| (pair, TEXT)).chain(shapes.clone().map(|pair| (pair, SHAPE)));
            for ((ink, ground), least) in pairs {
                let found = contrast(&colours[ink], &colours[ground]);
                assert!(found >= least, "{ink} on {ground}: {found:.2}");
            }
        }
    }

    /// Colours of the marks in a page: ink and ground of every rule that has both.
    fn marks() -> Vec<(String, String, String)> {
        let styles = frame_styles("k", false);
        let rules = styles.split('}').filter_map(|rule| rule.split_once('{'));
        let value = |body: &str, name: &str| {
            let declared = body.split(';').find_map(|rule| rule.trim().strip_prefix(name)?.strip_prefix(": #"));
            declared.map(|value| format!("#{}", value.trim_end_matches(" !important")))
        };
        let both = |(selector, body): (&str, &str)| {
            Some((selector.trim().to_owned(), value(body, "color")?, value(body, "background")?))
        };
        rules.filter_map(both).collect()
    }

    /// What the marks of a kind are selected by.
    fn selector(kind: &str) -> String {
        match kind {
            "added" => "[data-k]:where(ins:not([data-k-kind]))".to_owned(),
            "removed" => "[data-k]:where(del:not([data-k-kind]))".to_owned(),
            _ => format!("[data-k-kind=\"{kind}\"]"),
        }
    }

    #[test]
    fn marks_have_contrast() {
        let marks = marks();
        assert_eq!(marks.len(), 11, "{marks:?}");
        for (selector, ink, ground) in marks {
            let found = contrast(&ink, &ground);
            assert!(found >= TEXT, "{selector}: {found:.2}");
        }
    }

    /// What is new and what is gone look different without red, green or blue (Viénot's and Brettel's simulations), and are
    /// lined differently without any colour.
    #[test]
    fn marks_are_told_apart_without_colour_vision() {
        let blind: [[[f64; 3]; 3]; 3] = [
            [[0.112, 0.888, 0.0], [0.112, 0.888, 0.0], [0.004, -0.004, 1.0]],
            [[0.292, 0.708, 0.0], [0.292, 0.708, 0.0], [-0.022, 0.022, 1.0]],
            [[1.0, 0.146, -0.146], [0.0, 0.868, 0.132], [0.0, 0.868, 0.132]],
        ];
        let marks = marks();
        let ground = |kind: &str| {
            let found = marks.iter().find(|(rule, ..)| *rule == selector(kind));
            channels(&found.expect(kind).2).map(linear)
        };
        for eye in blind {
            let seen = |kind: &str| {
                let ground = ground(kind);
                eye.map(|row| row.iter().zip(ground).map(|(weight, part)| weight * part).sum::<f64>())
            };
            let (new, gone) = (seen("added"), seen("removed"));
            let apart: f64 = new.iter().zip(gone).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt();
            assert!(apart > 0.15, "{apart:.3}");
        }
        let styles = frame_styles("k", false);
        let line = |kind: &str| {
            let rule = styles.split('}').find(|rule| rule.contains(&format!("{} {{", selector(kind)))).expect(kind);
            rule.split("text-decoration: ").nth(1).unwrap().split(" !").next().unwrap().to_owned()
        };
        let kinds = ["added", "removed", "moved-to", "moved-from", "link", "attribute", "entity", "format"];
        let lines: std::collections::HashSet<String> = kinds.into_iter().map(line).collect();
        assert_eq!(lines.len(), kinds.len(), "{lines:?}");
    }

    #[test]
    fn marks_look_the_same_in_the_page_and_around_it() {
        let [light, _] = schemes();
        // Formatting that somebody went to is told by words around a page.
        let is_kind = |selector: &str| selector.contains("kind") && !selector.contains("current");
        for (selector, ink, ground) in marks().into_iter().filter(|(selector, ..)| is_kind(selector)) {
            let is_known = light.iter().any(|(name, value)| {
                *value == ink
                    && name.strip_suffix("-ink").is_some_and(|kind| light[&format!("{kind}-ground")] == ground)
            });
            assert!(is_known, "{selector}");
        }
    }
}

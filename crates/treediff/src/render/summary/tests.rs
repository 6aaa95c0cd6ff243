use super::*;
use crate::matching;
use crate::parse::{self, Options, Whitespace};
use crate::text::Entities;
use crate::tree::Document;

fn page(source: &str) -> Document {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    parse::html(source, &options).expect("a page").document
}

fn summary(before: &str, after: &str, entities: &Entities, most: usize) -> Summary {
    let (before, after) = (page(before), page(after));
    let matching = matching::auto(&before, &after, &Default::default());
    Summary::new(&Changes::new(&before, &after, &matching, entities), most)
}

#[track_caller]
fn check(before: &str, after: &str, expected: &str) {
    let told = summary(before, after, &Entities::default(), EXCERPT).to_string();
    assert_eq!(told.trim_end(), expected, "{before} → {after}");
}

#[test]
fn changes_are_told_in_words() {
    check("<p>one", "<p>one", "no changes");
    check("<p>one", "<p>one<p>two", "1 change (1 added)\n\n  1. added: “two”");
    check("<p>one<p>two", "<p>one", "1 change (1 removed)\n\n  1. removed: “two”");
    check("<p>one", "<p><b>one</b>", "1 change of formatting alone\n\n   · formatting: “one”: plain → bold");
    check("<p><a href=a>one</a>", "<p><a>one</a>", "1 change (1 link)\n\n  1. link: “one”: a → none");
    check(
        "<p title=a>one<p>two",
        "<p title=b>one<p><i>two</i>",
        "1 change (1 attribute), and 1 of formatting\n\n  1. attribute: “one”; title of p: a → b\n   · formatting: “two”: plain → italic",
    );
    check(
        "<p>one<p><img src=a.png alt=cup>",
        "<p>one<p><img src=b.png alt=cups>",
        "1 change (1 image)\n\n  1. image: “[image: cup]” → “[image: cups]”; src of img: a.png → b.png",
    );
    check("<title>a</title>x", "<title>b</title>x", "no changes that are seen\ntitle: a → b");
}

#[test]
fn what_says_little_has_words_around_it() {
    let told = |kind: &str, line: &str| format!("1 change (1 {kind})\n\n  1. {kind}: {line}");
    check("<p>Temp -5 deg", "<p>Temp 5 deg", &told("removed", "“-”, in “Temp -5 deg”"));
    check(
        "<p>until 2024-01-01 only",
        "<p>until 2024-01-02 only",
        &told("replaced", "“01” → “02”, in “until 2024-01-02 only”"),
    );
    check("<p>open daily", "<p>open daily now", &told("added", "“now”, in “open daily now”"));
    check(
        "<p>Delivery takes three days",
        "<p>Delivery takes three days or more",
        &told("added", "“or more”, in “Delivery takes three days or more”"),
    );
    check("<p>a b c", "<p>a one two three b c", &told("added", "“one two three”, in “a one two three b c”"));
    check("<p>a b c", "<p>a one two three four b c", &told("added", "“one two three four”"));
    check("<pre>a\nb</pre>", "<pre>a\n  b</pre>", &told("added", "“2 spaces”"));
    check(
        "<p>open on every day of the week",
        "<p>open on Mondays and Tuesdays",
        &told("replaced", "“every day of the week” → “Mondays and Tuesdays”"),
    );
}

#[test]
fn what_is_in_a_table_has_its_row_and_column() {
    let plans = |pro: &str| {
        format!(
            "<table><tr><th>Plan<th>Monthly<th>Yearly<tr><th>Basic<td>5<td>50<tr><th>Pro{pro}<tr><th>Team<td>20<td>200</table>"
        )
    };
    let told = |lines: &[&str]| {
        let lines: String = lines.iter().enumerate().map(|(at, line)| format!("\n  {}. {line}", at + 1)).collect();
        let kind = lines.split(['.', ':']).nth(1).unwrap_or_default().trim();
        let count = lines.matches('\n').count();
        format!("{count} change{} ({count} {kind})\n{lines}", if count == 1 { "" } else { "s" })
    };
    check(
        &plans("<td>10<td>100"),
        &plans("<td>12<td>120"),
        &told(&[
            "replaced: “10” → “12”, in row “Pro”, column “Monthly”",
            "replaced: “100” → “120”, in row “Pro”, column “Yearly”",
        ]),
    );
    let json = summary(&plans("<td>10<td>100"), &plans("<td>12<td>100"), &Entities::default(), EXCERPT).json();
    assert!(json.contains(r#""after":"12","row":"Pro","column":"Monthly"}"#), "{json}");
    // A cell takes up two columns; those of a table whose cells reach into the next rows are not counted.
    check(
        &plans("<td colspan=2>10<td>new"),
        &plans("<td colspan=2>10<td>old"),
        &told(&["replaced: “new” → “old”, in row “Pro”"]),
    );
    check(
        &plans("<td rowspan=2>10<td>100<tr><th>Max<td>8"),
        &plans("<td rowspan=2>10<td>100<tr><th>Max<td>9"),
        &told(&["replaced: “8” → “9”, in row “Max”"]),
    );
    // The names of rows and columns are named by nothing.
    check(&plans("").replace("Pro", "Old"), &plans(""), &told(&["replaced: “Old” → “Pro”, in column “Plan”"]));
    check(&plans("").replace("Yearly", "A year"), &plans(""), &told(&["replaced: “A year” → “Yearly”"]));
    // Without headers the first cell names the others, unless the table lays out a page.
    let table = |first: &str, price: &str| format!("<table><tr><td>{first}<td>from {price}<tr><td>Coffee<td>3</table>");
    check(&table("Tea", "4"), &table("Tea", "5"), &told(&["replaced: “4” → “5”, in row “Tea”, in “from 5”"]));
    let words = "News and more of them ".repeat(5);
    check(&table(&words, "4"), &table(&words, "5"), &told(&["replaced: “4” → “5”, in “from 5”"]));
    let long = format!("4 {}", "more ".repeat(100));
    let told = summary(&table("Tea", &long), &table("Tea", &format!("{long} and more")), &Entities::default(), EXCERPT);
    assert!(!told.to_string().contains("row"), "{told}");
}

#[test]
fn what_moved_has_two_places() {
    check(
        "<h2>One</h2><p>A sentence that will move away.</p><p>Here is more than that, and it stays where it was.</p>\
         <h2>Two</h2><p>There is more than that, too.</p>",
        "<h2>One</h2><p>Here is more than that, and it stays where it was.</p><h2>Two</h2>\
         <p>There is more than that, too.</p><p>A sentence that will move away.</p>",
        "1 change (1 moved)\n\nTwo\n  1. moved down: “A sentence that will move away.”, from under “One”",
    );
}

#[test]
fn what_moved_went_up_or_down() {
    let stays = "<p>Here is more than that, and it stays where it was.</p>";
    let moves = "<p>A sentence that will move away.</p>";
    for (first, last) in [(stays, moves), (moves, stays)] {
        let (before, after) = ([first, last].concat(), [last, first].concat());
        let way = if first == moves { "down" } else { "up" };
        let expected = format!("1 change (1 moved)\n\n  1. moved {way}: “A sentence that will move away.”");
        check(&before, &after, &expected);
        let json = summary(&before, &after, &Entities::default(), EXCERPT).json();
        assert!(json.contains(&format!(",\"direction\":\"{way}\",\"from\":{{")), "{json}");
    }
}

#[test]
fn what_went_with_its_heading_is_told_under_it() {
    check(
        "<h2>One</h2><p>a<h2>Two</h2><p>b<p>c",
        "<h2>One</h2><p>a",
        "1 change (1 removed)\n\nTwo\n  1. removed: “Two b c”",
    );
    check("<h2>One</h2><p>a<p>b", "<h2>One</h2><p>a", "1 change (1 removed)\n\nOne\n  1. removed: “b”");
}

#[test]
fn an_image_may_change_behind_its_address() {
    let sums = |sum: &str| [("cup.png".to_owned(), sum.to_owned())].into_iter().collect();
    let entities = Entities { before: sums("1"), after: sums("2") };
    let told = summary("<p>a <img src=cup.png>", "<p>a <img src=cup.png>", &entities, EXCERPT).to_string();
    assert!(told.contains("1. entity: “[image: cup.png]”; changed at its address: cup.png"), "{told}");
}

#[test]
fn sources_and_backgrounds_may_change_behind_their_addresses() {
    let sums = |sum: &str| ["a.png", "b.webp"].map(|name| (name.to_owned(), sum.to_owned())).into_iter().collect();
    let entities = Entities { before: sums("1"), after: sums("2") };
    let check = |source: &str, expected: &str| {
        let told = summary(source, source, &entities, EXCERPT).to_string();
        assert!(told.contains(expected), "{told}");
    };
    check(
        "<p>x<picture><source srcset='b.webp 2x'><img src=c.png alt=cup></picture>",
        "1. entity: “[image: cup]”; changed at its address: b.webp",
    );
    check("<p>x<p style='background:url(a.png)'>y", "1. entity: “y”; changed at its address: a.png");
    check("<p>x<div style='background:url(a.png)'></div>", "no changes that are seen\nchanged at its address: a.png");
}

#[test]
fn all_that_changed_behind_its_address_is_told() {
    let sums =
        |sum: &str| ["a.png", "b.png", "c.png"].map(|name| (name.to_owned(), sum.to_owned())).into_iter().collect();
    let entities = Entities { before: sums("1"), after: sums("2") };
    let check = |source: &str, expected: &[&str]| {
        let summary = summary(source, source, &entities, EXCERPT);
        let told: Vec<String> = summary.entries().map(|entry| entry.to_string()).collect();
        assert_eq!(told, expected);
        for name in ["a.png", "b.png", "c.png"] {
            let detail = format!("{{\"kind\":\"entity\",\"address\":\"{name}\"}}");
            assert_eq!(summary.json().matches(&detail).count(), 1, "{name}: {}", summary.json());
        }
    };
    let images = [
        "entity: “[image: A]”; changed at its address: a.png",
        "entity: “[image: B]”; changed at its address: b.png",
        "entity: “[image: C]”; changed at its address: c.png",
    ];
    check("<p><img src=a.png alt=A><p><img src=b.png alt=B><p><img src=c.png alt=C>", &images);
    check("<p><img src=a.png alt=A> <img src=b.png alt=B><img src=c.png alt=C>", &images);
    let [a, b, c] = ["a.png", "b.png", "c.png"].map(|name| format!("changed at its address: {name}"));
    check(
        "<p>x <img src=a.png srcset='a.png 1x, b.png 2x, c.png 3x' alt=A>",
        &[&format!("entity: “[image: A]”; {a}; {b}; {c}")],
    );
    check("<p style='background: url(a.png), url(b.png), url(c.png)'>x", &[&format!("entity: “x”; {a}; {b}; {c}")]);
}

#[test]
fn long_texts_are_shortened() {
    let long = "word ".repeat(1000);
    let told = summary("<p>one", &format!("<p>one<p>{long}"), &Entities::default(), 20).to_string();
    assert_eq!(told.lines().last(), Some("  1. added: “word word word word word …”"));
    let letters = "x".repeat(1000);
    let told = summary("<p>one", &format!("<p>one<p>{letters}"), &Entities::default(), 5).to_string();
    assert_eq!(told.lines().last(), Some("  1. added: “xxxxx…”"));
}

#[test]
fn nothing_in_a_page_talks_to_a_terminal() {
    let told = summary("<h1>a</h1>", "<h1>a\u{1b}[2J\u{202e}</h1>", &Entities::default(), EXCERPT).to_string();
    assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
}

#[test]
fn json_says_the_same() {
    let stays = "<p>What stays is longer than what moves, and than what looks different, so that it surely stays.";
    let moves = "<p>A sentence that will move away.";
    let before = format!("<title>a</title><h1>\"One\"</h1><p>Looks<p><a href=x>link</a>{moves}{stays}");
    let after = format!("<title>b</title><h1>\"One\"</h1><p><b>Looks</b><p><a>link</a>{stays}{moves}");
    let summary = summary(&before, &after, &Entities::default(), EXCERPT);
    let json = summary.json();
    let read: serde_json::Value = serde_json::from_str(&json).expect(&json);
    assert_eq!(read["changes"].as_u64(), Some(summary.entries().filter(|entry| entry.number.is_some()).count() as u64));
    assert_eq!(read["formatting"], 1);
    assert_eq!(read["counts"]["moved"], 1);
    assert_eq!(read["notices"][0]["kind"], "title");
    let changes = read["sections"][0]["changes"].as_array().expect("changes");
    assert_eq!(read["sections"][0]["headings"][0], "\"One\"");
    let of = |kind: &str| changes.iter().find(|change| change["kind"] == kind).expect(kind);
    assert_eq!(of("link")["text"], "link");
    assert_eq!(of("link")["details"][0]["from"], "x");
    assert!(of("link")["details"][0]["to"].is_null());
    assert_eq!(of("moved")["from"]["headings"][0], "\"One\"");
    assert!(of("formatting").get("number").is_none());
    let numbers: Vec<u64> = changes.iter().filter_map(|change| change["number"].as_u64()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

/// The headings of every section, and those that its changes come from.
fn headings(before: &str, after: &str) -> Vec<String> {
    let summary = summary(before, after, &Entities::default(), EXCERPT);
    let told = |section: &Section| {
        let origins = section.entries.iter().filter_map(|entry| entry.from.as_ref());
        let origins: String = origins.map(|(headings, _)| format!(" from {}", headings.join("/"))).collect();
        section.headings.join("/") + &origins
    };
    summary.sections.iter().map(told).collect()
}

#[test]
fn what_is_gone_is_told_under_the_heading_that_it_stood_under() {
    let gone = "<p>Gone paragraph from A.</p>";
    let section = |gone: &str| format!("<h2>A</h2><p>Intro of A is here.</p>{gone}<h2>B</h2><p>Beta words.</p>");
    assert_eq!(headings(&section(gone), &section("")), ["A"]);
    let list = |gone: &str| format!("<h2>A</h2><ul><li>one thing<li>two things{gone}</ul><h2>B</h2><p>Beta words.</p>");
    assert_eq!(headings(&list("<li>three more"), &list("")), ["A"]);
    let wrapped = |gone: &str| {
        format!("<section><h2>A</h2><p>Intro of A.</p>{gone}</section><section><h2>B</h2><p>Beta words.</p></section>")
    };
    assert_eq!(headings(&wrapped(gone), &wrapped("")), ["A"]);
    // What the heading became, and nothing where there was none.
    let renamed = |title: &str, gone: &str| format!("<h2>{title}</h2><p>Intro.</p>{gone}<h2>B</h2><p>Beta words.</p>");
    assert_eq!(headings(&renamed("Old words of A", gone), &renamed("New words of A", "")), ["New words of A"]);
    // Words of what stayed are where it is, whatever heading came before it.
    let stays =
        |heading: &str, gone: &str| format!("<h2>A</h2><p>Intro.</p>{heading}<p>Some of these words {gone}stay here.");
    assert_eq!(headings(&stays("", "really do "), &stays("<h2>N</h2>", "")), ["N"]);
    assert_eq!(headings("<p>Gone words.</p><h2>A</h2><p>Intro.", "<h2>A</h2><p>Intro."), [""]);
}

#[test]
fn what_moved_comes_from_under_the_heading_that_it_stood_under() {
    let moves = "<p>This one paragraph is going to be moved.</p>";
    let page = |first: &str, last: &str| {
        format!(
            "<h1>Top</h1><h2>A</h2><p>Intro of A is here always.</p>{first}<h2>B</h2><p>Beta words are staying just where \
             they were before.</p><h2>C</h2><p>Gamma words are staying just where they were before too.</p>{last}"
        )
    };
    assert_eq!(headings(&page(moves, ""), &page("", moves)), ["Top/C from Top/A"]);
    assert_eq!(
        headings(
            "<h2>A</h2><ul><li>one thing<li>two things<li>three things</ul><h2>B</h2><ul><li>four things</ul>",
            "<h2>A</h2><ul><li>one thing<li>two things</ul><h2>B</h2><ul><li>four things<li>three things</ul>",
        ),
        ["B from A"]
    );
    let section = "<h2>Moves</h2><p>This section is going to be moved.</p>";
    assert_eq!(headings(&page(section, ""), &page("", section)), ["Top/Moves from Top"]);
    let page =
        |first: &str, last: &str| format!("{first}<h2>Stays</h2><p>This one is longer, so that it stays.</p>{last}");
    assert_eq!(headings(&page(section, ""), &page("", section)), ["Moves from "]);
}

#[test]
fn the_rest_is_counted() {
    let [before, after] = ["a", "b"].map(|word| page(&format!("<p>{word} one<p>{word} two<p>{word} three")));
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    let told = |most_changes: usize| Summary::of_first(&changes, most_changes, EXCERPT);
    assert_eq!(told(3), Summary::new(&changes, EXCERPT));
    assert!(!told(3).json().contains("untold"));
    let two = told(2).to_string();
    assert!(two.starts_with("3 changes (3 replaced)\n\n  1. ") && two.contains("\n  2. "), "{two}");
    assert!(two.ends_with("\n\n… and 1 more change\n") && !two.contains("3. "), "{two}");
    let json: serde_json::Value = serde_json::from_str(&told(1).json()).unwrap();
    assert_eq!((json["changes"].as_u64(), json["untold"].as_u64()), (Some(3), Some(2)));
    assert_eq!(json["counts"]["replaced"].as_u64(), Some(3));
}

#[test]
fn headings_are_told_by_their_words() {
    let told = |heading: &str, expected: &str| {
        let page = |word: &str| format!("<h2>{heading}</h2><p>It costs {word} euros a month.");
        let summary = summary(&page("five"), &page("nine"), &Entities::default(), EXCERPT);
        assert_eq!(summary.sections[0].headings, [expected], "{heading}");
    };
    let anchor = "<a name=x class=anchor href='#x'><i class=anchor-icon></i></a>";
    told(&format!("{anchor}Title of it"), "Title of it");
    told(&format!("Title of it {anchor}"), "Title of it");
    told(&format!("Title {anchor}of it"), "Title of it");
    told("Title<a href='#x' aria-label='Link to title'></a><img src=dot.png><svg><path d=M0 /></svg>", "Title");
    // What has words of its own says something, and so does what stands alone.
    told("<img src=a.png alt=New> Title", "[image: New] Title");
    told("<math><mi>x</mi></math> and its roots", "[formula: x] and its roots");
    told("<img src=logo.png>", "[image: logo.png]");
}

#[test]
fn fields_are_told_by_their_labels() {
    let told = |field: &str, expected: &str| {
        let expected = format!("1 change (1 attribute)\n\n  1. attribute: “{expected}”; checked of input: no → yes");
        check(&field.replace('*', ""), &field.replace('*', "checked"), &expected);
    };
    let boxes = ["Newsletter", "Terms *", "Ads"].map(|name| {
        let (name, checked) = name.split_once(' ').unwrap_or((name, ""));
        format!("<label><input type=checkbox {checked}> {name}</label>")
    });
    told(&boxes.concat(), "[field: Terms]");
    let named = |attributes: &str| format!("<p>Choose: <input type=radio value=7 {attributes} *> here");
    told(&named("id=a name=n"), "[field: n]");
    told(&named("name=n placeholder=p"), "[field: p]");
    told(&named("name=n placeholder=p aria-label=l"), "[field: l]");
    told(&named(""), "[field: 7]");
    told(
        &format!("{}<label for=a> Half <b>board</b><br>only </label>", named("id=a aria-label=l")),
        "[field: Half board only]",
    );
    told(&format!("{}<label for=a></label><label for=b>x</label>", named("id=a name=n")), "[field: n]");
    told(
        "<label>Tea <select><option>black</select><div>or <input type=checkbox *> milk</div></label>",
        "[field: Tea or milk]",
    );
    // What a button is called is its value.
    check(
        "<p>x <input type=submit name=s value=Go>",
        "<p>x <input type=submit name=s value=Go disabled>",
        "1 change (1 attribute)\n\n  1. attribute: “[field: Go]”; disabled of input: no → yes",
    );
    check(
        "<p><label>Name <input value=a></label>",
        "<p><label>Name <input value=b></label>",
        "1 change (1 attribute)\n\n  1. attribute: “[field: Name]”; value of input: a → b",
    );
}

/// Many fields may be in one label that is long, and far below others.
#[test]
fn labels_take_no_long_time() {
    let page = |checked: &str| {
        let fields = format!("<input type=checkbox name=n {checked}>").repeat(3000);
        let long = "no end of words ".repeat(20_000);
        format!("{}<label>{}{fields}</b><label>{long}{fields}", "<div>".repeat(500), "<b>".repeat(500))
    };
    let summary = summary(&page(""), &page("checked"), &Entities::default(), EXCERPT);
    let told = summary.to_string();
    assert!(told.contains("“[field: n]”; checked of input: no → yes"), "{}", told.lines().take(9).collect::<String>());
    assert!(told.contains("“[field: no end of words"), "{}", told.lines().last().unwrap_or_default());
}

#[test]
fn words_of_neighbouring_links_are_apart() {
    let links = |names: [&str; 4]| {
        let links =
            names.map(|name| format!("<a href=/{}>{name}</a>", names.iter().position(|one| *one == name).unwrap()));
        format!("<nav>{}</nav>", links.concat())
    };
    check(
        &links(["Home", "Plans", "Blog", "About"]),
        &links(["Home", "Prices", "Blog", "About"]),
        "1 change (1 replaced)\n\n  1. replaced: “Plans” → “Prices”, in “Home Prices Blog About”",
    );
    check(
        &links(["Home", "Plans", "Blog", "About"]),
        &links(["Home", "New plans", "Our blog", "About"]),
        "1 change (1 replaced)\n\n  1. replaced: “Plans Blog” → “New plans Our blog”",
    );
    check(
        "<p><a href=a>one</a>",
        "<p><a href=a>one</a><a href=b>two</a><a href=c>three</a>",
        "1 change (1 added)\n\n  1. added: “two three”, in “one two three”",
    );
    // Without a second link nothing is apart.
    check(
        "<p>see <a href=a>one</a>.",
        "<p>see <a href=a>two</a>.",
        "1 change (1 replaced)\n\n  1. replaced: “one” → “two”, in “see two.”",
    );
}

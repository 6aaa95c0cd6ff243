//! Any version, any time, any two.

use store::{Error, Filter, Kind, Kinds, Moment, Nearest, Search};
use treediff::delta::{ApplyOptions, Identities, Xid};
use treediff::parse;
use treediff::select::Expression;

use super::*;

#[test]
fn a_version_is_found_by_number_time_and_distance() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two", "three"]);
        let number = |moment| store.version(&page("a"), moment, None).map(|version| version.number);
        assert_eq!(number(Moment::Latest).ok(), Some(3));
        assert_eq!(number(Moment::Number(2)).ok(), Some(2));
        assert_eq!(number(Moment::Back(2)).ok(), Some(1));
        assert_eq!(number(Moment::At(hour(2))).ok(), Some(2));
        assert_eq!(number(Moment::At(hour(50))).ok(), Some(3));
        for moment in [Moment::Number(4), Moment::Back(3), Moment::At(hour(0))] {
            let error = number(moment).expect_err("no version").to_string();
            assert!(error.contains("3 versions from 1 to 3"), "{error}");
        }
        let before = number(Moment::At(hour(0))).expect_err("no version").to_string();
        let url = page("a");
        let expected =
            format!("`{url}` has no version of {}; it has 3 versions from 1 to 3, the first of {}", hour(0), hour(1));
        assert_eq!(before, expected);
        let behind = store.version_at(&url, hour(50), Nearest::After).expect_err("no version").to_string();
        assert!(behind.ends_with(&format!("it has 3 versions from 1 to 3, the last of {}", hour(3))), "{behind}");
        let minute = |minute: i64| hour(0) + jiff::SignedDuration::from_mins(minute);
        let nearest = |time, nearest| store.version_at(&page("a"), time, nearest).ok().map(|version| version.number);
        assert_eq!(nearest(minute(119), Nearest::Before), Some(1));
        assert_eq!(nearest(minute(119), Nearest::Closest), Some(2));
        assert_eq!(nearest(minute(90), Nearest::Closest), Some(1));
        assert_eq!(nearest(minute(61), Nearest::After), Some(2));
        assert_eq!(nearest(minute(1000), Nearest::After), None);
        assert_eq!(nearest(minute(1000), Nearest::Closest), Some(3));
        assert_eq!(nearest(minute(0), Nearest::Before), None);
        assert_eq!(nearest(minute(0), Nearest::Closest), Some(1));
    });
}

#[test]
fn pages_that_are_not_there_are_named() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a/", &["one"]);
        let error = store.page(&page("a")).expect_err("no page");
        assert_eq!(error.to_string(), "`https://example.org/a` was never recorded; there is `https://example.org/a/`");
        assert!(matches!(store.versions(&page("b")), Err(Error::UnknownPage { suggestion: None, .. })));
    });
}

#[test]
fn pages_are_listed_by_pattern() {
    on_every_engine(|location| {
        let store = open(location);
        for name in ["b", "a/x.xml", "a/y.html", "A"] {
            record(&store, name, &[name]);
        }
        let listed = |pattern: &str| {
            let mut names = Vec::new();
            let each = |page: store::Page| {
                names.push(page.address.url().replace("https://example.org/", ""));
                Ok(())
            };
            store.for_each_page(pattern, each).expect("pages");
            names
        };
        assert_eq!(listed("*"), ["A", "a/x.xml", "a/y.html", "b"]);
        assert_eq!(listed("https://example.org/a/*"), ["a/x.xml", "a/y.html"]);
        assert_eq!(listed("*.xml"), ["a/x.xml"]);
        assert_eq!(listed("https://example.org/b"), ["b"]);
    });
}

/// The delta between any two versions, in either direction, leads from the one to the other.
#[test]
fn deltas_between_any_two_versions_apply() {
    on_every_engine(|location| {
        let store = open(location);
        let states = ["<a><b>1</b></a>", "<a><c/><b>2</b></a>", "<a><b>2</b></a>", "<a x='1'><b>2</b><b>3</b></a>"];
        record(&store, "a.xml", &states);
        for (from, before) in (1..).zip(states) {
            for (to, after) in (1..).zip(states).filter(|(to, _)| *to != from) {
                let delta = store.delta(&page("a.xml"), from, to).expect("read").expect("a delta");
                let [before, after] =
                    [before, after].map(|state| parse::xml(state, &Default::default()).unwrap().document);
                let patched = delta.apply(&before, &ApplyOptions::default()).expect("applied");
                assert!(patched.document.root().same_content(after.root()), "{from} to {to}");
            }
        }
        assert!(store.delta(&page("a.xml"), 2, 5).is_err());
    });
}

/// Who was there before is known by the same identity, whatever was between.
#[test]
fn nodes_keep_their_identities() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["<a><b>x</b></a>", "<a><c/><b>y</b></a>", "PNG", "<a><b>y</b></a>"]);
        let mut found: Vec<Option<Identities>> = Vec::new();
        store
            .for_each_version(&page("a"), |seen| {
                found.push(seen.identities()?);
                Ok(())
            })
            .expect("versions");
        let written = |place: usize| found[place].as_ref().map(|known| (known.xids.to_string(), known.next.0));
        // x, b, a; then c, y, b, a; nothing; and all anew, because nothing is known of what was between.
        assert_eq!(written(0), Some(("(1-3)".into(), 4)));
        assert_eq!(written(1), Some(("(4;1-3)".into(), 5)));
        assert_eq!(written(2), Some(("()".into(), 5)));
        assert_eq!(written(3), Some(("(5-7)".into(), 8)));
        assert!(store.delta(&page("a"), 1, 2).expect("read").is_some());
        assert!(store.delta(&page("a"), 1, 4).expect("read").is_none());
    });
}

#[test]
fn changes_are_found_over_all_pages() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a.xml", &["<m><soup>4</soup></m>", "<m><soup>5</soup></m>", "<m><soup>5</soup><tea/></m>"]);
        record(&store, "b.xml", &["<m><soup>7</soup></m>", "<m><soup>4</soup></m>"]);
        let find = |search: Search| {
            let mut found = Vec::new();
            let each = |changed: store::Changed| {
                let name = changed.address.url().rsplit('/').next().unwrap_or_default().to_owned();
                found.extend(changed.changes.iter().map(|change| format!("{name} {} {}", changed.number, change.path)));
                Ok(())
            };
            store.for_each_change(&search, each).expect("changes");
            found
        };
        let all = ["a.xml 2 /m/soup/text()", "a.xml 3 /m/tea", "b.xml 2 /m/soup/text()"];
        let updates = Filter::new(Kinds::from(Kind::Update), None, None);
        let fours = Filter::new(Kinds::ALL, Some("//soup".parse().expect("a path")), Some("4"));
        for _ in 0..2 {
            assert_eq!(find(Search::default()), all);
            assert_eq!(find(Search { filter: updates.clone(), ..Search::default() }), [all[0], all[2]]);
            assert_eq!(find(Search { filter: fours.clone(), ..Search::default() }), [all[0], all[2]]);
            assert_eq!(find(Search { since: Some(hour(3)), ..Search::default() }), [all[1]]);
            assert_eq!(find(Search { until: Some(hour(3)), ..Search::default() }), [all[0], all[2]]);
            assert_eq!(find(Search { pages: "*b.xml".into(), ..Search::default() }), [all[2]]);
            store.compact(|_| ()).expect("compacted");
        }
    });
}

/// Long histories are looked through in parts, loose ones and packed ones alike, and none of their steps is missed.
#[test]
fn changes_are_found_however_they_are_kept() {
    on_every_engine(|location| {
        let store = open(location);
        let states: Vec<String> = (0..150).map(|state| format!("<m><soup>{state}</soup></m>")).collect();
        let states: Vec<&str> = states.iter().map(String::as_str).collect();
        record(&store, "a.xml", &states);
        record(&store, "b.xml", &states[7..50]);
        let found = |since: Option<i64>| {
            let mut found = Vec::new();
            let each = |changed: store::Changed| {
                let values =
                    changed.changes.into_iter().map(|change| [change.before, change.after].map(Option::unwrap));
                found.push((changed.number, values.collect::<Vec<_>>()));
                Ok(())
            };
            store.for_each_change(&Search { since: since.map(hour), ..Search::default() }, each).expect("changes");
            found
        };
        let expected = |start: u32, versions: u32, since: u32| {
            let step =
                move |number: u32| (number, vec![[number - 2, number - 1].map(|state| (start + state).to_string())]);
            (since.max(2)..=versions).map(step).collect::<Vec<_>>()
        };
        for _ in 0..2 {
            assert_eq!(found(None), [expected(0, 150, 0), expected(7, 43, 0)].concat());
            assert_eq!(found(Some(40)), [expected(0, 150, 40), expected(7, 43, 40)].concat());
            store.compact(|_| ()).expect("compacted");
        }
    });
}

/// What a page says through time, who of its nodes came when, and which version brought what.
#[test]
fn values_lives_and_origins_are_told() {
    on_every_engine(|location| {
        let store = open(location);
        let states = [
            "<a><b>one two</b></a>",
            "<a><b>one three</b></a>",
            "<a><b>one three</b><c d='1'/></a>",
            "<a><c d='1'/></a>",
        ];
        record(&store, "a.xml", &states);
        let expression = Expression::parse("/a/b").expect("an expression");
        let readings = store.trace(&page("a.xml"), &expression, &Default::default()).expect("readings");
        let told: Vec<(u32, u32, String)> =
            readings.into_iter().map(|one| (one.number, one.until, one.values.concat())).collect();
        assert_eq!(told, [(1, 1, "one two".into()), (2, 3, "one three".into()), (4, 4, String::new())]);
        let life = store.life(&page("a.xml"), Xid(1)).expect("a life");
        let told: Vec<(u32, Kind)> = life.iter().map(|turn| (turn.number, turn.kind)).collect();
        assert_eq!(told, [(1, Kind::Insert), (2, Kind::Update), (4, Kind::Delete)]);
        assert_eq!(blamed(&store, "a.xml", 3), ["2 one three", "3 "]);
        assert_eq!(blamed(&store, "a.xml", 4), ["3 "]);
        assert!(matches!(store.blame(&page("a.xml"), 5), Err(Error::NoVersion { .. })));
    });
}

#[test]
fn pages_and_texts_are_blamed_by_sentences_and_lines() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a.html", &["<p>One. Two.", "<p>One. <b>Three.</b>", "no page", "<p>One. Four."]);
        assert_eq!(blamed(&store, "a.html", 2), ["1 One.", "2 Three."]);
        record(&store, "a.txt", &["one\ntwo\n", "zero\none\n"]);
        assert_eq!(blamed(&store, "a.txt", 2), ["2 zero", "1 one"]);
        record(&store, "a.bin", &["a\0b"]);
        assert!(store.blame(&page("a.bin"), 1).is_err());
    });
}

/// `version text`, in order.
fn blamed(store: &Store, name: &str, number: u32) -> Vec<String> {
    let blamed = store.blame(&page(name), number).expect("a blame");
    blamed.iter().map(|one| format!("{} {}", one.origin.number, one.text)).collect()
}

/// A page that is not known is told with the one that was meant, or with what is wrong behind the `@`.
#[test]
fn what_is_not_known_is_told_with_what_is() {
    on_every_engine(|location| {
        let store = open(location);
        let form = |url: &str, body: &str| Address::form(url, "POST", Some(body.into())).expect("a form");
        let [plain, soup, tea] = ["https://a.example/s", "q=soup", "q=tea"];
        let all = [form(plain, soup), form(plain, tea), Address::new(plain).expect("an address")];
        for address in &all {
            store.record(Capture::of(address.clone(), hour(1), "x")).expect("recorded");
        }
        let check = |address: Address, expected: &str| {
            assert_eq!(store.page(&address).expect_err("it is not known").to_string(), expected);
        };
        let new = |url: &str| Address::new(url).expect("an address");
        let unknown = |asked: &str, near: &str| format!("`{asked}` was never recorded; there is `{near}`");
        check(new("https://a.example/s/"), &unknown("https://a.example/s/", plain));
        let asked = form("https://a.example/s/", tea);
        check(asked.clone(), &unknown(&asked.to_string(), "POST https://a.example/s [q=tea]"));
        let asked = form(plain, "q=milk");
        check(asked.clone(), &unknown(&asked.to_string(), "POST https://a.example/s [q=soup]"));
        check(new("https://a.example/t"), "`https://a.example/t` was never recorded");
        let forms = "expected `@7`, `@-1`, `@latest`, `@seen` or a time such as `@2026-11-01T12:00`";
        let wrong = |moment: &str, page: &str| format!("`@{moment}` is no version and no time of `{page}`: {forms}");
        check(new("https://a.example/s@yesterdayy"), &wrong("yesterdayy", plain));
        check(new("https://a.example/s@2026-13-45"), &wrong("2026-13-45", plain));
        check(form("https://a.example/s@2026/11", tea), &wrong("2026/11", "POST https://a.example/s [q=tea]"));
        check(new("https://a.example/t@yesterdayy"), "`https://a.example/t@yesterdayy` was never recorded");
        check(new("https://a.example/s@7"), "`https://a.example/s@7` was never recorded");
    });
}

use proptest::prelude::*;

use super::*;
use crate::parse::{self, Options};
use crate::tree::Node;
use crate::write;

/// Documents that use every section.
fn samples() -> Vec<Document> {
    let options = Options::default();
    let json = |source: &str| parse::json(source, &options).expect(source).document;
    let xml = |source: &str| parse::xml(source, &options).expect(source).document;
    let html = |source: &str| parse::html(source, &options).expect(source).document;
    vec![
        json("1"),
        json(
            r#"{"menu": [{"dish": "t\u00e9a \"1\"", "price": 2.50}, {"dish": "soup", "price": null}], "é": {"": []}}"#,
        ),
        xml(V1_SOURCE),
        xml(&wide()),
        // A declaration that stands behind the source, and is empty there.
        xml("<!DOCTYPE a [<!ATTLIST b xmlns CDATA ''>]><a xmlns='u'><b/></a>"),
        html("<!DOCTYPE html><p id=a class='x &amp; y'>tea&eacute; <b>&lt;soup<p>more<svg><a xlink:href=b>"),
    ]
}

/// An element with more attributes than a byte counts, and one behind it.
fn wide() -> String {
    let attributes: String = (0..300).map(|n| format!(" a{n}='{n}'")).collect();
    format!("<w{attributes}><x y='1'/></w>")
}

/// Everything that a document says, by every accessor.
fn account(document: &Document) -> Vec<String> {
    let mut lines = vec![format!("{:?} {} {}", document.format(), document.encoding(), document.has_byte_order_mark())];
    lines.push(format!("{} {:?} {:?}", document.len(), document.source(), document.doctype()));
    lines.extend(document.names().iter().map(|(id, name)| format!("{id:?} {name} {:x}", document.names().hash(id))));
    lines.extend(document.nodes().map(account_of_node));
    lines.push(format!("{:?}", document.root_element()));
    lines.push(format!("{:?}", document.element_by_id("a")));
    lines.push(format!("{:?}", document.root().walk().collect::<Vec<_>>()));
    lines.push(String::from_utf8_lossy(&write::source(document)).into_owned());
    lines.push(write::canonical(document));
    lines.push(write::html(document));
    lines.push(write::canonical_json(document));
    lines
}

fn account_of_node(node: Node<'_>) -> String {
    let ids =
        |nodes: &mut dyn Iterator<Item = Node<'_>>| -> Vec<usize> { nodes.map(|node| node.id().index()).collect() };
    let attributes: Vec<String> = node
        .attributes()
        .map(|attribute| {
            let found = node.attribute(attribute.name().namespace, attribute.name().local);
            let place = (attribute.index(), attribute.prefix(), attribute.qualified_name(), attribute.source_range());
            format!("{attribute:?} {place:?} {found:?}")
        })
        .collect();
    let relatives =
        [node.parent(), node.first_child(), node.last_child(), node.next_sibling(), node.previous_sibling()];
    format!(
        "{node:?} {:?} {attributes:?} {relatives:?} {:?}",
        (
            (node.label(), node.kind(), node.prefix(), node.qualified_name(), node.end()),
            (node.hash(), node.size(), node.weight(), node.value(), node.string_value(), node.id_value()),
            (node.declarations().collect::<Vec<_>>(), node.source_range(), node.attribute_count()),
        ),
        (
            ids(&mut node.children()),
            ids(&mut node.ancestors()),
            ids(&mut node.descendants()),
            node.same_content(node),
            node.contains(node),
        ),
    )
}

#[test]
fn what_was_saved_is_what_is_mapped() {
    for document in samples() {
        let saved = Saved::open(document.save()).unwrap();
        assert_eq!(saved.node_count(), document.len());
        assert_eq!(saved.root_hash(), document.root().hash());
        assert_eq!(saved.format(), document.format());
        let mapped = saved.document().unwrap();
        assert_eq!(account(&mapped), account(&document));
        assert!(mapped.root().same_content(document.root()));
        assert_eq!(mapped.save(), document.save());
    }
}

#[test]
fn nothing_is_copied_but_the_names() {
    for document in samples() {
        let mapped = Saved::open(document.save()).unwrap().document().unwrap();
        assert!(mapped.heap_bytes() <= document.names().heap_bytes());
    }
}

#[test]
fn any_address_will_do() {
    for document in samples() {
        for shift in 0..8 {
            let shifted = Bytes::from([&vec![0; shift], document.save().as_slice()].concat()).slice(shift..);
            assert_eq!(account(&Saved::open(shifted).unwrap().document().unwrap()), account(&document));
        }
    }
}

/// Documents saved by every version of the format, which have to open for ever.
#[test]
fn every_version_opens() {
    let versions: [&[u8]; 2] =
        [include_bytes!("../../../tests/formats/v1.saved"), include_bytes!("../../../tests/formats/v2.saved")];
    let parsed = parse::xml(V1_SOURCE, &Options::default()).unwrap().document;
    for stored in versions {
        let saved = Saved::open(stored).unwrap();
        let document = saved.document().unwrap();
        assert_eq!(document.source(), V1_SOURCE);
        assert_eq!(account(&document), account(&parsed));
        check_reached(&saved, &parsed, true);
    }
}

const V1_SOURCE: &str = include_str!("../../../tests/formats/v1.xml");

#[test]
#[ignore = "writes the stored file anew, which is right only until the format is released"]
fn write_version_2() {
    let document = parse::xml(V1_SOURCE, &Options::default()).unwrap().document;
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats/v2.saved"), document.save()).unwrap();
}

/// Asks every node that can be reached everything: it says what is so, or that something is damaged, and the latter not
/// where all `is_whole`.
fn check_reached(saved: &Saved, document: &Document, is_whole: bool) {
    let mut reached = 0;
    let mut waiting: Vec<_> = sound(saved.root(), is_whole).into_iter().collect();
    while let Some(found) = waiting.pop() {
        reached += 1;
        check_node(found, document.node(found.id()), is_whole);
        waiting.extend(found.children().filter_map(|child| sound(child, is_whole)));
    }
    assert!(!is_whole || reached == document.len());
}

fn check_node(found: SavedNode<'_>, node: Node<'_>, is_whole: bool) {
    assert_eq!((found.kind(), found.size()), (node.kind(), node.size()));
    said(found.name(), node.name(), is_whole);
    said(found.hash(), node.hash(), is_whole);
    said(found.value(), node.value(), is_whole);
    let wanted = node.attributes().last();
    let (name, value) = wanted.map_or(("none", None), |wanted| (wanted.name().local, Some(wanted.value())));
    let namespace = wanted.map_or("", |wanted| wanted.name().namespace);
    said(found.attribute(namespace, name), value, is_whole);
    let Some(document) = sound(found.document(), is_whole) else { return };
    if node.parent().is_some() {
        let top = document.root().first_child().unwrap();
        assert!(top.same_content(node) && top.weight() == node.weight() && document.len() as u32 == node.size() + 1);
        let sources = (top.source_range().map(|range| &document.source()[range]), node.source_range());
        assert_eq!(sources.0, sources.1.map(|range| &node.document().source()[range]));
        let both = document.root().descendants().zip(std::iter::once(node).chain(node.descendants()));
        for (here, there) in both {
            let names = |node: Node<'_>| (node.qualified_name().into_owned(), node.prefix().to_owned());
            assert_eq!((names(here), here.id_value()), (names(there), there.id_value()));
            assert!(here.declarations().eq(there.declarations()));
            let written =
                |node: Node<'_>| node.attributes().map(|attribute| format!("{attribute:?}")).collect::<String>();
            assert_eq!(written(here), written(there));
        }
    }
}

fn said<T: PartialEq + std::fmt::Debug>(found: Result<T, SavedError>, expected: T, is_whole: bool) {
    if let Some(found) = sound(found, is_whole) {
        assert_eq!(found, expected);
    }
}

fn sound<T>(found: Result<T, SavedError>, is_whole: bool) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(error) => {
            assert!(!is_whole, "{error}");
            None
        }
    }
}

#[test]
fn every_node_is_reached_without_the_whole() {
    for document in samples() {
        check_reached(&Saved::open(document.save()).unwrap(), &document, true);
    }
}

/// A document of many blocks.
fn long() -> Document {
    let items: String = (0..5000).map(|n| format!("<item n='{n}'>tea {n}</item>")).collect();
    parse::xml(format!("<shop>{items}</shop>"), &Options::default()).unwrap().document
}

#[test]
fn what_is_not_touched_is_not_checked_and_what_is_touched_is() {
    let document = long();
    let mut saved = document.save();
    let at = saved.windows(10).position(|window| window == b"tea 4000</").unwrap();
    saved[at] ^= 1;
    let saved = Saved::open(saved).unwrap();
    let shop = saved.root().unwrap().children().next().unwrap().unwrap();
    let item = |n: usize| shop.children().nth(n).unwrap().unwrap();
    assert_eq!(item(4999).document().unwrap().source(), "<item n='4999'>tea 4999</item>");
    assert_eq!(item(7).attribute("", "n").unwrap().unwrap(), "7");
    let expected = damaged("text", "does not match its checksum");
    assert_eq!(item(4000).document().unwrap_err(), expected);
    assert_eq!(item(4000).children().next().unwrap().unwrap().value().unwrap_err(), expected);
    assert_eq!(saved.root().unwrap().document().unwrap_err(), expected);
    assert_eq!(saved.document().unwrap_err(), expected);
}

/// A few names that each are all characters there are would make a document that is many times as long as its file.
#[test]
fn names_that_share_their_characters_are_refused() {
    let document = parse::xml("<a><longer><b/><c/><d/></longer></a>", &Options::default()).unwrap().document;
    let mut sections = document.sections();
    let (text, names) = (sections[1].1.len() as u32, sections[3].1.to_mut());
    for name in names.chunks_exact_mut(12).skip(1) {
        name[4..].copy_from_slice(bytemuck::cast_slice(&[0, text]));
    }
    let saved = Saved::open(written(document.header(), &sections)).unwrap();
    let top = saved.root().unwrap().children().next().unwrap().unwrap();
    assert_eq!(top.name().unwrap().local.len(), text as usize);
    assert_eq!(top.document().unwrap_err(), damaged("names", "uses characters more than once"));
    assert!(saved.document().is_err());
}

#[test]
fn no_flipped_byte_makes_a_node_say_something_else() {
    for document in samples() {
        let saved = document.save();
        for at in 0..saved.len() {
            let mut flipped = saved.clone();
            flipped[at] ^= 1 << (at % 8);
            if let Ok(flipped) = Saved::open(flipped) {
                check_reached(&flipped, &document, false);
            }
        }
    }
}

fn opened(bytes: Vec<u8>) -> Result<Document, SavedError> {
    Saved::open(bytes)?.document()
}

#[test]
fn every_flipped_bit_is_seen() {
    for document in samples() {
        let saved = document.save();
        let before = account(&document);
        for bit in 0..saved.len() * 8 {
            let mut flipped = saved.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(document) = opened(flipped) {
                // Nothing but the filling between sections may change without a word.
                assert_eq!(account(&document), before, "bit {bit}");
                assert_eq!(saved[bit / 8], 0, "bit {bit}");
            }
        }
    }
}

#[test]
fn every_way_of_stopping_short_is_seen() {
    for document in samples() {
        let saved = document.save();
        for end in 0..saved.len() {
            assert!(opened(saved[..end].to_vec()).is_err(), "{end} of {}", saved.len());
        }
        let longer = [saved.as_slice(), &[0]].concat();
        assert!(matches!(opened(longer), Err(SavedError::Length { .. })));
    }
}

#[test]
fn errors_say_what_to_do() {
    let saved = samples()[1].save();
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = saved.clone();
        change(&mut changed);
        opened(changed).unwrap_err().to_string()
    };
    assert_eq!(error(&|bytes| bytes.clear()), "found no saved document: the first bytes are not those of one");
    let expected = "found a document saved in format 9, expected format 2 or less; parse the source again";
    assert_eq!(error(&|bytes| bytes[8] = 9), expected);
    let expected =
        "the saved document is damaged: section `header` does not match its checksum; parse the source again";
    assert_eq!(error(&|bytes| bytes[100] ^= 1), expected);
    let expected = "the saved document is damaged: section `text` does not match its checksum; parse the source again";
    let text = saved.windows(4).position(|window| window == b"menu").unwrap();
    assert_eq!(error(&|bytes| bytes[text] ^= 1), expected);
}

#[test]
fn unknown_sections_are_skipped_and_missing_ones_are_missed() {
    for document in samples() {
        let mut sections = document.sections();
        sections.insert(3, ("learned-keys", Cow::Borrowed(b"something new")));
        let again = opened(written(document.header(), &sections)).unwrap();
        assert_eq!(account(&again), account(&document));
        for at in 0..sections.len() {
            let (name, section) = sections.remove(at);
            let outcome = opened(written(document.header(), &sections));
            assert_eq!(outcome.err(), (name != "learned-keys").then(|| damaged(name, "is missing")));
            sections.insert(at, (name, section));
        }
    }
}

fn written(header: Header, sections: &[(SectionName, Cow<'_, [u8]>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    layout::write(header, sections, &mut bytes).unwrap();
    bytes
}

/// What somebody does to a section who can compute checksums.
#[derive(Debug, Clone)]
enum Forgery {
    Word(prop::sample::Index, u32),
    Byte(prop::sample::Index, u8),
    Swap(prop::sample::Index, prop::sample::Index),
    Cut(prop::sample::Index),
    Grow(Vec<u8>),
}

impl Forgery {
    fn apply(&self, section: &mut Vec<u8>) {
        let words = section.len() / 4;
        match self {
            Forgery::Word(at, word) if words > 0 => {
                let at = at.index(words) * 4;
                section[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            Forgery::Swap(a, b) if words > 0 => {
                let (a, b) = (a.index(words) * 4, b.index(words) * 4);
                (0..4).for_each(|byte| section.swap(a + byte, b + byte));
            }
            Forgery::Byte(at, byte) if !section.is_empty() => {
                let at = at.index(section.len());
                section[at] = *byte;
            }
            Forgery::Cut(at) if !section.is_empty() => section.truncate(at.index(section.len())),
            Forgery::Grow(more) => section.extend_from_slice(more),
            _ => {}
        }
    }
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let word =
        prop_oneof![0u32..40, Just(u32::MAX), Just(1 << 31), (0u32..40).prop_map(|len| len | 1 << 31), any::<u32>()];
    prop_oneof![
        4 => (any::<prop::sample::Index>(), word).prop_map(|(at, word)| Forgery::Word(at, word)),
        3 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Forgery::Byte(at, byte)),
        2 => (any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(|(a, b)| Forgery::Swap(a, b)),
        1 => any::<prop::sample::Index>().prop_map(Forgery::Cut),
        1 => prop::collection::vec(any::<u8>(), 0..13).prop_map(Forgery::Grow),
    ]
}

fn forged(document: &Document, forgeries: &[(prop::sample::Index, Forgery)], header_byte: Option<(u8, u8)>) -> Vec<u8> {
    let mut sections = document.sections();
    for (section, forgery) in forgeries {
        let at = section.index(sections.len());
        forgery.apply(sections[at].1.to_mut());
    }
    let mut header = document.header();
    if let Some((at, byte)) = header_byte {
        let bytes = bytemuck::bytes_of_mut(&mut header);
        let at = usize::from(at) % bytes.len();
        bytes[at] = byte;
    }
    written(header, &sections)
}

/// Asks every node that can be reached, and does not judge the answers.
fn look_around(saved: &Saved) {
    let mut waiting: Vec<SavedNode<'_>> = saved.root().into_iter().collect();
    while let Some(node) = waiting.pop() {
        let _ = (node.name(), node.hash(), node.value(), node.attribute("", "a"));
        if let Ok(document) = node.document() {
            account(&document);
        }
        waiting.extend(node.children().flatten());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn no_forgery_makes_an_accessor_panic(
        sample in any::<prop::sample::Index>(),
        forgeries in prop::collection::vec((any::<prop::sample::Index>(), forgery()), 1..4),
        header_byte in prop::option::weighted(0.1, any::<(u8, u8)>()),
    ) {
        let samples = samples();
        let Ok(saved) = Saved::open(forged(sample.get(&samples), &forgeries, header_byte)) else { return Ok(()) };
        if let Ok(document) = saved.document() {
            account(&document);
        }
        look_around(&saved);
    }

    #[test]
    fn no_byte_of_many_blocks_can_change_without_a_word(at in any::<prop::sample::Index>(), change in 1u8..) {
        let document = long();
        let mut saved = document.save();
        let at = at.index(saved.len());
        saved[at] ^= change;
        if let Ok(saved) = Saved::open(saved) {
            let shop = saved.root().map(SavedNode::children);
            for item in shop.into_iter().flatten().flatten().flat_map(SavedNode::children).flatten().step_by(7) {
                check_node(item, document.node(item.id()), false);
            }
        }
    }

    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..200), has_magic in any::<bool>()) {
        let magic: &[u8] = if has_magic { b"\x89deltaic\x02\0\0\0" } else { b"" };
        prop_assert!(opened([magic, &bytes].concat()).is_err());
    }
}

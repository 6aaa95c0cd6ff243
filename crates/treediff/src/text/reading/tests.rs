use proptest::prelude::*;

use super::*;
use crate::parse::{self, Options, Whitespace};

fn page(source: &str) -> Document {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    parse::html(source, &options).expect("a page").document
}

/// The sentences of a page, with a bar between any two.
fn read(source: &str) -> String {
    let page = page(source);
    let reading = Reading::new(&page, &mut Vocabulary::default());
    let sentences = reading.sentences().iter().map(|sentence| reading.excerpt(sentence.items(), 1000));
    sentences.collect::<Vec<_>>().join(" | ")
}

#[test]
fn pages_are_read_as_sentences() {
    let check = |page: &str, expected: &str| assert_eq!(read(page), expected, "{page}");
    check("<h1>News</h1><p>Tea is <b>back</b>. Enjoy!", "News | Tea is back. | Enjoy!");
    check("<p><b>H</b>ello <img src=/a/cup.png alt=''>there", "Hello [image: cup.png]there");
    check("<title>T</title><script>x</script><style>y</style><p>a", "a");
    // No script runs, so this is read.
    check("<noscript><style>y</style></noscript><body><p>a<noscript> b<p>c</noscript>", "a b | c");
    check("<table><tr><td>1<td>2<tr><td>3</table>", "1 | 2 | 3");
    check("<pre>a  b\nc</pre>d", "a b  | c | d");
    check("one<br>two<hr>three", "one | two | three");
    check("<select><option>x <option>y</select><input type=hidden value=z>", "[field: x]");
}

proptest! {
    /// What is taken over from the other version is what one would have read.
    #[test]
    fn both_versions_are_read_as_each_is(
        versions in prop::array::uniform2(prop::collection::vec((0..PASSAGES.len(), 0..AROUND.len()), 0..12)),
    ) {
        let sources = versions.map(|passages| {
            let passages = passages.into_iter().map(|(passage, around)| AROUND[around].replace('*', PASSAGES[passage]));
            passages.collect::<String>()
        });
        let [before, after] = sources.each_ref().map(|source| page(source));
        let mut vocabulary = Vocabulary::default();
        let alone = [&before, &after].map(|page| Reading::new(page, &mut vocabulary));
        let together = Reading::both([&before, &after]);
        prop_assert_eq!(items(&alone), items(&together));
        for (alone, together) in alone.into_iter().zip(together) {
            prop_assert_eq!(alone.sentences(), together.sentences());
        }
    }
}

/// The items of two readings; those that are equal have one number, whatever it was.
fn items(readings: &[Reading<'_>; 2]) -> Vec<Item> {
    let mut numbers = std::collections::HashMap::new();
    let items = readings.iter().flat_map(|reading| reading.items());
    let numbered = items.map(|item| {
        let next = numbers.len() as u32;
        Item { number: *numbers.entry(item.number).or_insert(next), ..*item }
    });
    numbered.collect()
}

const PASSAGES: [&str; 6] = [
    "A sentence with Dr. No in it. Another one!",
    "A <b>sentence</b> with Dr. <i>N</i>o in it. Another one!",
    "A sentence with  Dr. No\nin it. Another one!",
    "A sentence with <img src=a> Dr. No in it.",
    "A sentence with <img src=b> Dr. No in it.",
    "short",
];

const AROUND: [&str; 5] = ["<p>*</p>", "<pre>*</pre>", "<pre>x<br>*</pre>", "<div>*<br>* *</div>", "<a href=/x>*</a>"];

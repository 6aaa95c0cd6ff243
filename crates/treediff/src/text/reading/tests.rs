use super::*;
use crate::parse::{self, Options, Whitespace};

/// The sentences of a page, with a bar between any two.
fn read(source: &str) -> String {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let page = parse::html(source, &options).expect("a page").document;
    let reading = Reading::new(&page, &mut Vocabulary::default());
    let sentences = reading.sentences().iter().map(|sentence| reading.excerpt(sentence.items(), 1000));
    sentences.collect::<Vec<_>>().join(" | ")
}

#[test]
fn pages_are_read_as_sentences() {
    let check = |page: &str, expected: &str| assert_eq!(read(page), expected, "{page}");
    check("<h1>News</h1><p>Tea is <b>back</b>. Enjoy!", "News | Tea is back. | Enjoy!");
    check("<p><b>H</b>ello <img src=/a/cup.png alt=''>there", "Hello [image: cup.png]there");
    check("<title>T</title><script>x</script><style>y</style><p>a<noscript>b</noscript>", "a");
    check("<table><tr><td>1<td>2<tr><td>3</table>", "1 | 2 | 3");
    check("<pre>a  b\nc</pre>d", "a b  | c | d");
    check("one<br>two<hr>three", "one | two | three");
    check("<select><option>x <option>y</select><input type=hidden value=z>", "[field: x y]");
}

//! Is a change marked as a person would mark it? Pages with one change each, and the marks that a reader would make.

use treediff::matching;
use treediff::render::{EXCERPT, Summary, html};
use treediff::select;
use treediff::text::{Addresses, Changes, Entities};

use crate::marked::{merged, page, shown, with_changes};

fn check(before: &str, after: &str, expected: &str) {
    assert_eq!(shown(before, after), expected);
}

#[test]
fn a_word_is_another() {
    check(
        "<p>The quick brown fox jumps.",
        "<p>The slow brown fox jumps.",
        "<p>The [-quick-] {+slow+} brown fox jumps.</p>",
    );
}

#[test]
fn a_word_comes_in() {
    check("<p>The brown fox jumps.", "<p>The quick brown fox jumps.", "<p>The {+quick+} brown fox jumps.</p>");
}

#[test]
fn words_are_gone() {
    check("<p>The quick brown fox jumps high.", "<p>The fox jumps high.", "<p>The [-quick brown-] fox jumps high.</p>");
}

#[test]
fn a_number_is_another() {
    check("<p>It costs 4.50 euros.", "<p>It costs 4.80 euros.", "<p>It costs [-4.50-] {+4.80+} euros.</p>");
}

#[test]
fn punctuation_is_another() {
    check("<p>Come in, please.", "<p>Come in, please!", "<p>Come in, please[-.-]{+!+}</p>");
}

/// However long a sentence is, it is told word by word; one in which nothing is as it was is one change.
#[test]
fn words_of_a_long_sentence_are_others() {
    let count = |words: usize, word: fn(usize) -> String, other: fn(usize) -> String, every: usize| {
        let text = |word: &dyn Fn(usize) -> String| (0..words).map(word).collect::<Vec<_>>().join(" ");
        let [before, after] = [text(&word), text(&|at| if at % every == 0 { other(at) } else { word(at) })]
            .map(|text| page(format!("<p>{text}")));
        with_changes(&before, &after, |changes, _| changes.list().len())
    };
    let word = |at: usize| format!("w{}", at * at * at * 7919 % 4973);
    assert_eq!(count(8_000, word, |at| format!("new{at}"), 7), 1_143);
    assert_eq!(count(32_000, word, |at| format!("new{at}"), 20), 1_600);
    let item = |at: usize| format!("item{at} {} {},", at * 7919 % 997, at * 7907 % 991 + 2000);
    let other = |at: usize| format!("item{at} {} {},", at * 7919 % 997 + 1, at * 7907 % 991 + 2000);
    assert_eq!(count(2_000, item, other, 1), 2_000);
    assert_eq!(count(8_000, word, |at| format!("new{at}"), 1), 1);
}

#[test]
fn a_sentence_comes_in() {
    check(
        "<p>Tea is served. Milk is extra.",
        "<p>Tea is served. It is very hot. Milk is extra.",
        "<p>Tea is served. {+It is very hot.+} Milk is extra.</p>",
    );
}

#[test]
fn a_sentence_moves() {
    check(
        "<p>The first of them is this one. Then comes another sentence. At the end there is a third.",
        "<p>Then comes another sentence. At the end there is a third. The first of them is this one.",
        "<p> [<The first of them is this one.<] Then comes another sentence. At the end there is a third. {>The first of them is this one.>}</p>",
    );
}

#[test]
fn a_sentence_is_written_anew() {
    check(
        "<p>Tea is served. The kitchen closes at nine every evening. Enjoy.",
        "<p>Tea is served. Dogs must stay outside, thank you. Enjoy.",
        "<p>Tea is served. [-The kitchen closes at nine every evening.-] {+Dogs must stay outside, thank you.+} Enjoy.</p>",
    );
}

#[test]
fn a_list_item_comes_in() {
    check(
        "<ul><li>one apple</li><li>three pears</li></ul>",
        "<ul><li>one apple</li><li>two plums</li><li>three pears</li></ul>",
        "<ul><li>one apple</li><li>{+two plums+}</li><li>three pears</li></ul>",
    );
}

#[test]
fn a_list_item_is_gone() {
    check(
        "<ul><li>one apple</li><li>two plums</li><li>three pears</li></ul>",
        "<ul><li>one apple</li><li>three pears</li></ul>",
        "<ul><li>one apple</li><li>[-two plums-]</li><li>three pears</li></ul>",
    );
}

#[test]
fn one_list_item_is_in_the_place_of_another() {
    check(
        "<ul><li>one apple</li><li>sale of old books</li><li>three pears</li></ul>",
        "<ul><li>one apple</li><li>concert tonight</li><li>three pears</li></ul>",
        "<ul><li>one apple</li><li>[-sale of old books-]</li><li>{+concert tonight+}</li><li>three pears</li></ul>",
    );
}

#[test]
fn a_list_item_moves() {
    check(
        "<ul><li>the first item of all</li><li>the second item here</li><li>the third item there</li></ul>",
        "<ul><li>the second item here</li><li>the third item there</li><li>the first item of all</li></ul>",
        "<ul><li>[<the first item of all<]</li><li>the second item here</li><li>the third item there</li><li>{>the first item of all>}</li></ul>",
    );
}

#[test]
fn a_short_list_item_moves() {
    check(
        "<ul><li>Alpha</li><li>Beta</li><li>Gamma</li><li>Delta</li></ul>",
        "<ul><li>Delta</li><li>Alpha</li><li>Beta</li><li>Gamma</li></ul>",
        "<ul><li>{>Delta>}</li><li>Alpha</li><li>Beta</li><li>Gamma</li><li>[<Delta<]</li></ul>",
    );
}

#[test]
fn a_short_row_moves() {
    check(
        "<table><tr><td>Ann<td>31<tr><td>Bob<td>42<tr><td>Cid<td>53</table>",
        "<table><tr><td>Cid<td>53<tr><td>Ann<td>31<tr><td>Bob<td>42</table>",
        "<table><tbody><tr><td>{>Cid>}</td><td>{>53>}</td></tr><tr><td>Ann</td><td>31</td></tr>\
         <tr><td>Bob</td><td>42</td></tr><tr><td>[<Cid<]</td><td>[<53<]</td></tr></tbody></table>",
    );
}

#[test]
fn a_column_comes_in() {
    check(
        "<table><tr><th>tea</th><th>price</th></tr><tr><td>green</td><td>3</td></tr><tr><td>black</td><td>4</td></tr></table>",
        "<table><tr><th>tea</th><th>from</th><th>price</th></tr><tr><td>green</td><td>China</td><td>3</td></tr><tr><td>black</td><td>India</td><td>4</td></tr></table>",
        "<table><tbody><tr><th>tea</th><th>{+from+}</th><th>price</th></tr><tr><td>green</td><td>{+China+}</td><td>3</td></tr>\
         <tr><td>black</td><td>{+India+}</td><td>4</td></tr></tbody></table>",
    );
}

fn table(rows: &[&[&str]]) -> String {
    let row = |(at, row): (usize, &&[&str])| {
        let name = if at == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|cell| format!("<{name}>{cell}</{name}>")).collect();
        format!("<tr>{cells}</tr>")
    };
    format!("<table>{}</table>", rows.iter().enumerate().map(row).collect::<String>())
}

/// Cells that say what a new one next to them says are not taken for it in one row and for the old one in another.
#[test]
fn a_column_comes_in_beside_one_that_reads_alike() {
    let before = table(&[&["name", "may", "june"], &["Ann", "1", "2"], &["Bob", "3", "3"], &["Cid", "5", "6"]]);
    let after = table(&[
        &["name", "april", "may", "june"],
        &["Ann", "1", "1", "2"],
        &["Bob", "3", "3", "3"],
        &["Cid", "6", "5", "6"],
    ]);
    check(
        &before,
        &after,
        "<table><tbody><tr><th>name</th><th>{+april+}</th><th>may</th><th>june</th></tr>\
         <tr><td>Ann</td><td>{+1+}</td><td>1</td><td>2</td></tr><tr><td>Bob</td><td>{+3+}</td><td>3</td><td>3</td></tr>\
         <tr><td>Cid</td><td>{+6+}</td><td>5</td><td>6</td></tr></tbody></table>",
    );
    check(
        &after,
        &before,
        "<table><tbody><tr><th>name</th><th>[-april-]</th><th>may</th><th>june</th></tr>\
         <tr><td>Ann</td><td>[-1-]</td><td>1</td><td>2</td></tr><tr><td>Bob</td><td>[-3-]</td><td>3</td><td>3</td></tr>\
         <tr><td>Cid</td><td>[-6-]</td><td>5</td><td>6</td></tr></tbody></table>",
    );
}

/// However many rows it has, a column is one change; whole rows that are new beside it are another.
#[test]
fn a_column_is_one_change() {
    let narrow = table(&[&["tea", "price"], &["green", "3"], &["black", "4"]]);
    let wide = table(&[&["tea", "from", "price"], &["green", "China", "3"], &["black", "India", "4"]]);
    check_told(&narrow, &wide, &["added column: “from China India”"]);
    check_told(&wide, &narrow, &["removed column: “from China India”"]);
    let grown = table(&[
        &["tea", "price", "from", "kind"],
        &["green", "3", "China", "loose"],
        &["white", "5", "Nepal", "loose"],
        &["black", "4", "India", "bags"],
    ]);
    check_told(&narrow, &grown, &["added column: “from kind China loose India bags”", "added: “white 5 Nepal loose”"]);
    let turned = table(&[&["tea", "price", "sold"], &["green", "3", "20"], &["black", "4", "30"]]);
    check_told(&wide, &turned, &["removed column: “from China India”", "added column: “sold 20 30”"]);
    let inner = wide.replace("China", "<table><tr><td>China<tr><td>Nepal</table>");
    check_told(&narrow, &inner, &["added column: “from China Nepal India”"]);
    let over = |columns: usize| format!("<tr><td colspan={columns}>all of it</td></tr></table>");
    let [narrow_below, wide_below] = [(&narrow, 2), (&wide, 3)].map(|(table, n)| table.replace("</table>", &over(n)));
    check_told(
        &narrow_below,
        &wide_below,
        &["added column: “from China India”", "attribute: “all of it”; colspan of td: 2 → 3, in column “tea”"],
    );
    let json = with_changes(&page(&narrow), &page(&wide), |changes, _| Summary::new(changes, EXCERPT).json());
    assert!(json.contains(r#""kind":"added","whole":"column""#), "{json}");
}

/// A row that one side alone has gets an empty cell where the other side has a column of its own, so that all cells stay in their columns.
#[test]
fn rows_come_and_go_beside_columns() {
    let wide =
        table(&[&["Plan", "Price", "Storage", "Users"], &["Basic", "5", "1 GB", "50"], &["Pro", "20", "2 GB", "51"]]);
    let narrow =
        table(&[&["Plan", "Price", "Users"], &["Basic", "5", "50"], &["Team", "8", "77"], &["Pro", "20", "51"]]);
    check(
        &wide,
        &narrow,
        "<table><tbody><tr><th>Plan</th><th>Price</th><th>[-Storage-]</th><th>Users</th></tr>\
         <tr><td>Basic</td><td>5</td><td>[-1 GB-]</td><td>50</td></tr>\
         <tr><td>{+Team+}</td><td>{+8+}</td><td></td><td>{+77+}</td></tr>\
         <tr><td>Pro</td><td>20</td><td>[-2 GB-]</td><td>51</td></tr></tbody></table>",
    );
    check(
        &narrow,
        &wide,
        "<table><tbody><tr><th>Plan</th><th>Price</th><th>{+Storage+}</th><th>Users</th></tr>\
         <tr><td>Basic</td><td>5</td><td>{+1 GB+}</td><td>50</td></tr>\
         <tr><td>[-Team-]</td><td>[-8-]</td><td></td><td>[-77-]</td></tr>\
         <tr><td>Pro</td><td>20</td><td>{+2 GB+}</td><td>51</td></tr></tbody></table>",
    );
    let turned = table(&[
        &["Plan", "Users", "Price", "Storage"],
        &["Basic", "50", "5", "1 GB"],
        &["Team", "77", "8", "3 GB"],
        &["Pro", "51", "20", "2 GB"],
    ]);
    check(
        &wide,
        &turned,
        "<table><tbody><tr><th>Plan</th><th>{>Users>}</th><th>Price</th><th>Storage</th><th>[<Users<]</th></tr>\
         <tr><td>Basic</td><td>{>50>}</td><td>5</td><td>1 GB</td><td>[<50<]</td></tr>\
         <tr><td>{+Team+}</td><td>{+77+}</td><td>{+8+}</td><td>{+3 GB+}</td><td></td></tr>\
         <tr><td>Pro</td><td>{>51>}</td><td>20</td><td>2 GB</td><td>[<51<]</td></tr></tbody></table>",
    );
    // An empty cell of a column that went is one as well.
    check(
        &wide.replace("2 GB", ""),
        &narrow,
        "<table><tbody><tr><th>Plan</th><th>Price</th><th>[-Storage-]</th><th>Users</th></tr>\
         <tr><td>Basic</td><td>5</td><td>[-1 GB-]</td><td>50</td></tr>\
         <tr><td>{+Team+}</td><td>{+8+}</td><td></td><td>{+77+}</td></tr>\
         <tr><td>Pro</td><td>20</td><td></td><td>51</td></tr></tbody></table>",
    );
}

/// Every row has as many cells in the merged view, whichever page is around; what is new alone needs none beside it.
#[test]
fn rows_are_as_wide_as_others() {
    let wide =
        table(&[&["Plan", "Price", "Storage", "Users"], &["Basic", "5", "1 GB", "50"], &["Pro", "20", "2 GB", "51"]]);
    let narrow =
        table(&[&["Plan", "Price", "Users"], &["Basic", "5", "50"], &["Team", "8", "77"], &["Pro", "20", "51"]]);
    let widths = |before: &str, after: &str, options: &html::Options| -> Vec<usize> {
        let (frame, _) = merged(&page(before), &page(after), options);
        let rows = select::css(&frame, "tr").expect("a selector");
        rows.iter().map(|row| row.children().filter(|cell| cell.is_element()).count()).collect()
    };
    for reverse in [false, true] {
        let options = html::Options { reverse, ..Default::default() };
        assert_eq!(widths(&wide, &narrow, &options), [4; 4], "reverse: {reverse}");
        assert_eq!(widths(&narrow, &wide, &options), [4; 4], "reverse: {reverse}");
    }
    // A row that went elsewhere is shown at both places.
    let [first, second, third] = [["Plan", "Price"], ["Basic", "5"], ["Pro and more", "20"]];
    let before = table(&[
        &[first[0], "Sold", first[1]],
        &[second[0], "7", second[1]],
        &["Max", "8", "9"],
        &[third[0], "3", third[1]],
    ]);
    let after = table(&[&first, &third, &second, &["Max", "9"]]);
    for reverse in [false, true] {
        let options = html::Options { reverse, ..Default::default() };
        for widths in [widths(&before, &after, &options), widths(&after, &before, &options)] {
            assert!(widths.len() > 4 && widths.iter().all(|width| *width == 3), "{widths:?}, reverse: {reverse}");
        }
    }
    let options = html::Options { without_deleted: true, ..Default::default() };
    assert_eq!((widths(&wide, &narrow, &options), widths(&narrow, &wide, &options)), (vec![3; 4], vec![4; 3]));
}

#[test]
fn a_column_moves() {
    let before =
        table(&[&["name", "age", "town"], &["Ann", "31", "Rome"], &["Bob", "42", "Oslo"], &["Cid", "53", "Bern"]]);
    let after =
        table(&[&["town", "name", "age"], &["Rome", "Ann", "31"], &["Oslo", "Bob", "43"], &["Bern", "Cid", "53"]]);
    check(
        &before,
        &after,
        "<table><tbody><tr><th>{>town>}</th><th>name</th><th>age</th><th>[<town<]</th></tr>\
         <tr><td>{>Rome>}</td><td>Ann</td><td>31</td><td>[<Rome<]</td></tr>\
         <tr><td>{>Oslo>}</td><td>Bob</td><td> [-42-] {+43+}</td><td>[<Oslo<]</td></tr>\
         <tr><td>{>Bern>}</td><td>Cid</td><td>53</td><td>[<Bern<]</td></tr></tbody></table>",
    );
    check_told(
        &before,
        &after,
        &["moved column: “town Rome Oslo Bern”", "replaced: “42” → “43”, in row “Oslo”, column “age”"],
    );
}

#[test]
fn columns_change_places() {
    check_told(
        &table(&[&["name", "age", "town"], &["Ann", "31", "Rome"], &["Bob", "42", "Oslo"]]),
        &table(&[&["name", "town", "age"], &["Ann", "Rome", "31"], &["Bob", "Oslo", "42"]]),
        &["moved column: “town Rome Oslo”"],
    );
    // Tables within tables are looked at by themselves.
    let inner = table(&[&["a"], &["b"]]);
    let outer = |left: [&str; 3], right: [&str; 3]| {
        let row = |at: usize| format!("<tr><td>{}</td><td>{}</td></tr>", left[at], right[at]);
        format!("<table>{}<tr><td>{inner}</td></tr></table>", (0..3).map(row).collect::<String>())
    };
    let (ages, towns) = (["31", "42", "53"], ["Rome", "Oslo", "Bern"]);
    check_told(&outer(ages, towns), &outer(towns, ages), &["moved column: “Rome Oslo Bern”"]);
    // Numbers that are others are others, whatever column had them before.
    check_told(
        &table(&[&["a", "b"], &["1", "2"], &["3", "4"]]),
        &table(&[&["a", "b"], &["2", "1"], &["3", "4"]]),
        &["replaced: “1” → “2”, in column “a”", "replaced: “2” → “1”, in row “2”, column “b”"],
    );
}

#[test]
fn a_row_is_gone() {
    check(
        "<table><tr><td>green</td><td>3</td></tr><tr><td>black</td><td>4</td></tr><tr><td>white</td><td>5</td></tr></table>",
        "<table><tr><td>green</td><td>3</td></tr><tr><td>white</td><td>5</td></tr></table>",
        "<table><tbody><tr><td>green</td><td>3</td></tr><tr><td>[-black-]</td><td>[-4-]</td></tr><tr><td>white</td><td>5</td></tr></tbody></table>",
    );
}

#[test]
fn cells_have_other_numbers() {
    check(
        "<table><tr><td>green</td><td>1</td><td>2</td><td>3</td></tr></table>",
        "<table><tr><td>green</td><td>2</td><td>3</td><td>3</td></tr></table>",
        "<table><tbody><tr><td>green</td><td> [-1-] {+2+}</td><td> [-2-] {+3+}</td><td>3</td></tr></tbody></table>",
    );
}

#[test]
fn a_cell_is_emptied() {
    check(
        "<table><tr><td>one</td><td>two</td><td>three</td></tr><tr><td>four</td><td>five</td></tr></table>",
        "<table><tr><td>one</td><td></td><td>three</td></tr><tr><td>four</td><td></td></tr></table>",
        "<table><tbody><tr><td>one</td><td> [-two-] </td><td>three</td></tr><tr><td>four</td><td> [-five-]</td></tr></tbody></table>",
    );
}

#[test]
fn a_link_within_a_word_leads_elsewhere() {
    check(
        "<p>Smith<a href=/a>2019</a> says",
        "<p>Smith<a href=/b>2019</a> says",
        "<p>{~Smith~}<a>{~2019~}</a> says</p>",
    );
}

#[test]
fn part_of_a_word_is_raised() {
    check("<p>Some 106 units", "<p>Some 10<sup>6</sup> units", "<p>Some {~10~}<sup>{~6~}</sup> units</p>");
}

/// Words that are raised, lowered or struck out say something else, and it is no matter of looks alone.
#[test]
fn words_are_raised_lowered_and_struck_out() {
    check_told("<p>10<sup>6</sup> people", "<p>106 people", &["attribute: “106”; no longer raised"]);
    check_told("<p>106 people", "<p>10<sup>6</sup> people", &["attribute: “106”; raised"]);
    check_told("<p>H<sub>2</sub> O", "<p>H<sup>2</sup> O", &["attribute: “H2”; raised, no longer lowered"]);
    check_told("<p><del>not</del> allowed", "<p>not allowed", &["attribute: “not”; no longer struck out"]);
    for element in ["del", "s", "strike"] {
        let struck = format!("<p><{element}>not</{element}> allowed");
        check_told("<p>not allowed", &struck, &["attribute: “not”; struck out"]);
        check_told(&struck, "<p><del>not</del> allowed", &[]);
    }
    check("<p>not allowed", "<p><s>not</s> allowed", "<p><s>{~not~}</s> allowed</p>");
    check_told(
        "<p>It is <b>not</b> allowed",
        "<p>It is <s>not</s> allowed",
        &["attribute: “not”; struck out", "formatting: “not”: bold → plain"],
    );
    // Signs without a word say nothing else.
    let told = ["formatting: “(”: superscript → plain"];
    check_told("<p>See <sup>(<a href=/>1</a></sup>", "<p>See (<sup><a href=/>1</a></sup>", &told);
    let (before, after) = (page("<p>H<sub>2</sub>"), page("<p>H<sup>2</sup>"));
    let json = with_changes(&before, &after, |changes, _| Summary::new(changes, EXCERPT).json());
    assert!(json.contains(r#""details":[{"kind":"sense","from":["lowered"],"to":["raised"]}]"#), "{json}");
}

#[test]
fn a_note_has_another_number() {
    check(
        r##"<p>The river is long<sup><a href="#1">1</a></sup> and wide."##,
        r##"<p>The river is long<sup><a href="#2">2</a></sup> and wide."##,
        "<p>The river is long<sup>[-1-]</sup> <sup><a>{+2+}</a></sup> and wide.</p>",
    );
}

#[test]
fn a_box_is_ticked() {
    check(
        "<p>Yes <input type=checkbox> please",
        "<p>Yes <input type=checkbox checked> please",
        "<p>Yes [-<input>-] {+<input>+} please</p>",
    );
}

#[test]
fn another_option_is_chosen() {
    check(
        "<p>Tea <select><option selected>green</option><option>black</option></select> please",
        "<p>Tea <select><option>green</option><option selected>black</option></select> please",
        "<p>Tea [-<select><option>green</option><option>black</option></select>-] \
         {+<select><option>green</option><option>black</option></select>+} please</p>",
    );
}

#[test]
fn a_paragraph_is_hidden() {
    check("<p>Tea is hot.", "<p hidden>Tea is hot.", "<p>{~Tea is hot.~}</p>");
    let hidden = |style: &str| format!("<p>Tea is hot.<p style='{style}'>It costs 5 euros.");
    let shown = ["attribute: “It costs 5 euros.”; hidden of p: yes → no"];
    for style in ["display:none", "DISPLAY : None !important;", "visibility:hidden", "color:red;visibility: collapse"] {
        let visible = if style.starts_with("color") { "color:red" } else { "" };
        check_told(&hidden(style), &hidden(visible), &shown);
        check_told(&hidden(visible), &hidden(style), &[&shown[0].replace("yes → no", "no → yes")]);
    }
    check("<p style='display:none'>Tea is hot.", "<p>Tea is hot.", "<p>{~Tea is hot.~}</p>");
    // What else the style says is formatting, and what is seen all the same is not hidden.
    let expected = "formatting: “It costs 5 euros.”; style of p: display:none;color:red → color:blue";
    check_told(&hidden("display:none;color:red"), &hidden("color:blue"), &[shown[0], expected]);
    let expected = "formatting: “It costs 5 euros.”; style of p: display:none;display:block → display:block";
    check_told(&hidden("display:none;display:block"), &hidden("display:block"), &[expected]);
    let told = ["attribute: “It costs 5 euros.”; hidden of p: yes → no"];
    check_told("<p>Tea<p hidden>It costs 5 euros.", "<p>Tea<p>It costs 5 euros.", &told);
    check_told("<p>Tea<p hidden>It costs", "<p>Tea<p style='display:none'>It costs", &[]);
}

#[test]
fn a_link_leads_elsewhere() {
    check(
        "<p>Read <a href=https://a.example/>all of it</a> here.",
        "<p>Read <a href=https://b.example/>all of it</a> here.",
        "<p>Read <a>{~all of it~}</a> here.</p>",
    );
}

/// Of links that read alike each is the one that leads where it did.
#[test]
fn a_link_comes_before_others_that_read_alike() {
    let links = |names: &[&str]| names.iter().map(|name| format!("<a href=/{name}>[US]</a> ")).collect::<String>();
    let page = |names: &[&str]| format!("<p>Mirrors: {}", links(names));
    check(
        &page(&["us1", "us2", "us3"]),
        &page(&["us0", "us1", "us2", "us3"]),
        "<p>Mirrors: <a>{+[US]+}</a> <a>[US]</a> <a>[US]</a> <a>[US]</a> </p>",
    );
    check(&page(&["us1", "us2", "us3"]), &page(&["us2", "us3"]), "<p>Mirrors: [-[US]-] <a>[US]</a> <a>[US]</a> </p>");
}

#[test]
fn links_in_brackets_stay_whole() {
    let page = |names: &[&str]| {
        let links: Vec<String> = names.iter().map(|name| format!("<a href={name}>[{name}]</a>")).collect();
        format!("<p>{}", links.join(" "))
    };
    check(
        &page(&["cs", "ko", "nl", "pt"]),
        &page(&["cs", "nl", "pl", "pt"]),
        "<p><a>[cs]</a> [-[ko]-] <a>[nl]</a> <a>{+[pl]+}</a> <a>[pt]</a></p>",
    );
}

/// Nothing stands between the links of a bar, and yet each is a word of its own.
#[test]
fn a_link_comes_into_a_bar_of_them() {
    check(
        "<nav><a href=/h>Home</a><a href=/d>Docs</a><a href=/b>Blog</a></nav>",
        "<nav><a href=/h>Home</a><a href=/n>News</a><a href=/d>Docs</a><a href=/b>Blog</a></nav>",
        "<nav><a>Home</a><a>{+News+}</a><a>Docs</a><a>Blog</a></nav>",
    );
}

/// Nor between buttons, and between tags of one class; but parts of a word are no words.
#[test]
fn buttons_and_tags_are_words_of_their_own() {
    check(
        "<p><button>Save</button><button>Cancel</button>",
        "<p><button>Save</button><button>Close</button>",
        "<p><button>Save</button><button>[-Cancel-]</button><button>{+Close+}</button></p>",
    );
    check(
        "<p>Tea<span class='tag a'>new</span><span class='tag b'>hot</span>",
        "<p>Tea<span class='tag a'>new</span><span class='tag b'>cold</span>",
        "<p>Tea<span>new</span><span>[-hot-]</span><span>{+cold+}</span></p>",
    );
    check_told(
        "<p><label>Name</label><b>Ann</b>",
        "<p><label>Name</label><b>Bob</b>",
        &["replaced: “Ann” → “Bob”, in “NameBob”"],
    );
    for [start, end] in [["<b>", "</b>"], ["<span>", "</span>"], ["<span class=first>", "</span>"]] {
        let word = |word: &str| format!("<p>He said {start}H{end}{word}");
        check_told(&word("ello"), &word("i"), &["replaced: “Hello” → “Hi”, in “He said Hi”"]);
    }
    check_told("<p><span>He</span><span>llo</span>", "<p><span>Hel</span><span>lo</span>", &[]);
}

#[test]
fn a_link_leads_elsewhere_and_says_something_else() {
    let before = "<p>Read <a href=/a>all of the old report</a> here.";
    let after = "<p>Read <a href=/b>all of the new report</a> here.";
    check(before, after, "<p>Read <a>{~all of the~} [-old-] {+new+} {~report~}</a> here.</p>");
    let told = "replaced: “all of the old report” → “all of the new report”; link: /a → /b";
    check_told(before, after, &[told]);
    check_told(
        "<p>Read <a href=/a>news</a>, please.",
        "<p>Read <a href=/b>reports</a>, please.",
        &["replaced: “news” → “reports”; link: /a → /b"],
    );
    check_told(
        "<p>Read all of it here.",
        "<p>Read <a href=/b>every bit of it</a> here.",
        &["replaced: “all of it” → “every bit of it”; link: none → /b"],
    );
    // Two links are two changes, and one that leads where it led is none.
    check_told(
        "<p>See <a href=/a>one</a> <a href=/b>two</a> <a href=/c>three more</a>.",
        "<p>See <a href=/x>one</a> <a href=/y>two</a> <a href=/c>three less</a>.",
        &["link: “one”: /a → /x", "link: “two”: /b → /y", "replaced: “more” → “less”, in “See one two three less.”"],
    );
}

#[test]
fn words_become_a_link() {
    check(
        "<p>Read all of it here.",
        "<p>Read <a href=https://b.example/>all of it</a> here.",
        "<p>Read <a>{~all of it~}</a> here.</p>",
    );
}

#[test]
fn an_image_is_another() {
    check(
        "<p>Look: <img src=a.png alt=cup> here.",
        "<p>Look: <img src=b.png alt=pot> here.",
        "<p>Look: [-<img cup>-] {+<img pot>+} here.</p>",
    );
}

#[test]
fn what_is_shown_without_scripts_is_read() {
    check(
        "<p>Hello.</p><noscript><style>p{color:red}</style><p>Please enable scripts.</p><script>x</script></noscript>",
        "<p>Hello.</p><noscript><style>p{color:red}</style><p>Please allow scripts.</p><script>x</script></noscript>",
        "<p>Hello.</p><style>p{color:red}</style><p>Please [-enable-] {+allow+} scripts.</p>",
    );
    check(
        "<p>Hello.</p><noscript><p>Old words that are <a href=x onclick=y>gone</a>.</p></noscript>",
        "<p>Hello.</p>",
        "<p>Hello.</p> <p>[-Old words that are-] [-gone-][-.-]</p>",
    );
}

#[test]
fn what_stands_for_what_is_not_loaded_is_read() {
    for holder in ["object data=x.swf", "applet code=x", "canvas"] {
        let page = |price: &str| format!("<p>Terms<div><{holder}><param name=a><p>You pay {price} euros</p></div>");
        check_told(&page("5"), &page("500"), &["replaced: “5” → “500”, in “You pay 500 euros”"]);
        let expected = "<p>Terms</p><div><span></span><p>You pay [-5-] {+500+} euros</p></div>";
        check(&page("5"), &page("500"), expected);
    }
    // What is loaded may be another where the words stay.
    check(
        "<div>Hear <object data=a.mid>a song of old</object> now</div>",
        "<div>Hear <object data=b.mid>a song of old</object> now</div>",
        "<div>Hear [-<span></span>-] {+<span></span>+}a song of old now</div>",
    );
    check(
        "<div>One <object data=a.mid>a song <b>of</b> old</object></div>",
        "<div>One</div>",
        "<div>One [-<span></span>-][-a song-] <b>[-of-]</b> [-old-]</div>",
    );
    check(
        "<div>One <canvas></canvas> two</div>",
        "<div>One <canvas>a chart of sales</canvas> two</div>",
        "<div>One <span></span>{+a chart of sales+} two</div>",
    );
}

#[test]
fn what_is_shown_below_a_host_is_read() {
    let host = |content: &str| format!("<div><template shadowrootmode=open>{content}</template><p>Kept.</p></div>");
    check(
        &host("<style>p{display:none}</style><p>The old word.</p><slot></slot><script>x</script>"),
        &host("<style>p{display:none}</style><p>The new word.</p><slot></slot><script>x</script>"),
        "<div><p>The [-old-] {+new+} word.</p><p>Kept.</p></div>",
    );
    check(
        &host("<p>All of this is gone.</p>"),
        "<div><p>Kept.</p></div>",
        "<div> <p>[-All of this is gone.-]</p> <p>Kept.</p></div>",
    );
    // Scripts alone would show these.
    for attributes in ["", " shadowrootmode", " shadowrootmode=none"] {
        let host = |word: &str| format!("<div><template{attributes}><p>{word}</template><p>Kept.</p></div>");
        check(&host("Old."), &host("New."), "<div><p>Kept.</p></div>");
    }
    let item = |word: &str| format!("<ul><template shadowrootmode=open><li>{word}</template><li>Kept.</ul>");
    check(&item("Old."), &item("New."), "<ul><li>Kept.</li></ul>");
}

#[test]
fn a_paragraph_is_split() {
    check(
        "<p>Tea is served here. Milk is extra.</p>",
        "<p>Tea is served here.</p><p>Milk is extra.</p>",
        "<p>Tea is served here.</p><p>{_Milk is extra._}</p>",
    );
}

#[test]
fn paragraphs_are_joined() {
    check(
        "<p>Tea is served here.</p><p>Milk is extra.</p>",
        "<p>Tea is served here. Milk is extra.</p>",
        "<p>Tea is served here. {_Milk is extra._}</p>",
    );
}

#[test]
fn a_heading_has_another_level() {
    check("<h2>Our teas</h2><p>Many.", "<h3>Our teas</h3><p>Many.", "<h3>{_Our teas_}</h3><p>Many.</p>");
}

#[test]
fn a_paragraph_becomes_a_list() {
    check(
        "<p>Tea is hot. Milk is cold.</p>",
        "<ul><li>Tea is hot.</li><li>Milk is cold.</li></ul>",
        "<ul><li>{_Tea is hot._}</li><li>{_Milk is cold._}</li></ul>",
    );
}

#[test]
fn a_list_is_numbered() {
    let list = |list: &str| format!("<p>Tea:<{list}>\n<li>green tea<li>black tea</{list}><p>More.");
    check_told(&list("ul"), &list("ol"), &["formatting: “green tea”: bulleted list → numbered list"]);
    check_told(&list("ul"), &list("ul"), &[]);
}

#[test]
fn an_item_is_nested() {
    let flat = "<ol><li>One<li>Two<li>Three</ol>";
    let nested = "<ol><li>One<ol><li>Two</ol><li>Three</ol>";
    check_told(flat, nested, &["formatting: “Two”: list level 1 → list level 2"]);
    check_told(nested, flat, &["formatting: “Two”: list level 2 → list level 1"]);
}

#[test]
fn numbers_begin_anew() {
    let (one, two) = ("<ol><li>One<li>Two<li>Three</ol>", "<ol><li>One<li>Two</ol><ol><li>Three</ol>");
    check_told(one, two, &["formatting: “Three”: one list → two lists"]);
    check_told(two, one, &["formatting: “Three”: two lists → one list"]);
    // What stands in another list since something came in between is not told besides.
    check_told(one, "<ol><li>One<li>Two</ol><p>Now</p><ol><li>Three</ol>", &["added: “Now”"]);
    check_told(one, "<ol><li>Two<li>Three</ol>", &["removed: “One”"]);
}

#[test]
fn a_table_has_another_shape() {
    let two_rows = "<table><tr><td>a<td>b<tr><td>c<td>d</table>";
    let one_row = "<table><tr><td>a<td>b<td>c<td>d</table>";
    check_told(two_rows, one_row, &["formatting: “c”: two rows → one row, in row “a”"]);
    check_told(one_row, two_rows, &["formatting: “c”: one row → two rows"]);
    let two_tables = "<table><tr><td>a<td>b</table><table><tr><td>c<td>d</table>";
    check_told(two_rows, two_tables, &["formatting: “c”: one table → two tables"]);
    check_told(two_rows, "<table><tr><th>a<td>b<tr><td>c<td>d</table>", &["formatting: “a”: cell → header cell"]);
}

#[test]
fn words_are_quoted() {
    let paragraphs = |first: &str| format!("{first}<p>Nobody minds.</p>");
    let (plain, quoted) = ("<p>He is wrong here.</p>", "<blockquote><p>He is wrong here.</p></blockquote>");
    let told = "formatting: “He is wrong here.”: no quotation → quotation";
    check_told(&paragraphs(plain), &paragraphs(quoted), &[told]);
    let told = "formatting: “He is wrong here.”: quotation → no quotation";
    check_told(&paragraphs(quoted), &paragraphs(plain), &[told]);
    let told = "formatting: “He is wrong here.”: quotation level 1 → quotation level 2";
    check_told(quoted, &format!("<blockquote>{quoted}</blockquote>"), &[told]);
    check_told("<p>He said yes now", "<p>He said <q>yes</q> now", &["formatting: “yes”: plain → quoted"]);
}

#[test]
fn a_paragraph_is_set_apart() {
    for (element, name) in [("fieldset", "box"), ("figure", "figure"), ("dl><dd", "definition list")] {
        let told = format!("formatting: “Tea is hot.”: no {name} → {name}");
        check_told("<p>Tea is hot.", &format!("<{element}><p>Tea is hot.</p>"), &[&told]);
    }
    let table = "<table><tr><td><p>Tea is hot.</table>";
    check_told("<p>Tea is hot.", table, &["formatting: “Tea is hot.”: no table → table"]);
    check_told("<p>Tea is hot.", "<main><section><div><p>Tea is hot.", &[]);
}

#[test]
fn a_rule_comes_and_goes() {
    let ruled = |rule: &str| format!("<p>Tea is hot.</p>{rule}<p>Milk is cold.</p>");
    check_told(&ruled(""), &ruled("<hr>"), &["formatting: “Milk is cold.”: no rule above → rule above"]);
    check_told(&ruled("<hr>"), &ruled(""), &["formatting: “Milk is cold.”: rule above → no rule above"]);
    // What stands below may be edited, or gone; then it is told of what stands above.
    let milk = |rule: &str, milk: &str| format!("<p>Tea is hot. It is.</p>{rule}<p>{milk}<p>Water is clear.");
    check_told(
        &milk("", "Milk is cold."),
        &milk("<hr>", "Cream is cold."),
        &["replaced: “Milk” → “Cream”, in “Cream is cold.”", "formatting: “is cold.”: no rule above → rule above"],
    );
    check_told(
        &milk("<hr>", "Milk is cold."),
        &milk("", ""),
        &["formatting: “Tea is hot. It is.”: rule below → no rule below", "removed: “Milk is cold.”"],
    );
    check_told("<p>Tea<p>Milk", "<p>Tea<p>Milk<hr>", &["formatting: “Milk”: no rule below → rule below"]);
}

#[test]
fn a_rule_moves() {
    let [tea, milk, water] =
        ["<p>Tea is hot and made of leaves.</p>", "<p>Milk is cold.</p>", "<p>Water is clear.</p>"];
    check_told(
        &[tea, "<hr>", milk, water].concat(),
        &[tea, milk, "<hr>", water].concat(),
        &[
            "formatting: “Milk is cold.”: rule above → no rule above",
            "formatting: “Water is clear.”: no rule above → rule above",
        ],
    );
    // What moves past a rule does not move the rule, and what moves takes it along.
    let juice = "<p>Juice is sweet and made of fruit.</p>";
    let told = ["moved up: “Milk is cold.”"];
    check_told(&[tea, "<hr>", milk, juice].concat(), &[milk, tea, "<hr>", juice].concat(), &told);
    let told = ["moved down: “Milk is cold.”"];
    check_told(&[tea, "<hr>", milk, juice].concat(), &[tea, juice, "<hr>", milk].concat(), &told);
    check_told(
        &[tea, "<hr>", water].concat(),
        &[tea, "<hr>", milk, "<hr>", water].concat(),
        &["added: “Milk is cold.”"],
    );
}

#[test]
fn a_word_becomes_bold() {
    check("<p>Tea is very hot.", "<p>Tea is <b>very</b> hot.", "<p>Tea is <b>{_very_}</b> hot.</p>");
}

#[test]
fn part_of_a_word_becomes_bold() {
    check("<p>Hello there", "<p><b>H</b>ello there", "<p><b>{_H_}</b>{_ello_} there</p>");
}

#[test]
fn lines_are_broken_elsewhere() {
    check("<p>Tea is\nvery hot.", "<p>Tea   is very\n hot.", "<p>Tea is very hot.</p>");
}

#[test]
fn a_line_of_code_is_another() {
    check(
        "<pre>let a = 1;\nlet b = 2;\n</pre>",
        "<pre>let a = 1;\nlet b = 3;\n</pre>",
        "<pre>let a = 1; let b = [-2-]{+3+}; </pre>",
    );
}

#[test]
fn a_chinese_word_is_another() {
    check("<p>今天的天气很好。", "<p>今天的天气很冷。", "<p>今天的天气[-很好-]{+很冷+}。</p>");
}

#[test]
fn a_thai_word_is_another() {
    check("<p>ฉันกินข้าวทุกวัน", "<p>ฉันกินขนมทุกวัน", "<p>ฉันกิน[-ข้าว-]{+ขนม+}ทุกวัน</p>");
}

#[test]
fn an_arabic_word_is_another() {
    check("<p dir=rtl>هذا كتاب جديد جدا", "<p dir=rtl>هذا كتاب قديم جدا", "<p>هذا كتاب [-جديد-] {+قديم+} جدا</p>");
}

#[test]
fn words_run_in_another_direction() {
    let of = |number: &str| format!("<p>Pay to account {number} now.");
    let told = ["added: “[U+202E]”", "added: “[U+202C]”"];
    check_told(&of("12345678"), &of("\u{202E}12345678\u{202C}"), &told);
    check_told(
        &of("\u{202E}12345678\u{202C}"),
        &of("12345678"),
        &told.map(|line| line.replace("added", "removed")).each_ref().map(|line| &**line),
    );
    check_told(
        &of("\u{202A}12345678\u{202C}"),
        &of("\u{202E}12345678\u{202C}"),
        &["replaced: “[U+202A]” → “[U+202E]”"],
    );
    check_told(&of("1\u{2060}2"), &of("12"), &[]);
}

#[test]
fn a_title_that_is_read_is_another() {
    check(
        "<p>The <abbr title=one>ABC</abbr> of it.",
        "<p>The <abbr title=two>ABC</abbr> of it.",
        "<p>The <abbr>{~ABC~}</abbr> of it.</p>",
    );
}

#[test]
fn a_section_moves() {
    check(
        "<h2>One of these sections</h2><p>It has some words in it.</p><h2>Another of the sections</h2><p>And these are other words.</p><p>More of them.</p>",
        "<h2>Another of the sections</h2><p>And these are other words.</p><p>More of them.</p><h2>One of these sections</h2><p>It has some words in it.</p>",
        "<h2>[<One of these sections<]</h2><p>[<It has some words in it.<]</p><h2>Another of the sections</h2><p>And these are other words.</p>\
         <p>More of them.</p><h2>{>One of these sections>}</h2><p>{>It has some words in it.>}</p>",
    );
}

#[test]
fn sentences_are_parted_and_made_one() {
    let [one, other] = ["We ship to all countries of the world", "and we take returns within thirty days"];
    let whole = format!("<p>{one} {other}</p>");
    let check_both_ways = |parted: &str, [single, two]: [&str; 2]| {
        check_told(&whole, parted, &[&format!("formatting: “{other}”: {single} → {two}")]);
        check_told(parted, &whole, &[&format!("formatting: “{other}”: {two} → {single}")]);
    };
    check_both_ways(&format!("<p>{one}</p><p>{other}</p>"), ["one paragraph", "two paragraphs"]);
    check_both_ways(&format!("<p>{one}<br>{other}</p>"), ["one line", "two lines"]);
    // Words that changed meanwhile are told beside it.
    check(
        &whole,
        &format!("<p>{one}</p><p>{other} of delivery</p>"),
        "<p>We ship to all countries of the world</p><p>{_and we take returns within thirty days_} {+of delivery+}</p>",
    );
    // What is new is no part, whatever it stands beside.
    check(
        "<p>We take returns within thirty days",
        "<p>Nothing is taken back in summer</p><p>We take returns within sixty days",
        "<p>{+Nothing is taken back in summer+}</p><p>We take returns within [-thirty-] {+sixty+} days</p>",
    );
}

#[test]
fn lines_are_joined() {
    check_told(
        "<p>Old Mill Road.<br>Second floor.<br>Ring twice.",
        "<p>Old Mill Road. Second floor.<br>Ring twice.",
        &["formatting: “Second floor.”: two lines → one line"],
    );
    check(
        "<p>12 Main Street<br>Springfield<br>Oregon",
        "<p>12 Main Street, Springfield, Oregon",
        "<p>12 Main Street{+,+} Springfield{+,+} Oregon</p>",
    );
}

#[test]
fn a_line_is_gone() {
    check(
        "<p>12 Main Street<br>Second floor<br>Springfield",
        "<p>12 Main Street<br>Springfield",
        "<p>12 Main Street<br>[-Second floor-]<br>Springfield</p>",
    );
    check(
        "<address>Ann Bell<br>Second floor<br>Springfield<br>Oregon</address>",
        "<address>Springfield<br>Oregon</address>",
        "<address> [-Ann Bell-]<br>[-Second floor-]<br>Springfield<br>Oregon</address>",
    );
    check(
        "<p>Springfield<br>Oregon<br>Earth<br>Sun",
        "<p>Springfield<br>Oregon",
        "<p>Springfield<br>Oregon<br>[-Earth-]<br>[-Sun-]</p>",
    );
    // One in the place of another, and a word at the end of one.
    check(
        "<p>Ann Bell<br>Second floor<br>Springfield",
        "<p>Ann Bell<br>Room 12<br>Springfield",
        "<p>Ann Bell<br>[-Second floor-]<br>{+Room 12+}<br>Springfield</p>",
    );
    check(
        "<p>Ann Bell<br>Second floor left<br>Springfield",
        "<p>Ann Bell<br>Second floor<br>Springfield",
        "<p>Ann Bell<br>Second floor [-left-]<br>Springfield</p>",
    );
}

#[test]
fn a_paragraph_goes_to_the_next_section() {
    let [stays, goes] =
        ["Please be quiet in the reading room.", "Dogs are welcome in the garden if they are kept on a leash."];
    let before =
        format!("<section><h2>Hours</h2><p>{goes}</p></section><section><h2>Rules</h2><p>{stays}</p></section>");
    let after =
        format!("<section><h2>Hours</h2></section><section><h2>Rules</h2><p>{stays}</p><p>{goes}</p></section>");
    check_told(&before, &after, &[&format!("moved down: “{goes}”, from under “Hours”")]);
    check_told(&after, &before, &[&format!("moved up: “{goes}”, from under “Rules”")]);
}

#[test]
fn what_is_wrapped_has_not_moved() {
    let [tall, small] =
        ["All of this is the content of the page, and it has many words. More than the others.", "A few words aside."];
    check_told(
        &format!("<main><p>{tall}</p></main><p>{small}</p>"),
        &format!("<p>{small}</p><div><section><p>{tall}</p></section></div>"),
        &[&format!("moved up: “{small}”")],
    );
}

#[test]
fn the_lighter_side_moves() {
    let moves = "One block that will be moved down the page soon.";
    let before = format!(
        "<h1>Shop</h1><p>{moves}</p><h2>Images</h2><p>A cat.</p><p>First sentence stays. Second one was long and nice. Third.</p>"
    );
    let after = format!(
        "<h1>Shop</h1><h2>Images</h2><p>A cat.</p><p>First sentence stays.</p><p>Second one was long and nice. Third.</p><p>{moves}</p>"
    );
    check_told(
        &before,
        &after,
        &[
            "formatting: “Second one was long and nice.”: one paragraph → two paragraphs",
            "moved down: “One block that will be moved down the page soon.”, from under “Shop”",
        ],
    );
}

/// What was edited where it stands is no reason to say that it moved, and neither is it that what it stands beside did.
#[test]
fn one_block_moves_past_others_that_are_edited() {
    check_told(
        "<p>Backups are made every night.</p><p>Support is given by mail.</p><p>Single sign-on is free.</p>",
        "<p>Single sign-on is free.</p><p>Backups are made every night.</p><p>Support is given by mail and phone.</p>",
        &["moved up: “Single sign-on is free.”", "added: “and phone”, in “Support is given by mail and phone.”"],
    );
    check_told(
        "<ul><li>Backups every night<li>Support by mail<li>Single sign-on</ul>",
        "<ul><li>Single sign-on<li>Backups every night<li>Support by mail and phone</ul>",
        &["moved up: “Single sign-on”", "added: “and phone”, in “Support by mail and phone”"],
    );
}

#[test]
fn a_paragraph_moves_and_is_edited() {
    let first = |many: &str| format!("<p>First of all there are {many} words in it for you to read.");
    let others = "<p>Second, this one is also here to be seen by people.<p>Third, and last, comes the end of our page.";
    check(
        &format!("{}{others}", first("some")),
        &format!("{others}{}", first("many long")),
        "<p>[<First of all there are<] [-some-] [<words in it for you to read.<]</p>\
         <p>Second, this one is also here to be seen by people.</p><p>Third, and last, comes the end of our page.</p>\
         <p>{>First of all there are>} {+many long+} {>words in it for you to read.>}</p>",
    );
    check_told(
        &format!("<h1>Home</h1>{}{others}", first("some")),
        &format!("<h1>Home</h1>{others}{}", first("many long")),
        &[
            "moved down: “First of all there are many long words in it for you to read.”, from under “Home”; “some” → “many long”",
        ],
    );
}

#[test]
fn a_link_leads_elsewhere_in_what_moves() {
    let first = |text: &str| format!("<p>First of all there are some {text} in it for you to read.");
    let others = "<p>Second, this one is also here to be seen by people.<p>Third, and last, comes the end of our page.";
    let (before, after) = (first("<a href=/a>words</a>"), first("<a href=/b>words</a>"));
    let told = ["moved down: “First of all there are some words in it for you to read.”", "link: “words”: /a → /b"];
    check_told(&format!("{before}{others}"), &format!("{others}{after}"), &told);
    check(
        &format!("{before}{others}"),
        &format!("{others}{after}"),
        "<p>[<First of all there are some<] [<words<] [<in it for you to read.<]</p>\
         <p>Second, this one is also here to be seen by people.</p><p>Third, and last, comes the end of our page.</p>\
         <p>{>First of all there are some>} <a>{>words>}</a> {>in it for you to read.>}</p>",
    );
    // Where all of it leads elsewhere, it is one change.
    let link = |address: &str| format!("<p><a href={address}>First of all there are some words.</a>");
    let told = "moved up: “First of all there are some words.”; link: /a → /b";
    check_told(&format!("{others}{}", link("/a")), &format!("{}{others}", link("/b")), &[told]);
}

#[test]
fn words_look_different_in_what_moves() {
    let first = |text: &str| format!("<p>First of all there are some {text} in it for you to read.");
    let others = "<p>Second, this one is also here to be seen by people.<p>Third, and last, comes the end of our page.";
    check_told(
        &format!("{}{others}", first("words")),
        &format!("{others}{}", first("<b>words</b>")),
        &[
            "moved down: “First of all there are some words in it for you to read.”",
            "formatting: “words”: plain → bold",
        ],
    );
    // Beside what was edited on the way.
    check_told(
        &format!("{}{others}", first("old <a href=/a>words</a>")),
        &format!("{others}{}", first("new <a href=/b>words</a>")),
        &[
            "moved down: “First of all there are some new words in it for you to read.”; “old” → “new”",
            "link: “words”: /a → /b",
        ],
    );
}

#[test]
fn an_image_is_another_in_what_moves() {
    let first =
        |image: &str| format!("<p>First of all there are some words <img src={image} alt=cat> in it for you to read.");
    let others = "<p>Second, this one is also here to be seen by people.<p>Third, and last, comes the end of our page.";
    check_told(
        &format!("{}{others}", first("a.png")),
        &format!("{others}{}", first("b.png")),
        &["moved down: “First of all there are some words [image: cat] in it for you to read.”; \
           “[image: cat]” is another; src of img: a.png → b.png"],
    );
}

#[test]
fn a_programme_moves_and_is_edited() {
    let code = |note: &str| {
        format!(
            "<pre>fn count(those, others) -> usize {{\n  let all = those.iter().count();\n  // {note}\n  all + others.len() + more.len() + 1\n}}\n</pre>"
        )
    };
    let others = "<p>Second, this one is also here to be seen by people, and it has some more words.<p>Third, and last, \
                  comes the end of our page, with more words still, so that it is longer than the code.";
    let told = "moved down: “fn count(those, others) -> usize {  let all = those.iter().count();  // total  all + others.len() + more.len() + 1 } ”; \
                “sum” → “total”";
    check_told(&format!("{}{others}", code("sum")), &format!("{others}{}", code("total")), &[told]);
    // How far it is indented is nothing that was edited.
    let indented = code("total").replace("  ", "    ");
    let told = told.replace("; “sum” → “total”", "");
    check_told(&format!("{}{others}", code("total")), &format!("{others}{indented}"), &[&told]);
}

#[test]
fn of_a_paragraph_that_is_gone_a_sentence_stays_elsewhere() {
    let others = "<p>Second, this one is also here to be seen by people.<p>Third, and last, comes the end of our page.";
    check(
        &format!("<p>Tea was brought here by monks. Nobody minds, or so they say.{others}"),
        &format!("{others}<p>Tea was brought here by monks."),
        "<p>[<Tea was brought here by monks.<] [-Nobody minds, or so they say.-]</p>\
         <p>Second, this one is also here to be seen by people.</p><p>Third, and last, comes the end of our page.</p>\
         <p>{>Tea was brought here by monks.>}</p>",
    );
}

#[test]
fn of_a_paragraph_that_moves_one_sentence_is_edited() {
    let first =
        |warm: &str| format!("<p>Tea was brought here by monks. It is served {warm} in every house. Nobody minds.");
    let others = "<p>Second, this one is also here to be seen by people.<p>Third, and last, comes the end of our page.";
    check_told(
        &format!("{}{others}", first("very hot")),
        &format!("{others}{}", first("lukewarm")),
        &["moved down: “Tea was brought here by monks. It is served lukewarm in every house. Nobody minds.”; \
           “very hot” → “lukewarm”"],
    );
}

#[test]
fn words_in_an_anchor_are_new() {
    check("<h2>Old</h2>", "<h2>Old <a name=x>New thing</a></h2>", "<h2>Old <a>{+New thing+}</a></h2>");
}

#[test]
fn a_section_is_gone() {
    check(
        "<h2>One</h2><p>Words of one.</p><h2>Two</h2><p>Words of two.</p>",
        "<h2>Two</h2><p>Words of two.</p>",
        "<h2>[-One-]</h2><p>[-Words of one.-]</p><h2>Two</h2><p>Words of two.</p>",
    );
}

#[test]
fn a_definition_is_another() {
    check(
        "<dl><dt>tea</dt><dd>a hot drink of leaves</dd><dt>milk</dt><dd>white</dd></dl>",
        "<dl><dt>tea</dt><dd>a hot drink of dried leaves</dd><dt>milk</dt><dd>white</dd></dl>",
        "<dl><dt>tea</dt><dd>a hot drink of {+dried+} leaves</dd><dt>milk</dt><dd>white</dd></dl>",
    );
}

#[test]
fn entries_of_a_definition_list_are_compared_by_their_terms() {
    let list = |entries: &[[&str; 2]]| {
        let entries: String = entries.iter().map(|[term, said]| format!("<dt>{term}</dt><dd>{said}</dd>")).collect();
        format!("<dl>{entries}</dl>")
    };
    let week = list(&[["Mon", "9-5"], ["Tue", "9-6"], ["Wed", "9-5"], ["Thu", "9-6"]]);
    check(
        &week,
        &list(&[["Mon", "9-5"], ["Wed", "9-6"], ["Thu", "9-5"]]),
        "<dl><dt>Mon</dt><dd>9-5</dd><dt>[-Tue-]</dt><dd>[-9-6-]</dd><dt>Wed</dt><dd>9-[-5-] {+6+}</dd>\
         <dt>Thu</dt><dd>9-[-6-]{+5+}</dd></dl>",
    );
    check_told(
        &list(&[["Beta", "not used"], ["Gamma", "in use"]]),
        &list(&[["Alpha", "not used"], ["Beta", "gone away"], ["Gamma", "in use"]]),
        &["added: “Alpha not used”", "replaced: “not used” → “gone away”"],
    );
    check_told(
        &list(&[["Price", "10 euros"], ["Weight", "10 kg"], ["Colour", "red"]]),
        &list(&[["Weight", "10 kg"], ["Price", "12 euros"], ["Colour", "red"]]),
        &["moved down: “Price 12 euros”; “10” → “12”"],
    );
    check_told(
        &week,
        &list(&[["Mon", "9-5"], ["Tue", "9-6"], ["Wednesday", "9-5"], ["Thu", "9-6"]]),
        &["replaced: “Wed” → “Wednesday”"],
    );
}

/// What is told of a change in words, without its number.
#[track_caller]
fn check_told(before: &str, after: &str, expected: &[&str]) {
    let (before, after) = (page(before), page(after));
    let told = with_changes(&before, &after, |changes, _| Summary::new(changes, EXCERPT).to_string());
    let without_number =
        |line: &str| line.find(['.', '·']).and_then(|at| line[at..].find(' ').map(|space| at + space + 1));
    let changes: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| &line[without_number(line).unwrap_or(0)..])
        .collect();
    assert_eq!(changes, expected);
}

/// A link or button without words is there all the same.
#[test]
fn links_and_buttons_without_words_are_others() {
    let link =
        |address: &str, label: &str| format!("<p>Follow us: <a href={address}{label}><i class='fa fa-b'></i></a>");
    let labelled = |address: &str| link(address, " aria-label=Birds");
    check_told(&labelled("/birds"), &labelled("/evil"), &["link: “[link: Birds]”: /birds → /evil"]);
    check_told(
        &link("/birds", ""),
        &link("/evil", ""),
        &["link: “[link: /birds]” → “[link: /evil]”; link: /birds → /evil"],
    );
    check_told(&labelled("/a"), "<p>Follow us: ", &["removed: “[link: Birds]”"]);
    check_told(
        "<p>Film <button aria-label=Play></button>",
        "<p>Film <button aria-label=Stop></button>",
        &["button: “[button: Play]” → “[button: Stop]”"],
    );
    check_told(
        "<p>Film <button aria-label=Play></button>",
        "<p>Film <button aria-label=Play disabled></button>",
        &["attribute: “[button: Play]”; disabled of button: no → yes"],
    );
    // What shows nothing is no more than an address beside something.
    check_told("<p>Film <a name=x></a>is on.", "<p>Film is on.", &[]);
    check_told("<p>Film <a href=/a></a>is on.", "<p>Film is on.", &[]);
    check_told(
        "<p>Film</p><p><a href=/a></a>",
        "<p>Film</p><p><a href=/b></a>",
        &["attribute: “Film”; href of a: /a → /b"],
    );
}

/// An icon, a bar or a coloured cell is told at what stands beside it.
#[test]
fn what_has_no_words_is_others() {
    let told = |before: &str, after: &str, expected: &[&str]| check_told(before, after, expected);
    told(
        "<p>Paid <i class='fa fa-check'></i></p><p>Sent",
        "<p>Paid <i class='fa fa-times'></i></p><p>Sent",
        &["formatting: “Paid”; class of i: fa fa-check → fa fa-times"],
    );
    told(
        "<p>Paid <i class='fa fa-check'></i></p><p>Sent",
        "<p>Paid</p><p>Sent",
        &["formatting: “Paid”; class of i: fa fa-check → none"],
    );
    told("<p>Paid", "<p>Paid <i class='fa'></i>", &["formatting: “Paid”; class of i: none → fa"]);
    told(
        "<p>Tea <span role=img aria-label='3 stars'></span>",
        "<p>Tea <span role=img aria-label='5 stars'></span>",
        &["attribute: “Tea”; aria-label of span: 3 stars → 5 stars"],
    );
    told(
        "<p>Tea",
        "<p>Tea <span role=img aria-label='5 stars'></span>",
        &["attribute: “Tea”; aria-label of span: none → 5 stars"],
    );
    told(
        "<table><tr><td>Tea<td class=up><tr><td>Milk<td class=up></table>",
        "<table><tr><td>Tea<td class=down><tr><td>Milk<td class=up></table>",
        &["formatting: “Tea”; class of td: up → down"],
    );
    told(
        "<p>Before</p><div style='width:30%'></div><p>Behind",
        "<p>Before</p><div style='width:80%'></div><p>Behind",
        &["formatting: “Before”; style of div: width:30% → width:80%"],
    );
    told(
        "<p>Late <i class=warning hidden></i>",
        "<p>Late <i class=warning></i>",
        &["formatting: “Late”; hidden of i: yes → no"],
    );
    told(
        "<p>Words</p><form action=/a></form>",
        "<p>Words</p><form action=/evil></form>",
        &["attribute: “Words”; action of form: /a → /evil"],
    );
    // What has no width is no word.
    for blank in [" ", "&nbsp;", "&#8203;"] {
        let cell = |class: &str| format!("<table><tr><td>Tea<td class={class}>{blank}</table>");
        told(&cell("up"), &cell("down"), &["formatting: “Tea”; class of td: up → down"]);
        let link = |address: &str| format!("<p>Tea <a class=i href={address}>{blank}</a>");
        told(&link("/a"), &link("/b"), &["link: “[link: /a]” → “[link: /b]”; link: /a → /b"]);
    }
    // It may be in something that is new itself, or stand where words are gone.
    told(
        "<p>Tea.",
        "<p>Tea.</p><div><i title=Danger class=warn></i></div>",
        &["attribute: “Tea.”; title of i: none → Danger", "formatting: “Tea.”; class of i: none → warn"],
    );
    told(
        "<p>One.</p><div title=Danger></div><p>Two of them.</p><p>Three.",
        "<p>One.</p><p>Three.",
        &["attribute: “One.”; title of div: Danger → none", "removed: “Two of them.”"],
    );
    // In a paragraph what is behind it is nearer, and not what stands under the next heading.
    told(
        "<ul><li>One<li><i class=a></i> Two",
        "<ul><li>One<li><i class=b></i> Two",
        &["formatting: “Two”; class of i: a → b"],
    );
    // Cells are what stood in their place, and a column is told as one.
    let states = |row: [&str; 3]| {
        let cells = row.map(|state| format!("<td title={state}></td>"));
        format!("<table><tr><th>Host<th>Mon<th>Tue<th>Wed<tr><td>Alpha{}</table>", cells.concat())
    };
    told(
        &states(["ok", "bad", "ok"]),
        &states(["ok", "ok", "ok"]),
        &["attribute: “Alpha”; title of td: bad → ok, in column “Host”"],
    );
    let icons = |column: &str| {
        let row = |name: &str| format!("<tr><td>{name}{}<td>7", column.replace('*', "<i class=up title=yes></i>"));
        format!("<table><tr><th>Host{}<th>V{}{}{}</table>", column.replace('*', "Up"), row("A"), row("B"), row("C"))
    };
    told(&icons(""), &icons("<td>*"), &["added column: “Up”"]);
    told(&icons("<td>*"), &icons(""), &["removed column: “Up”"]);
    // A button in a link tells its label once.
    let card = |label: &str| format!("<p>Tea <a href=/x class=card><button class=like{label}></button></a>");
    told(&card(""), &card(" aria-label=Like"), &["attribute: “[link: /x]”; aria-label of button: none → Like"]);
    // Of a page without any words it is told by itself.
    let told = with_changes(&page("<div class=a>"), &page("<div class=b>"), |changes, _| {
        Summary::new(changes, EXCERPT).to_string()
    });
    assert_eq!(told, "no changes that are seen\nclass of div: a → b\n");
    let told = |before: &str, after: &str, expected: &[&str]| check_told(before, after, expected);
    // What nobody reads is no element without words, nor is what is in a drawing.
    told("<p>Words<template><i class=a></i></template>", "<p>Words<template><i class=b></i></template>", &[]);
    told("<p>Words<i></i>", "<p>Words", &[]);
}

/// Words that came in part those around them, and all of these look different in one way.
#[test]
fn a_block_that_looks_different_is_told_once() {
    check_told(
        "<p>One two three four five six seven.",
        "<h2>One two III four five VI seven.</h2>",
        &[
            "formatting: “One two”: paragraph → heading 2",
            "replaced: “three” → “III”, in “One two III four five VI seven.”",
            "replaced: “six” → “VI”, in “One two III four five VI seven.”",
        ],
    );
}

#[test]
fn list_items_become_one() {
    check_told(
        "<ul><li>One is here.</li><li>Two is there.</li></ul>",
        "<ul><li>One is here. Two is there.</li></ul>",
        &["formatting: “Two is there.”: two list items → one list item"],
    );
}

#[test]
fn an_image_between_paragraphs_moves() {
    check_told(
        "<img src=cup.png><p>Tea is served at five.<p>Milk is extra.<p>Enjoy it.",
        "<p>Tea is served at five.<p>Milk is extra.</p><img src=cup.png><p>Enjoy it.",
        &["moved down: “[image: cup.png]”"],
    );
    // Of a passage that went, images are a part.
    check_told(
        "<p>First of all.<p>Old words</p><img src=dot.png><p>Tea is served at five.",
        "<p>First of all.<p>Tea is served at five.<p>New ones</p><img src=dot.png>",
        &["removed: “Old words [image: dot.png]”", "added: “New ones [image: dot.png]”"],
    );
}

/// Where a row has fewer cells than before, words may stand in any of them.
#[test]
fn cells_become_one() {
    let row = |cells: &[&str]| table(&[&["day", "what", "where"], cells]);
    check_told(
        &row(&["Monday", "Tea", "here"]),
        &row(&["Monday Tea", "here"]),
        &["formatting: “Tea”: two cells → one cell, in column “day”"],
    );
    check_told(
        &row(&["Monday Tea", "here"]),
        &row(&["Monday", "Tea", "here"]),
        &["formatting: “Tea”: one cell → two cells, in row “Monday”, column “what”"],
    );
    let names = |rows: [[&str; 2]; 3], between: &str| {
        let row = |[first, last]: [&str; 2]| format!("<tr><td>{first}{between}{last}<td colspan=1>5");
        format!("<table>{}</table>", rows.map(row).concat())
    };
    let people = [["John", "Smith"], ["Ann", "Lee"], ["Bob", "Ray"]];
    let joined =
        with_changes(&page(names(people, "<td>")), &page(names(people, " ")), |changes, _| changes.list().len());
    assert_eq!(joined, 0);
    check_told(&row(&["1", "2", "3"]), &row(&["1", "3"]), &["removed: “2”, in row “1”, column “what”"]);
}

/// Images that count visits have another address at every one.
#[test]
fn images_that_show_nothing_are_no_others() {
    let check = |attributes: &str, expected: &[&str]| {
        let image = |address: &str| format!("<p>Tea is served. <img src=/{address}.gif {attributes}> Milk is extra.");
        check_told(&image("a"), &image("b"), expected);
    };
    let another = ["image: “[image: a.gif]” → “[image: b.gif]”"];
    for nothing in [
        "width=1 height=1",
        "width='1px' height=' 0 '",
        "height=1 style='WIDTH: 1px'",
        "style='width:1px;height:1px !important'",
        "style='width: 0; height: 0px; border: none'",
        "style='display: none'",
        "width=20 style='color:red;DISPLAY:none'",
        "width=1 height=1 srcset='/x.gif 2x'",
    ] {
        check(nothing, &[]);
    }
    for something in [
        "",
        "width=1",
        "height=1",
        "width=1 height=10",
        "width='1%' height=1",
        "width=1 height=1 style='width:100%'",
        "style='width:1em;height:1px'",
        "style='display:none;display:block'",
    ] {
        check(something, &another);
    }
    // What is heard of it is told, and so is that it shows something now.
    check_told(
        "<p>Tea <img src=a.gif width=1 height=1 alt=hot>",
        "<p>Tea <img src=b.gif width=1 height=1 alt=cold>",
        &["image: “[image: hot]” → “[image: cold]”"],
    );
    check_told(
        "<p>Tea <img src=a.gif width=1 height=1>",
        "<p>Tea <img src=b.gif width=10 height=10>",
        &["image: “[image: a.gif]” → “[image: b.gif]”"],
    );
    check_told(
        "<p>Tea <img src=a.gif>",
        "<p>Tea <img src=a.gif style='display:none'>",
        &["attribute: “[image: a.gif]”; hidden of img: no → yes"],
    );
    check_told(
        "<p>Tea <img src=a.gif width=9 height=9>",
        "<p>Tea <img src=a.gif width=1 height=1>",
        &["formatting: “[image: a.gif]”; width of img: 9 → 1"],
    );
}

#[test]
fn fields_take_other_values() {
    check_told(
        "<p>How many? <input type=number name=n max=5>",
        "<p>How many? <input type=number name=n max=50>",
        &["attribute: “[field: n]”; max of input: 5 → 50"],
    );
    check_told(
        "<p><input type=file name=f accept=.png>",
        "<p><input type=file name=f accept=.pdf multiple>",
        &["attribute: “[field: f]”; accept of input: .png → .pdf; multiple of input: no → yes"],
    );
    check_told(
        "<p><video src=a.mp4 controls></video>",
        "<p><video src=a.mp4 autoplay></video>",
        &["attribute: “[video: a.mp4]”; autoplay of video: no → yes; controls of video: yes → no"],
    );
}

#[test]
fn attributes_that_are_heard_are_others() {
    let check = |before: &str, after: &str, expected: &str| check_told(before, after, &[expected]);
    let list = |group: &str, option: &str| {
        format!("<p><select><optgroup label='{group}'><option label='{option}'>x<option>y</optgroup></select>")
    };
    check(&list("Tea", "a"), &list("Milk", "a"), "attribute: “[field: a]”; choices: added “Milk”; removed “Tea”");
    check(
        &list("Tea", "a"),
        &list("Tea", "b"),
        "attribute: “[field: b]”; chosen of select: a → b; choices: added “b”; removed “a”",
    );
    let track = |label: &str| format!("<p><video src=v><track src=t label={label}></video>");
    check(&track("English"), &track("Welsh"), "attribute: “[video: v]”; label of track: English → Welsh");
    check("<p>x <input>", "<p>x <input required>", "attribute: “[field]”; required of input: no → yes");
    check(
        "<p><textarea readonly>x</textarea>",
        "<p><textarea>x</textarea>",
        "attribute: “[field: x]”; readonly of textarea: yes → no",
    );
    check(
        "<p aria-description='once a day'>Take it.",
        "<p aria-description='twice a day'>Take it.",
        "attribute: “Take it.”; aria-description of p: once a day → twice a day",
    );
    check(
        "<p><span role=slider aria-valuetext=low>x</span>",
        "<p><span role=slider aria-valuetext=high>x</span>",
        "attribute: “x”; aria-valuetext of span: low → high",
    );
    check("<form method=get>Go", "<form method=post>Go", "attribute: “Go”; method of form: get → post");
}

#[test]
fn a_drawing_is_another() {
    check(
        "<p>Sales: <svg><circle r=1></circle></svg> so far.",
        "<p>Sales: <svg><circle r=2></circle></svg> so far.",
        "<p>Sales: [-<svg><circle></circle></svg>-] {+<svg><circle></circle></svg>+} so far.</p>",
    );
    check_told("<p>a <svg><path d=m1></svg>", "<p>a <svg><path d=m2></svg>", &["drawing: “[drawing]” is another"]);
    check_told(
        "<p>a <svg><title>Sales in 2024</title><path d=m1></svg>",
        "<p>a <svg><title>Sales in 2025</title><path d=m2></svg>",
        &["drawing: “[drawing: Sales in 2024]” → “[drawing: Sales in 2025]”"],
    );
}

#[test]
fn words_in_a_drawing_are_others() {
    let page = |price: &str| {
        let words = format!("<text>Sum</text><foreignObject><p>You pay <b>{price}</b> euros</p></foreignObject>");
        format!("<p>Terms <svg><title>Bill</title><style>p {{}}</style>{words}</svg>")
    };
    let expected =
        "drawing: “[drawing: Bill]” is another; text of svg: Bill Sum You pay 5 euros → Bill Sum You pay 500 euros";
    check_told(&page("5"), &page("500"), &[expected]);
    let sum = |price: &str| format!("<p>Terms <svg><text>{price} <tspan>euros</tspan></text></svg>");
    check_told(&sum("5"), &sum("500"), &["drawing: “[drawing: 5 euros]” → “[drawing: 500 euros]”"]);
}

#[test]
fn drawings_and_formulas_that_look_alike_are_the_same() {
    let check = |before: &str, after: &str| check_noticed(&format!("<p>x {before}"), &format!("<p>x {after}"), &[]);
    check("<svg><g><path d='M0 0'/></g></svg>", "<svg>\n <g>\n  <!-- a --><path\n d='M0  0' />\n</g> </svg>");
    check("<math><mi>x</mi><mo>+</mo></math>", "<math id=z>\n <mi> x </mi> <mo>+</mo></math>");
    check("<svg class=a data-x=1><path id=p d=M0 /></svg>", "<svg class=b role=img><path d=M0 class=c /></svg>");
    let gradient = |id: &str| {
        format!(
            "<svg><defs><linearGradient id={id}></linearGradient><path id={id}p></defs>\
             <path fill='url(#{id})'/><use href='#{id}p'/><use xlink:href='#{id}p'/></svg>"
        )
    };
    check(&gradient("g1"), &gradient("g2"));
    check(
        "<svg><text><tspan>a</tspan> <tspan>b c</tspan></text></svg>",
        "<svg><text> <tspan>a\n</tspan><tspan>b  c </tspan> </text></svg>",
    );
    check(
        "<svg><foreignObject><p>a <b>b</b></p><p>c</p></foreignObject></svg>",
        "<svg><foreignObject>\n<p>a<b> b</b>\n</p>\n<p>c</p></foreignObject></svg>",
    );
    check(
        "<math><semantics><mi>x</mi><annotation>x</annotation></semantics></math>",
        "<math><semantics><mi>x</mi><annotation>y</annotation><annotation-xml><ci>x</ci></annotation-xml></semantics></math>",
    );
}

#[test]
fn drawings_and_formulas_that_look_different_are_others() {
    let other = |before: &str, after: &str| {
        check_told(&format!("<p>x {before}"), &format!("<p>x {after}"), &["drawing: “[drawing]” is another"]);
    };
    let used = |id: &str| format!("<svg><path id=a d=M0 /><path id=b d=M1 /><use href=#{id} /></svg>");
    other(&used("a"), &used("b"));
    other("<svg><path fill=#abc /></svg>", "<svg><path fill=#abd /></svg>");
    other("<svg><use href=#a /></svg>", "<svg><use href=#b /></svg>");
    other("<svg><g><path/></g></svg>", "<svg><g></g><path/></svg>");
    // What an inner rule says goes by names.
    let ruled = |class: &str| format!("<svg><style>.a {{ fill: red }}</style><path class={class} /></svg>");
    other(&ruled("a"), &ruled("b"));
    check_told(
        "<p>x <svg><foreignObject>ab</foreignObject></svg>",
        "<p>x <svg><foreignObject>a b</foreignObject></svg>",
        &["drawing: “[drawing]” is another; text of svg: ab → a b"],
    );
    check_told(
        "<p>x <svg><text>a b</text></svg> y",
        "<p>x <svg><text>a c</text></svg> y",
        &["drawing: “[drawing: a b]” → “[drawing: a c]”"],
    );
    check_told(
        "<p>x <math><mi>x</mi> <mo>+</mo><mtext>a b</mtext></math>",
        "<p>x <math><semantics><mrow><mi>y</mi><mo>+</mo><mtext>a  b</mtext></mrow><annotation>y</annotation></semantics></math>",
        &["formula: “[formula: x+a b]” → “[formula: y+a b]”"],
    );
}

#[test]
fn an_image_of_the_same_name_is_another() {
    check_told(
        "<p>a <img src=a.png alt=cup>",
        "<p>a <img src=b.png alt=cup>",
        &["image: “[image: cup]” is another; src of img: a.png → b.png"],
    );
}

#[test]
fn images_in_a_row_are_others() {
    let image = |at: usize, file: &str| {
        let alt = ["A", "B"][at];
        format!("<img src={file}.png alt={alt}>")
    };
    let told = |alt: &str, from: &str, to: &str| {
        format!("image: “[image: {alt}]” is another; src of img: {from}.png → {to}.png")
    };
    let [a, b] = [told("A", "a", "c"), told("B", "b", "d")];
    let row = |files: [&str; 2]| format!("<p>{} {}", image(0, files[0]), image(1, files[1]));
    check_told(&row(["a", "b"]), &row(["c", "d"]), &[&a, &b]);
    let page = |files: [&str; 2]| format!("<p>Text {} and {} done", image(0, files[0]), image(1, files[1]));
    check_told(&page(["a", "b"]), &page(["c", "d"]), &[&a, &b]);
    check(&page(["a", "b"]), &page(["c", "d"]), "<p>Text [-<img A>-] {+<img A>+} and [-<img B>-] {+<img B>+} done</p>");
    // Beside words that come and go.
    check_told(
        "<p>See our old <img src=a.png alt=A> and more of it here.",
        "<p>See our <img src=c.png alt=A> newest and more of it here.",
        &[
            "removed: “old”, in “See our old [image: A] and more of it here.”",
            &a,
            "added: “newest”, in “See our [image: A] newest and more of it here.”",
        ],
    );
    // One that is gone is no other one.
    check_told("<p>x <img src=a alt=A><img src=b alt=B> y", "<p>x <img src=b alt=B> y", &["removed: “[image: A]”"]);
    // In sentences that have nothing in common.
    check_told(
        "<p>Tea is hot. <img src=a.png alt=A><br><img src=b.png alt=B>",
        "<p>Tea is hot. <img src=c.png alt=A><br><img src=d.png alt=B>",
        &[&a, &b],
    );
}

#[test]
fn fields_of_a_form_are_filled_in_otherwise() {
    let boxes = |checked: [&str; 3]| checked.map(|checked| format!("<input type=checkbox {checked}>")).concat();
    check_told(
        &boxes(["", "checked", ""]),
        &boxes(["checked", "", ""]),
        &["attribute: “[field]”; checked of input: no → yes", "attribute: “[field]”; checked of input: yes → no"],
    );
    let before = "<input value=old placeholder=Search><select><option>A<option selected>B</select>\
                  <textarea>hello old</textarea><button>Go</button><input type=checkbox>";
    let after = "<input value=new placeholder=Find><select><option selected>A<option>B</select>\
                 <textarea>hello new</textarea><button>Go</button><input type=checkbox checked>";
    check_told(
        before,
        after,
        &[
            "attribute: “[field: Find]”; placeholder of input: Search → Find; value of input: old → new",
            "attribute: “[field: A]”; chosen of select: B → A",
            "attribute: “[field: hello new]”; text of textarea: hello old → hello new",
            "attribute: “[field]”; checked of input: no → yes",
        ],
    );
    // A field that comes in is one, and those with names stay what they were.
    let field = |name: &str, value: &str| format!("<input name={name} value={value}>");
    check_told(
        &format!("<p>{}{}", field("a", "1"), field("b", "2")),
        &format!("<p>{}{}{}", field("c", "3"), field("a", "1"), field("b", "2")),
        &["added: “[field: c]”"],
    );
}

#[test]
fn what_stands_for_an_image_is_another() {
    check("<p>A <img src=a.png alt=cup> b", "<p>A <img src=a.png alt=pot> b", "<p>A {~<img pot>~} b</p>");
    check_told(
        "<p>A <img src=a.png alt=cup> b",
        "<p>A <img src=a.png alt=''> b",
        &["attribute: “[image: a.png]”; alt of img: cup → (empty)"],
    );
}

#[test]
fn the_page_in_a_frame_is_another() {
    let frame = |said: &str| {
        let more = "Much more is said here, so that nobody would read on to the end of it. ".repeat(3);
        format!("<p>x <iframe srcdoc='<p>{more}{said} world. {more}'></iframe> y")
    };
    check_told(
        &frame("Hello"),
        &frame("Goodbye"),
        &["attribute: “[frame]”; srcdoc of iframe: …ad on to the end of it. Hello world. Much more is sai… → \
           …ad on to the end of it. Goodbye world. Much more is sai…"],
    );
    check("<p>x <iframe srcdoc=a></iframe> y", "<p>x <iframe srcdoc=b></iframe> y", "<p>x {~<span></span>~} y</p>");
}

/// What is new or gone around words that stayed is told as if it had come to an element that was there.
#[test]
fn elements_come_around_words() {
    let both_ways = |before: &str, after: &str, told: &str, back: &str| {
        check_told(before, after, &[told]);
        check_told(after, before, &[back]);
    };
    let words = "<p>You may not copy.</p>";
    let hidden = |opening: &str, element: &str| {
        let told = format!("attribute: “You may not copy.”; hidden of {element}: no → yes");
        both_ways(words, &format!("<main>{opening}{words}</{element}>"), &told, &told.replace("no → yes", "yes → no"));
    };
    hidden("<div hidden>", "div");
    hidden("<div style='display:none'>", "div");
    hidden("<div popover>", "div");
    hidden("<dialog>", "dialog");
    hidden("<details>", "details");
    hidden("<noscript>", "noscript");
    let told = "attribute: “not”; hidden of span: no → yes";
    both_ways(words, "<p>You may <span hidden>not</span> copy.", told, &told.replace("no → yes", "yes → no"));
    both_ways(words, "<p>You may n<span hidden>ot</span> copy.", told, &told.replace("no → yes", "yes → no"));
    let of_word = |opening: &str, told: &str, back: &str| {
        let (element, _) = opening[1..].split_once([' ', '>']).expect("an element");
        both_ways(words, &format!("<p>You may {opening}not</{element}> copy."), told, back);
    };
    let said = |opening: &str, told: &str, [none, value]: [&str; 2]| {
        let line = |from: &str, to: &str| format!("{told}: {from} → {to}");
        of_word(opening, &line(none, value), &line(value, none));
    };
    said("<abbr title=never>", "attribute: “not”; title of abbr", ["none", "never"]);
    said("<span lang=de>", "attribute: “not”; lang of span", ["none", "de"]);
    said("<bdo dir=rtl>", "attribute: “not”; dir of bdo", ["none", "rtl"]);
    said("<span aria-hidden=true>", "attribute: “not”; aria-hidden of span", ["none", "true"]);
    said("<font color=white>", "formatting: “not”; color of font", ["none", "white"]);
    said("<span style='left:-9999px'>", "formatting: “not”; style of span", ["none", "left:-9999px"]);
    said("<span class=x>", "formatting: “not”; class of span", ["none", "x"]);
    said("<button>", "formatting: “not”", ["plain", "button"]);
    let told = "formatting: “You may not copy.”: plain → centered";
    both_ways(words, &format!("<center>{words}"), told, &told.replace("plain → centered", "centered → plain"));
    let told = "attribute: “[image: tea]”; hidden of span: no → yes";
    check_told("<p>Hot <img alt=tea src=a>", "<p>Hot <span hidden><img alt=tea src=a></span>", &[told]);
    let told = "attribute: “[image: tea]”; hidden of img: no → yes";
    check_told("<p>Hot <img alt=tea src=a>", "<p>Hot <img alt=tea src=a hidden>", &[told]);
    let told = "attribute: “Name”; action of form: none → http://evil.example/";
    let form = "<form action=http://evil.example/><p>Name <input name=n></form>";
    both_ways("<p>Name <input name=n>", form, told, "attribute: “Name”; action of form: http://evil.example/ → none");
}

#[test]
fn what_comes_around_words_is_told_once() {
    let words = "<p>Tea is hot.</p><p>It costs 5 euros.</p><p>Come in.</p>";
    let told =
        ["attribute: “Tea is hot.”; hidden of div: no → yes", "formatting: “Tea is hot.”; class of div: none → x"];
    check_told(words, &format!("<div class=x hidden>{words}</div>"), &told);
    check_told(
        "<p>one two three</p><p>four five six</p>",
        "<p>one <i class=x>two</i> three</p><p>four <span class=y>five</span> <span class=y>six</span></p>",
        &["formatting: “two”: plain → italic", "formatting: “five”; class of span (2 times): none → y"],
    );
    check_told(
        "<p>one two three</p><p>four five six</p>",
        "<p>one <span class=y>two</span> three</p><p>four <span class=y>five</span> six</p>",
        &["formatting: “two”; class of span (2 times): none → y"],
    );
}

#[test]
fn what_says_nothing_of_words_is_not_told() {
    let check = |before: &str, after: &str| {
        check_told(before, after, &[]);
        check_told(after, before, &[]);
    };
    check("<p>You may not copy.", "<main><div><section><p>You may <span>not</span> copy.");
    check("<p>You may <b class=x title=y>not</b> copy.", "<p>You may <strong title=y class=x>not</strong> copy.");
    check("<p lang=de>Sie <b>nicht</b> da.", "<p lang=de>Sie <b><span lang=DE>nicht</span></b> da.");
    check("<main><p>Tea is hot.", "<main><details><summary><p>Tea is hot.</summary></details>");
    let told = ["added: “It is new.”"];
    check_told("<p>Tea.</p><p>Milk.</p>", "<p>Tea.</p><div hidden lang=de><p>It is new.</p></div><p>Milk.</p>", &told);
}

#[test]
fn attributes_that_are_seen_are_others() {
    let check = |before: &str, after: &str, expected: &str| check_told(before, after, &[expected]);
    check("<p>Tea", "<p hidden>Tea", "attribute: “Tea”; hidden of p: no → yes");
    check("<p><button>Go</button>", "<p><button disabled>Go</button>", "attribute: “Go”; disabled of button: no → yes");
    check(
        "<details><summary>More</summary>of it</details>",
        "<details open><summary>More</summary>of it</details>",
        "attribute: “More”; open of details: no → yes",
    );
    check("<ol><li>a<li>b</ol>", "<ol start=4><li>a<li>b</ol>", "attribute: “a”; start of ol: none → 4");
    check(
        "<table><tr><td>a<td>b<tr><td>c</table>",
        "<table><tr><td>a<td>b<tr><td colspan=2>c</table>",
        "attribute: “c”; colspan of td: none → 2",
    );
    check("<p>a <input value=x>", "<p>a <input value=y>", "attribute: “[field: y]”; value of input: x → y");
    check(
        "<p>a <input type=radio>",
        "<p>a <input type=radio checked>",
        "attribute: “[field]”; checked of input: no → yes",
    );
    check("<p title=a>one", "<p title=b>two", "replaced: “one” → “two”; title of p: a → b");
    check(
        "<p><select><option>green<option>black</select>",
        "<p><select><option>green<option selected>black</select>",
        "attribute: “[field: black]”; chosen of select: green → black",
    );
    check("<p><textarea>a</textarea>", "<p><textarea>b</textarea>", "attribute: “[field: b]”; text of textarea: a → b");
}

#[test]
fn a_field_has_other_choices() {
    let field = |choices: &[&str]| {
        let options: String = choices.iter().map(|choice| format!("<option>{choice}")).collect();
        format!("<p>Tea: <select>{options}</select>")
    };
    let check = |before: &[&str], after: &[&str], told: &str| check_told(&field(before), &field(after), &[told]);
    check(&["A", "B"], &["A", "B", "C"], "attribute: “[field: A]”; choices: added “C”");
    check(&["A", "B", "C"], &["A", "D", "C"], "attribute: “[field: A]”; choices: added “D”; removed “B”");
    check(&["A", "B", "C"], &["A", "C", "B"], "attribute: “[field: A]”; choices: in another order");
    check_told(&field(&["A", "B"]), &field(&["A ", "\n B"]), &[]);
    check_told("<p>a <input value=x>", "<p>a <img src=y.png>", &["replaced: “[field: x]” → “[image: y.png]”"]);
}

#[test]
fn classes_and_styles_are_noticed() {
    check("<p>Tea is hot.<p>Milk", "<p class=warn>Tea is hot.<p>Milk", "<p>{_Tea is hot._}</p><p>Milk</p>");
    check_told(
        "<p>Tea is <i style='color:red'>hot</i>.",
        "<p style='color:red'>Tea is <i>hot</i>.",
        &["formatting: “Tea is”; style of p: none → color:red"],
    );
    check_told("<p class='a b'>Tea", "<p class=' a  b'>Tea", &[]);
    check_told("<p class='a b'>Tea", "<p class='b a b'>Tea", &[]);
    check_told("<body bgcolor=#FFFFFF><p align=LEFT>Tea", "<body bgcolor=#ffffff><p align=left>Tea", &[]);
}

#[test]
fn a_line_of_code_is_indented() {
    check_told("<pre>if a\n  b\n</pre>", "<pre>if a\n    b\n</pre>", &["replaced: “2 spaces” → “4 spaces”"]);
    check_told("<pre>if a\n  b\n</pre>", "<pre>if a\n\tb\n</pre>", &["replaced: “2 spaces” → “1 tab”"]);
    check_told("<pre>if a\n  b\n</pre>", "<pre>if a\n  c\n</pre>", &["replaced: “ b ” → “ c ”"]);
}

#[test]
fn what_looks_different_alike_is_told_once() {
    let table = |odd: &str, even: &str| {
        let row = |at: usize| format!("<tr class={}><td>row {at}</td></tr>", if at % 2 == 1 { odd } else { even });
        format!("<table>{}</table>", (0..9).map(row).collect::<String>())
    };
    check_told(
        &table("a", "b"),
        &table("b", "a"),
        &["formatting: “row 0”; class of tr (5 times): b → a", "formatting: “row 1”; class of tr (4 times): a → b"],
    );
}

/// What is told that is not seen in the page.
#[track_caller]
fn check_noticed(before: &str, after: &str, expected: &[&str]) {
    let (before, after) = (page(before), page(after));
    let told = with_changes(&before, &after, |changes, _| Summary::new(changes, EXCERPT).to_string());
    assert_eq!(told.lines().next(), Some(if expected.is_empty() { "no changes" } else { "no changes that are seen" }));
    assert_eq!(told.lines().skip(1).collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_not_seen_leads_elsewhere() {
    let check = check_noticed;
    check("<base href=/a/><p>x", "<base href=/b/><p>x", &["href of base: /a/ → /b/"]);
    check(
        "<p><a href=x>x</a><a href=y>y</a>",
        "<base href=/b/><p><a href=x>x</a><a href=y>y</a>",
        &["href of base: none → /b/"],
    );
    let map = |one: &str, two: &str| format!("<img usemap=#m><map name=m><area href={one}><area href={two}></map>");
    check(&map("a", "b"), &map("a", "c"), &["href of area: b → c"]);
    check(&map("a", "b"), &map("b", "a"), &[]);
    let refresh = "<meta http-equiv=Refresh content='0; url=/x'><p>x";
    check("<meta http-equiv=other content=1><p>x", "<meta http-equiv=other content=2><p>x", &[]);
    check("<p>x", refresh, &["refresh of meta: none → 0; url=/x"]);
    check(refresh, &refresh.replace("/x", "/y"), &["refresh of meta: 0; url=/x → 0; url=/y"]);
    let area = |alt: &str| format!("<img usemap=#m src=x><map name=m><area href=a alt='{alt}'></map>");
    check(&area("north"), &area("south"), &["alt of area: north → south"]);
    let meta = |name: &str, content: &str| format!("<meta name={name} content='{content}'><p>x");
    check(&meta("Description", "tea"), &meta("description", "milk"), &["description of meta: tea → milk"]);
    check(&meta("robots", "index"), &meta("robots", "noindex"), &["robots of meta: index → noindex"]);
    check(&meta("viewport", "a"), &meta("viewport", "b"), &[]);
    check("<p>x", "<link rel=canonical href=/a><p>x", &["canonical of link: none → /a"]);
}

/// What is told of two pages at an address, if they have one, but for their bases.
fn told_at(base: Option<&str>, before: &str, after: &str) -> Vec<String> {
    let pages = [before, after].map(page);
    let matching = matching::auto(&pages[0], &pages[1], &Default::default());
    let resolve = pages.each_ref().map(|page| html::addresses(page, base));
    let addresses = resolve.each_ref().map(|resolve| Addresses::new(resolve));
    let changes = Changes::at(pages.each_ref(), &matching, &Entities::default(), addresses);
    let told = Summary::new(&changes, EXCERPT).to_string();
    let lines = told.lines().skip(1).map(|line| line.trim_start_matches([' ', '1', '.']));
    lines.filter(|line| !line.is_empty() && !line.starts_with("href of base")).map(str::to_owned).collect()
}

#[test]
fn an_address_is_written_in_another_way() {
    let base = Some("https://ex.org/q");
    let check = |base: Option<&str>, before: &str, after: &str| assert_eq!(told_at(base, before, after), [""; 0]);
    for page in [
        "<p><a href=*>k</a>",
        "<p>x <img src=* alt=A> y",
        "<p>x <img alt=A srcset='* 2x, data: 3x'> y",
        "<p>x <picture><source srcset=*><img alt=A></picture> y",
        "<p>x <video poster=*></video> y",
        "<form action=*><p>Name: <input name=a></form>",
        "<p>x <input type=image src=*>",
        "<p>x <img usemap=#m><map name=m><area href=*></map>",
    ] {
        let [whole, relative] = ["https://ex.org/a/b", "/a/b"].map(|address| page.replace('*', address));
        check(base, &relative, &whole);
        check(base, &whole, &page.replace('*', "HTTPS://EX.org:443/a/./b"));
        check(base, &page.replace('*', "/café#ü"), &page.replace('*', "/caf%C3%A9#%C3%BC"));
        let based = |folder: &str, address: &str| format!("<base href={folder}>{}", page.replace('*', address));
        check(None, &based("https://ex.org/a/", "b"), &whole);
        // Of a page that is elsewhere it is told once, by its base.
        check(None, &based("https://ex.org/a/", "b"), &based("https://ex.com/a/", "b"));
        assert_ne!(told_at(base, &relative, &page.replace('*', "https://ex.org/a/c")), [""; 0], "{page}");
        assert_ne!(told_at(None, &relative, &whole), [""; 0], "{page}");
    }
}

#[test]
fn what_is_said_of_an_address_that_is_written_in_another_way() {
    let base = Some("https://ex.org/q");
    assert_eq!(
        told_at(base, "<p>a <img src=/a.png alt=cup>", "<p>a <img src=https://ex.org/a.png alt=pot>"),
        ["attribute: “[image: pot]”; alt of img: cup → pot"]
    );
    assert_eq!(
        told_at(base, "<p>a <a href=/a>old word</a>", "<p>a <a href=https://ex.org/a>new word</a>"),
        ["replaced: “old” → “new”, in “a new word”"]
    );
    assert_eq!(
        told_at(base, "<p>a <a href=https://ex.org/a>b</a>", "<p>a <a href=https://you@ex.org/a>b</a>"),
        ["link: “b”: https://ex.org/a → https://you@ex.org/a"]
    );
    // What an area is called is no address.
    let area = |alt: &str| format!("<p>a <img usemap=#m><map name=m><area href=/a alt='{alt}'></map>");
    assert!(told_at(base, &area("north"), &area("./north")).contains(&"alt of area: north → ./north".to_owned()));
}

#[test]
fn a_form_is_sent_elsewhere() {
    let form = |action: &str| format!("<form action={action}><p>Name: <input name=a></form>");
    check_told(&form("/a"), &form("/b"), &["attribute: “Name:”; action of form: /a → /b"]);
    check_told(
        "<form><button>Go</button></form>",
        "<form><button formaction=/b>Go</button></form>",
        &["attribute: “Go”; formaction of button: none → /b"],
    );
    check_told(
        "<form><input type=submit value=Go formaction=/a></form>",
        "<form><input type=submit value=Go formaction=/b></form>",
        &["attribute: “[field: Go]”; formaction of input: /a → /b"],
    );
}

#[test]
fn scripts_and_styles_are_others() {
    let check = check_noticed;
    check("<link rel=stylesheet href=a.css><p>x", "<link rel=stylesheet href=b.css><p>x", &["styles changed"]);
    check("<link rel=icon href=a.png><p>x", "<link rel=icon href=b.png><p>x", &[]);
    check("<p>x", "<p onclick='go()'>x", &["scripts changed"]);
    check("<p onclick='go()'>x", "<p onclick='stay()'>x", &["scripts changed"]);
    check("<p onclick='go()'>x<p>y", "<p onclick='go()'>x<p onclick='go()'>y", &["scripts changed"]);
    // A row like others does nothing that they do not do.
    let rows = |count: usize| format!("<table>{}</table>", "<tr onclick='go()'><td>row".repeat(count));
    let told = with_changes(&page(rows(3)), &page(rows(4)), |changes, _| changes.notices().to_vec());
    assert_eq!(told, []);
}

#[test]
fn a_picture_has_another_source() {
    let picture = |source: &str| format!("<p>A <picture><source srcset={source}><img src=a.png alt=cup></picture>");
    check_told(
        &picture("a.webp"),
        &picture("b.webp"),
        &["image: “[image: cup]” is another; srcset of source: a.webp → b.webp"],
    );
    let video = |source: &str| format!("<p>A <video poster=a.png><source src={source}></video>");
    check_told(&video("a.mp4"), &video("b.mp4"), &["video: “[video]” is another; src of source: a.mp4 → b.mp4"]);
}

#[test]
fn what_reads_alike_is_told_by_what_is_another() {
    check_told(
        "<ul><li><a href=/a><img src=1.png alt=x> News</a><li>b</ul>",
        "<ul><li><a href=/c><img src=3.png alt=x> News</a><li>b</ul>",
        &["link: “[image: x] News”: /a → /c; src of img: 1.png → 3.png"],
    );
    check_told(
        "<div><input name=a value=x></div><p>y",
        "<div><textarea name=a>x</textarea></div><p>y",
        &["attribute: “[field: a]”; kind of field: input → textarea"],
    );
    check_told(
        "<p>Made by <a href=/b>tea</a>, S. Brown",
        "<p>Made by <a href=/b>tea</a>, <a href=/s>S.</a> Brown",
        &["link: “S.”: none → /s"],
    );
}

#[test]
fn what_is_no_image_has_its_own_name() {
    let check = |before: &str, after: &str, expected: &str| {
        let [before, after] = [before, after].map(|whole| page(format!("<p>See {whole} here.")));
        let told = with_changes(&before, &after, |changes, _| Summary::new(changes, EXCERPT).to_string());
        assert_eq!(told.trim_end(), expected);
    };
    let told = "1 change (1 video)\n\n  1. video: “[video: a.mp4]” → “[video: b.mp4]”";
    check("<video src=a.mp4></video>", "<video src=b.mp4></video>", told);
    let told = "1 change (1 frame)\n\n  1. frame: “[frame: a]” → “[frame: b]”";
    check("<iframe src=a></iframe>", "<iframe src=b></iframe>", told);
    let told = "1 change (1 replaced)\n\n  1. replaced: “[image: a.png]” → “[video: b.mp4]”";
    check("<img src=a.png>", "<video src=b.mp4></video>", told);
    let told = "1 change (1 drawing)\n\n  1. drawing: “[drawing]” is another";
    check("<svg><path d=m1></svg>", "<svg><path d=m2></svg>", told);
}

#[test]
fn sizes_and_proposals_are_told() {
    check(
        "<p>See <img src=a alt=cup width=10> here",
        "<p>See <img src=a alt=cup width=20> here",
        "<p>See {_<img cup>_} here</p>",
    );
    check_told(
        "<p>See <img src=a alt=cup width=10> here",
        "<p>See <img src=a alt=cup width=20> here",
        &["formatting: “[image: cup]”; width of img: 10 → 20"],
    );
    let list = |choice: &str| format!("<input list=l><datalist id=l><option value=a><option>{choice}</datalist>");
    let [before, after] = ["b", "c"].map(|choice| page(list(choice)));
    let told = with_changes(&before, &after, |changes, _| Summary::new(changes, EXCERPT).to_string());
    assert_eq!(told, "no changes that are seen\nchoices of datalist: a, b → a, c\n");
}

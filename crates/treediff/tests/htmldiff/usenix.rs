//! Does the page of the first paper's figure show what it showed in 1995? Its eight arrows: an item that is new, one that is
//! gone at one place and new at another, words in the place of words, old and new, twice, and another new item.

use crate::marked::shown;

#[test]
fn the_home_page_shows_its_eight_changes() {
    let shown = shown(include_str!("usenix/before.html"), include_str!("usenix/after.html"));
    let marks = [
        "<li><a>{+Sale on USENIX Conference Proceedings+}</a> </li>",
        "<li>[<Tenth System Administration Conference, September, 1996:<] [<Call for Papers<] </li>",
        "[-Preliminary-] Program",
        "{+& Registration+}",
        "<li>{+Second Conference on Object-Oriented Technologies and Systems (COOTS), June 1996:+} <a>{+Call for Papers+}</a> </li>",
        "<li>{>Tenth System Administration Conference, September, 1996:>} <a>{>Call for Papers>}</a> </li>",
        "[-1994-]",
        "{+1993+}",
    ];
    let mut rest = &*shown;
    for mark in marks {
        let Some((_, behind)) = rest.split_once(mark) else { panic!("`{mark}` is not in `{rest}`") };
        rest = behind;
    }
    let pieces = ["[-", "{+", "[<", "{>", "{~"].map(|mark| shown.matches(mark).count()).iter().sum::<usize>();
    assert_eq!(pieces, 11, "nothing else is marked: {shown}");
}

"""What html5lib reads in the versions of some pages: a line of JSON for each.

Input: a line per page, its files separated by tabs, oldest first. Output: null where one of them is not in UTF-8, since
programs differ in what they take it for; else

- `lines`: those of every version, which end where a block begins or ends, with single blanks between words; where white
  space counts (`pre`) there is a NUL in its place;
- `balance`: by path, what came with each step and what went, as facts with how many more of them there are.
"""

import collections
import json
import re
import sys
import warnings

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
UNREAD = {HTML + name for name in "head script style template noscript".split()}
SPACED = {HTML + name for name in "pre listing textarea".split()}
BLOCKS = {
    HTML + name
    for name in """address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html iframe img legend li listing main menu nav ol
    optgroup option p pre search section select summary table tbody td textarea tfoot th thead tr ul""".split()
}


PLAIN_NAME = re.compile(r"[\w.-]+")


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        pages = [read(name) for name in line.rstrip("\n").split("\t")]
        print(json.dumps(None if any(page is None for page in pages) else answer(pages)))


def read(name):
    with open(name, "rb") as file:
        source = file.read()
    # The escapes are those of ISO-2022-JP, which is written in ASCII.
    if b"\x1b" in source or not is_utf8(source):
        return None
    return html5lib.parse(source, treebuilder="etree", namespaceHTMLElements=True, transport_encoding="utf-8")


def is_utf8(source):
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def answer(pages):
    questions = {"": words, "text()": texts, "@*": attributes}
    return {
        "lines": [lines(page) for page in pages],
        "balance": {path: balance(pages, facts) for path, facts in questions.items()},
    }


# Balance


def balance(pages, facts):
    counts = [collections.Counter(facts(page)) for page in pages]
    return [more(before, after) for before, after in zip(counts, counts[1:])]


def more(before, after):
    differences = {fact: after[fact] - before[fact] for fact in before | after}
    return {fact: difference for fact, difference in differences.items() if difference}


def words(page):
    return (word for text in texts(page) for word in text.split())


def texts(page):
    for node in page.iter():
        inside = node.text if isinstance(node.tag, str) else None
        yield from (text for text in (inside, node.tail) if text and text.strip())


def attributes(page):
    """Those with a plain name: others are written in quotes."""
    for node in page.iter():
        for name, value in node.attrib.items() if isinstance(node.tag, str) else ():
            if PLAIN_NAME.fullmatch(local(name)):
                yield f"{local(node.tag)}/@{local(name)} {value}"


def local(name):
    return name.rsplit("}", 1)[-1]


# Lines


def lines(page):
    written = "".join(pieces(page))
    return [" ".join(line.split()) for line in written.split("\n") if line.strip()]


def pieces(root):
    """The texts in their order, with line breaks only around blocks."""
    todo = [(root, False)]
    while todo:
        node, is_spaced = todo.pop()
        if isinstance(node, str):
            yield node
            continue
        tail = written(node.tail, is_spaced) if node is not root else ""
        todo.append((tail, False))
        if not isinstance(node.tag, str) or node.tag in UNREAD:
            continue
        edge = "\n" if node.tag in BLOCKS else ""
        is_spaced = is_spaced or node.tag in SPACED
        children = [(child, is_spaced) for child in reversed(list(node))]
        todo += [(edge, False), *children, (written(node.text, is_spaced), False), (edge, False)]


def written(text, is_spaced):
    return re.sub(r"\s", "\0" if is_spaced else " ", text or "")


main()

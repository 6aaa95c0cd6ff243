"""What html5lib reads in the versions of some pages: a line of JSON for each.

Input: a line per page, its files separated by tabs, oldest first. Output: for every version its lines, which end where a
block begins or ends, with single blanks between words; where white space counts (`pre`) there is a NUL in its place.
"""

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


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps([lines(name) for name in line.rstrip("\n").split("\t")]))


def lines(name):
    with open(name, "rb") as file:
        root = html5lib.parse(file.read(), treebuilder="etree", namespaceHTMLElements=True)
    written = "".join(pieces(root))
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

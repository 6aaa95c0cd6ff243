"""What lxml sees in the versions of some documents: a line of JSON for each.

Input: a line per document, its files separated by tabs, oldest first. Output: null where lxml cannot read all of them,
else the values of some expressions in every version, and the texts that came and went with each.
"""

import collections
import json
import sys

from lxml import etree

EXPRESSIONS = 6


def main():
    for line in sys.stdin:
        trees = [read(name) for name in line.rstrip("\n").split("\t")]
        print(json.dumps(None if None in trees else answer(trees)))


def read(name):
    parser = etree.XMLParser(resolve_entities=True, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.parse(name, parser).getroot()
    except etree.XMLSyntaxError:
        return None
    return None if any(isinstance(node, etree._Entity) for node in root.iter()) else root


def answer(trees):
    texts = [collections.Counter(texts_of(tree)) for tree in trees]
    steps = list(zip(texts, texts[1:]))
    return {
        "values": {path: [values(tree, path) for tree in trees] for path in paths(trees)},
        "came": [sorted((after - before).elements()) for before, after in steps],
        "went": [sorted((before - after).elements()) for before, after in steps],
    }


def texts_of(tree):
    """The texts of all elements, without those between elements; comments and instructions divide them."""
    for node in tree.iter():
        inside = node.text if isinstance(node.tag, str) else None
        for text in (inside, node.tail if node is not tree else None):
            if text and text.strip():
                yield text


def paths(trees):
    """Those names whose elements change most often."""
    names = sorted({etree.QName(node).localname for node in trees[-1].iter() if isinstance(node.tag, str)})
    written = {name: f"//*[local-name()='{name}']" for name in names}
    changes = {path: changed(trees, path) for path in written.values()}
    return sorted(changes, key=lambda path: (-changes[path], path))[:EXPRESSIONS]


def changed(trees, path):
    seen = [values(tree, path) for tree in trees]
    return sum(before != after for before, after in zip(seen, seen[1:]))


def values(tree, path):
    return [node.xpath("string(.)") for node in tree.getroottree().xpath(path)]


main()

"""What lxml sees in the versions of some documents: a line of JSON for each.

Input: a line per document, its files separated by tabs, oldest first. Output: null where lxml cannot read all of them,
else

- `values`: those of some expressions in every version;
- `balance`: by path, what came with each step and what went, as facts with how many more of them there are;
- `blame`: the elements of the last version that say something, each with its text, its form, since when it can have
  been there at the latest, and since when if it is the same as the one that stood there before;
- `bounds`: by form, since when the first, the second and so on of that form can have been there at the earliest.
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
    return {
        "values": {path: [values(tree, path) for tree in trees] for path in paths(trees)},
        "balance": {path: balance(trees, facts) for path, facts in questions(trees).items()},
        **blame(trees),
    }


# Values


def paths(trees):
    """Those names whose elements change most often."""
    names = sorted({local(node) for node in elements(trees[-1])})
    written = {name: f"//*[local-name()='{name}']" for name in names}
    changes = {path: changed(trees, path) for path in written.values()}
    return sorted(changes, key=lambda path: (-changes[path], path))[:EXPRESSIONS]


def changed(trees, path):
    seen = [values(tree, path) for tree in trees]
    return sum(before != after for before, after in zip(seen, seen[1:]))


def values(tree, path):
    return [node.xpath("string(.)") for node in tree.getroottree().xpath(path)]


# Balance


def questions(trees):
    """By path, what of a document it is about. The empty path is about everything, whose words are counted."""
    names = {local(node) for tree in trees for node in elements(tree)}
    nested = {local(node) for tree in trees for node in elements(tree) for above in node.iterancestors() if local(above) == local(node)}
    facts = {"": words, "text()": texts, "@*": attributes, "comment()": comments}
    return facts | {f"//{name}": lambda tree, name=name: named(tree, name) for name in sorted(names - nested)}


def balance(trees, facts):
    counts = [collections.Counter(facts(tree)) for tree in trees]
    return [more(before, after) for before, after in zip(counts, counts[1:])]


def more(before, after):
    differences = {fact: after[fact] - before[fact] for fact in before | after}
    return {fact: difference for fact, difference in differences.items() if difference}


def words(tree):
    return (word for text in texts(tree) for word in text.split())


def texts(tree):
    """The texts of all elements, without those between elements; comments and instructions divide them."""
    for node in tree.iter():
        inside = node.text if isinstance(node.tag, str) else None
        for text in (inside, node.tail if node is not tree else None):
            if text and text.strip():
                yield text


def attributes(tree):
    for node in elements(tree):
        for name, value in node.attrib.items():
            yield f"{local(node)}/@{etree.QName(name).localname} {value}"


def comments(tree):
    around = [*tree.itersiblings(preceding=True), *tree.itersiblings()]
    return (node.text for node in [*tree.iter(), *around] if node.tag is etree.Comment)


def named(tree, name):
    return (name for node in elements(tree) if local(node) == name)


# Blame


def blame(trees):
    forms = [collections.Counter(map(form, elements(tree))) for tree in trees]
    told = [node for node in elements(trees[-1]) if is_told(node)]
    by_form = {}
    for node in told:
        by_form.setdefault(form(node), []).append(node)
    number = {known: place for place, known in enumerate(by_form)}
    places, wholes = zip(*map(around, trees))
    latest, usual = latest_by(wholes), latest_by(places)
    return {
        "blame": [["".join(own_texts(node)), number[form(node)], latest[node], usual[node]] for node in told],
        "bounds": [bounds([version[known] for version in forms], len(nodes)) for known, nodes in by_form.items()],
    }


def is_told(element):
    return bool(element.attrib or own_texts(element) or len(element) == 0)


def form(element):
    """What an element is by itself."""
    return (element.tag, tuple(sorted(element.attrib.items())), tuple(own_texts(element)))


def own_texts(element):
    texts = [element.text, *(child.tail for child in element)]
    return [text for text in texts if text and text.strip()]


def bounds(counts, most):
    """The versions since which there are at least one, two and so on, in every version."""
    found = []
    for least in range(1, most + 1):
        since = len(counts)
        while since > 1 and counts[since - 2] >= least:
            since -= 1
        found.append(since)
    return found


def around(tree):
    """By element, what it and all that it is in are by themselves, and the same with the whole child of the root that it is in."""
    places, tops = {}, {}
    for node in elements(tree):
        above = node.getparent()
        places[node] = hash((form(node), places.get(above)))
        is_top = above is tree
        tops[node] = etree.tostring(node, method="c14n", with_tail=False) if is_top else tops.get(above)
    return places, {node: (places[node], tops[node]) for node in places}


def latest_by(versions):
    """By element of the last version: since when one with the same key has been there, where there is never more than one."""
    counts = [collections.Counter(version.values()) for version in versions]
    is_single = {key: all(version[key] < 2 for version in counts) for key in counts[-1]}
    since = {key: bounds([version[key] for version in counts], 1)[0] for key in counts[-1] if is_single[key]}
    return {node: since.get(key) for node, key in versions[-1].items()}


# Nodes


def elements(tree):
    return (node for node in tree.iter() if isinstance(node.tag, str))


def local(element):
    return etree.QName(element).localname


main()

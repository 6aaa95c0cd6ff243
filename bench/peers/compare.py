"""Asks a package of PyPI what changed: `compare.py PACKAGE BEFORE AFTER FORMAT` prints the CPU seconds from reading the
files to the delta, the operations of the delta, its bytes as text and its cost, `-` for what the package does not say.
`compare.py PACKAGE --version` prints the version."""

import importlib
import importlib.metadata
import json
import sys
import time


def parsed(path, format):
    """The root element; comments and instructions are no nodes, and neither is white space between elements."""
    from lxml import etree, html

    if format == "html":
        return html.parse(path, html.HTMLParser(remove_comments=True, remove_pis=True)).getroot()
    options = dict(remove_blank_text=True, remove_comments=True, remove_pis=True, resolve_entities="internal")
    return etree.parse(path, etree.XMLParser(huge_tree=True, recover=True, **options)).getroot()


def labelled(element, node):
    """A tree of labels, from the leaves up and without recursion: what holds for an element, and its texts below it."""

    def label(element):
        attributes = "".join(f" {name}={value}" for name, value in sorted(element.items()))
        return f"<{element.tag}{attributes}>"

    def text(value):
        return [node(value.strip(), [])] if value and value.strip() else []

    built = {}
    for each in reversed(list(element.iter("*"))):
        children = text(each.text)
        for child in each.iterchildren("*"):
            children.append(built.pop(child))
            children.extend(text(child.tail))
        built[each] = node(label(each), children)
    return built[element]


def xmldiff(before, after, format):
    from xmldiff import formatting, main

    script = main.diff_trees(parsed(before, format).getroottree(), parsed(after, format).getroottree())
    return len(script), formatting.DiffFormatter().format(script, None), None


def apted(before, after, format):
    from apted import APTED, Config

    class Labels(Config):
        def rename(self, before, after):
            return int(before[0] != after[0])

        def children(self, node):
            return node[1]

    trees = [labelled(parsed(path, format), lambda label, children: (label, children)) for path in (before, after)]
    search = APTED(*trees, Labels())
    cost = search.compute_edit_distance()
    changed = [pair for pair in search.compute_edit_mapping() if None in pair or pair[0][0] != pair[1][0]]
    return len(changed), None, cost


def zss(before, after, format):
    from zss import Node, Operation, simple_distance

    trees = [labelled(parsed(path, format), Node) for path in (before, after)]
    distance = lambda before, after: int(before != after)
    cost, operations = simple_distance(*trees, label_dist=distance, return_operations=True)
    return sum(operation.type != Operation.match for operation in operations), None, int(cost)


def edist(before, after, format):
    from edist import ted

    def arrays(path):
        nodes, adjacent = [], []

        def node(label, children):
            return (label, children)

        pending = [(labelled(parsed(path, format), node), None)]
        while pending:
            (label, children), parent = pending.pop()
            if parent is not None:
                adjacent[parent].append(len(nodes))
            adjacent.append([])
            pending.extend((child, len(nodes)) for child in reversed(children))
            nodes.append(label)
        return nodes, adjacent

    (before, before_adjacent), (after, after_adjacent) = arrays(before), arrays(after)
    cost = int(ted.standard_ted(before, before_adjacent, after, after_adjacent))
    return cost, None, cost


def graphtage(before, after, format):
    import io

    from graphtage import FILETYPES_BY_TYPENAME
    from graphtage.printer import Printer

    filetype = FILETYPES_BY_TYPENAME[format]
    trees = [filetype.build_tree(path) for path in (before, after)]
    diff = trees[0].diff(trees[1])
    out = io.StringIO()
    filetype.get_default_formatter().print(Printer(out, ansi_color=False), diff)
    edits = sum(1 for _ in trees[0].get_all_edits(trees[1]))
    return edits, out.getvalue(), None


def lxml_html_diff(before, after, format):
    from lxml.html.diff import htmldiff

    text = htmldiff(parsed(before, format), parsed(after, format))
    return text.count("<ins>") + text.count("<del>"), text, None


def loaded(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def deepdiff(before, after, format):
    from deepdiff import DeepDiff, Delta

    found = DeepDiff(loaded(before), loaded(after), ignore_order=False)
    count = sum(len(changes) for changes in found.to_dict().values())
    return count, Delta(found, serializer=lambda value: json.dumps(value, default=str)).dumps(), None


def jsondiff(before, after, format):
    import jsondiff

    text = jsondiff.diff(loaded(before), loaded(after), dump=True)
    return leaves(json.loads(text)), text, None


def leaves(value):
    if isinstance(value, dict) and value:
        return sum(leaves(member) for member in value.values())
    return 1 if not isinstance(value, dict) else 0


def jsonpatch(before, after, format):
    import jsonpatch

    patch = jsonpatch.make_patch(loaded(before), loaded(after))
    return len(patch.patch), patch.to_string(), None


def dictdiffer(before, after, format):
    import dictdiffer

    found = list(dictdiffer.diff(loaded(before), loaded(after)))
    # An `add` or `remove` has several members in one.
    count = sum(1 if kind == "change" else len(changes) for kind, _, changes in found)
    return count, json.dumps(found, default=list), None


# How each is asked, and the modules that are there before the clock starts.
PACKAGES = {
    "xmldiff": (xmldiff, "lxml.html", "xmldiff.main", "xmldiff.formatting"),
    "apted": (apted, "lxml.html", "apted"),
    "zss": (zss, "lxml.html", "zss"),
    "edist": (edist, "lxml.html", "edist.ted"),
    "graphtage": (graphtage, "graphtage", "graphtage.printer"),
    "lxml.html.diff": (lxml_html_diff, "lxml.html.diff"),
    "deepdiff": (deepdiff, "deepdiff"),
    "jsondiff": (jsondiff, "jsondiff"),
    "jsonpatch": (jsonpatch, "jsonpatch"),
    "dictdiffer": (dictdiffer, "dictdiffer"),
}


def main(package, *arguments):
    if arguments == ("--version",):
        distribution = package.split(".")[0]
        print(distribution, importlib.metadata.version(distribution))
        return
    before, after, format = arguments
    compare, *modules = PACKAGES[package]
    for module in modules:
        importlib.import_module(module)
    sys.setrecursionlimit(100_000)
    start = time.process_time()
    operations, text, cost = compare(before, after, format)
    seconds = time.process_time() - start
    said = len(text.encode()) if text is not None else "-"
    print(f"{seconds:.9f}", "-" if operations is None else operations, said, "-" if cost is None else cost)


try:
    main(*sys.argv[1:])
except Exception as error:
    # Not 1, which says of a comparison that something differs.
    print(f"{type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    sys.exit(2)

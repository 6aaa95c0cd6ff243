#!/usr/bin/env python3
"""Writes html5lib's tree of HTML files in a plain line format.

Reads lines of an encoding, a tab and a path. The encoding is for files that name none; html5lib finds the others' by
itself. For each file: a line `= path`, a line with the encoding that the file names or `none`, then a line for each
node in document order with its depth, kind, and value or name as JSON, and a line for each attribute, sorted.
"""

import sys

# A neighbour of this file may be called as a module of the standard library is.
sys.path.pop(0)

import json
import warnings
import xml.etree.ElementTree as etree

import html5lib
from html5lib import treebuilders

warnings.filterwarnings("ignore")


def quote(text):
    return json.dumps(text, ensure_ascii=False)


def attribute_lines(depth, node):
    return sorted(f"{depth} @ {quote(name)} {quote(value)}" for name, value in node.attrib.items())


def lines(root, comment):
    """Text of an etree node stands before its children, and its tail behind it."""
    pending = [(root, 0, False)]
    while pending:
        node, depth, leaving = pending.pop()
        if leaving:
            if node.tail:
                yield f"{depth} text {quote(node.tail)}"
            continue
        if node.tag is comment:
            yield f"{depth} comment {quote(node.text or '')}"
        elif node.tag not in ("DOCUMENT_ROOT", "<!DOCTYPE>"):
            yield f"{depth} element {quote(node.tag)}"
            yield from attribute_lines(depth, node)
            if node.text:
                yield f"{depth + 1} text {quote(node.text)}"
        pending.append((node, depth, True))
        below = depth if node.tag == "DOCUMENT_ROOT" else depth + 1
        pending.extend((child, below, False) for child in reversed(node))


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    builder = treebuilders.getTreeBuilder("etree", fullTree=True)
    for line in sys.stdin:
        default, path = line.rstrip("\n").split("\t")
        parser = html5lib.HTMLParser(tree=builder)
        with open(path, "rb") as file:
            root = parser.parse(file, default_encoding=default)
        # A byte order mark or a `meta` has made it certain.
        encoding, certainty = parser.tokenizer.stream.charEncoding
        print("=", path)
        print(encoding.name if certainty == "certain" else "none")
        for line in lines(root, etree.Comment):
            print(line)


if __name__ == "__main__":
    main()

"""What do others select? Answers every pair of the catalogue, one line each.

In XML lxml answers, with the selectors as cssselect translates them; in HTML the trees are html5lib's, lxml answers
what is XPath, and soupsieve what is CSS.

Usage: selections.py CATALOGUE CORPUS

A line is the kind of value, a tab, and the value: a number by its bits, a node-set as paths with the length and the
beginning of the string-value. See support/paths.rs for the paths.
"""

import struct
import sys

from lxml import etree

STRING = etree.XPath("string()")


def pairs(catalogue):
    documents, namespaces, expressions = [], {}, []
    for line in open(catalogue, encoding="utf-8"):
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "document":
            if expressions:
                yield from section(documents, namespaces, expressions)
                documents, namespaces, expressions = [], {}, []
            documents.append(rest)
        elif word == "namespace":
            prefix, _, uri = rest.partition(" ")
            namespaces[prefix] = uri
        elif word in ("xpath", "css"):
            expressions.append((word, rest))
    yield from section(documents, namespaces, expressions)


def section(documents, namespaces, expressions):
    for document in documents:
        for language, expression in expressions:
            yield document, namespaces, language, expression


class Document:
    def __init__(self, path):
        self.path = path
        self.is_html = path.endswith(".html")
        self.tree = html_tree(path) if self.is_html else etree.parse(path, etree.XMLParser(huge_tree=True))
        self.paths = paths(self.tree)
        self.soup = None

    def select(self, namespaces, language, expression):
        if language == "css" and self.is_html:
            return self.select_in_soup(expression)
        if language == "css":
            expression = translated(expression)
        value = self.tree.xpath(expression, namespaces=namespaces or None)
        if isinstance(value, bool):
            return f"boolean\t{str(value).lower()}"
        if isinstance(value, float):
            return f"number\t{number(value)}"
        if isinstance(value, str):
            return f"string\t{escaped(value)}"
        entries = [self.entry(node) for node in value]
        if value and isinstance(value[0], tuple):
            entries.sort()
        return "\t".join(["nodes", *entries])

    def select_in_soup(self, selector):
        if self.soup is None:
            self.soup = Soup(self.path)
        return "\t".join(["nodes", *self.soup.select(selector)])

    def entry(self, node):
        if isinstance(node, tuple):
            return f"namespace::{node[0] or ''}={node[1]}"
        if isinstance(node, str):
            return f"{self.string_path(node)}={summary(node)}"
        text = STRING(node) if isinstance(node.tag, str) else node.text or ""
        return f"{self.paths[node]}={summary(text)}"

    def string_path(self, text):
        parent = self.paths[text.getparent()]
        if text.is_attribute:
            return f"{parent}/@{text.attrname}"
        if text.is_text:
            return f"{parent}/text()[0]"
        grandparent, _, last = parent.rpartition("/")
        return f"{grandparent}/text()[{last[last.rindex('[') + 1:]}"


class Soup:
    """A tree for soupsieve. Its answers are paths alone: which strings count as text is another question there."""

    def __init__(self, path):
        from bs4 import BeautifulSoup, Comment, Tag

        self.root = BeautifulSoup(open(path, "rb").read(), "html5lib")
        self.paths = {}
        stack = [("", self.root)]
        while stack:
            parent, node = stack.pop()
            counted = [child for child in node.children if isinstance(child, (Tag, Comment))]
            for ordinal, child in enumerate(counted, 1):
                if isinstance(child, Tag):
                    self.paths[id(child)] = f"{parent}/{child.name}[{ordinal}]"
                    stack.append((self.paths[id(child)], child))

    def select(self, selector):
        return [self.paths[id(node)] for node in self.root.select(selector)]


def html_tree(path):
    import html5lib

    return html5lib.parse(open(path, "rb").read(), treebuilder="lxml", namespaceHTMLElements=False)


def translated(selector):
    from cssselect import GenericTranslator

    return GenericTranslator().css_to_xpath(selector)


def paths(tree):
    """The path of every node that is no text."""
    root = tree.getroot()
    top = [*reversed(list(root.itersiblings(preceding=True))), root, *root.itersiblings()]
    paths, stack = {}, [("", top)]
    while stack:
        parent, children = stack.pop()
        for ordinal, child in enumerate(children, 1):
            paths[child] = f"{parent}/{step(child)}[{ordinal}]"
            stack.append((paths[child], list(child)))
    return paths


def step(node):
    if node.tag is etree.Comment:
        return "comment()"
    if node.tag is etree.ProcessingInstruction:
        return "processing-instruction()"
    return etree.QName(node).localname


def number(value):
    return "NaN" if value != value else struct.pack(">d", value).hex()


def summary(text):
    return f"{len(text)}:{escaped(text[:40])}"


def escaped(text):
    for character, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return text


def main():
    catalogue, corpus = sys.argv[1:]
    sys.stdout.reconfigure(encoding="utf-8")
    documents = {}
    for name, namespaces, language, expression in pairs(catalogue):
        if name not in documents:
            documents[name] = Document(f"{corpus}/{name}")
        try:
            print(documents[name].select(namespaces, language, expression))
        except Exception as error:
            print(f"error\t{escaped(str(error))}")


main()

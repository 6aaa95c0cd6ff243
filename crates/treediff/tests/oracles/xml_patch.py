"""Applies XML patches as RFC 5261 says, with the XPath of libxml2: an applier that shares nothing with ours.

The input is a JSON list of pairs of a document and a patch, the output a JSON list of canonical forms, or of errors.
"""

import json
import sys

from lxml import etree


def siblings_of(node):
    parent = node.getparent()
    return parent, list(parent).index(node)


def prepend_text(parent, at, text):
    """Puts a text before the child at a place."""
    if at == 0:
        parent.text = (parent.text or "") + text
    else:
        parent[at - 1].tail = (parent[at - 1].tail or "") + text


def insert_content(operation, parent, at):
    """Puts the content of an operation before the child at a place, behind whatever text stands there."""
    behind = ""
    prepend_text(parent, at, operation.text or "")
    for child in list(operation):
        tail, child.tail = child.tail or "", None
        parent.insert(at, child)
        at += 1
        behind = tail
        prepend_text(parent, at, behind)


def remove_node(node):
    parent, at = siblings_of(node)
    tail, node.tail = node.tail or "", None
    parent.remove(node)
    prepend_text(parent, at, tail)


def value_of(operation):
    return "".join(operation.itertext())


def one(tree, operation):
    namespaces = {prefix: uri for prefix, uri in operation.nsmap.items() if prefix}
    selector, kind = operation.get("sel"), None
    step, _, prefix = selector.rpartition("/namespace::")
    if step:
        selector, kind = step, prefix
    found = tree.xpath(selector, namespaces=namespaces)
    assert len(found) == 1, f"{operation.get('sel')} selects {len(found)}"
    return found[0], kind


def expanded(name, operation):
    prefix, _, local = name.rpartition(":")
    return f"{{{operation.nsmap.get(prefix, 'http://www.w3.org/XML/1998/namespace')}}}{local}" if prefix else local


def add(tree, operation, found):
    kind, position = operation.get("type"), operation.get("pos")
    if kind and kind.startswith("@"):
        found.set(expanded(kind[1:], operation), value_of(operation))
    elif kind:
        pass  # names here are expanded, so that declarations say nothing
    elif position == "prepend":
        text, found.text = found.text or "", None
        insert_content(operation, found, 0)
        count = len(operation_children[id(operation)])
        prepend_text(found, count, text)
    elif position in ("before", "after") and found.getparent() is None:
        for child in list(operation) if position == "before" else reversed(list(operation)):
            child.tail = None
            (found.addprevious if position == "before" else found.addnext)(child)
    elif position == "before":
        parent, at = siblings_of(found)
        insert_content(operation, parent, at)
    elif position == "after":
        parent, at = siblings_of(found)
        tail, found.tail = found.tail or "", None
        insert_content(operation, parent, at + 1)
        prepend_text(parent, at + 1 + len(operation_children[id(operation)]), tail)
    else:
        insert_content(operation, found, len(found))


def replace(tree, operation, found):
    if getattr(found, "is_attribute", False):
        found.getparent().set(found.attrname, value_of(operation))
    elif getattr(found, "is_text", False):
        found.getparent().text = value_of(operation) or None
    elif getattr(found, "is_tail", False):
        found.getparent().tail = value_of(operation) or None
    elif found.getparent() is None and isinstance(found.tag, str):
        root = operation[0]
        root.tail = None
        operation.remove(root)
        for node in reversed(list(found.itersiblings(preceding=True))):
            root.addprevious(node)
        for node in reversed(list(found.itersiblings())):
            root.addnext(node)
        return etree.ElementTree(root)
    else:
        new, tail = operation[0], found.tail
        new.tail = None
        if found.getparent() is None:
            found.addprevious(new)
            drop_outside(found)
        else:
            parent, at = siblings_of(found)
            parent.replace(found, new)
            new.tail = tail
    return tree


def drop_outside(node):
    """A node beside the root element has no parent to be removed from, and so goes into another tree."""
    etree.Element("outside").append(node)


def remove(tree, operation, found):
    if getattr(found, "is_attribute", False):
        del found.getparent().attrib[found.attrname]
    elif getattr(found, "is_text", False):
        found.getparent().text = None
    elif getattr(found, "is_tail", False):
        found.getparent().tail = None
    elif found.getparent() is None:
        drop_outside(found)
    else:
        if operation.get("ws") in ("after", "both"):
            assert found.tail and not found.tail.strip(), "no white space after"
            found.tail = None
        if operation.get("ws") in ("before", "both"):
            parent, at = siblings_of(found)
            before = parent.text if at == 0 else parent[at - 1].tail
            assert before and not before.strip(" \t\r\n"), "no white space before"
            if at == 0:
                parent.text = None
            else:
                parent[at - 1].tail = None
        remove_node(found)


operation_children = {}


def patched(document, patch):
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    tree = etree.ElementTree(etree.fromstring(document.encode(), parser))
    for operation in etree.fromstring(patch.encode(), parser):
        found, namespace = one(tree, operation)
        operation_children[id(operation)] = list(operation)
        if namespace is None and operation.tag == "add":
            add(tree, operation, found)
        elif namespace is None and operation.tag == "replace":
            tree = replace(tree, operation, found)
        elif namespace is None:
            remove(tree, operation, found)
        operation_children.clear()
        # Texts that stand side by side become one when they are read.
        tree = etree.ElementTree(etree.fromstring(etree.tostring(tree, encoding="utf-8"), parser))
    return etree.tostring(tree, method="c14n", exclusive=True, with_comments=True).decode()


def answer(pair):
    try:
        return patched(*pair)
    except Exception as error:
        return f"error: {error!r}"


json.dump([answer(pair) for pair in json.load(sys.stdin)], sys.stdout)

"""The exclusive canonical form, with comments, of XML files as libxml2 sees them.

Reads paths from standard input, one per line, and answers each with a line `OK length` or `REFUSED length`, and then
that many bytes: the canonical form, or the reason why there is none. Nothing outside the file is loaded.
"""

import io
import sys

from lxml import etree


class Nothing(etree.Resolver):
    """Whatever is outside the file is empty."""

    def resolve(self, url, public_id, context):
        return self.resolve_string("", context)


def canonical_form(path):
    parser = etree.XMLParser(attribute_defaults=True, no_network=True, huge_tree=True)
    parser.resolvers.add(Nothing())
    try:
        with open(path, "rb") as file:
            tree = etree.parse(io.BytesIO(file.read()), parser)
        return "OK", etree.tostring(tree, method="c14n", exclusive=True, with_comments=True)
    except (etree.XMLSyntaxError, etree.C14NError) as error:
        return "REFUSED", str(error).encode()


def main():
    out = sys.stdout.buffer
    for line in sys.stdin:
        status, body = canonical_form(line.rstrip("\n"))
        out.write(b"%s %d\n" % (status.encode(), len(body)))
        out.write(body)


main()

"""CPU time and memory of libxml2's DOM: `libxml2.py FILE RUNS` prints nanoseconds and bytes, the best of all runs, and
how many elements and attributes the file has."""

import sys
import time

from lxml import etree


def peak_bytes():
    # Not from `getrusage`, whose peak is inherited from the process that started this one.
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * 1024


def main(path, runs):
    with open(path, "rb") as file:
        source = file.read()
    before = peak_bytes()
    times = []
    for _ in range(runs):
        parser = etree.XMLParser(huge_tree=True, no_network=True, load_dtd=False)
        start = time.process_time_ns()
        root = etree.fromstring(source, parser)
        times.append(time.process_time_ns() - start)
        del root
    print(min(times), peak_bytes() - before, *count(etree.fromstring(source, parser)))


def count(root):
    elements = attributes = 0
    for element in root.iter(etree.Element):
        elements += 1
        attributes += len(element.attrib)
    return elements, attributes


main(sys.argv[1], int(sys.argv[2]))

"""Asks PyPI's `apted` how far two trees are from one another: `apted_trees.py BEFORE AFTER RUNS` prints the distance, the
CPU seconds to find it, and the CPU seconds with the mapping, the best of so many runs or of ten seconds. A tree is a line
for each node in document order: the number of its parent, counted from 0, and its label."""

import sys
import time

from apted import APTED, Config


class Labels(Config):
    def rename(self, before, after):
        return int(before[0] != after[0])

    def children(self, node):
        return node[1]


def read(path):
    nodes = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            parent, label = line.split()
            node = (label, [])
            if nodes:
                nodes[int(parent)][1].append(node)
            nodes.append(node)
    return nodes[0]


def main(before, after, runs):
    sys.setrecursionlimit(100_000)
    before, after = read(before), read(after)
    distance_seconds = mapping_seconds = float("inf")
    spent = 0
    for _ in range(int(runs)):
        start = time.process_time()
        search = APTED(before, after, Labels())
        distance = search.compute_edit_distance()
        distance_seconds = min(distance_seconds, time.process_time() - start)
        search.compute_edit_mapping()
        mapping_seconds = min(mapping_seconds, time.process_time() - start)
        spent += time.process_time() - start
        if spent > 10:
            break
    print(int(distance), distance_seconds, mapping_seconds)


try:
    main(*sys.argv[1:])
except Exception as error:
    # Not 1, which says of a comparison that something differs.
    print(f"{type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    sys.exit(2)

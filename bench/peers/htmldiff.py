"""Lets a package of PyPI mark what changed in a page: `htmldiff.py PACKAGE BEFORE AFTER RUNS SECONDS MARKED` puts the
marked page into a file and prints the CPU nanoseconds from two texts to the marked one, the best of so many runs, or of
as many as fit into so many seconds. `htmldiff.py PACKAGE --version` prints the version."""

import importlib
import importlib.metadata
import sys
import time


def lxml_html_diff(before, after):
    from lxml.html.diff import htmldiff

    return htmldiff(before, after)


def web_monitoring_diff(before, after):
    from web_monitoring_diff import html_diff_render

    return html_diff_render(before, after)["combined"]


# How each is asked, and the module that is there before the clock starts.
PACKAGES = {
    "lxml.html.diff": (lxml_html_diff, "lxml.html.diff", "lxml"),
    "web-monitoring-diff": (web_monitoring_diff, "web_monitoring_diff", "web-monitoring-diff"),
}


def text(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def main(package, *arguments):
    mark, module, distribution = PACKAGES[package]
    importlib.import_module(module)
    if arguments == ("--version",):
        print(distribution, importlib.metadata.version(distribution))
        return
    before, after, runs, seconds, output = arguments
    before, after = text(before), text(after)
    sys.setrecursionlimit(100_000)
    times = []
    while len(times) < int(runs) and (not times or sum(times) + max(times) < float(seconds) * 1e9):
        # Not the clock of the process, which goes by ticks of 4 ms where a limit of CPU time is set.
        start = time.thread_time_ns()
        marked = mark(before, after)
        times.append(time.thread_time_ns() - start)
    with open(output, "w", encoding="utf-8", newline="") as file:
        file.write(marked)
    print(min(times))


try:
    main(*sys.argv[1:])
except Exception as error:
    # Not 1, which says of a comparison that something differs.
    print(f"{type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    sys.exit(2)

"""Entry points: code that is used from outside: by people, by a build, by a framework, by tests."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cbvtool.analysis.patterns import Patterns
from cbvtool.graph import REMOVED, Graph
from cbvtool.matching import Lines, Pattern, PatternError, glob
from cbvtool.metrics.combine import own
from cbvtool.metrics.structure.users import Mask, file_of, of_kinds
from cbvtool.progress import Progress, silent

# Patterns of files, as in a .gitignore. `::` and a pattern of names after it select definitions in such files.
ENTRY_POINTS = (
    # started by people, builds and servers
    "__main__.py",
    "main.*",
    "index.*",
    "Program.*",
    "setup.py",
    "manage.py",
    "wsgi.py",
    "asgi.py",
    "conf.py",
    "noxfile.py",
    "fabfile.py",
    "build.rs",
    "lib.rs",
    "*.config.*",
    "gulpfile.*",
    "Gruntfile.*",
    "bin/",
    "script/",
    "scripts/",
    "tools/",
    "example/",
    "examples/",
    "doc/",
    "docs/",
    "benchmark/",
    "benchmarks/",
    # tests, which their frameworks find by name
    "test/",
    "tests/",
    "Tests/",
    "__tests__/",
    "spec/",
    "testdata/",
    "conftest.py",
    "test_*.*",
    "*_test.*",
    "*_tests.*",
    "*.test.*",
    "*.spec.*",
    "*Test.*",
    "*Tests.*",
    "*Spec.*",
    # read by compilers and tools alone
    "*.pyi",
    "*.d.ts",
    "module-info.java",
    "package-info.java",
    # called by the system
    "::main",
    "::Main",
    "::wmain",
    "::WinMain",
    "::DllMain",
    "*.go::init",
)
# Names of functions that the language calls implicitly: they are in use if the class or file around them is.
CALLED_BY_LANGUAGE = ("__*__", "operator*")


def patterns_of(graph: Graph, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The patterns of entry points that count for `graph`: built-in ones, those of its settings, and `more`."""
    return (*ENTRY_POINTS, *graph.report.entry_points, *more)


def entry_points(
    graph: Graph, patterns: Iterable[str] = ENTRY_POINTS, progress: Progress = silent, *, tests: bool = True
) -> Mask:
    """bool[n]: nodes that match the `patterns`, with everything inside them; a node outside files is matched by its id.

    As in a .gitignore, the last matching pattern decides, and `!` excludes. Files marked as tests (own value `test`)
    are entry points unless a pattern excludes them, or `tests` is false.

    Raises ValueError for an invalid pattern.
    """
    split = [pattern.partition("::") for pattern in patterns]
    is_file, file = of_kinds(graph, ("file",)), file_of(graph).tolist()
    found = np.zeros(len(graph), np.bool_)
    decided = np.full(len(graph), -1)  # index of the pattern that decided about each file
    is_test = (own(graph, "test") == 1) & tests
    numbers = [number for number, (_, colons, _) in enumerate(split) if not colons]
    paths = Patterns(split[number][0] for number in numbers)
    outermost = np.flatnonzero(_outermost(graph, is_file)).tolist()
    for done, key in enumerate(outermost):
        progress("looking for entry points", done, len(outermost))
        verdict = paths.deciding(graph.ids[key])
        found[graph.subtree(key)] = is_test[key] if verdict is None else verdict[0]
        if verdict is not None:
            decided[key] = numbers[verdict[1]]
    inner = np.flatnonzero(is_file[file] & ~is_file & (graph.parent != REMOVED)).tolist()
    names = list(dict.fromkeys(graph.names))
    lines = Lines(names)
    for number, (path, colons, name) in enumerate(split):
        if not colons:
            continue
        progress("looking for entry points", number, len(split))
        wanted = {names[row] for row in _glob(name).rows(lines)}
        files = Patterns([path.removeprefix("!") or "*"])
        for key in [key for key in inner if graph.names[key] in wanted]:
            if decided[file[key]] < number and graph.ids[file[key]] in files:
                found[graph.subtree(key)] = not path.startswith("!")
    return found


def called_by_language(graph: Graph) -> Mask:
    """bool[n]: functions that the language calls implicitly, for example `__init__` and `operator<`."""
    names = list(dict.fromkeys(graph.names))
    lines = Lines(names)
    special = {names[row] for name in CALLED_BY_LANGUAGE for row in _glob(name).rows(lines)}
    found = np.fromiter((name in special for name in graph.names), np.bool_, len(graph))
    return found & (graph.parent >= 0) & ~of_kinds(graph, ("file", "folder", "package"))


def _glob(name: str) -> Pattern:
    try:
        return glob(name)
    except PatternError as error:
        raise ValueError(f"{name!r} is not a pattern of names: {error}") from None


def _outermost(graph: Graph, is_file: Mask) -> Mask:
    """bool[n]: files, and nodes that neither lie in files nor contain any, such as a unit of an organisation."""
    holds = graph.tree.subtree_sum(is_file.astype(np.float64)) > 0
    return (graph.parent >= 0) & (is_file | ~(holds | is_file[file_of(graph)]))

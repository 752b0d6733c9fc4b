"""Which file of a graph each recorded file is, also one that was recorded on another machine or when installed."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cbvtool.graph import REMOVED, Graph

_NO_FILE = re.compile(r"<.*>?$|\[.*\]$")  # `<frozen importlib._bootstrap>`, `<string>`, `[kernel]`
_SCHEME = re.compile(r"^(file|webpack|webpack-internal|node|ng|app):/{1,3}")
_LIBRARIES = re.compile(r"(?:site-packages|dist-packages|node_modules)/")  # what follows is a path of its own
_STANDARD = re.compile(r"(?:^|/)lib(?:64)?/(?:python|pypy)\d[\w.]*/(?!site-packages/|dist-packages/)|(?:^|/)jrt:/")
_LEAST_SHARE = 0.5  # of the recorded files of a folder: as many must be in the graph, or it is another folder

NOT_A_FILE = "recorded without a file of source code"
FOREIGN = "in a file that is not in the graph"
SEVERAL_FILES = "in a file that could be several of the graph"


class Found(NamedTuple):
    """The file of the graph that a recorded file path means, or the reason why there is no such file."""

    path: str | None
    reason: str = ""


def paths_of(graph: Graph) -> dict[str, int]:
    """Path -> key of each file of the graph: its place when it was analysed, which a plan does not change."""
    if "file" not in graph.kind_names:
        return {}
    number = graph.kind_names.index("file")
    keys = [key for key in (graph.kinds == number).nonzero()[0].tolist() if graph.parent[key] != REMOVED]
    return {graph.files[f] if (f := graph.file[key]) >= 0 else graph.ids[key]: key for key in keys}


def match_files(recorded: Iterable[str], paths: Sequence[str] | Mapping[str, object], root: str | None) -> list[Found]:
    """The file of the graph for each recorded path.

    paths  of the graph, below its root
    root   where the graph lies on this machine

    A path below `root` is that file. Any other is the one with which it shares the longest end, if no other shares as
    much, and if most of the recorded files of the same folder are in the graph's folder, too: `lib/json/__init__.py`
    is not `src/shop/json/__init__.py`. Of a folder of installed packages, all that follows it must be the same. Linear
    in the sum of the lengths.
    """
    above = None if root is None else _tidy(root).rstrip("/") + "/"
    recorded = list(recorded)
    tidy = {path: _tidy(path) for path in dict.fromkeys(recorded)}  # many functions lie in one file
    endings = _endings(paths)
    distinct = dict.fromkeys(tidy.values())
    exact: dict[str, str] = {}
    for name in distinct:
        inside = name[len(above) :] if above is not None and name.startswith(above) else name
        if inside in paths:
            exact[name] = inside
    ends: dict[str, tuple[int, list[str]]] = {
        name: _longest(name, endings) for name in distinct if name not in exact and _is_candidate(name)
    }
    moves = Counter(_move(name, found[0], count) for name, (count, found) in ends.items() if len(found) == 1)
    chosen: dict[str, tuple[int, str]] = {}
    for name, (count, found) in ends.items():
        if not found or not _whole(name, count):
            continue
        best = found if len(found) == 1 else _most_moved(name, found, count, moves)
        if len(best) == 1:
            chosen[name] = count, best[0]
    share = _shares(distinct, chosen)
    result: dict[str, Found] = {}
    for name in distinct:
        if name in exact:
            result[name] = Found(exact[name])
        elif not name or _NO_FILE.fullmatch(name):
            result[name] = Found(None, NOT_A_FILE)
        elif name in chosen and share[_top(name, chosen[name][0])] >= _LEAST_SHARE:
            result[name] = Found(chosen[name][1])
        elif name in ends and len(ends[name][1]) > 1 and name not in chosen and _whole(name, ends[name][0]):
            result[name] = Found(None, SEVERAL_FILES)
        else:
            result[name] = Found(None, FOREIGN)
    return [result[tidy[path]] for path in recorded]


def _tidy(path: str) -> str:
    """The path with `/`, without a scheme, `.` and `..`."""
    if not path or _NO_FILE.fullmatch(path):
        return path
    path = _SCHEME.sub("/", path.replace("\\", "/")).partition("?")[0]
    tidy = posixpath.normpath(path)
    while tidy.startswith("../"):
        tidy = tidy[3:]
    return tidy


def _is_candidate(name: str) -> bool:
    return bool(name) and not _NO_FILE.fullmatch(name) and not _STANDARD.search(name)


def _endings(paths: Iterable[str]) -> dict[str, list[str]]:
    """Each end of a path, from its name on, -> the paths that end so."""
    endings: dict[str, list[str]] = {}
    for path in paths:
        at = len(path)
        while at > 0:
            at = path.rfind("/", 0, at)
            endings.setdefault(path[at + 1 :], []).append(path)
    return endings


def _longest(name: str, endings: Mapping[str, list[str]]) -> tuple[int, list[str]]:
    """How many parts of the end of a path the graph has, and which of its paths have them."""
    count, found, at = 0, [], len(name)
    while at > 0:
        at = name.rfind("/", 0, at)
        paths = endings.get(name[at + 1 :])
        if paths is None:
            break
        count, found = count + 1, paths
    return count, found


def _whole(name: str, count: int) -> bool:
    """Whether the common end reaches up to the folder of installed packages, if there is one."""
    last = None
    for last in _LIBRARIES.finditer(name):  # noqa: B007 -- the last one
        pass
    return last is None or name[last.end() :].count("/") + 1 <= count


def _cut(path: str, count: int) -> str:
    """The path without its last `count` parts."""
    return "/".join(path.split("/")[:-count]) if count else path


def _move(name: str, path: str, count: int) -> tuple[str, str]:
    """Where a file was recorded, and where it is in the graph: what stands before their common end."""
    return _cut(name, count), _cut(path, count)


def _most_moved(name: str, found: list[str], count: int, moves: Counter[tuple[str, str]]) -> list[str]:
    """Those of several paths whose move most other files share."""
    most = max(moves[_move(name, path, count)] for path in found)
    return [path for path in found if moves[_move(name, path, count)] == most] if most else found


def _top(name: str, count: int) -> str:
    """The first folder of the common end; the folder of the file, with a mark, if its name alone is common."""
    return _cut(name, count - 1) if count > 1 else _cut(name, 1) + "/*"


def _shares(names: Iterable[str], chosen: Mapping[str, tuple[int, str]]) -> dict[str, float]:
    """For each top folder of a chosen file, the share of the recorded files in it that have the same in the graph.

    Of a folder whose files have their names alone in common, those right in it count.
    """
    tops = {_top(name, count) for name, (count, _) in chosen.items()}
    there: Counter[str] = Counter()
    for name in names:
        at = name.rfind("/")
        if name[: max(at, 0)] + "/*" in tops:
            there[name[: max(at, 0)] + "/*"] += 1
        while at > 0:
            if name[:at] in tops:
                there[name[:at]] += 1
            at = name.rfind("/", 0, at)
    moved: Counter[tuple[str, str]] = Counter()
    for name, (count, path) in chosen.items():
        moved[_top(name, count), _cut(path, count)] += 1
    best: Counter[str] = Counter()
    for (top, _), number in moved.items():
        best[top] = max(best[top], number)
    return {top: best[top] / max(there[top], 1) for top in tops}

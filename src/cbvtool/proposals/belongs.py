"""Where does this belong? The places that files, or definitions, have most to do with, ranked, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.asking.impact import is_test
from cbvtool.findings.finding import Examined
from cbvtool.graph.regroup import node_words
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.plan import Move, check_all
from cbvtool.proposals.proposal import Proposal, judge
from cbvtool.proposals.relatedness import Nearness, Relatedness

_WEIGHTS = {"uses": 1.0, "used_by": 1.0, "together": 2.0, "same_uses": 1.0, "same_users": 1.0, "names": 1.0}
_DAMPING = 0.5  # power of the number of files by which a place is the less near: the largest is near to everything
MOST = 5


@dataclass(frozen=True)
class Home:
    """Where something may belong.

    target   key of the folder, package or file
    share    how much of all nearness lies there, 0 to 1
    reason   in words
    is_home  it lies there now
    """

    target: int
    share: float
    reason: str
    is_home: bool


def belongs(
    examined: Examined, keys: tuple[int, ...], related: Relatedness | None = None, most: int = MOST
) -> list[Home]:
    """The places that the nodes `keys`, with all below them, have most to do with, the nearest first.

    Files and folders belong to folders and packages, definitions to files. Tests are looked for among places with
    tests, other things among the others. What lies where is known of all others, and where `keys` lie is not asked:
    that has no say. Empty where nothing is known to be near.
    """
    graph = examined.graph
    related = related or Relatedness(examined)
    near = related.of(keys)
    inside = np.zeros(len(graph), np.bool_)
    for key in keys:
        inside[graph.subtree(key)] = True
    tests = is_test(graph)
    wanted = bool(tests[list(keys)].all())
    is_container = of_kinds(graph, ("project", "folder", "package", "file"))
    into_files = not is_container[list(keys)].all()
    file = examined.files
    file = file[~inside[file] & (tests[file] == wanted)]
    place = file if into_files else graph.parent[file]
    home = {int(graph.parent[key]) for key in keys}
    size = np.bincount(place, minlength=len(graph)).astype(np.float64)
    points = np.zeros(len(graph))
    for name, weight in _WEIGHTS.items():
        by_place = np.bincount(place, getattr(near, name)[file], len(graph))
        whole = by_place.sum()
        if whole > 0:
            points += weight * by_place / whole / np.maximum(size, 1) ** _DAMPING
    total = points.sum()
    best = np.lexsort((np.arange(len(points)), -points))[:most]
    return [
        Home(key, float(points[key] / total), _reason(near, file[place == key]), key in home)
        for key in best.tolist()
        if points[key] > 0
    ]


def places(examined: Examined, keys: tuple[int, ...]) -> list[Proposal]:
    """The places of `belongs` as moves there, as far as they are allowed."""
    graph = examined.graph
    found: list[Proposal] = []
    judged = judge(examined)
    for place in belongs(examined, keys):
        target = node_words(graph, place.target)
        move = Move(tuple(graph.ids[key] for key in keys), graph.ids[place.target])
        operations = () if place.is_home or check_all((move,), graph) is not None else (move,)
        judgement = judged.recomputed(operations)
        if judgement is not None:
            title = f"{target}: it is there already" if place.is_home else f"Move to {target}"
            moves = tuple((key, place.target) for key in keys) if operations else ()
            found.append(Proposal("place", title, place.reason, operations, judgement, moves))
    return found


def _reason(near: Nearness, inside: npt.NDArray[np.integer]) -> str:
    """What it has to do with the files of a place."""
    told = []
    used, users, together = (column[inside] for column in (near.used, near.users, near.changes))
    for verb, column, at, what in (
        ("uses", used, " at", "place"),
        ("is used by", users, " at", "place"),
        ("changed together with", together, ",", "time"),
    ):
        if column.any():
            behind = _count(float(column.sum()), what)
            told.append(f"{verb} {_count(int(np.count_nonzero(column)), 'file')} of it{at} {behind}")
    if near.same_uses[inside].any():
        told.append("uses the same as files of it")
    if near.same_users[inside].any():
        told.append("is used by the same files")
    if not told and near.names[inside].any():
        told.append("is named like files of it")
    return ", ".join(told)


def _count(number: float, what: str) -> str:
    return f"{number:,.0f} {what}{'' if number == 1 else 's'}"

"""A list that is cut says how many are left out: none at the limit, and "1 more" one beyond it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cbvtool.apply.applying import Applied
from cbvtool.apply.forwarding import Forwarder
from cbvtool.apply.report import _SHOWN as BY_HAND
from cbvtool.apply.report import _lines
from cbvtool.asking.expression import MOST_TOLD, _some
from cbvtool.asking.path_text import SHOWN_PLACES, path_text
from cbvtool.asking.paths import PathStep, ShortestPaths
from cbvtool.cli.of_runs.tables import RunTable, _rest
from cbvtool.cli.unused import _SHOWN as OF_A_SIDE
from cbvtool.cli.unused import _text
from cbvtool.drawing.call_out import SHOWN_FILES, SHOWN_LINES, place_lines
from cbvtool.drawing.emphasis import SHOWN_PAIRS, merged_lines, relation_lines
from cbvtool.formats.summary import LISTED, summary
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph, GraphBuilder, Report, Skipped
from cbvtool.metrics.structure.configurations import UsedIn
from cbvtool.plan.export import _NAMES_SHOWN, _PEOPLE_SHOWN, _table, section
from cbvtool.plan.people import Person
from cbvtool.plan.task import Task
from cbvtool.report.lists import PLACES, _cycle_row
from cbvtool.report.lists import _rest as rest_of_a_list
from cbvtool.session.dragging.gestures import Bundle
from cbvtool.session.traces.words import _MOST_KINDS, _kinds
from cbvtool.tracking.marks import _MOST_REASONS, _mark
from cbvtool.versions.listing import _LISTED, _part
from cbvtool.view.canvas.drag_words import KINDS, NAMED, bundle_words, names


@cache
def graph(files: int) -> Graph:
    """Files `f00.py`, ... of two folders; each of `a` uses that of its number in `b` at one place."""
    skipped = tuple(Skipped(f"s{number:02}.py", "binary") for number in range(files))
    builder = GraphBuilder("p")
    for folder in ("a", "b"):
        builder.add_node(folder, "", folder, "folder")
        for number in range(files):
            name = f"f{number:02}.py"
            builder.add_node(f"{folder}/{name}", folder, name, "file", file=f"{folder}/{name}")
    for number in range(files):
        user, used = (builder.key(f"{folder}/f{number:02}.py") for folder in ("a", "b"))
        builder.add_edge(user, used, "import", sites=[(f"a/f{number:02}.py", 1)])
    return builder.freeze(Report(skipped=skipped))


def places_of_a_step(count: int) -> str:
    builder = GraphBuilder("p")
    user, used = (builder.add_node(name, "", name, "file", file=name) for name in ("u.py", "v.py"))
    builder.add_edge(user, used, "call", sites=[("u.py", line) for line in range(1, count + 1)])
    chain = (PathStep(user, used, (0,)),)
    return path_text(builder.freeze(), ShortestPaths(user, used, (chain,), 1, np.array([0])))


def chains(count: int) -> str:
    one = graph(1)
    chain = (PathStep(one.key_of["a/f00.py"], one.key_of["b/f00.py"], (0,)),)
    return path_text(one, ShortestPaths(1, 2, (chain,) * 4, count, np.array([0])))


def side_of_configurations(count: int) -> str:
    many = graph(count)
    keys = tuple(many.key_of[f"a/f{number:02}.py"] for number in range(count))
    return _text(many, (), (), (UsedIn(("windows",), keys, 1.0),))


def pairs_of_a_relation(count: int) -> str:
    scene = Pipeline().scene(graph(count), None, ViewState(expanded=frozenset()))
    assert len(scene.lifted.source) == 1
    return "\n".join(relation_lines(scene, 0))


def thin_segments(count: int) -> str:
    many = graph(count)
    scene = Pipeline().scene(many, None, ViewState(expanded=frozenset({many.root, many.key_of["a"]})))
    items = np.flatnonzero(np.isin(scene.tree.key, many.children(many.key_of["a"])))
    assert len(items) == count
    return "\n".join(merged_lines(scene, items))


def places_of_a_relation(count: int) -> str:
    builder = GraphBuilder("p")
    user, used = (builder.add_node(name, "", name, "file", file=name) for name in ("u.py", "v.py"))
    builder.add_edge(user, used, "call", sites=[("u.py", line) for line in range(1, count + 1)])
    return "\n".join(place_lines(builder.freeze(), np.array([0])))


def files_of_a_relation(count: int) -> str:
    return "\n".join(place_lines(graph(count), np.arange(count)))


def lines_by_hand(count: int) -> str:
    line = SimpleNamespace(file="a.py", line=1, reason="why", text="x")
    by_hand: Any = (line,) * count
    return "\n".join(_lines(Applied("s", "p", "1" * 40, by_hand=by_hand), "branch"))


def modules_left_under_old_names(count: int) -> str:
    left = tuple(Forwarder(("a", name), f"a/{name}.py", f"b/{name}.py", b"") for name in numbered(count))
    return "\n".join(_lines(Applied("s", "p", "1" * 40, forwards=left), "branch"))


def cycle(count: int) -> str:
    many = graph(count)
    nodes = tuple(many.key_of[f"a/f{number:02}.py"] for number in range(count))
    figures = {"cut_is_smallest": True, "dependencies": count, "cut_dependencies": 1, "cut_sites": 1}
    found: Any = SimpleNamespace(figures=figures, nodes=nodes, sites=())
    gathered: Any = SimpleNamespace(graph=many, remedy=lambda _cycle: SimpleNamespace(minutes=1))
    return str(_cycle_row(gathered, found)[0])


def nodes(count: int) -> str:
    return names(graph(count).children(graph(count).key_of["a"]).tolist(), graph(count))


def files_left_out(count: int) -> str:
    return "\n".join(summary(graph(count)))


def numbered(count: int) -> list[str]:
    return [f"n{number}" for number in range(count)]


# How it is told -> the most that are told, and what is said of those left out.
LISTS: dict[Callable[[int], str], tuple[int, str]] = {
    places_of_a_step: (SHOWN_PLACES, "{} more"),
    chains: (4, "{} more"),
    side_of_configurations: (OF_A_SIDE, "{} more"),
    pairs_of_a_relation: (SHOWN_PAIRS, "{} more"),
    thin_segments: (SHOWN_PAIRS, "{} more"),
    places_of_a_relation: (SHOWN_LINES, "{} more place"),
    files_of_a_relation: (SHOWN_FILES, "{} more place"),
    lines_by_hand: (BY_HAND, "{} more, see --format json"),
    modules_left_under_old_names: (BY_HAND, "{} more, see --format json"),
    cycle: (PLACES, "{} more"),
    nodes: (NAMED, "{} more"),
    files_left_out: (LISTED, "{} more"),
    lambda count: _some(numbered(count)): (MOST_TOLD, "{} more"),
    lambda count: " ".join(_rest(RunTable("t", ("c",), (str,), [(1,)] * count), 5)): (5, "{} more: --limit shows them"),
    lambda count: _table([Task("k", "t", people=tuple(map(Person, numbered(count))))])[-1]: (_PEOPLE_SHOWN, "{} more"),
    lambda count: "\n".join(section(Task("k", "t", dependants=tuple(numbered(count))))): (_NAMES_SHOWN, "{} more"),
    lambda count: str(rest_of_a_list(count, 7, "cycle", "cbvtool check")): (7, "{} cycle"),
    lambda count: bundle_words(Bundle(tuple((name, 1) for name in numbered(count)))): (KINDS, "{} more kind"),
    lambda count: _kinds(dict.fromkeys(numbered(count), 1)): (_MOST_KINDS, ", {} more"),
    lambda count: _mark("k", sites(count), ()).reason: (_MOST_REASONS, "And {} more."),
    lambda count: "\n".join(_part("Added", numbered(count))): (_LISTED, "{} more: --format json or csv lists them"),
}


def sites(count: int) -> list[Any]:
    return [SimpleNamespace(state="open", reason=name) for name in numbered(count)]


@pytest.mark.parametrize("told", LISTS, ids=[f"{number}-{told.__name__}" for number, told in enumerate(LISTS)])
def test_what_is_left_out_is_counted(told: Callable[[int], str]) -> None:
    """One too few or too many, or a number of what is listed in place of the rest, would be seen."""
    most, more = LISTS[told]
    at_limit, beyond = told(most), told(most + 1)
    assert " more" not in at_limit
    assert more.format(1) in beyond
    assert more.format(2) in told(most + 2)

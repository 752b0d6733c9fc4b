"""Proposals: they end cycles, find places, group folders, and never worsen what they promise (NEW-2)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.assessment.figures import Figures, Judgement
from cbvtool.errors import Cancelled
from cbvtool.findings.cycles import cycles, tangled
from cbvtool.findings.finding import Examined
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Create, Move, replay
from cbvtool.proposals.belongs import belongs
from cbvtool.proposals.best_moves import best_moves
from cbvtool.proposals.breaking import broken_cycle, ends, level_of
from cbvtool.proposals.clusters import clusters
from cbvtool.proposals.proposal import BY_FILES, Proposal, distinct, judge
from cbvtool.proposals.written import to_json, to_text

Uses = list[tuple[str, str, int]]


def graph(uses: Uses, *more: str) -> Graph:
    """Files with so many sites between them; a name behind `::` is a class."""
    builder = GraphBuilder("p")
    for path in sorted({end for use in uses for end in use[:2]} | set(more)):
        file, _, part = path.partition("::")
        parts = file.split("/")
        for depth in range(1, len(parts)):
            if (folder := "/".join(parts[:depth])) not in builder:
                builder.add_node(folder, "/".join(parts[: depth - 1]), parts[depth - 1], "folder")
        if file not in builder:
            builder.add_node(file, "/".join(parts[:-1]), parts[-1], "file", file=file)
        if part:
            builder.add_node(path, file, part, "class", file=file)
    for user, used, sites in uses:
        for line in range(1, sites + 1):
            place = (user.partition("::")[0], line)
            builder.add_edge(builder.key(user), builder.key(used), "import", sites=[place])
    return builder.freeze()


TANGLED: Uses = [
    ("ui/window.py", "core/model.py", 3),
    ("ui/panel.py", "core/model.py", 2),
    ("ui/window.py", "ui/panel.py", 1),
    ("core/model.py", "core/store.py", 2),
    ("core/report.py", "ui/window.py", 1),
    ("core/report.py", "ui/panel.py", 1),
]


def test_a_misplaced_file_is_moved_and_the_cycle_is_over() -> None:
    """The cheapest cut is what `report.py` uses: moved to `ui`, it closes no circle."""
    examined = Examined(graph(TANGLED))
    (cycle,) = cycles(examined)
    found = broken_cycle(examined, cycle.nodes)
    moves = [one for one in found if one.moves]
    assert Move(("core/report.py",), "ui") in moves[0].operations
    assert moves[0].judgement.before.tangled == 2
    assert moves[0].judgement.after.tangled == 0
    assert moves[0].reason.startswith("ends the cycle of 2 modules")
    interface = next(one for one in found if not one.moves)
    assert "interface" in interface.title
    assert set(interface.edges) == set(cycle.edges)
    assert all(ends(examined, one.operations, cycle.nodes, "packages") for one in (moves[0], interface))
    assert not ends(examined, (), cycle.nodes, "modules")


def test_a_definition_ends_a_cycle_of_files() -> None:
    """Within a package a class goes to the file that uses it."""
    examined = Examined(graph([("p/a.py", "p/b.py", 5), ("p/b.py", "p/a.py::Shared", 2)]))
    (cycle,) = cycles(examined)
    found = broken_cycle(examined, cycle.nodes)
    assert (Move(("p/a.py::Shared",), "p/b.py"),) in [one.operations for one in found]


def test_what_says_what_a_package_is_stays() -> None:
    """No `__init__.py` is moved to another package."""
    examined = Examined(graph([("a/__init__.py", "b/__init__.py", 1), ("b/__init__.py", "a/__init__.py", 1)]))
    (cycle,) = cycles(examined)
    assert all(not one.moves for one in broken_cycle(examined, cycle.nodes))


files = st.sampled_from([f"{folder}/{name}.py" for folder in "abcd" for name in ("one", "two", "three")])
uses = st.lists(
    st.tuples(files, files, st.integers(1, 3)).filter(lambda use: use[0] != use[1]), min_size=2, max_size=24
)


@given(uses)
def test_no_proposal_makes_worse_what_it_promises(drawn: Uses) -> None:
    """Recomputed on the graph after it: no broken rule and no module in cycles more, and something better."""
    examined = Examined(graph(drawn))
    found: list[Proposal] = []
    for cycle in cycles(examined):
        offered = broken_cycle(examined, cycle.nodes, seconds=5)
        what = level_of(examined.graph, cycle.nodes)
        for one in offered:
            assert ("ends the cycle" in one.reason) == ends(examined, one.operations, cycle.nodes, what)
            assert figures(examined, one, files=what == "files") == one.judgement.after
        found += offered
    moves = best_moves(examined, seconds=5)
    for one in moves:
        assert figures(examined, one) == one.judgement.after
    for one in found + moves:
        before, after = one.judgement.before, one.judgement.after
        assert after.tangled <= before.tangled
        assert after.largest <= before.largest
        assert (after.tangled, after.largest) < (before.tangled, before.largest) or after.modularity > before.modularity


def figures(examined: Examined, one: Proposal, *, files: bool = False) -> Figures:
    """Those of the graph after a proposal, as a plan without a step of it would be judged, but for what it costs."""
    after = replay(examined.graph, one.operations)
    alone = judge(examined.on(after), BY_FILES if files else None).figures
    assert alone.reach is None
    return replace(alone, reach=one.judgement.after.reach)


def test_every_cycle_of_few_files_is_ended() -> None:
    """An interface for each dependency of the cut turns these round: nothing is left of the cycle."""
    ring = [(f"{one}/x.py", f"{other}/x.py", 1) for one, other in zip("abcde", "bcdea", strict=True)]
    examined = Examined(graph([*ring, ("b/x.py", "a/x.py", 4)]))
    (cycle,) = cycles(examined)
    best = broken_cycle(examined, cycle.nodes)[0]
    after = examined.on(replay(examined.graph, best.operations))
    assert not tangled(after.lifted(after.module_of))


def test_a_file_belongs_to_those_it_has_to_do_with() -> None:
    """Whether it lies there or elsewhere; with the reason in words."""
    examined = Examined(graph([*TANGLED, ("core/store.py", "core/model.py", 1)]))
    key = examined.graph.key_of["core/report.py"]
    places = belongs(examined, (key,))
    assert examined.graph.ids[places[0].target] == "ui"
    assert places[0].reason.startswith("uses 2 files of it at 2 places")
    assert not places[0].is_home
    moved = replace(examined, graph=replay(examined.graph, [Move(("core/report.py",), "ui")]))
    assert [place.target for place in belongs(moved, (key,))] == [place.target for place in places]
    assert belongs(moved, (key,))[0].is_home


def test_a_definition_belongs_to_a_file() -> None:
    """Places of a class are files."""
    examined = Examined(graph([("p/b.py", "p/a.py::Shared", 2), ("p/a.py", "p/c.py", 1)]))
    places = belongs(examined, (examined.graph.key_of["p/a.py::Shared"],))
    assert examined.graph.ids[places[0].target] == "p/b.py"


def test_nothing_is_near_to_what_has_nothing_to_do_with_anything() -> None:
    """No place rather than any."""
    examined = Examined(graph(TANGLED, "core/xyz.py"))
    assert belongs(examined, (examined.graph.key_of["core/xyz.py"],)) == []


def test_a_flat_folder_falls_into_its_groups() -> None:
    """Two cliques in one folder become two folders, as ordinary operations, and modularity gains."""
    cliques = [[f"lib/{name}{number}.py" for number in range(5)] for name in ("parse", "draw")]
    inside = [(one, other, 3) for clique in cliques for one in clique for other in clique if one < other]
    examined = Examined(graph([*inside, ("lib/parse0.py", "lib/draw0.py", 1), ("app/main.py", "lib/parse0.py", 1)]))
    found = clusters(examined, examined.graph.key_of["lib"])
    assert found
    assert all(one.judgement.after.modularity > one.judgement.before.modularity for one in found)
    names = {operation.name for operation in found[0].operations if isinstance(operation, Create)}
    assert names <= {"parse", "draw"}
    after = replay(examined.graph, found[0].operations)
    parents = {after.names[after.parent[after.key_of[path]]] for path in cliques[0]}
    assert len(parents) == 1
    assert clusters(examined, examined.graph.key_of["app"]) == []


def test_looking_can_be_cancelled() -> None:
    """Progress is told, and what it raises ends the search."""

    def stop(*_told: object) -> None:
        raise Cancelled

    examined = Examined(graph(TANGLED), progress=stop)
    with pytest.raises(Cancelled):
        best_moves(examined)
    with pytest.raises(Cancelled):
        broken_cycle(examined, tuple(examined.graph.key_of[name] for name in ("ui", "core")))


def test_proposals_are_written() -> None:
    """Text and JSON hold the same, with figures before and after; operations are those of documents."""
    examined = Examined(graph(TANGLED))
    found = best_moves(examined)
    assert "modules in cycles 2 -> 0" in to_text(examined.graph, found)
    told = json.loads(to_json(examined.graph, found, belongs(examined, (examined.graph.key_of["core/report.py"],))))
    assert told["proposals"][0]["operations"][0]["op"] == "move"
    assert told["proposals"][0]["after"]["modules_in_cycles"] == 0
    assert told["places"][0]["node"] == "ui"


def test_a_step_is_proposed_once() -> None:
    """What ends a cycle may also better the figures; the first reason is told."""
    same = Judgement(Figures(None, 0, 0, 0.0, 0.0, 0, None, 0, 0.0), Figures(None, 0, 0, 0.0, 0.0, 0, None, 0, 0.0))
    move, other = Move(("a.py",), "b"), Move(("c.py",), "b")
    found = [Proposal("break-cycle", "a", "", (move,), same), Proposal("break-cycle", "c", "", (other,), same)]
    assert distinct([*found, Proposal("move", "again", "", (move,), same)]) == found

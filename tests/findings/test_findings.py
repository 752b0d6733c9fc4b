"""Findings: what is found, and in which order (NEW-21)."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pytest

from cbvtool.errors import Cancelled
from cbvtool.findings.cycles import cycles
from cbvtool.findings.entangled import entangled
from cbvtool.findings.finding import Examined
from cbvtool.findings.hot_spots import headline, hot_spots
from cbvtool.findings.kinds import KINDS
from cbvtool.findings.ranked import findings
from cbvtool.findings.sizes import LONG, MANY, USERS, fat_packages, god_files
from cbvtool.findings.unused_code import unused_code
from cbvtool.findings.written import to_json, to_markdown, to_text
from cbvtool.geometry.overlay.headline import headline as picture_headline
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.mining.changes import Changes
from cbvtool.rules import Deny, Rules

DAY = 24 * 60 * 60


def graph(files: Mapping[str, Mapping[str, float]], uses: list[tuple[str, str, int]]) -> Graph:
    """Files with values, and relations with so many sites between them; folders as their paths say."""
    builder = GraphBuilder("p")
    for path, values in files.items():
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in builder:
                builder.add_node(folder, "/".join(parts[: depth - 1]), parts[depth - 1], "folder")
        builder.add_node(path, "/".join(parts[:-1]), parts[-1], "file", file=path, values=values)
    for user, used, sites in uses:
        for line in range(1, sites + 1):
            builder.add_edge(builder.key(user), builder.key(used), "import", sites=[(user, line)])
    return builder.freeze()


def history(graph: Graph, touches: list[tuple[int, str]]) -> Changes:
    """One commit for each (day, path)."""
    days = np.array([day for day, _ in touches], np.int64)
    paths = tuple(sorted({path for _, path in touches}))
    rows = np.arange(len(touches), dtype=np.int32)
    return Changes(
        tuple(f"{row:040x}" for row in rows.tolist()),
        days * DAY,
        np.zeros(len(rows), np.int32),
        ("a@x",),
        rows,
        np.array([paths.index(path) for _, path in touches], np.int32),
        paths,
    )


def ids(graph: Graph, keys: tuple[int, ...]) -> list[str]:
    return [graph.ids[key] for key in keys]


def test_hot_spots_are_complexity_times_commits_of_six_months() -> None:
    """NEW-21: the product decides; what changed longer ago does not count, unless it is asked for."""
    one = graph(
        {"a.py": {"complexity": 10, "sloc": 5}, "b.py": {"complexity": 4, "sloc": 5}, "c.py": {"complexity": 99}}, []
    )
    changes = history(one, [(0, "c.py"), (900, "b.py"), (901, "b.py"), (902, "b.py"), (1000, "a.py")])
    found = hot_spots(Examined(one, changes))
    assert [ids(one, each.nodes) for each in found] == [["b.py"], ["a.py"]]
    assert found[0].figures == {"complexity": 4, "commits": 3, "points": 12.0}
    assert found[0].title == "b.py: complexity 4, changed by 3 commits in six months"
    assert found[0].share == pytest.approx(12 / 22)
    longer = hot_spots(Examined(one, changes, since=-1))
    assert ids(one, longer[0].nodes) == ["c.py"]
    assert longer[0].title == "c.py: complexity 99, changed by 1 commit"
    assert hot_spots(Examined(one)) == []


def test_a_headline_only_where_few_files_stand_out() -> None:
    """NEW-21: five of a hundred files with half of the changes; nothing where all change alike."""
    files = {f"f{number:03}.py": {"complexity": 1.0} for number in range(100)}
    one = graph(files, [])
    alike = [(1, path) for path in files]
    assert headline(Examined(one, history(one, alike))) == ""
    some = sorted([*alike, *((2, f"f{number:03}.py") for number in range(5) for _ in range(20))])
    assert (
        headline(Examined(one, history(one, some))) == "5 of 100 files hold 52 % of the changes of the last six months"
    )
    assert headline(Examined(one)) == ""


@pytest.mark.parametrize("tests", [True, False])
def test_picture_and_findings_say_the_same(tests: bool) -> None:
    """NEW-21: one headline, whoever says it; without tests where the picture is without them."""
    files = {f"f{number:03}.py": {"sloc": 9.0, "test": float(number == 0)} for number in range(100)}
    one = graph(files, [])
    rows = sorted(
        [*((1, path) for path in files), *((2, f"f{number:03}.py") for number in range(5) for _ in range(20))]
    )
    changes = history(one, rows)
    said = picture_headline(Pipeline().scene(one, changes, ViewState(tests=tests)))
    found = headline(Examined(one, changes, tests=tests))
    assert found.startswith("Tests aside, ") != tests  # the picture is without them: it need not say so
    assert said == found.removeprefix("Tests aside, ")
    assert said.startswith("5 of 100 files hold 52 %" if tests else "4 of 99 files hold ")


def test_cycles_of_packages_come_with_their_cheapest_cut() -> None:
    """NEW-2, CBV-11: weight = sites; the sites are those to be changed; cycles inside a package are told apart."""
    one = graph(
        {f"{folder}/{name}.py": {"sloc": 10} for folder in "xyz" for name in "ab"} | {"w/a.py": {"sloc": 10}},
        [
            ("x/a.py", "y/a.py", 5),
            ("y/b.py", "z/a.py", 4),
            ("z/b.py", "x/b.py", 2),
            ("w/a.py", "x/a.py", 9),
            ("x/a.py", "x/b.py", 3),
            ("x/b.py", "x/a.py", 1),
        ],
    )
    found = cycles(Examined(one))
    assert [ids(one, each.nodes) for each in found] == [["x", "y", "z"], ["x/a.py", "x/b.py"]]
    assert found[0].sites == (("z/b.py", 1), ("z/b.py", 2))
    assert found[0].figures == {
        "modules": 3,
        "dependencies": 3,
        "sites": 11,
        "cut_dependencies": 1,
        "cut_sites": 2,
        "cut_is_smallest": True,
    }
    assert found[1].title == "x/a.py and x/b.py depend on one another: 1 dependency (1 line) to cut"
    [edge] = found[0].edges
    assert (one.ids[one.edges.source[edge]], one.ids[one.edges.target[edge]]) == ("z/b.py", "x/b.py")


def test_tests_count_only_when_asked_for() -> None:
    """NEW-21: "without tests" is one switch for all kinds."""
    one = graph(
        {"x/a.py": {"sloc": 9}, "tests/t.py": {"sloc": 9, "test": 1}},
        [("tests/t.py", "x/a.py", 1), ("x/a.py", "tests/t.py", 1)],
    )
    assert cycles(Examined(one)) == []
    assert len(cycles(Examined(one, tests=True))) == 1
    assert entangled(Examined(one)) == []
    assert len(entangled(Examined(one, tests=True))) == 1


def test_entangled_packages_are_told_by_their_weaker_way() -> None:
    """NEW-21: places one way and back; what is shown are the places of the weaker way."""
    one = graph(
        {f"{folder}/a.py": {"sloc": 10} for folder in "xyz"},
        [("x/a.py", "y/a.py", 2), ("y/a.py", "x/a.py", 7), ("y/a.py", "z/a.py", 50), ("z/a.py", "y/a.py", 1)],
    )
    found = entangled(Examined(one))
    assert [ids(one, each.nodes) for each in found] == [["y", "x"], ["y", "z"]]
    assert found[0].title == "y and x use each other: 7 places one way, 2 back"
    assert found[0].sites == (("x/a.py", 1), ("x/a.py", 2))
    assert len(found[0].edges) == 2


def test_large_files_and_full_folders() -> None:
    """NEW-21: a god file is long and used by many; a fat package holds many files directly."""
    users: dict[str, dict[str, float]] = {f"u/{number}.py": {"sloc": 1} for number in range(MANY)}
    one = graph(
        {"big.py": {"sloc": LONG}, "long.py": {"sloc": 5 * LONG}, **users},
        [(path, "big.py", 1) for path in list(users)[:USERS]],
    )
    [god], [fat] = god_files(Examined(one)), fat_packages(Examined(one))
    assert (ids(one, god.nodes), ids(one, fat.nodes)) == (["big.py"], ["u"])
    assert god.figures == {"sloc": LONG, "users": USERS}
    assert fat.figures == {"files": MANY}


def test_unused_code_names_what_can_go_first() -> None:
    """CBV-10: heads first; a large set is told by one of them and how many more."""
    builder = GraphBuilder("p")
    for file in ("main.py", "a.py"):
        builder.add_node(file, "", file, "file", file=file, values={"sloc": 10})
    for name, lines in (("used", 3), ("old", 4), ("helper", 5)):
        builder.add_node(f"a.py::{name}", "a.py", name, "function", file="a.py", line=2, values={"sloc": lines})
    builder.add_edge(builder.key("main.py"), builder.key("a.py::used"), "call")
    builder.add_edge(builder.key("a.py::old"), builder.key("a.py::helper"), "call")
    one = builder.freeze()
    [found] = unused_code(Examined(one))
    assert ids(one, found.nodes) == ["a.py::old", "a.py::helper"]
    assert found.title == "Nothing seems to use a.py::old and 1 more: 9 source lines in 2 places"


def test_broken_rules_come_first_and_the_rest_by_what_it_concerns() -> None:
    """NEW-21: the order of all kinds."""
    one = graph(
        {"x/a.py": {"sloc": 90, "complexity": 3}, "y/a.py": {"sloc": 10, "complexity": 1}, "z/a.py": {"sloc": 900}},
        [("x/a.py", "y/a.py", 1), ("y/a.py", "x/a.py", 1)],
    )
    changes = history(one, [(1, "x/a.py"), (2, "y/a.py")])
    found = findings(Examined(one, changes, Rules(deny=(Deny("y", "x"),))))
    assert found[0].kind == "violation"
    assert found[0].title == "Rule broken once: y must not use x"
    assert found[0].sites == (("y/a.py", 1),)
    rest = [each.share for each in found[1:] if each.kind != "unused"]
    assert rest == sorted(rest, reverse=True)
    assert {each.kind for each in found} <= set(KINDS)


def test_written_for_people_and_tools() -> None:
    """NEW-21: text, Markdown, and JSON as it is described."""
    one = graph(
        {"x/a.py": {"sloc": 9}, "y/`b`.py": {"sloc": 9}}, [("x/a.py", "y/`b`.py", 7), ("y/`b`.py", "x/a.py", 7)]
    )
    found = cycles(Examined(one))
    text = to_text(one, found, "few files")
    assert text.startswith("Findings in p: 1\nfew files.\n\n1. x and y depend on one another")
    assert "   and 2 more places\n" in text
    assert "   - ``y/`b`.py:1``\n" in to_markdown(one, found)
    data = json.loads(to_json(one, found, "few files"))
    assert (data["format"], data["headline"]) == ("cbvtool-findings", "few files")
    [row] = data["findings"]
    assert row["nodes"] == ["x", "y"]
    assert len(row["sites"]) == 7
    assert set(row["sites"][0]) == {"file", "line"}


def test_looking_can_be_cancelled() -> None:
    """What progress raises comes through."""

    def stop(_what: str, _done: int, _total: int) -> None:
        raise Cancelled

    one = graph({"x/a.py": {"sloc": 9}, "y/a.py": {"sloc": 9}}, [("x/a.py", "y/a.py", 1), ("y/a.py", "x/a.py", 1)])
    with pytest.raises(Cancelled):
        findings(Examined(one, progress=stop))

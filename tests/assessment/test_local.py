"""NEW-1: a step that changes no module is judged at the fork where it happens, and equals that choice from nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.assessment.figures import Judgement
from cbvtool.assessment.judged import Asked, Judged, judged
from cbvtool.assessment.local import KEPT, Forks, fork_around, fork_of
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.rows import rows, told_here
from cbvtool.graph import Graph
from cbvtool.plan import Create, Move, Operation, run
from cbvtool.rules import Rules
from tests.layouts import src_python, workspace


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("src") / "shop"
    folder.mkdir()
    src_python(folder)
    return analyze(folder, jobs=1)


def plan(graph: Graph, choice: ModuleChoice | None = None) -> Judged:
    return judged(Asked(graph, graph, None, Rules(), choice or ModuleChoice(), graph.root))


@pytest.mark.parametrize(
    ("step", "fork"),
    [
        ((Move(("src/shop/mail",), "src/shop/orders"),), "src/shop"),  # a whole package
        ((Move(("src/shop/mail/base.py::mail_base",), "src/shop/mail/cache.py"),), "src/shop/mail"),  # inside one
        ((Move(("src/shop/mail/base.py",), "src/shop/orders"),), None),  # a file that changes its package
        ((Create("plan:1", "src/shop", "new", "package"), Move(("src/shop/mail/base.py",), "plan:1")), None),
        ((Create("plan:1", "src/shop", "new", "package"), Move(("src/shop/mail",), "plan:1")), "src/shop"),
    ],
)
def test_the_fork_is_the_lowest_common_container(python: Graph, step: tuple[Operation, ...], fork: str | None) -> None:
    found = fork_of(plan(python), step)
    assert (None if found is None else python.ids[found]) == fork


def test_tests_do_not_decide_where_a_step_happens(tmp_path: Path) -> None:
    """A package below two source roots moves in both: it is judged among the packages of the product."""
    for folder in ("src/main/java", "src/test/java"):
        for package, use in (("a", "b"), ("b", "c"), ("c", "a")):
            file = (
                tmp_path / folder / "com/shop" / package / f"{package.upper()}{'' if 'main' in folder else 'Test'}.java"
            )
            file.parent.mkdir(parents=True)
            code = f"package com.shop.{package};\nimport com.shop.{use}.{use.upper()};\nclass {file.stem} {{}}\n"
            file.write_text(code)
    graph = analyze(tmp_path, jobs=1)
    now = plan(graph)
    both = tuple(Move((f"src/{part}/java/com/shop/a",), f"src/{part}/java/com/shop/b") for part in ("main", "test"))
    assert fork_of(now, both) == graph.key_of["src/main/java/com/shop"]
    assert fork_of(now, both[1:]) is None, "tests alone are in no module"


def test_figures_at_a_fork_have_names_of_their_own(tmp_path: Path) -> None:
    """NEW-6: `tangle` is that of the plan everywhere; what does not depend on modules is the same."""
    src_python(tmp_path)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/one.py").write_text("import shop.orders.base\nfrom examples import two\n")
    (tmp_path / "examples/two.py").write_text("import shop.mail.base\n")
    graph = analyze(tmp_path, jobs=1)
    now = plan(graph)
    told = rows(Judgement(now.planned.figures, now.planned.figures))
    here = {row.name for row in told_here(told)}
    assert {"tangle here", "modules in cycles here", "crossings here"} <= here
    at = Forks().at(now, graph.key_of["src/shop"])
    assert at.planned.reach == now.planned.reach
    local = at.planned.figures
    for row, other in zip(told, rows(Judgement(local, local)), strict=True):
        assert row.name not in here or row.after == other.after, row.name


def test_a_whole_package_changes_the_figures_there(python: Graph) -> None:
    """By packages a moved package would seem to change nothing."""
    now, step = plan(python), Move(("src/shop/mail",), "src/shop/orders")
    same = now.step(step)
    assert same is not None
    assert same.after.across == same.before.across
    fork = fork_of(now, (step,))
    assert fork is not None
    local = Forks().at(now, fork).step(step)
    assert local is not None
    assert local.after.across < local.before.across
    after = run(python, [step]).graph
    alone = judged(Asked(python, after, None, Rules(), ModuleChoice("children", tests=False), fork)).planned.figures
    assert (local.after.across, local.after.largest) == (alone.across, alone.largest)


def test_a_choice_that_somebody_made_is_kept(python: Graph) -> None:
    """NEW-6: the document's own."""
    now = plan(python, ModuleChoice("packages", tests=False))
    assert fork_of(now, (Move(("src/shop/mail",), "src/shop/orders"),)) is None
    assert fork_around(now, [python.key_of["src/shop/mail"]]) is None


def test_targets_of_whole_modules_are_judged_around_them(python: Graph, tmp_path: Path) -> None:
    """The tint: of packages and of members of a workspace, not of files."""
    now, key_of = plan(python), python.key_of
    assert fork_around(now, [key_of["src/shop/mail"], key_of["src/shop/store"]]) == key_of["src/shop"]
    assert fork_around(now, [key_of["src/shop/mail/base.py"]]) is None
    assert fork_around(now, []) is None, "a group that is no folder is held"
    workspace(tmp_path)
    graph = analyze(tmp_path, jobs=1)
    assert fork_around(plan(graph), [graph.key_of["packages/mail"]]) == graph.key_of["packages"]
    assert fork_around(plan(graph), [graph.key_of["packages/mail/src"]]) is None


def test_forks_are_prepared_once(python: Graph) -> None:
    """And forgotten with another plan, or when there are many."""
    forks, now = Forks(), plan(python)
    assert forks.at(now, None) is now
    first = forks.at(now, python.key_of["src/shop"])
    assert forks.at(now, python.key_of["src/shop"]) is first
    for name in ("orders", "stock", "prices", "people", "mail", "store"):
        forks.at(now, python.key_of[f"src/shop/{name}"])
    assert KEPT == 6
    assert forks.at(now, python.key_of["src/shop"]) is not first
    again = plan(python)
    assert forks.at(again, python.key_of["src/shop"]).asked.planned is again.asked.planned

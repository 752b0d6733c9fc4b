"""The library: what the command line tells, as values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cbvtool
from cbvtool.code_base import CodeBase
from cbvtool.errors import InputError
from cbvtool.plan.operations import Move
from cbvtool.project import Project


@pytest.fixture(scope="module")
def code(shop: Project) -> CodeBase:
    return cbvtool.open(shop.path, jobs=1)


def test_what_an_open_code_base_tells(code: CodeBase, shop: Project) -> None:
    assert list(code.graph.ids) == list(shop.graph.ids)
    found = code.metrics("complexity", "commits")
    assert list(found) == ["complexity", "commits"]
    assert all(len(column) == len(code.graph) and np.nansum(column) > 0 for column in found.values())
    assert len(code.metrics()["sloc"]) == len(code.graph)
    first, *_ = code.findings(limit=3)
    assert first.title
    assert len(code.findings(limit=3)) <= 3
    assert len(code.impact("shop/domain/order.py", depth=1)) > 0
    with pytest.raises(InputError, match="no metric 'lines_of_beauty'"):
        code.metrics("lines_of_beauty")
    with pytest.raises(InputError):
        code.impact("no such file")


def test_a_plan_is_another_value(code: CodeBase, tmp_path: Path) -> None:
    planned = code.plan(Move(("shop/domain/order.py",), "shop/ui"))
    assert code.graph.parent[code.graph.key_of["shop/domain/order.py"]] != code.graph.key_of["shop/ui"]
    assert planned.graph.parent[planned.graph.key_of["shop/domain/order.py"]] == planned.graph.key_of["shop/ui"]
    assert len(planned.check()) != len(code.check())
    assert [task.kind for task in planned.tasks().tasks] == ["move"]
    assert not code.tasks().tasks
    assert code.plan() is code
    with pytest.raises(InputError):
        code.plan(Move(("shop/domain",), "shop/domain"))
    planned.render(tmp_path / "plan.svg", size=(640, 480))
    code.render(tmp_path / "code.svg", size=(640, 480))
    drawn, before = ((tmp_path / name).read_text() for name in ("plan.svg", "code.svg"))
    assert drawn.startswith("<?xml")
    assert drawn != before
    with pytest.raises(InputError, match="ends in none of"):
        code.render(tmp_path / "plan.doc")


def test_reprs_are_one_line(code: CodeBase) -> None:
    for value in (code, code.graph, code.changes, code.project, code.plan(Move(("shop/domain/order.py",), "shop/ui"))):
        assert "\n" not in repr(value)
        assert len(repr(value)) < 1_000
    assert repr(code).startswith("CodeBase(Graph(")
    assert "1 step planned" in repr(code.plan(Move(("shop/domain/order.py",), "shop/ui")))

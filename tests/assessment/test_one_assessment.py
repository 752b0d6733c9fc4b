"""NEW-1, NEW-6, NEW-9: a figure with the same name is the same number in every place that shows it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cbvtool.assessment.rows import FIRST
from cbvtool.project import open_project
from tests.assessment.surfaces import Surfaces, document_of, random_plan
from tests.layouts import LAYOUTS
from tests.test_project import git

RULES = {
    "flat Python": ("shop/orders", "shop/store", "shop/mail", "shop/people"),
    "src Python": ("src/shop/orders", "src/shop/store", "src/shop/mail", "src/shop/people"),
    "deep Python": tuple(f"work/code/lib/python/shop/core/{name}" for name in ("orders", "store", "mail", "people")),
    "Maven": tuple(
        f"shop-{whole}/src/main/java/com/shop/{name}"
        for whole, name in (("core", "orders"), ("office", "store"), ("office", "mail"), ("core", "stock"))
    ),
    "npm workspace": tuple(f"packages/{name}" for name in ("orders", "store", "mail", "people")),
    "Go": ("internal/orders", "internal/stock", "internal/mail", "internal/people"),
}


def subject(name: str, folder: Path) -> Path:
    """A layout with rules, in a repository."""
    folder.mkdir()
    LAYOUTS[name](folder)
    low, high, user, used = RULES[name]
    rules = f'[rules]\nlayers = ["{high}", "{low}"]\ndeny = [{{from = "{user}", to = "{used}"}}]\n'
    (folder / "cbvtool.toml").write_text(rules)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "all")
    return folder


def compared(name: str, folder: Path, read: pytest.CaptureFixture[str], plans: int) -> None:
    """Random plans on a layout: whatever two surfaces tell under one name is equal."""
    code, cache = subject(name, folder / "shop"), folder / "cache"
    base = open_project(code, history=False, cache=cache).graph
    for number in range(plans):
        history = random_plan(base, random.Random(f"32 {name} {number}"), 1 + number % 4)
        document = document_of(code, history, folder / f"plan{number}.cbv")
        said = Surfaces(document, cache, lambda: read.readouterr().out).all()
        for figure in dict.fromkeys(figure for told in said.values() for figure in told):
            for side in (0, 1):
                values = {where: told[figure][side] for where, told in said.items() if figure in told}
                values = {where: value for where, value in values.items() if value is not None}
                assert len(set(values.values())) <= 1, (name, number, history.operations, figure, values)
        told_by = {figure: [where for where, told in said.items() if figure in told] for figure in FIRST}
        assert {"panel", "card", "compare", "tasks", "report", "assistant"} <= set(told_by["tangle"])
        assert all(len(places) >= 6 for places in told_by.values()), told_by
        panel = said["panel"]
        assert any(panel[figure][0] != "0" for figure in ("tangle", "modules in cycles", "crossings"))


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_surface_tells_the_same(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan on each of six layouts: panel, card, comparison, proposals, findings, report, `check`, `tasks`, MCP."""
    compared(name, tmp_path, capsys, 1)


@pytest.mark.long
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_surface_tells_the_same_of_many_plans(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """12 random plans on each."""
    compared(name, tmp_path, capsys, 12)

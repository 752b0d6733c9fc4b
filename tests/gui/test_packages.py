"""CBV-13, DND-1 with real events: a Java project is planned in its packages, and the plan is carried out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cbvtool.cli import DONE, main
from cbvtool.plan import Move
from cbvtool.project import Project, open_project
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, drag, key, pick_up, place
from tests.layouts import LAYOUTS
from tests.test_project import git

CORE, OFFICE = "shop-core/src/main/java/com/shop", "shop-office/src/main/java/com/shop"
WORDS = f"{CORE}/orders/Notes.java"
WHOLE, ORDERS, STOCK, STORE = (f"package:com/shop{name}" for name in ("", "/orders", "/stock", "/store"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The Maven layout, with a class whose name is only once there."""
    root = tmp_path_factory.mktemp("packages") / "shop"
    root.mkdir()
    LAYOUTS["Maven"](root)
    (root / "shop").mkdir()
    (root / "shop" / "README.md").write_text("The shop.\n")
    (root / WORDS).write_text("package com.shop.orders;\n\npublic class Notes {\n}\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "all")
    return open_project(root, jobs=1, cache=False)


@pytest.fixture
def packages(large: None, window: MainWindow, hand: Hand) -> MainWindow:
    """The packages of the project, two of them open."""
    window.actions_by_name["hierarchy_packages"].trigger()
    hand.wait_until(lambda: window.session.view.hierarchy == "packages")
    window.session.set_view(expanded=frozenset(key(window, node) for node in (WHOLE, ORDERS, STOCK)))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    return window


def shown(root: Path, what: str) -> str:
    return subprocess.run(["git", "-C", root, "show", what], capture_output=True, text=True, check=True).stdout


def home(window: MainWindow, node: str) -> str:
    graph = window.session.graph
    return graph.ids[int(graph.parent[key(window, node)])]


def test_a_class_and_a_package_are_dragged_and_the_plan_is_carried_out(
    packages: MainWindow, hand: Hand, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Undone and done again by keys; the tasks name folders, the picture stays in packages, Java is rewritten."""
    window, session = packages, packages.session
    panel = window.desk.show(PlanPanel)
    drag(window, hand, WORDS, STOCK)
    assert session.view.hierarchy == "packages"
    assert home(window, WORDS) == STOCK
    hand.keys("ctrl+z")
    hand.wait_until(lambda: home(window, WORDS) == ORDERS)
    hand.keys("ctrl+shift+z")
    hand.wait_until(lambda: home(window, WORDS) == STOCK)
    hand.wait_until(lambda: window.canvas.stage.is_still)
    drag(window, hand, ORDERS, STOCK)
    assert home(window, f"{CORE}/orders/Query.java") == f"{STOCK}/orders"
    hand.wait_until(lambda: "Move orders" in panel.text.toPlainText())
    titles = [task.title for task in session.tasks()]
    assert sorted(titles) == [
        f"Move Notes.java from {CORE}/orders to {CORE}/stock",
        f"Move orders from {CORE} to {CORE}/stock",
    ]
    plan = tmp_path / "plan.cbv"
    session.save(plan)
    assert main(["plan", "apply", str(plan), "--to", "planned", "--jobs", "1"]) == DONE, capsys.readouterr().err
    assert session.project is not None
    root = session.project.path
    assert shown(root, f"planned:{CORE}/stock/orders/Query.java").startswith("package com.shop.stock.orders;")
    assert shown(root, f"planned:{CORE}/stock/Notes.java").startswith("package com.shop.stock;")


def test_a_drop_that_could_go_to_two_folders_asks(packages: MainWindow, hand: Hand) -> None:
    """By keys: the arrows choose, Enter answers; Esc leaves it all as it was."""
    window, session = packages, packages.session
    for answer in ("Escape", "Return"):
        pick_up(window, hand, WORDS)
        end = place(window, STORE)
        hand.point(window.canvas, end)
        hand.wait_until(lambda: session.view.drag is not None and session.view.drag.target == key(window, STORE))
        hand.release()
        hand.wait_until(lambda: window.canvas.dragging.card is not None)
        card = window.canvas.dragging.card
        assert isinstance(card, AskCard)
        assert [button.text() for button in card.forms] == [f"{CORE}/store", f"{OFFICE}/store"]
        hand.keys("Down", answer)
        hand.wait_until(lambda: session.view.drag is None)
        hand.wait_until(lambda: window.canvas.stage.is_still)
    (step,) = session.history.done
    assert step.operations == (Move((WORDS,), f"{OFFICE}/store"),)

"""DND-3: the places that a dependency can be led over, in the order in which they are offered."""

from __future__ import annotations

from pathlib import Path

import pytest
from qtpy.QtGui import QIcon

from cbvtool.plan import Split
from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.session.dragging.takers import takers_of_relation
from cbvtool.view.commands.containers import split_targets
from cbvtool.view.toolkit.chooser import Chooser
from tests.layouts import LAYOUTS

CORE = "shop-core/src/main/java/com/shop"
USER, USED = f"{CORE}/orders/Rules.java", f"{CORE}/stock/Rules.java"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """The Maven layout in folders."""
    LAYOUTS["Maven"](tmp_path)
    opened = Session()
    opened.open(open_project(tmp_path, jobs=1))
    return opened


def offered(qtbot, session: Session, user: str, used: str) -> tuple[str, dict[str, str]]:
    """(id of what is chosen already; place -> why it is refused), as `Shift+I` asks."""
    graph = session.graph
    refusals = session.planning.split_refusals(Split(user, used, graph.ids[graph.root]))
    ends = graph.key_of[user], graph.key_of[used]
    rows = split_targets(graph, takers_of_relation(ends, graph), ends, lambda _kind: QIcon(), refusals)
    chooser = Chooser("Split", "Where", rows)
    qtbot.addWidget(chooser)
    chooser._take(chooser.list.currentIndex())
    return graph.ids[chooser.chosen], {graph.ids[row.value]: row.refused for row in rows}


def test_the_place_of_what_is_used_comes_first(qtbot, session: Session) -> None:
    """DND-3: in folders and in packages; where nothing in a package can import from, nothing is put."""
    chosen, refused = offered(qtbot, session, USER, USED)
    assert chosen == f"{CORE}/stock"
    places = ["", "shop-core", "shop-core/src/main/java", "shop-office"]
    assert all("nothing in a package of Java could import it" in refused[place] for place in places)
    assert not refused[CORE]
    session.show_in("packages")
    chosen, refused = offered(qtbot, session, USER, USED)
    assert chosen == "package:com/shop/stock"
    assert refused[""].startswith("The top level holds packages only")
    assert refused["package:(other)"]


def test_a_split_of_two_packages_begins_with_what_is_around_them(qtbot, session: Session) -> None:
    """DND-3: then come their neighbours, and what is far away last."""
    session.show_in("packages")
    chosen, refused = offered(qtbot, session, "package:com/shop/orders", "package:com/shop/stock")
    assert chosen == "package:com/shop"
    order = list(refused)
    assert order.index("package:com/shop/people") < order.index(f"{CORE}/orders/Base.java")
    assert "pom.xml" not in order

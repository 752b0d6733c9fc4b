"""The panel "Evolution" with real events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt

from cbvtool.evolution.reading import ReadEvolution, read_evolution
from cbvtool.mining.churn import Churn
from cbvtool.plots.layers import Labels
from cbvtool.progress import Progress
from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.panels.history import evolution_panel
from cbvtool.view.panels.history.evolution_panel import EvolutionPanel
from cbvtool.view.window.main_window import MainWindow
from tests.view.test_history_panels import cells, choose, click_row


def test_versions_are_read_and_parts_are_selected(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer is told what it is for; a click reads versions; a row of a part selects it, and its line is drawn.

    The lines are there before the commits of what became worse are looked for.
    """
    known: list[str] = []

    def read(*of: Any, first: Callable[[ReadEvolution], None], progress: Progress, **how: Any) -> ReadEvolution:
        def told(what: str, done: int, count: int) -> None:
            known.append(what)
            progress(what, done, count)

        def drawn(found: ReadEvolution) -> None:
            known.append("drawn")
            first(found)

        return read_evolution(*of, **{**how, "most": 3}, first=drawn, progress=told)

    monkeypatch.setattr(evolution_panel, "read_evolution", read)
    panel = window.desk.show(EvolutionPanel)
    assert panel.begin.isVisible()
    window.session.select((window.session.graph.root,))
    assert "Read earlier versions" in window.desk.panel(DetailsPanel).text.toPlainText()
    window.session.select(())
    qtbot.mouseClick(panel.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.read is not None, timeout=60_000)
    assert panel.read is not None
    found = panel.read.found
    assert len(found.commits) == 3
    assert not panel.begin.isVisible()
    assert panel.read.differs.files.changed > 0
    assert panel.read.differs.words in panel.says.toolTip()
    qtbot.waitUntil(lambda: not window.jobs.running)
    assert set(known[: known.index("drawn")]) == {"Reading versions"}
    assert "Reading versions" not in known[known.index("drawn") :]
    choose(panel.listed, "modules")
    choose(panel.figure, "sloc")
    rows = cells(panel.table)
    assert len(rows[0][1]) == len(found.commits)
    assert rows[0][2] == f"{found.values['sloc'][-1, found.graph.root]:,.0f}"
    row = next(number for number, cell in enumerate(rows) if "/" in cell[0] and len(set(cell[1])) > 1)
    click_row(qtbot, panel.table, row)
    assert [window.session.graph.ids[key] for key in window.session.view.selected] == [rows[row][0]]
    assert [found.graph.ids[key] for key in panel.keys] == [rows[row][0]]
    details, [place] = window.desk.panel(DetailsPanel).text, panel.keys
    assert "Over 3 versions" in details.toPlainText()
    lines = [text.strip() for text in details.toPlainText().splitlines()]
    at = lines.index("Source lines", lines.index("Over 3 versions"))
    assert lines[at + 1 : at + 3] == [rows[row][1], f"{found.values['sloc'][-1, place]:,.0f}"]

    choose(panel.figure, "complexity")
    window.session.select([window.session.graph.key_of["README.md"]])

    def said() -> str:
        words = [text for layer in panel.canvas.plot.layers if isinstance(layer, Labels) for text in layer.text]
        return " ".join(words)

    qtbot.waitUntil(lambda: said().startswith("Complexity: no version has a value of what is selected."))

    changes = window.session.people.changes
    assert changes is not None
    none = np.zeros(len(changes.touch_commit), np.int32)
    window.session.time_ranges.take_churn(changes, Churn(none, none))  # lines are counted while somebody looks
    assert window.session.people.changes is not changes
    assert panel.read is not None
    assert panel.read.found is found

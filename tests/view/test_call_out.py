"""A relation's own call-out: kinds, count, direction and places, by real events (CBV-12)."""

from __future__ import annotations

from qtpy.QtCore import QPoint, Qt

from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.drawing.emphasis import emphasis
from cbvtool.view.panels.details_panel import DetailsPanel
from cbvtool.view.window.main_window import MainWindow


def test_a_click_on_a_curve_calls_it_out(window: MainWindow, qtbot) -> None:
    """It stands out alone; a card tells its ends, kinds and number; Details reads its places; a click ends it."""
    canvas, session = window.canvas, window.session
    canvas.stage.toggle_top()
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    picking = canvas.stage.picking
    spots = (QPoint(x, y) for x in range(0, canvas.width(), 3) for y in range(0, canvas.height(), 3))
    spot = next(
        at for at in spots if not picking.legend_at(at) and picking.key_at(at) < 0 and picking.relation_at(at) >= 0
    )
    relation, scene = picking.relation_at(spot), canvas.stage.scene
    assert scene is not None
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=spot)
    shown = session.view.path
    assert isinstance(shown, ShownRelations)
    ends = [int(scene.tree.key[end[relation]]) for end in (scene.lifted.source, scene.lifted.target)]
    names = [session.graph.names[key] for key in ends]
    assert shown.lines[0] == f"{names[0]} uses {names[1]}"
    assert shown.lines[1].startswith(f"{len(shown.rows):,} relation")
    assert set(session.view.selected) == set(ends)
    lit = emphasis(session.scene(), -1, -1, frozenset(), session.view.selected).relations
    assert lit is not None
    assert lit.sum() == 1
    text = window.desk.panel(DetailsPanel).text.toPlainText()
    assert text.startswith(f"{names[0]} uses {names[1]}")
    path, line = next(iter(session.graph.edges.sites(int(shown.rows[0]))))
    assert f"{session.graph.files[path].rpartition('/')[2]}:{line}" in text
    session.select(ends[:1])
    assert session.view.path is None

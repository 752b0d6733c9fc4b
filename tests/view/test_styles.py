"""Styles in the window: presets, own presets, scales and ranges in the Style panel, legends that lead there (CBV-4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from qtpy.QtCore import QPoint, QPointF, Qt, QUrl
from qtpy.QtGui import QStandardItemModel, QWheelEvent
from qtpy.QtWidgets import QApplication, QInputDialog

from cbvtool.drawing import curve_layer
from cbvtool.drawing.renderer import Renderer
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.picture import Rect
from cbvtool.geometry.scales import Scale
from cbvtool.geometry.state.presets import PRESETS
from cbvtool.geometry.state.view_state import Mapping
from cbvtool.history.time_range import CHOICES
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.view.commands.styles import read_styles
from cbvtool.view.toolkit.names_dialog import NamesDialog
from cbvtool.view.window.main_window import MainWindow
from tests.geometry.scenes import MAPPING, random_scene, scene_of

BY_NAME = {preset.name: preset.mapping for preset in PRESETS}


def trigger(window: MainWindow, name: str) -> None:
    window.actions_by_name[name].trigger()


def legend_place(window: MainWindow, name: str) -> QPoint:
    """The middle of a legend on the canvas."""
    stage = window.canvas.stage
    card = stage.text.cards.pictures[name].items[0]
    assert isinstance(card, Rect)
    return QPoint(round(card.x + card.width / 2), round(card.y + card.height / 2))


@pytest.mark.parametrize("number", range(len(PRESETS)))
def test_a_preset_is_a_command_a_key_and_an_entry(window: MainWindow, number: int) -> None:
    """CBV-4: the same look by key, menu, palette and tool bar."""
    action = window.actions_by_name[f"preset_{number + 1}"]
    assert action.shortcut().toString() == str(number + 1)
    assert action.text() == PRESETS[number].label
    assert action in window.styles.menu.actions()
    action.trigger()
    assert window.session.view.mapping == PRESETS[number].mapping
    assert window.styles.box.currentText() == PRESETS[number].label
    window.styles.box.activated.emit((number + 1) % len(PRESETS))
    assert window.session.view.mapping == PRESETS[(number + 1) % len(PRESETS)].mapping
    window.session.map("color", "sloc")
    assert window.styles.box.currentIndex() == -1


def test_without_history_presets_say_why_not(new_window, shop: Project, qtbot) -> None:
    """CBV-4: what cannot be shown is not offered, and the tooltip says why."""
    window = new_window()
    assert not window.actions_by_name["preset_1"].isEnabled()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(replace(shop, changes=None))
    names = [preset.name for preset in PRESETS]
    who = names.index("ownership")
    assert not window.actions_by_name[f"preset_{who + 1}"].isEnabled()
    assert "no git history" in window.actions_by_name[f"preset_{who + 1}"].toolTip()
    rows = window.styles.box.model()
    assert isinstance(rows, QStandardItemModel)
    assert not rows.item(who).isEnabled()
    assert "no git history" in rows.item(who).toolTip()
    assert window.actions_by_name[f"preset_{names.index('languages') + 1}"].isEnabled()


def test_own_presets_are_kept(window: MainWindow, new_window, monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-4, CBV-11: the present look under a name, on the next key, remembered for other windows."""
    look = Mapping(height="commits", height_scale=Scale("log", None, 40), color="main_author", thickness="count")
    window.session.set_view(mapping=look)
    monkeypatch.setattr(QInputDialog, "exec_", lambda _: True)
    monkeypatch.setattr(QInputDialog, "textValue", lambda _: "  Who  did it ")
    trigger(window, "save_style")
    key = f"preset_{len(PRESETS) + 1}"
    assert window.actions_by_name[key].text() == "Who did it"
    assert window.styles.box.currentText() == "Who did it"
    trigger(window, "preset_1")
    assert window.session.view.mapping != look
    trigger(window, key)
    assert window.session.view.mapping == look
    window.session.map("color", "nl3")
    window.styles.keep("Who did it")  # the same name: replaced, not added
    assert [preset.mapping.color for preset in window.styles.own] == ["nl3"]
    another = new_window()
    assert [(p.label, p.mapping) for p in another.styles.own] == [(p.label, p.mapping) for p in window.styles.own]


def test_own_presets_are_renamed_sorted_and_deleted(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-4: the list of own presets is the user's."""
    for name, metric in {"one": "sloc", "two": "bytes", "three": "nl3"}.items():
        window.session.map("color", metric)
        window.styles.keep(name)

    def edit(dialog: NamesDialog) -> int:
        dialog.list.item(1).setText("Zwei")
        dialog.list.setCurrentRow(0)
        dialog.delete.click()
        return 1

    monkeypatch.setattr(NamesDialog, "exec_", edit)
    trigger(window, "manage_presets")
    assert [(preset.label, preset.mapping.color) for preset in window.styles.own] == [
        ("Zwei", "bytes"),
        ("three", "nl3"),
    ]
    assert read_styles(window.settings.styles) == window.styles.own
    assert window.actions_by_name["preset_9"].isEnabled()
    window.styles.replace([])
    assert not window.actions_by_name["preset_9"].isEnabled()


@pytest.mark.parametrize("text", ["", "{", "3", '[1, {"name": 3}, {"mapping": {}}]'])
def test_damaged_settings_are_left_out(text: str) -> None:
    """Settings of another version, or by another hand."""
    assert read_styles(text) == []


def test_scale_and_range_are_edited(window: MainWindow, qtbot) -> None:
    """CBV-4: kind and ends of a scale; empty ends follow what is shown; nonsense is refused in one sentence."""
    window.desk.raise_panel("style")
    panel, session = window.desk.panels["style"], window.session
    session.map("height", "commits")
    edit = panel.ranges["height"]
    assert edit.minimum.placeholderText() == "0"
    highest = session.scene().height_legend.maximum
    assert edit.maximum.placeholderText() == f"{highest:,.0f}"
    box = panel.scales["height"]
    box.setCurrentIndex(box.findData("log"))
    box.activated.emit(box.currentIndex())
    assert session.view.mapping.height_scale == Scale("log")
    qtbot.keyClicks(edit.maximum, "2 commits")
    qtbot.keyClick(edit.maximum, Qt.Key.Key_Return)
    assert session.view.mapping.height_scale == Scale("log", None, 2.0)
    assert session.scene().height_legend.axis.above > 0
    assert edit.maximum.text() == "2"
    for nonsense, sentence in (("much", "is not a value"), ("-3", "must end above its beginning")):
        session.map("height_scale", Scale("log", 1.0, 2.0))
        edit.maximum.clear()
        qtbot.keyClicks(edit.maximum, nonsense)
        qtbot.keyClick(edit.maximum, Qt.Key.Key_Return)
        assert sentence in window.message.text
        assert session.view.mapping.height_scale == Scale("log", 1.0, 2.0)
        assert edit.maximum.text() == "2"
    edit.maximum.selectAll()
    qtbot.keyClick(edit.maximum, Qt.Key.Key_Delete)
    qtbot.keyClick(edit.maximum, Qt.Key.Key_Return)
    assert session.view.mapping.height_scale == Scale("log", 1.0, None)
    panel.reset.click()
    assert session.view.mapping == session.usual_mapping


def test_aggregation_and_colors_are_chosen(window: MainWindow) -> None:
    """CBV-13, CBV-4: what a metric offers, and nothing that means nothing."""
    panel, session = window.desk.panels["style"], window.session
    session.map("color", "complexity")
    box = panel.aggregations["color"]
    assert [box.itemText(row) for row in range(box.count())] == ["Sum", "Mean", "Mean by lines", "Median", "Maximum"]
    box.setCurrentIndex(box.findData("max"))
    box.activated.emit(box.currentIndex())
    assert session.scene().color_legend.label == "Highest cyclomatic complexity"
    for name, field in (("color_map", "cividis"), ("thickness", "none"), ("relations", "thesis")):
        chooser = {"color_map": panel.color_map, "thickness": panel.thickness, "relations": panel.relation_colors}[name]
        chooser.setCurrentIndex(chooser.findData(field))
        chooser.activated.emit(chooser.currentIndex())
        assert getattr(session.view.mapping, name) == field
    assert not panel.color_map.itemIcon(0).isNull()
    assert panel.color_map.isEnabled()
    session.map("color", "kind")
    assert not panel.color_map.isEnabled()
    assert not panel.ranges["color"].isEnabled()
    assert not box.isEnabled()
    assert panel._choices["height"].findData("kind") == -1
    assert panel._choices["color"].findData("kind") >= 0


def test_a_click_on_a_legend_leads_to_the_look_panel(window: MainWindow, qtbot) -> None:
    """CBV-13: what is wrong with a picture is mended where it is seen."""
    canvas, panel = window.canvas, window.desk.panels["style"]
    window.activateWindow()
    qtbot.waitUntil(lambda: canvas.stage.is_still)
    selected = window.session.view.selected
    for name, target in (
        ("height", panel._choices["height"]),
        ("color", panel._choices["color"]),
        ("thickness", panel.thickness),
    ):
        window.desk.raise_panel("details")
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=legend_place(window, name))
        assert panel.isVisible()
        assert panel.focusProxy() is target or window.focusWidget() is target
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=legend_place(window, "color"))
    assert window.focusWidget() is panel.ranges["color"].minimum
    assert window.session.view.selected == selected


def test_a_narrow_look_panel_is_not_scrolled_sideways(window: MainWindow, qtbot) -> None:
    """CBV-4: in a small window the names of its rows stay in sight when a legend leads to one of them."""
    window.desk.raise_panel("style")
    window.desk.docks["style"].setFixedWidth(190)
    panel = window.desk.panels["style"]
    qtbot.waitUntil(lambda: panel.width() <= 190)
    for what in ("height", "color", "thickness"):
        panel.point_at(what)
        assert panel._area.horizontalScrollBar().maximum() == 0


def test_the_wheel_scrolls_the_panel_and_changes_nothing(window: MainWindow, qtbot) -> None:
    """CBV-4: what is under the pointer while one scrolls is not chosen on the way."""
    window.desk.raise_panel("style")
    panel = window.desk.panels["style"]
    controls = panel.relation_controls
    before = window.session.view
    for field in (panel.thickness, panel.time_range, panel.straightness, controls.distance, window.styles.box):
        place = QPointF(field.rect().center())
        turned = QWheelEvent(
            place,
            QPointF(field.mapToGlobal(place.toPoint())),
            QPoint(),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(field, turned)
    assert window.session.view == before


def test_the_disc_makes_room_for_a_larger_legend(window: MainWindow, qtbot) -> None:
    """A list of classes is taller than a colour bar: as long as nobody has chosen where to look from, it is clear."""
    stage = window.canvas.stage
    window.session.map("color", "nl3")
    before = stage.camera
    window.session.map("color", "kind")
    assert stage.camera == stage.flight.fitted_from(before)
    stage.look(before.zoomed_at(1.5, 10, 10, *stage.size))
    chosen = stage.camera
    window.session.map("color", "nl3")
    assert stage.camera == chosen


def test_a_document_keeps_the_whole_look(window: MainWindow, shop: Project) -> None:
    """CBV-11: scales, aggregation, colours and thickness come back with the plan."""
    look = Mapping(
        "bytes",
        "commits",
        "complexity",
        "cividis",
        Scale("log", None, 9.0),
        Scale("quantile"),
        "mean",
        "sum",
        "max",
        "count",
        "thesis",
    )
    window.session.set_view(mapping=look)
    other = Session()
    other.open(shop, window.session.document())
    assert other.view.mapping == look


@pytest.mark.parametrize("fat", [4000, 10])
def test_thickness_is_drawn(fat: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-12: heavier relations cover more of the disc; also where they are hairlines; and alike when switched off."""
    monkeypatch.setattr(curve_layer, "RIBBONS", fat)
    scene = random_scene(60, 300)
    alike = scene_of(scene.graph, mapping=replace(MAPPING, thickness="none"))
    renderer = Renderer(400, 400)
    try:
        inked = []
        for shown in (scene, alike):
            renderer.show(shown)
            renderer.camera(Camera.fit(400, 400, tilt=0.0))
            frame = renderer.frame()
            inked.append(frame.astype(np.int64).sum())
        assert scene.thickness.most > scene.thickness.least
        assert inked[0] != inked[1]
        # The same curves in another thickness: a frame of a movement may still show the old ones, a still one not.
        renderer.show(scene)
        renderer.frame(moving=True)
        assert renderer.frame().astype(np.int64).sum() == inked[0]
    finally:
        renderer.close()


def test_the_time_range_of_the_history_is_chosen(window: MainWindow) -> None:
    """NEW-17: measures of the history count the commits of a range that ends with it; a plan keeps it."""
    session, choice = window.session, window.desk.panels["style"].time_range
    changes = session.project.changes
    assert choice.currentText() == "Usual"
    everything = session.graph.root
    counts = {}
    for row, name in enumerate(each.name for each in CHOICES):
        choice.setCurrentIndex(row)
        choice.activated.emit(row)
        counts[name] = float(session.scene().values["commits"][everything])
        assert choice.currentText() == name
    assert session.view.since == int(changes.time[0])
    assert counts["Last 3 months"] <= counts["Last 6 months"] <= counts["Last 12 months"] <= counts["All"]
    assert counts["Last 3 months"] < counts["All"] == counts["Usual"]
    assert session.document().view["since"] == int(changes.time[0])
    session.set_view(since=int(changes.time[0]) + 1)
    assert choice.currentIndex() == -1


def test_details_say_where_to_begin(window: MainWindow) -> None:
    """Look-and-feel: an empty panel says what to do, and its links do it."""
    window.session.select(())
    text = window.desk.panels["details"].text
    assert "Where to begin" in text.toPlainText()
    text.anchorClicked.emit(QUrl("command:preset_2"))
    assert window.session.view.mapping == BY_NAME["hot-spots"]
    text.anchorClicked.emit(QUrl("style:history"))
    assert window.desk.panels["style"].isVisible()

"""CBV-7, DND-8: the search field with its list, the filter's chip, the tree under a filter, the threshold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt

from cbvtool.view.commands.searching import EXAMPLES
from cbvtool.view.commands.threshold import Threshold
from cbvtool.view.window.main_window import MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def ask(window: MainWindow, qtbot) -> Callable[[str], list[str]]:
    """Types a query and waits for the answer: the ids that are listed."""

    def type_in(text: str) -> list[str]:
        window.searching.begin()
        window.search.clear()
        QtBot.keyClicks(window.search, text)
        qtbot.waitUntil(lambda: not window.search.pausing and not window.searching.busy)
        return [window.session.graph.ids[row.key] for row in window.searching.list.rows if row.key >= 0]

    return type_in


def names(window: MainWindow) -> list[str]:
    return [row.text for row in window.searching.list.rows]


def test_matches_are_listed_lit_and_counted(window: MainWindow, ask) -> None:
    """CBV-7: name, path and icon; the same nodes light up in the picture."""
    found = ask("order")
    assert found
    assert window.searching.count.text() == f"{len(found)} match{'es' if len(found) > 1 else ''}"
    assert window.canvas.stage.highlights.matches == {window.session.graph.key_of[node] for node in found}
    row = window.searching.list.rows[0]
    assert "order" in row.text.casefold()
    assert row.place == window.session.graph.ids[window.session.graph.parent[row.key]]
    assert row.icon is not None
    assert row.value == ""


def test_measures_are_listed_with_their_values(window: MainWindow, ask) -> None:
    """CBV-7: when an expression is asked, the most of the first metric comes first, with its unit."""
    ask("kind:file sloc > 3")
    values = window.session.scene().values["sloc"]
    rows = window.searching.list.rows
    assert [values[row.key] for row in rows] == sorted((values[row.key] for row in rows), reverse=True)
    assert rows[0].value == f"{values[rows[0].key]:,.0f} lines"


def test_enter_shows_the_match_and_again_the_next(window: MainWindow, ask, qtbot) -> None:
    """DND-8: arrows and Enter take one, which is revealed."""
    found = ask("kind:class")
    assert len(found) > 2
    QtBot.keyClick(window.search, Qt.Key.Key_Down)
    QtBot.keyClick(window.search, Qt.Key.Key_Return)
    ids = window.session.graph.ids
    assert [ids[key] for key in window.session.view.selected] == [found[1]]
    assert window.canvas.stage.scene.tree.represent[window.session.view.selected[0]] >= 0
    assert not window.searching.list.isVisible()
    QtBot.keyClick(window.search, Qt.Key.Key_Return)
    assert [ids[key] for key in window.session.view.selected] == [found[2]]
    assert window.settings.searches == ["kind:class"]


def test_enter_does_not_wait_for_the_list(window: MainWindow, qtbot) -> None:
    """Who types fast and presses Enter gets the first match."""
    window.searching.begin()
    QtBot.keyClicks(window.search, "cli.py")
    QtBot.keyClick(window.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(window.session.view.selected))
    assert window.session.graph.names[window.session.view.selected[0]] == "cli.py"


def test_an_error_is_told_under_the_field(window: MainWindow, ask) -> None:
    """CBV-7: one sentence, no box; what lit up before stays while one types on."""
    ask("sloc > 3")
    lit = window.canvas.stage.highlights.matches
    ask("nl4 > 3")
    assert window.searching.list.note.text() == "nl4 is not a metric: did you mean nl3? (character 1)."
    assert names(window) == ["nl3 > 3"]
    assert not window.message.isVisible()
    assert window.canvas.stage.highlights.matches == lit
    assert not window.searching.can_filter
    QtBot.keyClick(window.search, Qt.Key.Key_Return)
    assert not window.session.view.selected


def test_what_may_be_meant_is_offered_and_taken(window: MainWindow, ask) -> None:
    """CBV-7: under the error; Enter takes the first, which is then asked."""
    ask("kind:file language == pyt")
    texts = [row.text for row in window.searching.list.rows]
    assert texts == ['kind:file language == "Python"']
    assert "did you mean Python?" in window.searching.list.note.text()
    QtBot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.search.text() == texts[0]
    ask(texts[0])
    graph = window.session.graph
    assert window.searching.matches
    assert all(graph.ids[key].endswith(".py") for key in window.searching.matches)
    assert window.searching.list.rows[0].value == "Python"


def test_an_empty_field_offers_what_was_asked_and_what_can_be(window: MainWindow, ask, qtbot) -> None:
    """CBV-7: history of queries and examples; one is taken like a match."""
    window.settings.add_search("kind:class")
    window.settings.add_search("cli")
    ask("?")
    classes = ['language == "Python"', 'language != "Python"']
    assert names(window) == ["cli", "kind:class", *(text for text, _ in EXAMPLES), *classes]
    assert "main_author" in window.searching.list.note.text()
    assert "sloc, bytes" in window.searching.list.note.text()
    QtBot.keyClick(window.search, Qt.Key.Key_Down)
    QtBot.keyClick(window.search, Qt.Key.Key_Down)
    QtBot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.search.text() == "kind:class"
    qtbot.waitUntil(lambda: bool(window.searching.matches))


@pytest.mark.parametrize("text", [text for text, _ in EXAMPLES])
def test_every_example_can_be_asked(window: MainWindow, ask, text: str) -> None:
    ask(text)
    assert window.searching._error == ""


def test_esc_ends_the_search(window: MainWindow, ask) -> None:
    """Look-and-feel: what was lit is lit no more."""
    ask("cli")
    window.editing.escape()
    assert window.search.text() == ""
    assert not window.canvas.stage.highlights.matches
    assert window.searching.count.text() == ""
    assert not window.searching.list.isVisible()


def test_show_only_these_is_a_chip_in_the_bar_and_seen_in_the_tree(window: MainWindow, ask, qtbot) -> None:
    """CBV-7: the filter hides the rest in picture and tree, and ends with a click; view back undoes it as well."""
    found = ask("kind:file cli")
    everything = len(window.canvas.stage.scene.tree)
    QtBot.keyClick(window.search, Qt.Key.Key_Return, CONTROL)
    assert window.session.view.only == "kind:file cli"
    assert window.search.text() == ""
    key = window.session.graph.key_of[found[0]]
    assert window.canvas.stage.scene.tree.represent[key] >= 0
    qtbot.waitUntil(window.searching.chip.isVisible)
    assert window.searching.chip.text() == "kind:file cli"
    model = window.desk.panels["structure"].model
    assert window.desk.panels["structure"].filter_bar.isVisible()
    assert model.index_of(key).isValid()
    listed = int(model.listed.sum()) - 1
    assert (
        window.desk.panels["structure"].filter_text.text()
        == f"<b>{listed}</b> of {len(window.session.graph.tree.order) - 1} shown"
    )
    hidden = next(iter(window.session.scene().filtered))
    assert not model.index_of(hidden).isValid()
    window.searching.chip.click()
    assert window.session.view.only == ""
    qtbot.waitUntil(lambda: not window.searching.chip.isVisible())
    assert not window.desk.panels["structure"].filter_bar.isVisible()
    assert model.index_of(hidden).isValid()
    window.session.go_back()
    assert window.session.view.only == "kind:file cli"
    window.desk.panels["structure"].filter_ended.emit()
    assert window.session.view.only == ""
    window.session.go_back()
    window.editing.show_everything()
    assert window.session.view.only == ""
    assert len(window.canvas.stage.scene.tree) >= everything


def test_a_match_outside_of_the_filter_ends_it(window: MainWindow, ask) -> None:
    """A search looks everywhere; what it found is shown."""
    window.session.set_view(only="kind:file cli")
    outside = next(iter(window.session.scene().filtered))
    window.desk.reveal(outside)
    assert window.session.view.only == ""
    assert window.session.view.selected == (outside,)


def test_the_tree_under_a_filter_keeps_qts_rules(window: MainWindow, qtmodeltester) -> None:
    """CBV-7: rows, parents and the selection fit what is left."""
    key = window.session.graph.key_of["shop/ui/cli.py"]
    window.session.select([key])
    window.session.set_view(only="cli")
    qtmodeltester.check(window.desk.panels["structure"].model)
    assert window.desk.panels["structure"]._chosen() == [key]
    assert window.session.view.selected == (key,)


def test_space_hides_and_shows_a_subtree(window: MainWindow) -> None:
    """CBV-7: the check boxes of the tree, by keyboard."""
    key = window.session.graph.key_of["shop/ui"]
    window.session.select([key])
    tree = window.desk.panels["structure"].tree
    tree.setFocus()
    QtBot.keyClick(tree, Qt.Key.Key_Space)
    assert window.session.view.hidden == {key}
    QtBot.keyClick(tree, Qt.Key.Key_Space)
    assert not window.session.view.hidden


def test_hide_small_nodes(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """CBV-7: below a metric threshold; begins with the value of the selection, and says what it would hide."""
    session = window.session
    key = session.graph.key_of["shop/ui/cli.py"]
    session.select([key])
    dialog = Threshold(window.session, window)
    qtbot.addWidget(dialog)
    assert dialog.least.text() == f"{session.scene().values['sloc'][key]:.0f}"
    dialog.least.setText("12 lines")
    assert dialog.filter == "not sloc < 12"
    told = dialog.told.text()
    dialog.least.setText("a lot")
    assert (dialog.filter, dialog.told.text()) == ("", "Type a number.")
    dialog.least.setText("12")
    monkeypatch.setattr("cbvtool.view.commands.searching.ask_threshold", lambda *_asked: dialog.filter)
    window.desk.panels["style"].hide_small.click()
    assert session.view.only == "not sloc < 12"
    window.searching.end_filter()
    window.actions_by_name["hide_small"].trigger()
    assert session.view.only == "not sloc < 12"
    left = int(window.desk.panels["structure"].model.listed.sum()) - 1
    total = len(session.graph.tree.order) - 1
    assert told.startswith(f"Hides {total - left:,} of {total:,} nodes")
    again = Threshold(window.session, window)
    qtbot.addWidget(again)
    again.measure.setCurrentIndex(again.measure.findData("nl3"))
    again.least.setText("5%")
    assert again.filter == "not sloc < 12 and not nl3 < 0.05"


def test_a_search_follows_the_plan(window: MainWindow, ask, qtbot) -> None:
    """What was renamed is found by its new name."""
    assert ask("zebra") == []
    window.session.rename(window.session.graph.key_of["shop/ui/cli.py"], "zebra.py")
    qtbot.waitUntil(lambda: window.searching.count.text() == "1 match")
    assert window.canvas.stage.highlights.matches == {window.session.graph.key_of["shop/ui/cli.py"]}


def test_what_was_found_may_be_undone(window: MainWindow, ask, qtbot) -> None:
    """The picture is drawn without the node before the search is asked again: what is gone does not stand out."""
    assert window.session.create(window.session.graph.root, "zebra", "folder") is None
    assert len(ask("zebra")) == 1
    window.session.undo()
    assert window.canvas.stage.standing_out.items is None
    qtbot.waitUntil(lambda: window.searching.count.text() == "0 matches")


def test_typing_and_closing_at_once_leaves_no_work(window: MainWindow, qtbot) -> None:
    """The pause after the last key ends when the window is closed already: nothing is looked for any more."""
    window.searching.begin()
    QtBot.keyClicks(window.search, "order")
    assert window.search.pausing
    window.close()
    qtbot.waitUntil(lambda: not window.search.pausing)
    assert not window.jobs.running

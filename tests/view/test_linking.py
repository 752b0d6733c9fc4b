"""Out of the window: the user's editor, the clipboard, settings, and a subject that has moved (NEW-10, 13, 20)."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QProcess, Qt
from qtpy.QtGui import QDesktopServices, QGuiApplication, QKeySequence
from qtpy.QtWidgets import QDialogButtonBox, QFileDialog

from cbvtool.errors import InputError
from cbvtool.geometry.picture import Text
from cbvtool.plan import Move
from cbvtool.plan.document import read_document
from cbvtool.project import Project, open_project
from cbvtool.view.commands import editor as editor_module
from cbvtool.view.commands.editor import PRESETS, arguments, is_run_by_system, open_in_editor
from cbvtool.view.commands.settings_dialog import EXPLANATION, OWN, SettingsDialog
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.window.main_window import MainWindow

PYTHON = sys.executable


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


# -- the editor --------------------------------------------------------------------------------------------


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would have been started."""
    calls: list[list[str]] = []

    def start(program: str, arguments: list[str], folder: str) -> tuple[bool, int]:
        calls.append([program, *arguments])
        return True, 1

    monkeypatch.setattr(QProcess, "startDetached", staticmethod(start))
    return calls


def test_new10_the_editor_opens_at_the_line(window: MainWindow, started: list[list[str]], qtbot) -> None:
    """Ctrl+Return, with what was selected last."""
    window.settings.editor = f"{PYTHON} --goto {{file}}:{{line}}"
    graph = window.session.graph
    key = next(key for key in range(len(graph)) if graph.kind(key) == "function" and graph.line[key] > 3)
    window.session.select([key])
    assert window.actions_by_name["open_editor"].shortcut() == QKeySequence("Ctrl+Return")
    window.actions_by_name["open_editor"].trigger()
    path = window.session.project.path / graph.files[graph.file[key]]
    assert started == [[PYTHON, "--goto", f"{path}:{graph.line[key]}"]]


def test_new10_without_an_editor_it_says_what_to_do(window: MainWindow, started: list[list[str]]) -> None:
    window.settings.editor = "no-such-program-anywhere {file}"
    window.session.select([window.session.graph.key_of["shop/ui"]])
    window.actions_by_name["open_editor"].trigger()
    assert "is not a file" in window.message.text
    graph = window.session.graph
    window.session.select([next(key for key in range(len(graph)) if graph.kind(key) == "file")])
    window.actions_by_name["open_editor"].trigger()
    assert "was not found" in window.message.text
    assert started == []


@pytest.mark.parametrize("name", ["-c.py", "--help", "a b;c$(d)`e`&.py", "{line}.py", "+1"])
def test_new10_a_file_name_is_never_an_option_or_a_command(tmp_path: Path, name: str) -> None:
    """One argument, absolute, and as it is."""
    (tmp_path / "root").mkdir()
    path = tmp_path / "root" / name
    for template in (f"{PYTHON} {{file}}", f"{PYTHON} --line {{line}} {{file}}"):
        found = arguments(template, path, 7, tmp_path / "root")
        assert found[-1] == str(path)
        assert os.path.isabs(found[-1])
        assert found[1:-1] in ([], ["--line", "7"])


@pytest.mark.parametrize("command", ["{file}", "'unclosed {file}", "python3", "/no/such/thing {file}", ""])
def test_new10_a_command_that_cannot_be_run_is_refused(tmp_path: Path, command: str) -> None:
    with pytest.raises(InputError):
        arguments(command, tmp_path / "a.py", 1, tmp_path)


def test_new10_nothing_of_the_subject_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as the editor, whether named by its path or found through the search path; not instead of being shown."""
    program = tmp_path / "vim"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for command in (f"{program} {{file}}", "vim {file}"):
        with pytest.raises(InputError, match="lies inside the folder"):
            arguments(command, tmp_path / "a.py", 1, tmp_path)
    asked: list[object] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url) or True)
    with pytest.raises(InputError, match="might run"):
        open_in_editor("", program, 1, tmp_path)
    assert asked == []
    plain = tmp_path / "a.py"
    plain.write_text("")
    open_in_editor("", plain, 1, tmp_path)
    assert len(asked) == 1
    assert is_run_by_system(plain, windows=True)
    assert is_run_by_system(tmp_path / "x.desktop")


def test_new10_it_is_really_started(tmp_path: Path, qtbot) -> None:
    """Without a shell: what a shell would take apart arrives whole."""
    script = tmp_path / "editor.py"
    script.write_text("import sys; open(sys.argv[1], 'w').write(repr(sys.argv[2:]))")
    out, root = tmp_path / "out", tmp_path / "root"
    root.mkdir()
    file = root / "a b;$(touch x).py"
    file.write_text("")
    open_in_editor(f"{PYTHON} {script} {out} {{line}} {{file}}", file, 3, root)
    qtbot.waitUntil(lambda: out.exists() and out.read_text() == repr(["3", str(file)]))


def test_new10_presets_can_be_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for _, command in PRESETS[1:]:
        program = bin_folder / command.split()[0]
        program.write_text("")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    for _, command in PRESETS[1:]:
        found = arguments(command, tmp_path / "a.py", 12, tmp_path / "root")
        assert any("12" in part for part in found)
        assert any(str(tmp_path / "a.py") in part for part in found)
    assert editor_module.PRESETS[0][1] == ""


# -- the clipboard -----------------------------------------------------------------------------------------


def test_new13_paths_and_names_are_copied(window: MainWindow) -> None:
    graph, project = window.session.graph, window.session.project
    key = next(key for key in range(len(graph)) if graph.kind(key) == "class")
    window.session.select([key, graph.key_of["shop/ui"]])
    window.actions_by_name["copy_path"].trigger()
    assert clipboard() == f"{project.path / graph.files[graph.file[key]]}\n{project.path / 'shop/ui'}"
    window.actions_by_name["copy_name"].trigger()
    assert clipboard().splitlines()[0].endswith(f".{graph.names[key]}")
    assert window.status.last.text() == "Copied 2 names"


def test_new20_the_picture_is_copied(window: MainWindow) -> None:
    window.actions_by_name["copy_picture"].trigger()
    image = QGuiApplication.clipboard().image()
    assert image.size() == window.canvas.grab().toImage().size()
    assert len({image.pixel(x, image.height() // 2) for x in range(0, image.width(), 7)}) > 5


def test_new20_diagnostics_name_nobody(window: MainWindow, shop: Project) -> None:
    window.actions_by_name["diagnostics"].trigger()
    text = clipboard()
    for word in ("Python 3.", "Qt 5.", "OpenGL", "vtk ", f"{len(shop.graph):,} nodes"):
        assert word in text
    assert "not loaded" not in text
    for secret in (str(shop.path), str(Path.home()), os.environ.get("USER", "root") + "/", shop.graph.files[0]):
        assert secret not in text


# -- settings ----------------------------------------------------------------------------------------------


def test_new13_settings_are_kept_and_followed(window: MainWindow, settings: Settings, monkeypatch, qtbot) -> None:
    """With real keys; Cancel changes nothing."""
    before = window.session.view.theme

    def answer(dialog: SettingsDialog, button: QDialogButtonBox.StandardButton) -> int:
        with qtbot.waitExposed(dialog):
            dialog.show()
        dialog.theme.setFocus()
        QtBot.keyClick(dialog.theme, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: dialog.theme.currentIndex() == 1)
        dialog.labels.setFocus()
        QtBot.keyClick(dialog.labels, Qt.Key.Key_Down)
        QtBot.mouseClick(dialog.motion, Qt.MouseButton.LeftButton, pos=dialog.motion.rect().center() * 0.1)
        dialog.command.clear()
        dialog.command.setFocus()
        QtBot.keyClicks(dialog.command, "myeditor, {file}")
        assert dialog.preset.currentText() == OWN
        QtBot.mouseClick(dialog.findChild(QDialogButtonBox).button(button), Qt.MouseButton.LeftButton)
        return dialog.result()

    monkeypatch.setattr(SettingsDialog, "exec_", lambda dialog: answer(dialog, QDialogButtonBox.StandardButton.Cancel))
    window.actions_by_name["settings"].trigger()
    assert (window.session.view.theme, settings.editor, settings.label_size) == (before, "", 1.0)
    monkeypatch.setattr(SettingsDialog, "exec_", lambda dialog: answer(dialog, QDialogButtonBox.StandardButton.Ok))
    window.actions_by_name["settings"].trigger()
    assert window.session.view.theme == settings.theme == "dark"
    assert settings.label_size == 1.2
    stage, texts = window.canvas.stage, {}
    for size in (1.0, 1.2):
        settings.label_size = size
        window.desk.restyle()
        qtbot.waitUntil(lambda: stage.is_still and stage.text.names is not None)
        texts[size] = max(item.size for item in stage.text.names.items if isinstance(item, Text) and item.key >= 0)
    assert texts[1.2] == pytest.approx(1.2 * texts[1.0])
    assert settings.editor == "myeditor, {file}"


def test_new10_a_preset_fills_the_command(qapp, qtbot, settings: Settings) -> None:
    dialog = SettingsDialog(settings)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.preset.currentText() == PRESETS[0][0]
    for name, command in PRESETS:
        row = dialog.preset.findText(name)
        dialog.preset.setCurrentIndex(row)
        dialog.preset.activated.emit(row)
        assert dialog.command.text() == command
        assert dialog.preset.currentText() == name


def test_new10_what_is_wrong_with_a_command_is_told_while_it_is_typed(qtbot, settings: Settings) -> None:
    """And not only when a file is to be opened."""
    dialog = SettingsDialog(settings)
    qtbot.addWidget(dialog)
    told = {}
    for command in ("", f"{PYTHON} {{file}}", PYTHON, "no-such-editor {file}", "'open {file}"):
        dialog.command.setText(command)
        told[command] = dialog._note.text()
    assert told[""] == told[f"{PYTHON} {{file}}"] == EXPLANATION
    assert "{file} where the file goes" in told[PYTHON]
    assert "'no-such-editor' was not found" in told["no-such-editor {file}"]
    assert "cannot be understood" in told["'open {file}"]
    for field in (dialog.theme, dialog.labels, dialog.motion, dialog.preset, dialog.command):
        assert field.toolTip()


def test_new13_every_control_has_a_name_and_a_tip(window: MainWindow) -> None:
    """Of the docks at the bottom; all come together, as tabs, and none is narrower than its controls."""
    from qtpy.QtWidgets import QAbstractButton, QComboBox, QLineEdit

    window.desk.bring("matrix")
    for name in ("relations", "matrix", "source"):
        panel = window.desk.panels[name]
        assert window.desk.docks[name] in [
            window.desk.docks[name],
            *window.tabifiedDockWidgets(window.desk.docks["relations"]),
        ]
        assert panel.minimumWidth() >= 300
        for kind in (QAbstractButton, QComboBox, QLineEdit):
            for control in panel.findChildren(kind):
                if control.objectName().startswith("qt_") or control.parent() is None or not control.toolTip():
                    assert not isinstance(control.parent(), type(panel)), control.text()
                    continue
                assert control.accessibleName()


# -- a subject that has moved ------------------------------------------------------------------------------


@pytest.fixture
def plan(window: MainWindow, shop: Project, tmp_path: Path) -> Path:
    """A plan for a copy of the sample project, which was then moved away."""
    shutil.copytree(shop.path, tmp_path / "old" / "shop")
    window.session.open(open_project(tmp_path / "old" / "shop", jobs=1))
    graph = window.session.graph
    assert window.session.do(Move(("scripts",), "tests")) is None
    assert graph.key_of["scripts"]
    window.session.save(tmp_path / "plans" / "a.cbv") if (tmp_path / "plans").mkdir() is None else None
    shutil.move(tmp_path / "old", tmp_path / "new")
    return tmp_path / "plans" / "a.cbv"


def test_new20_a_moved_subject_is_found_among_recent_folders(window: MainWindow, plan: Path, qtbot) -> None:
    """The plan comes with it, and the message offers nothing that could lose it."""
    window.settings.add_recent(plan.parent.parent / "new" / "shop")
    text = plan.read_text()
    window.opening.open(plan)
    qtbot.waitUntil(lambda: window.session.project.path == plan.parent.parent / "new" / "shop")
    assert len(window.session.history.done) == 1
    assert "is now at" in window.message.text
    assert plan.read_text() == text
    QtBot.mouseClick(window.message._offer, Qt.MouseButton.LeftButton)
    assert read_document(plan).subject == plan.parent.parent / "new" / "shop"


def test_new20_else_it_is_asked_for(window: MainWindow, plan: Path, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not answer is told, and can answer later."""
    asked: list[str] = []
    target = plan.parent.parent / "new"
    hidden = plan.parent.parent / "elsewhere" / "deep" / "down" / "shop_2"
    hidden.parent.mkdir(parents=True)
    shutil.move(target / "shop", hidden)
    answers = ["", str(hidden)]

    def ask(_parent: object, title: str, _folder: str) -> str:
        asked.append(title)
        return answers.pop(0)

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", ask)
    window.opening.open(plan)
    qtbot.waitUntil(lambda: "is not where it was" in window.message.text)
    assert asked == ["Where is shop now?"]
    QtBot.mouseClick(window.message._offer, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.session.project.path == hidden)
    assert len(window.session.history.done) == 1
    assert window.session.file == plan

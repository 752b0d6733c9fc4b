"""Names are text, never markup: no file of the window hands a text to Qt but through `toolkit/plain.py`.

Qt takes a text for HTML wherever it looks like it, and opens the files that it names. What is looked for here are the
doors by which a text gets there; tests/view/test_hostile_names.py opens a graph with markup in every name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

VIEW = Path(__file__).parents[1] / "src" / "cbvtool" / "view"
PLAIN, BROWSER = "plain.py", "text_browser.py"
GUIDE = "guide.py"  # shows pages of our own, in which no name of a repository stands

# Classes that guess whether a text is HTML.
CLASSES = {
    "QErrorMessage",
    "QGraphicsTextItem",
    "QInputDialog",
    "QLabel",
    "QMessageBox",
    "QProgressDialog",
    "QSplashScreen",
    "QStaticText",
    "QSystemTrayIcon",
    "QTextBrowser",
    "QTextEdit",
    "QToolTip",
    "QWhatsThis",
    "QWizard",
    "QWizardPage",
}
# Methods that take HTML, or guess.
METHODS = {
    "appendHtml",
    "insertHtml",
    "insertMarkdown",
    "setDetailedText",
    "setHtml",
    "setInformativeText",
    "setLabelText",
    "setMarkdown",
    "setStatusTip",
    "setTabToolTip",
    "setTabWhatsThis",
    "setTextFormat",
    "setToolTip",
    "setWhatsThis",
}
ROLES = {"StatusTipRole", "ToolTipRole", "WhatsThisRole"}
# What underlines the letter behind an `&`.
BUTTONS = {"QAction", "QCheckBox", "QGroupBox", "QMenu", "QPushButton", "QRadioButton", "QToolButton"}
CAPTIONED = BUTTONS | {"addAction", "addMenu", "addTab", "insertTab", "setTabText", "setTitle"}
MAKERS = BUTTONS | {"add_action", "_Button", "_button", "_switch"}
OWN_WORDS = {"f'&{title}'", "f'{command.text}\\t{keys}'"}  # of the tables of commands and menus


def faults(source: str, file: str = "some_panel.py") -> list[str]:
    """`line 3: setToolTip` for each way round `view/toolkit/plain.py` that a file of the window takes."""
    if file == PLAIN:
        return []
    tree = ast.parse(source)
    found = [*_names(tree, file), *_roles(tree), *_captions(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += _calls(node, file)
    return [f"line {line}: {what}" for line, what in sorted(set(found))]


def _names(tree: ast.AST, file: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if isinstance(node, ast.alias):
            name = node.name
        if name in CLASSES and not (name == "QTextBrowser" and file in (BROWSER, GUIDE)):
            yield node.lineno, name
        allowed = {BROWSER: "setHtml", GUIDE: "setMarkdown"}.get(file)
        if isinstance(node, ast.Attribute) and name in METHODS and name != allowed:
            yield node.lineno, name


def _roles(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """A role may be asked about, by `if role == ...: return tooltip(...)`, and nothing else."""
    allowed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and all(map(_is_tooltip, _returns(node.body))):
            allowed |= {id(part) for part in ast.walk(node.test)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ROLES and id(node) not in allowed:
            yield node.lineno, node.attr


def _returns(body: list[ast.stmt]) -> list[ast.expr | None]:
    return [node.value for part in body for node in ast.walk(part) if isinstance(node, ast.Return)]


def _is_tooltip(value: ast.expr | None) -> bool:
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return all(map(_is_tooltip, value.values))
    is_none = value is None or (isinstance(value, ast.Constant) and value.value is None)
    return is_none or (isinstance(value, ast.Call) and _name(value) == "tooltip")


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "id", None) or getattr(call.func, "attr", ""))


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _calls(call: ast.Call, file: str) -> Iterator[tuple[int, str]]:
    name, first = _name(call), call.args[0] if call.args else None
    if name == "Markup" and not (first is not None and _is_literal(first)):
        yield call.lineno, "Markup of something that is no literal"
    if name == "Markup" and first is not None and _is_literal(first) and "title=" in first.value:
        yield call.lineno, "a title is a tooltip: plain.link"
    if name in ("show_html", "update_html") and isinstance(first, ast.JoinedStr | ast.BinOp | ast.Constant):
        yield call.lineno, f"{name} of a text that is no Markup"
    if name == "QTextDocument":
        yield call.lineno, name
    if name == "addRow" and len(call.args) == 2 and not (_is_literal(call.args[0]) or isinstance(first, ast.Call)):
        yield call.lineno, "addRow makes a QLabel: plain.add_row"


def _captions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    made: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _name(node.value) in MAKERS:
            made |= {ast.unparse(target).split("[")[0] for target in node.targets}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        owner = ast.unparse(node.func.value).split("[")[0] if isinstance(node.func, ast.Attribute) else ""
        text = node.args[-1] if _name(node) == "setTabText" else node.args[0]
        if _name(node) in CAPTIONED and _is_made(text):
            yield node.lineno, f"{_name(node)}: plain.caption"
        is_button = owner in made or owner.endswith("actions_by_name") or owner in ("actions", "action", "button")
        if _name(node) == "setText" and is_button and not _is_literal(text) and not _is_own(text):
            yield node.lineno, "setText of a button: plain.set_caption"


def _is_own(text: ast.expr) -> bool:
    """Numbers among words of ours, or a text of the tables of commands and menus."""
    if ast.unparse(text) in OWN_WORDS:
        return True
    return isinstance(text, ast.JoinedStr) and all(
        isinstance(part, ast.Constant) or part.format_spec is not None or "WHICH" in ast.unparse(part)
        for part in text.values
    )


def _is_made(text: ast.expr) -> bool:
    """A text that is put together, of what is not only ours."""
    if isinstance(text, ast.Call):
        return _name(text) in {"capitalize", "format", "join", "one_line", "path", "replace", "str", "strip", "title"}
    is_name = isinstance(text, ast.Attribute) and text.attr in {"label", "name", "title"}
    of_names = isinstance(text, ast.Subscript) and ast.unparse(text).split("[")[0].endswith("names")
    return is_name or of_names or (isinstance(text, ast.JoinedStr) and not _is_own(text))


@pytest.mark.parametrize("file", sorted(VIEW.rglob("*.py")), ids=lambda file: file.name)
def test_every_text_goes_through_plain(file: Path) -> None:
    assert faults(file.read_text(encoding="utf-8"), file.name) == []


@pytest.mark.parametrize(
    "planted",
    [
        "QLabel(name, self)",
        "from qtpy.QtWidgets import QLabel",
        "QtWidgets.QLabel()",
        "QMessageBox.warning(window, 'cbvtool', name)",
        "QMessageBox(window).setText(name)",
        "QToolTip.showText(place, name)",
        "QTextBrowser(self)",
        "QTextDocument(name)",
        "QErrorMessage(self).showMessage(name)",
        "self.tree.setToolTip(name)",
        "action.setStatusTip(name)",
        "button.setWhatsThis(name)",
        "self.tabs.setTabToolTip(0, name)",
        "item.setToolTip(0, name)",
        "box.setInformativeText(name)",
        "self._label.setTextFormat(Qt.RichText)",
        "self.text.setHtml(f'<b>{name}</b>')",
        "self.text.insertHtml(name)",
        "self.text.show_html(f'<b>{name}</b>')",
        "self.text.show_html('<b>%s</b>' % name)",
        "Markup(name)",
        "Markup(f'<b>{name}</b>')",
        "Markup('<a title=\"{}\">').format(name)",
        "def data(self, index, role):\n    if role == Qt.ItemDataRole.ToolTipRole:\n        return self.names[0]",
        "def data(self, index, role):\n    if role in (Qt.ToolTipRole,):\n        return tooltip(a) or b",
        "def data(self, index, role):\n    return {Qt.ItemDataRole.ToolTipRole: name}.get(role)",
        "choice.setItemData(0, name, Qt.ItemDataRole.ToolTipRole)",
        "QInputDialog.getText(window, 'Rename', f'Name of {name}')",
        "form.addRow(name, field)",
        "form.addRow(f'{name}', field)",
        "menu.addAction(graph.names[key])",
        "menu.addAction(f'Go to {name}')",
        "menu.addAction(kind.replace('-', ' '))",
        "QAction(view.name, menu)",
        "QPushButton(f'{path.name}', self)",
        "QCheckBox(kind.capitalize(), self)",
        "tabs.setTabText(0, view.name)",
        "def f(self):\n    self.chip = QToolButton(window)\n    self.chip.setText(name)",
        "window.actions_by_name['undo'].setText(label)",
    ],
)
def test_other_ways_are_seen(planted: str) -> None:
    assert faults(planted)


@pytest.mark.parametrize(
    "fine",
    [
        "Label(name, self)",
        "set_tooltip(self.tree, name)",
        "self._label.setText(name)",
        "Markup('<b>{}</b>').format(name)",
        "self.text.show_html(violations_html(graph))",
        "def data(self, index, role):\n    if role == Qt.ToolTipRole:\n        return tooltip(name) or None",
        "form.addRow('&Format', field)",
        "add_row(form, label, field)",
        "menu.addAction(window.actions_by_name[name])",
        "menu.addAction('Reset layout')",
        "QPushButton(caption(path.name), self)",
        "window.actions_by_name['guesses'].setText(f'Guessed relations ({count:,})')",
        "self.field.setText(name)",
    ],
)
def test_plain_ways_are_not(fine: str) -> None:
    assert faults(fine) == []

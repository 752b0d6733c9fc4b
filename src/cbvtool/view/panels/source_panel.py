"""The source of what is selected, to read: the file at its line, with the relations that stand in it."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import QEvent, QObject, QPoint, Qt
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from cbvtool.asking.highlight import lexed
from cbvtool.asking.source import Source, SourcePlace, place_of, read_source, sites_in, words_of
from cbvtool.graph import EXTERNAL, Graph
from cbvtool.progress import Progress
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Panel
from cbvtool.view.panels.source_view import SourceView
from cbvtool.view.panels.versions.source_difference import SourceDifference
from cbvtool.view.toolkit.plain import Label, add_action, caption, set_tooltip

HINT = "Select a file, a class or a function to read its source."
NO_SOURCES = "This graph was opened from a file, without its sources. Open the folder it was made from to read them."
CHANGED = "{} changed since the analysis, so lines and marks may not fit."


class SourcePanel(Panel):
    """Follows the selection. Files are read and coloured in a worker."""

    NAME, TITLE = "source", "Source"
    TOGETHER = True

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._graph: Graph | None = None
        self._selected: tuple[int, ...] | None = None
        self._file = -1  # of `Graph.files`: what is shown, or on its way
        self._goal = (0, 0)  # lines to mark once the text is there
        self._marked: tuple[object, ...] = (None,) * 4  # what the marks were made of
        self._changed: Source | None = None  # a text that is shown only if somebody wants it

        self.place = Label("", self)
        self.place.setObjectName("muted")
        self.place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.find_button = self._button("Find", "Find in this file (Ctrl+F while the cursor is in it)", self.show_find)
        self.editor_button = self._button("Open in editor", "Open this file in your editor, at this line", self._edit)
        self.view = SourceView(self, self._words)
        self.view.followed.connect(self._follow_link)
        self.view.marked.connect(self._choose)
        self.view.find_wanted.connect(self.show_find)
        self.note = Label("", self)
        self.note.setObjectName("muted")
        self.note.setContentsMargins(12, 2, 12, 4)

        self.hint = Label(HINT, self)
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.again = self._button(
            "Analyse again", "Read the folder again; your plan stays", lambda: desk.do("analyze_again")
        )
        self.anyway = self._button("Show it anyway", "Show the file as it is now", self._show_anyway)
        empty = QWidget(self)
        column = QVBoxLayout(empty)
        column.addStretch()
        column.addWidget(self.hint)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self.again)
        buttons.addWidget(self.anyway)
        buttons.addStretch()
        column.addLayout(buttons)
        column.addStretch()
        self.pages = QStackedWidget(self)
        self.pages.addWidget(empty)
        self.pages.addWidget(self.view)

        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Find in this file")
        self.field.setAccessibleName("Find in this file")
        set_tooltip(self.field, "Enter finds the next place, Shift+Enter the one before, Esc ends it")
        self.field.setMaximumWidth(280)
        self.field.textChanged.connect(lambda _text: self._find(again=False))
        self.field.installEventFilter(self)
        self.found = Label("", self)
        self.found.setObjectName("muted")
        self.find_bar = QWidget(self)
        row = QHBoxLayout(self.find_bar)
        row.setContentsMargins(12, 2, 8, 4)
        row.addWidget(self.field)
        row.addWidget(self.found, 1)
        self.find_bar.hide()

        bar = QHBoxLayout()
        bar.setContentsMargins(12, 4, 8, 4)
        bar.setSpacing(8)
        bar.addWidget(self.place, 1)
        bar.addWidget(self.find_button)
        bar.addWidget(self.editor_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.find_bar)
        layout.addWidget(self.note)
        self.difference = SourceDifference(desk, self)
        beside = QSplitter(Qt.Orientation.Horizontal, self)
        beside.setChildrenCollapsible(False)
        beside.addWidget(self.pages)
        beside.addWidget(self.difference)
        layout.addWidget(beside, 1)
        self.setMinimumSize(320, 120)
        self._say(HINT)

    def _button(self, text: str, tip: str, run: Callable[[], None]) -> QPushButton:
        button = QPushButton(caption(text), self)
        button.setObjectName("small")
        set_tooltip(button, tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda: run())
        return button

    # -- following -----------------------------------------------------------------------------------------

    def follow(self, changes: frozenset[Change]) -> None:
        """Show the source of what was selected last."""
        graph, view = self.session.graph, self.session.view
        if view.drag is not None:
            return
        if changes & {Change.PROJECT, Change.DEPTH}:
            self._file = -1  # it may have been read anew
        if graph is not self._graph or view.selected != self._selected or changes & {Change.PROJECT, Change.DEPTH}:
            self._graph, self._selected = graph, view.selected
            self._show_key(view.selected[-1] if view.selected else -1)
        self._show_sites()

    def restyle(self) -> None:
        """Take the colours of the other theme."""
        self.view.restyle(self.desk.settings.theme)
        self.difference.restyle(self.desk.settings.theme)

    def show_difference(self, file: str, line: int, old: str, new: str) -> None:
        """Show beside the source what was changed in a file between two commits, until something else is shown."""
        project = self.session.project
        if project is not None and project.kind == "folder":
            self.difference.ask(project.path, file, line, old, new)

    def show_site(self, place: SourcePlace) -> None:
        """Show some lines of a file until something else is selected."""
        if self._missed & {Change.PROJECT, Change.DEPTH}:
            self._file = -1
        self._missed.clear()
        self._graph, self._selected = self.session.graph, self.session.view.selected
        self.show_lines(place)

    def show_lines(self, place: SourcePlace) -> None:
        """Show some lines of a file."""
        project = self.session.project
        assert project is not None
        if project.kind != "folder":
            self._say(NO_SOURCES)
            return
        self._goal = (place.line, place.end_line)
        self.difference.end()
        name = self.session.graph.files[place.file]
        self.place.setText("  ·  ".join(filter(None, (name, lines_told(place)))))
        if place.file == self._file:
            if self.pages.currentWidget() is self.view:
                self.view.go_to(*self._goal)
            return
        self._file = place.file
        sizes, keys = self.session.graph.values.get("bytes"), self.session.graph.key_of
        size = float(sizes[keys[name]]) if sizes is not None and name in keys else float("nan")
        root, since = project.path, project.since

        def work(progress: Progress, first: Callable[[object], None]) -> None:
            source = read_source(root, name, size, since)
            first(source)
            for portion in lexed(source.text, name):
                progress("reading", 0, 0)
                first(portion)

        self.desk.jobs.run_in_stages(
            self, f"Reading {name}", work, self._take, lambda _: None, self._say, cancelled=self._stop_reading
        )

    def _show_key(self, key: int) -> None:
        graph = self.session.graph
        place = place_of(graph, key)
        if place is not None:
            whole = graph.ids[key] == graph.files[place.file]
            self.show_lines(SourcePlace(place.file, 0, place.end_line) if whole else place)
            return
        name = graph.names[key] if key >= 0 else ""
        if key < 0:
            self._say(HINT)
        elif graph.kind(key) == EXTERNAL:
            self._say(f"{name} is not part of the project: there is no source of it here.")
        elif graph.ids[key].startswith("plan:"):
            self._say(f"{name} is planned: it has no source yet.")
        elif self.session.project is not None and self.session.project.kind != "folder":
            self._say(NO_SOURCES)
        else:
            self._say(f"{name} is a {graph.kind(key)}: select a file, a class or a function in it to read its source.")

    def _take(self, what: object) -> None:
        """The text has been read, or the colours of a part of it."""
        if isinstance(what, Source):
            if what.changed:
                self._say(CHANGED.format(self.session.graph.files[self._file]), changed=what)
            else:
                self._show_text(what)
        elif isinstance(what, dict):
            self.view.add_spans(what)

    def _stop_reading(self) -> None:
        """The user does not wait for it; a text that is there already stays, without the rest of its colours."""
        if self.pages.currentWidget() is not self.view:
            self._say("Reading was cancelled.")

    def _show_text(self, source: Source) -> None:
        self.view.show_text(source.text)
        self._marked = (None,) * 4
        self.pages.setCurrentWidget(self.view)
        self.view.go_to(*self._goal)
        self._enable(True)
        self._show_sites()

    def _show_anyway(self) -> None:
        if self._changed is not None:
            source, self._changed = self._changed, None
            self._show_text(source)
            self.note.setText(CHANGED.format("The file"))
            self.note.show()

    def _show_sites(self) -> None:
        if self._file < 0 or self.pages.currentWidget() is not self.view:
            return
        scene = self.session.scene()
        graph, selected = scene.graph, self.session.view.selected
        about = (graph, scene.relations, self._file, selected)
        if all(a is b or (isinstance(b, int | tuple) and a == b) for a, b in zip(self._marked, about, strict=True)):
            return
        self._marked = about
        sites = sites_in(graph, self._file, scene.relations)
        ends = {line: tuple(dict.fromkeys(graph.edges.target[list(rows)].tolist())) for line, rows in sites.items()}
        own = frozenset(
            line
            for line, rows in sites.items()
            if any(
                graph.is_below(int(end), key)
                for row in rows
                for key in selected
                for end in (graph.edges.source[row], graph.edges.target[row])
            )
        )
        self.view.show_sites(ends, own)

    def _say(self, sentence: str, *, changed: Source | None = None) -> None:
        """There is nothing to read, because ..."""
        if changed is None:
            self.desk.jobs.drop(self)
            self._file = -1
            self.place.setText("")
        self._changed = changed
        self.hint.setText(sentence)
        self.again.setVisible(changed is not None)
        self.anyway.setVisible(changed is not None)
        self.pages.setCurrentIndex(0)
        self._enable(False)

    def _enable(self, there: bool) -> None:
        self.find_button.setEnabled(there)
        self.editor_button.setEnabled(there)
        self.note.hide()
        if not there:
            self.find_bar.hide()

    def _words(self, key: int) -> frozenset[str]:
        return words_of(self.session.graph, key)

    # -- going on from here --------------------------------------------------------------------------------

    def _follow_link(self, keys: tuple[int, ...]) -> None:
        self.desk.reveal(*keys)

    def _choose(self, keys: tuple[int, ...], place: QPoint) -> None:
        """A line uses several things: which one?"""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for key in keys:
            action = add_action(menu, self.session.graph.path(key))
            action.triggered.connect(lambda _checked=False, key=key: self._follow_link((key,)))
        menu.popup(place)

    def _edit(self) -> None:
        if self._file >= 0:
            self.desk.edit(self._file, self.view.textCursor().blockNumber() + 1)

    # -- finding -------------------------------------------------------------------------------------------

    def show_find(self) -> None:
        """Put the cursor into the field for finding."""
        self.find_bar.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _find(self, *, backward: bool = False, again: bool = True) -> None:
        text = self.field.text()
        number, total = self.view.find_text(text, backward=backward, again=again)
        self.found.setText("" if not text else f"{number:,} of {total:,}" if total else "Nothing found")

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Enter, Shift+Enter and Esc in the field for finding."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        if watched is self.field and isinstance(event, QKeyEvent) and event.key() in keys:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                if event.key() == Qt.Key.Key_Escape:
                    self.find_bar.hide()
                    self.view.setFocus()
                else:
                    self._find(backward=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return True
        return super().eventFilter(watched, event)


def lines_told(place: SourcePlace) -> str:
    """Which lines those are; of a whole file, how many."""
    if not place.line:
        return "" if not place.end_line else "1 line" if place.end_line == 1 else f"{place.end_line:,} lines"
    return f"line {place.line:,}" if place.end_line <= place.line else f"lines {place.line:,} to {place.end_line:,}"


def show_site(desk: Desk, file: int, line: int, *, front: bool) -> None:
    """Show a line of a file (index into `Graph.files`) in the source panel; `front` also brings that to the front."""
    panel = desk.show(SourcePanel) if front else desk.panel(SourcePanel)
    if front or panel.is_seen:
        panel.show_site(SourcePlace(file, line, 0))


def read_place(desk: Desk, file: str, line: int) -> None:
    """Show a line of a file of the project in the source panel, or say that it is gone."""
    files = desk.session.graph.files
    if file in files:
        show_site(desk, files.index(file), line, front=True)
    else:
        desk.say(f"{file} is not part of the project any more")

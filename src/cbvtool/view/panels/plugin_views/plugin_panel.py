"""One open view of a plugin: its parameters, its parts, its slow work."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QCheckBox, QHBoxLayout, QSplitter, QTabWidget, QVBoxLayout, QWidget

from cbvtool.compiling import nothing_compiled
from cbvtool.errors import Cancelled, InputError, error_text
from cbvtool.formats.atomic import replacing
from cbvtool.plots.filling import warm_up
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plots.sentence import sentence_plot
from cbvtool.plugin.events import EventKind, ViewEvent
from cbvtool.plugin.parts import Columns, Layout, Tabs, ViewPart, ViewTable
from cbvtool.plugin.requests import SetFocus
from cbvtool.plugin.view import Need
from cbvtool.progress import Progress
from cbvtool.session.plugin_views.instance import ViewFailure
from cbvtool.session.plugin_views.needs import make
from cbvtool.session.plugin_views.plugin_views import OpenedView
from cbvtool.session.plugin_views.tables import table_csv
from cbvtool.session.plugin_views.values import text_of_file
from cbvtool.trace.kernels import NotCompiled, have_compiled, note_tried
from cbvtool.view.desk import Desk
from cbvtool.view.panels.plugin_views.parameter_row import ParameterRow, ScrolledRow
from cbvtool.view.panels.plugin_views.requesting import Requesting
from cbvtool.view.panels.plugin_views.table_part import TablePart
from cbvtool.view.plots.plot_canvas import PlotCanvas
from cbvtool.view.toolkit.file_dialogs import ask_where
from cbvtool.view.toolkit.plain import caption, set_tooltip
from cbvtool.words import one_line

T = TypeVar("T")
FOLLOW = "Follow the others"
_NO_LINES: tuple[str, ...] = ()
_NO_NEEDS: tuple[Need, ...] = ()
_LOW = 72  # px of parts in tabs at least
_SMALL = Viewport(0, 0)  # tables do not ask for the room there is
_FIRST = Viewport(400, 300)
_PREPARED: set[str] = set()  # names of the views that were drawn in this process


class PluginPanel(QWidget):
    """Shows an `OpenedView`. It tells the session of its focus; what else a view asks for `Requesting` does.

    canvases, tables  its parts, by their names
    prepared          no loop is being compiled for it, and it may be drawn; else what happens is kept until it is
    """

    def __init__(
        self,
        desk: Desk,
        opened: OpenedView,
        open_view: Callable[[str], object],
        show_overlay: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.opened, self.instance = opened, opened.instance
        self.canvases: dict[str, PlotCanvas] = {}
        self.tables: dict[str, TablePart] = {}
        self._desk = desk
        self._layout: Layout | None = None
        self._body: QWidget | None = None
        self._splitters: list[QSplitter] = []
        self._requesting = Requesting(desk, self._happened, open_view, show_overlay, self)
        self.parameters = ParameterRow(self.instance.view.parameters, self)
        self.parameters.chosen.connect(self._set_value)
        self.parameters.file_wanted.connect(self._read_file)
        self.follows = QCheckBox(caption(FOLLOW), self)
        set_tooltip(self.follows, "Look at the window of time, threads and calls that the other views look at")
        self.follows.setChecked(self.instance.follows)
        self.follows.toggled.connect(self._follow)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 4, 8, 8)
        self._column.setSpacing(6)
        self._column.addLayout(self._head())
        self.prepared = self.instance.view.name in _PREPARED
        self._late: list[ViewEvent] = []  # what happened while it was prepared
        self.refresh()
        if not self.prepared:
            self._prepare()

    def _prepare(self, missing: NotCompiled | None = None) -> None:
        """Draw it once on a worker, and have loops compiled by another process, which takes seconds the first time."""
        self.prepared = False
        parts = (*self.canvases, *self.tables)
        sizes = {part: self.instance.viewports.get(part, _FIRST) for part in self.canvases}

        def work(progress: Progress) -> None:
            progress("Preparing the view", 0, 0)
            if missing is not None:
                have_compiled(missing)
            warm_up()
            for part in parts:
                self.instance.draw(part, sizes.get(part, _SMALL))
            gc.collect()  # else it looks through all that was loaded during one of the first steps: 50 to 90 ms

        def ready(_result: None) -> None:
            _PREPARED.add(self.instance.view.name)
            self._go_on()

        def anyway(*_sentence: str) -> None:
            if missing is not None:
                note_tried(missing.call)
            self._go_on()

        what = f"{self.instance.view.label}: preparing the view"
        self._desk.jobs.run(self, what, work, ready, anyway, purpose="prepare", cancelled=anyway)

    def _go_on(self) -> None:
        self.prepared = True
        self.refresh()
        late, self._late = self._late, []
        for event in late:
            self._happened(event)
        for canvas in self.canvases.values():
            canvas.tell_again()

    def _at_once(self, ask: Callable[[], T], otherwise: T) -> T:
        """What the view answers. If a loop is to be compiled for it, the view is prepared anew."""
        try:
            with nothing_compiled():
                return ask()
        except NotCompiled as missing:
            if self.prepared:
                self._prepare(missing)
            return otherwise

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        scroll = ScrolledRow(self.parameters, self)
        scroll.setVisible(bool(self.parameters.fields))
        row.addWidget(scroll, 1)
        if not self.parameters.fields:
            row.addStretch()
        row.addWidget(self.follows)
        return row

    # -- what is shown -------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """The state, the context or a result is another one: begin what is needed, draw what is seen anew."""
        self._begin_wanted()
        layout = self._at_once(self.instance.layout, self._layout or ViewPart("main"))
        if layout != self._layout:
            self._build(layout)
        self.parameters.show_values(self.instance.values)
        for canvas in self.canvases.values():
            canvas.animate(not self._desk.settings.reduced_motion)
            canvas.restyle(self.instance.around.theme)
        for name in self.tables:
            self._fill(name)

    def _build(self, layout: Layout) -> None:
        if self._body is not None:
            self._column.removeWidget(self._body)
            self._body.setParent(None)
            self._body.deleteLater()
        self.canvases, self.tables, self._layout = {}, {}, layout
        self._splitters = []
        self._body = self._made(layout)
        self._column.addWidget(self._body, 1)
        kept = self._desk.settings.borders(self.instance.view.name)
        if [len(row) for row in kept] == [splitter.count() for splitter in self._splitters]:
            for splitter, sizes in zip(self._splitters, kept, strict=True):
                splitter.setSizes(sizes)

    def _made(self, layout: Layout) -> QWidget:
        if isinstance(layout, ViewPart):
            return self._part(layout)
        if isinstance(layout, Tabs):
            tabs = QTabWidget(self)
            tabs.setDocumentMode(True)
            for part in layout.parts:
                tabs.addTab(self._part(part), caption(part.title or part.name))
            tabs.setMinimumHeight(_LOW)  # a table in them may ask for more
            return tabs
        across = isinstance(layout, Columns)
        splitter = QSplitter(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical, self)
        splitter.setChildrenCollapsible(False)
        for number, inner in enumerate(layout.parts):
            splitter.addWidget(self._made(inner))
            splitter.setStretchFactor(number, max(round(100 * inner.share), 1))
        splitter.setSizes([max(round(1000 * inner.share), 1) for inner in layout.parts])
        splitter.splitterMoved.connect(lambda *_: self._keep_borders())
        self._splitters.append(splitter)
        return splitter

    def _keep_borders(self) -> None:
        """Views of this kind are opened with the same borders from now on."""
        sizes = [splitter.sizes() for splitter in self._splitters]
        self._desk.settings.keep_borders(self.instance.view.name, sizes)

    def _part(self, part: ViewPart) -> QWidget:
        if part.kind == "table":
            table = self.tables[part.name] = TablePart(part.name, part.title, self)
            table.happened.connect(self._happened)
            table.file_wanted.connect(partial(self._write_table, part.title or part.name))
            return table
        canvas = self.canvases[part.name] = PlotCanvas(
            part.name,
            partial(self._draw, part.name),
            partial(self._tell, part.name),
            self,
            not self._desk.settings.reduced_motion,
        )
        canvas.setAccessibleName(one_line(part.title or f"{self.instance.view.label}: {part.name}"))
        canvas.wants_escape = True
        canvas.happened.connect(self._happened)
        return canvas

    def _write_table(self, title: str, table: ViewTable) -> None:
        """Ask where to write the rows of a table as CSV, and write them."""
        settings, name = self._desk.settings, one_line(title).replace("/", "-")
        file = ask_where("Save the table", settings.folder / f"{name}.csv", {".csv": "CSV"}, self)
        if file is None:
            return
        settings.folder = file.parent
        try:
            with replacing(file) as opened:
                opened.write(table_csv(table).encode("utf-8", "backslashreplace"))
        except InputError as error:
            self._desk.say(str(error))
            return
        self._desk.note(f"Saved {one_line(file.name)}")

    def _draw(self, part: str, viewport: Viewport) -> Plot | None:
        if not self.prepared:
            return sentence_plot("Preparing the view", viewport, self.instance.around.theme.muted)
        before = self.instance.viewports
        within = self.canvases[part].within
        drawn = self._at_once(lambda: self.instance.draw_within(part, viewport, within), None)
        if drawn is None:
            return None
        if self.instance.viewports is not before:  # what it needs may depend on them
            QTimer.singleShot(0, self._begin_wanted)
        if isinstance(drawn, Plot):
            return drawn
        sentence = drawn.sentence if isinstance(drawn, ViewFailure) else ""
        return sentence_plot(one_line(sentence), viewport, self.instance.around.theme.muted)

    def _fill(self, part: str) -> None:
        if not self.prepared:
            return
        drawn = self._at_once(lambda: self.instance.draw(part, _SMALL), None)
        if isinstance(drawn, ViewTable):
            self.tables[part].show_table(drawn)
        elif isinstance(drawn, ViewFailure):
            self.tables[part].show_sentence(one_line(drawn.sentence))

    def _tell(self, part: str, hit: Hit) -> tuple[str, ...]:
        told = self._at_once(lambda: self.instance.tell(part, hit), _NO_LINES)
        lines = tuple(one_line(line) for line in told)
        if lines:
            self._desk.note(lines[0])
        return lines

    # -- what happens --------------------------------------------------------------------------------------------

    def _happened(self, event: ViewEvent) -> None:
        answer = self._at_once(lambda: self.instance.on(event), None) if self.prepared else None
        if answer is None:
            if event.kind is EventKind.HOVER and self._late and self._late[-1].kind is EventKind.HOVER:
                self._late.pop()  # the latest place of the pointer counts
            self._late.append(event)
            return
        changed, requests = answer
        if changed:
            self.refresh()
        elif not requests and event.kind is EventKind.KEY and event.key == "Escape":
            self._desk.do("escape")  # nothing was in progress here
        for request in requests:
            if isinstance(request, SetFocus):
                self._desk.session.traces.look_at(request.focus)
            else:
                self._requesting.do(request, event)

    def _set_value(self, name: str, value: Any) -> None:
        try:
            self.instance.set_value(name, value)
        except InputError as error:
            self._desk.say(str(error))
            return
        self.refresh()

    def _read_file(self, name: str, path: Path) -> None:
        self._desk.jobs.run(
            self,
            f"Reading {one_line(path.name)}",
            lambda _progress: text_of_file(path),
            lambda text: self._set_value(name, text),
            self._desk.say,
            purpose=f"file {name}",
        )

    def _follow(self, on: bool) -> None:
        self.instance.follow(on)
        self.refresh()

    # -- slow work -----------------------------------------------------------------------------------------------

    def _begin_wanted(self) -> None:
        for need in self._at_once(self.instance.wanted, _NO_NEEDS):
            self._begin(need)

    def _begin(self, need: Need) -> None:
        def work(progress: Progress, first: Callable[[object], None]) -> object:
            try:
                return make(need, progress, first)
            except (Cancelled, InputError):
                raise
            except Exception as error:  # of a plugin: a sentence in its place
                return _Failed(error_text(error))

        what = one_line(need.what)
        self._desk.jobs.run_in_stages(
            self,
            f"{self.instance.view.label}: {what}",
            work,
            partial(self._first, need),
            partial(self._take, need),
            partial(self._fail, need),
            purpose=f"need {need.name}",
            cancelled=partial(self._stay, need),
        )

    def _first(self, need: Need, value: object) -> None:
        if self.instance.needs.first(need, value):
            self.refresh()

    def _take(self, need: Need, value: object) -> None:
        if isinstance(value, _Failed):
            self.instance.need_failed(need, value.reason)
            self.refresh()
        elif self.instance.needs.take(need, value):
            self.refresh()

    def _stay(self, need: Need) -> None:
        """Cancelled: it is begun again once its arguments are others."""
        if self.instance.needs.fail(need, f"{need.what} was cancelled"):
            self.refresh()

    def _fail(self, need: Need, sentence: str) -> None:
        """It used up a budget."""
        if self.instance.needs.fail(need, sentence):
            self._desk.say(sentence)
            self.refresh()

    def close_down(self) -> None:
        """End what is under way for it."""
        self._desk.jobs.stop(self)


@dataclass(frozen=True)
class _Failed:
    """What a plugin raised in a worker."""

    reason: str

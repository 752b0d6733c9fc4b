"""The threads of a trace, to be ticked."""

from __future__ import annotations

import numpy as np
from qtpy.QtCore import QSignalBlocker, Qt, Signal
from qtpy.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cbvtool.trace.model.trace import Trace
from cbvtool.view.toolkit.plain import set_tooltip
from cbvtool.words import one_line

MOST = 2_000  # threads that are listed, those with the most calls
LONGEST = 80  # characters of a name


class ThreadList(QListWidget):
    """Tells which threads are ticked: rows of the trace, or None for all of them."""

    ticked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Threads")
        self._rows: list[int] = []
        self._unlisted: frozenset[int] = frozenset()
        self._trace: Trace | None = None
        self.itemChanged.connect(lambda _item: self._tell())

    def show_threads(self, trace: Trace, chosen: frozenset[int] | None) -> None:
        """List the threads of a trace, those with the most calls first."""
        with QSignalBlocker(self):
            if trace is not self._trace:
                self._fill(trace)
            for place, row in enumerate(self._rows):
                on = chosen is None or row in chosen
                if (item := self.item(place)) is not None:
                    item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def _fill(self, trace: Trace) -> None:
        self._trace = trace
        self.clear()
        threads = trace.threads
        calls = np.diff(threads.ptr)
        order = np.argsort(-calls, kind="stable").tolist()
        self._rows, self._unlisted = order[:MOST], frozenset(order[MOST:])
        for row in self._rows:
            item = QListWidgetItem(_name(trace, row))
            item.setFlags(Qt.ItemFlags(Qt.ItemFlag.ItemIsEnabled) | Qt.ItemFlag.ItemIsUserCheckable)
            kind = "" if threads.kind[row] == "thread" else f"{one_line(threads.kind[row])[:LONGEST]}, "
            sampled = ", from samples" if threads.sampled[row] else ""
            set_tooltip(
                item, f"{kind}process {threads.process[row]}, id {threads.id[row]}: {calls[row]:,} calls{sampled}"
            )
            self.addItem(item)

    def _tell(self) -> None:
        on = {
            row
            for place, row in enumerate(self._rows)
            if (item := self.item(place)) is not None and item.checkState() == Qt.CheckState.Checked
        }
        everything = len(on) == len(self._rows)
        self.ticked.emit(None if everything else frozenset(on))


def _name(trace: Trace, row: int) -> str:
    threads = trace.threads
    name = one_line(threads.name[row] or f"Thread {threads.id[row]}")[:LONGEST]
    process = one_line(threads.process_name[row])[:LONGEST]
    several = len(set(threads.process.tolist())) > 1
    return f"{process or threads.process[row]} · {name}" if several else name

"""The breadcrumb: from the project down to what is selected; a click restricts the view to that node."""

from __future__ import annotations

from qtpy.QtCore import Signal
from qtpy.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from cbvtool.graph import Graph


class Crumbs(QWidget):
    """The node that the view is restricted to stands out."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(6, 0, 6, 0)
        self._row.setSpacing(0)
        self._row.addStretch()
        self._shown: tuple[object, ...] = ()

    def show_path(self, graph: Graph | None, root: int, key: int) -> None:
        """Show the way to `key`; `root` is the node the view is restricted to."""
        now = (graph, root, key)
        if now == self._shown:
            return
        self._shown = now
        while self._row.count() > 1:
            item = self._row.takeAt(0)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if graph is None:
            return
        path = [key, *graph.ancestors(key)][::-1]
        for place, node in enumerate(path):
            if place:
                chevron = QLabel("›", self)
                chevron.setObjectName("chevron")
                self._row.insertWidget(self._row.count() - 1, chevron)
            button = QToolButton(self)
            button.setText(graph.names[node])
            button.setObjectName("here" if node == root else "crumb")
            inner = bool(len(graph.children(node)))
            button.setEnabled(inner or node == root)
            button.setToolTip("Everything" if node == graph.root else f"Restrict to {graph.names[node]}")
            button.clicked.connect(lambda _checked=False, node=node: self.chosen.emit(node))
            self._row.insertWidget(self._row.count() - 1, button)

"""The data of a drag inside the window: the ids of nodes, as bytes of an own MIME type."""

from __future__ import annotations

from collections.abc import Iterable

from qtpy.QtCore import QMimeData
from qtpy.QtGui import QDropEvent

MIME = "application/x-cbvtool-keys"  # ids, NUL between them


def mime_data(ids: Iterable[str]) -> QMimeData:
    """Data for dragging the nodes with these ids."""
    data = QMimeData()
    data.setData(MIME, "\0".join(ids).encode())
    return data


def dragged_ids(event: QDropEvent) -> list[str]:
    """The ids of the dragged nodes; empty for other drags."""
    data = event.mimeData()
    if data is None or not data.hasFormat(MIME):
        return []
    return bytes(data.data(MIME).data()).decode().split("\0")

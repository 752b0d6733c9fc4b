"""What a drag inside the window carries: the ids of nodes, as bytes of a type of their own."""

from __future__ import annotations

from collections.abc import Iterable

from qtpy.QtCore import QMimeData
from qtpy.QtGui import QDropEvent

MIME = "application/x-cbvtool-keys"  # ids, NUL between them


def mime_data(ids: Iterable[str]) -> QMimeData:
    """The data of a drag of the nodes with these ids."""
    data = QMimeData()
    data.setData(MIME, "\0".join(ids).encode())
    return data


def dragged_ids(event: QDropEvent) -> list[str]:
    """The ids of the nodes that are dragged; none if something else is."""
    data = event.mimeData()
    if data is None or not data.hasFormat(MIME):
        return []
    return bytes(data.data(MIME).data()).decode().split("\0")

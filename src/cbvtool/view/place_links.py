"""Places in the source as links in the text of a panel."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from qtpy.QtCore import QUrl

SCHEME = "place"


def place_link(file: str, line: int, text: str) -> str:
    """A link that reads `text`, which is plain, and leads to a line of a file of the graph."""
    return f"<a class='place' href='{SCHEME}:{quote(file, safe='', errors='surrogatepass')}#{line}'>{escape(text)}</a>"


def place_of_link(url: QUrl) -> tuple[str, int] | None:
    """File and line that a link leads to; None where it leads elsewhere."""
    if url.scheme() != SCHEME:
        return None
    return url.path(QUrl.ComponentFormattingOption.FullyDecoded), int(url.fragment())

"""Places in the source as links in the text of a panel."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup
from qtpy.QtCore import QUrl

from cbvtool.view.toolkit.plain import link

SCHEME = "place"


def place_link(file: str, line: int, text: str) -> Markup:
    """A link that reads `text`, which is plain, and leads to a line of a file of the graph."""
    return link(f"{SCHEME}:{quote(file, safe='', errors='surrogatepass')}#{line}", text, sort="place")


def place_of_link(url: QUrl) -> tuple[str, int] | None:
    """File and line that a link leads to; None where it leads elsewhere."""
    if url.scheme() != SCHEME:
        return None
    return url.path(QUrl.ComponentFormattingOption.FullyDecoded), int(url.fragment())

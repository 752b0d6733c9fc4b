"""The guide in a window of its own: pages of this installation, with pictures if it includes them."""

from __future__ import annotations

import re
from pathlib import Path

from qtpy.QtCore import Qt, QUrl
from qtpy.QtGui import QDesktopServices, QImage
from qtpy.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from cbvtool.regular_file import read_bytes
from cbvtool.view.desk import Desk

_HERE = Path(__file__).resolve()
_PLACES = (_HERE.parents[5] / "docs", _HERE.parents[4] / "cbvtool_docs")  # a checkout, an installed wheel
_PICTURE = re.compile(r"^!\[[^\]]*\]\(([^)]*)\)\n", re.MULTILINE)
MOST_BYTES = 2_000_000  # longest page
MISSING = "The guide is not part of this installation: it stands in the folder docs of cbvtool's repository."


def guide_folder(places: tuple[Path, ...] = _PLACES) -> Path | None:
    """The folder of the guide; None if this installation does not include it."""
    return next((place for place in places if (place / "guide.md").is_file()), None)


def page_text(page: Path) -> str:
    """The text of a page as Markdown, without pictures that are missing."""
    text = read_bytes(str(page), MOST_BYTES).decode("utf-8", "replace")
    return _PICTURE.sub(lambda found: found[0] if (page.parent / found[1]).is_file() else "", text)


def slug(heading: str) -> str:
    """The fragment by which links refer to a heading: lower case, hyphens, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


class Guide(QWidget):
    """A window with one page at a time. It reads only files in its folder."""

    def __init__(self, folder: Path, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Guide – cbvtool")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(820, 860)
        self.text = _Pages(folder, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        self.text.follow(QUrl("guide.md"))


class _Pages(QTextBrowser):
    def __init__(self, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._folder = folder.resolve()
        self._page = ""
        self.setAccessibleName("Guide")
        self.setOpenLinks(False)
        self.anchorClicked.connect(self.follow)

    def follow(self, url: QUrl) -> None:
        """Show another page or section; the system's browser opens other addresses."""
        if url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
            return
        if url.path():
            page = (self._folder / url.path()).resolve()
            if page.suffix != ".md" or self._folder not in page.parents or not page.is_file():
                return
            if page.name != self._page:
                self._page = page.name
                self.setMarkdown(page_text(page))
        if url.fragment():
            self._scroll_to(url.fragment())

    def _scroll_to(self, fragment: str) -> None:
        document, bar = self.document(), self.verticalScrollBar()
        assert document is not None
        assert bar is not None
        block = document.begin()
        while block.isValid():
            layout = document.documentLayout()
            if block.blockFormat().headingLevel() and slug(block.text()) == fragment and layout is not None:
                bar.setValue(round(layout.blockBoundingRect(block).top()))
                return
            block = block.next()

    def loadResource(self, type: int, name: QUrl) -> QImage | None:
        """Load pictures in its folder only, at most as wide as the window."""
        place = (self._folder / name.path()).resolve()
        if self._folder not in place.parents or not place.is_file():
            return None
        image = QImage(str(place))
        most = 760
        return image.scaledToWidth(most, Qt.TransformationMode.SmoothTransformation) if image.width() > most else image


def show_guide(desk: Desk) -> None:
    """Open the guide beside the window, or say that there is none."""
    if (folder := guide_folder()) is None:
        desk.say(MISSING)
        return
    there = next((one for one in desk.widget.findChildren(Guide) if one.isVisible()), None)
    guide = there or Guide(folder, desk.widget)
    guide.show()
    guide.raise_()
    guide.activateWindow()

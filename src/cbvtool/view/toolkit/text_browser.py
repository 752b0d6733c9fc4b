"""The rich text of panels. Links send a signal instead of opening; a new theme changes the colours."""

from __future__ import annotations

from markupsafe import Markup
from qtpy.QtCore import QUrl
from qtpy.QtWidgets import QTextBrowser, QWidget


class TextBrowser(QTextBrowser):
    """Text with links; `anchorClicked` reports clicks on them. It never reads a file."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._html = Markup("")
        self.setOpenLinks(False)
        self.setAccessibleName(name)
        self.setMinimumSize(180, 80)

    def loadResource(self, type: int, name: QUrl) -> None:
        """Load nothing: no pictures and no style sheets, whatever the text refers to."""

    def show_html(self, html: Markup) -> None:
        """Show another text, scrolled to its beginning."""
        self._html = html
        self.setHtml(html)

    def update_html(self, html: Markup) -> None:
        """Show a changed version of the text without changing the scroll position."""
        if html != self._html:
            self._html = html
            self._show_again()

    def restyle(self, style: str) -> None:
        """Use the style sheet of another theme without changing the scroll position."""
        if (document := self.document()) is not None:
            document.setDefaultStyleSheet(style)
        self._show_again()

    def _show_again(self) -> None:
        bar = self.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        self.setHtml(self._html)
        if bar is not None:
            bar.setValue(place)

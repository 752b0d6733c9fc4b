"""The rich text of panels: links ask for something instead of being opened, and a new theme changes its colours."""

from __future__ import annotations

from markupsafe import Markup
from qtpy.QtCore import QUrl
from qtpy.QtWidgets import QTextBrowser, QWidget


class TextBrowser(QTextBrowser):
    """Text with links; `anchorClicked` tells which was clicked. No file is ever read for it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._html = Markup("")
        self.setOpenLinks(False)
        self.setAccessibleName(name)
        self.setMinimumSize(180, 80)

    def loadResource(self, type: int, name: QUrl) -> None:
        """No pictures and no style sheets, whatever the text names."""

    def show_html(self, html: Markup) -> None:
        """Show another text, from its beginning."""
        self._html = html
        self.setHtml(html)

    def update_html(self, html: Markup) -> None:
        """Show more of the same text, which stays where it was scrolled to."""
        if html != self._html:
            self._html = html
            self._show_again()

    def restyle(self, style: str) -> None:
        """Take the style sheet of another theme; the text stays where it was scrolled to."""
        if (document := self.document()) is not None:
            document.setDefaultStyleSheet(style)
        self._show_again()

    def _show_again(self) -> None:
        bar = self.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        self.setHtml(self._html)
        if bar is not None:
            bar.setValue(place)

"""The rich text of panels: links ask for something instead of being opened, and a new theme changes its colours."""

from __future__ import annotations

from qtpy.QtWidgets import QTextBrowser, QWidget


class TextBrowser(QTextBrowser):
    """Text with links; `anchorClicked` tells which was clicked."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._html = ""
        self.setOpenLinks(False)
        self.setAccessibleName(name)
        self.setMinimumSize(180, 80)

    def setHtml(self, html: str | None) -> None:
        """Show another text, from its beginning."""
        self._html = html or ""
        super().setHtml(html)

    def restyle(self, style: str) -> None:
        """Take the style sheet of another theme; the text stays where it was scrolled to."""
        document, bar = self.document(), self.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        if document is not None:
            document.setDefaultStyleSheet(style)
        super().setHtml(self._html)
        if bar is not None:
            bar.setValue(place)

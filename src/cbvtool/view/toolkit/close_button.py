"""The small cross at the end of a bar or caption."""

from __future__ import annotations

from qtpy.QtWidgets import QToolButton, QWidget

from cbvtool.view.toolkit.plain import set_tooltip


def close_button(parent: QWidget, name: str, tip: str = "") -> QToolButton:
    """A flat button with a cross. `name` is for screen readers, and is the tooltip if there is no `tip`."""
    button = QToolButton(parent)
    button.setText("✕")
    set_tooltip(button, tip or name)
    button.setAccessibleName(name)
    button.setAutoRaise(True)
    return button

"""How much room a list of choices asks for."""

from __future__ import annotations

import pytest
from qtpy.QtCore import QSize
from qtpy.QtWidgets import QApplication, QComboBox

from cbvtool.view.toolkit import theme
from cbvtool.view.toolkit.drop_list import DropList

NARROW = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon


@pytest.mark.parametrize("characters", [0, 6, 20])
@pytest.mark.parametrize("icon", [QSize(16, 16), QSize(48, 40)])
@pytest.mark.parametrize("style", ["light", "dark"])
def test_a_narrow_list_asks_for_what_qt_would(characters: int, icon: QSize, style: str, qtbot) -> None:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theme.apply(style, application)
    ours, qts = DropList(), DropList()
    for choice in (ours, qts):
        qtbot.addWidget(choice)
        choice.setIconSize(icon)
    ours.stay_narrow(characters)
    qts.setSizeAdjustPolicy(NARROW)
    qts.setMinimumContentsLength(characters)
    for text in ("", "one", "a text that is much longer than there is room for"):
        for choice in (ours, qts):
            choice.addItem(text)
        assert (ours.sizeHint(), ours.minimumSizeHint()) == (qts.sizeHint(), qts.minimumSizeHint())

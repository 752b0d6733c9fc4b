"""A choice in a menu of the imports that a question follows; the same for paths and impact."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from qtpy.QtWidgets import QMenu

from cbvtool.view.toolkit.plain import add_action

DEFERRED, TYPE_CHECKING = "deferred", "type_checking"  # arguments of `asking.steps.steps`
_WORDS = {DEFERRED: "Deferred imports (inside a function)", TYPE_CHECKING: "Imports for type checking only"}


class WhenChoice:
    """Whether to count relations that take effect later, or only for a type checker. At first, all count."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.counted = dict.fromkeys(_WORDS, True)

    @property
    def is_restricted(self) -> bool:
        """Whether some are excluded."""
        return not all(self.counted.values())

    def reset(self) -> None:
        """Count all again, without notifying anybody."""
        self.counted = dict.fromkeys(_WORDS, True)

    def add_to(self, menu: QMenu) -> None:
        """Add the choice at the end of `menu`."""
        if not menu.isEmpty():
            menu.addSeparator()
        for name, words in _WORDS.items():
            action = add_action(menu, words)
            action.setCheckable(True)
            action.setChecked(self.counted[name])
            action.toggled.connect(partial(self._set, name))

    def _set(self, name: str, counts: bool) -> None:
        self.counted = {**self.counted, name: counts}
        self._changed()

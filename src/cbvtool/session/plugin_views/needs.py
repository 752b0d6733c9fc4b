"""The slow work of a view: what is to be made, what was, and what counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cbvtool.plugin.view import Need
from cbvtool.progress import Progress, silent
from cbvtool.session.plugin_views.memo import same


@dataclass(frozen=True, eq=False)
class StagedProgress:
    """`cbvtool.api.NeedProgress`: tells progress, and hands a first result over."""

    tell: Progress
    take_first: Callable[[Any], None]

    def __call__(self, what: str, done: int, total: int) -> None:
        """So many of so many are done."""
        self.tell(what, done, total)

    def first(self, value: Any) -> None:
        """Hand a first result over."""
        self.tell("", 0, 0)  # nobody may wait for it any more
        self.take_first(value)


def make(need: Need, tell: Progress = silent, first: Callable[[Any], None] = lambda _value: None) -> Any:
    """Do the work of a need, on any thread. Raises Cancelled, and whatever the plugin raises."""
    return need.make(*need.of, progress=StagedProgress(tell, first))


class NeedResults:
    """What was made of the needs of one view, by their names.

    found   results; a former one stays until its successor is there
    failed  sentences, by name, of those that could not be made
    """

    def __init__(self) -> None:
        self._wanted: dict[str, tuple[object, Need]] = {}  # what is declared now
        self._begun: dict[str, object] = {}  # what was handed out last
        self._made: dict[str, tuple[object, Need]] = {}  # with the need, whose arguments must not go
        self.found: Mapping[str, Any] = {}
        self.failed: dict[str, str] = {}

    def declare(self, needs: Sequence[Need]) -> tuple[Need, ...]:
        """The view has these needs now; those that are to be begun are returned. Others of their names are void."""
        self._wanted = {need.name: (_key(need), need) for need in needs}
        if any(name not in self._wanted for name in self.found):
            self.found = {name: value for name, value in self.found.items() if name in self._wanted}
        for kept in (self._made, self._begun, self.failed):
            for name in [name for name in kept if name not in self._wanted]:
                del kept[name]
        fresh = list[Need]()
        for name, (key, need) in self._wanted.items():
            if name in self._made and self._made[name][0] == key:
                self._begun.pop(name, None)  # back to what is there: what is being made is void
            elif self._begun.get(name) != key:
                self._begun[name] = key
                self.failed.pop(name, None)
                fresh.append(need)
        return tuple(fresh)

    @property
    def making(self) -> tuple[Need, ...]:
        """Those that are being made."""
        return tuple(need for name, (key, need) in self._wanted.items() if self._is_awaited(name, key))

    def _is_awaited(self, name: str, key: object) -> bool:
        return self._begun.get(name) == key and name not in self.failed

    def _counts(self, need: Need) -> bool:
        wanted = self._wanted.get(need.name)
        return wanted is not None and wanted[0] == _key(need) and self._is_awaited(need.name, wanted[0])

    def first(self, need: Need, value: Any) -> bool:
        """Take a first result; False where nobody waits for it any more."""
        if not self._counts(need):
            return False
        self.found = {**self.found, need.name: value}
        return True

    def take(self, need: Need, value: Any) -> bool:
        """Take the result; False where nobody waits for it any more."""
        if not self._counts(need):
            return False
        self._made[need.name] = self._wanted[need.name]
        self._begun.pop(need.name, None)
        self.found = {**self.found, need.name: value}
        return True

    def fail(self, need: Need, sentence: str) -> bool:
        """It could not be made, or was cancelled: it is not begun again until its arguments are others, or `retry`."""
        if not self._counts(need):
            return False
        self.failed[need.name] = sentence
        return True

    def retry(self) -> None:
        """Let those that failed be begun again by the next `declare`."""
        for name in self.failed:
            self._begun.pop(name, None)
        self.failed.clear()


def _key(need: Need) -> object:
    return same(need.make), same(need.of)

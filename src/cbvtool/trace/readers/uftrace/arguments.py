"""Which arguments and return values were recorded of which functions: `pthread_mutex_lock@arg1/x`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cbvtool.matching import Pattern, PatternError, compiled, glob
from cbvtool.trace.readers.uftrace.cxx_names import qualified_name
from cbvtool.trace.readers.uftrace.records import TEXT

_VALUE = re.compile(r"(arg|fparg|retval)(\d*)(?:/([a-zA-Z]?)(.*?))?(?:%.*)?$")
_REGEX = frozenset(".?*+-^$|()[]{}")
RETURN = 0  # number of the return value; arguments count from 1
_MOST = 10_000  # specifications that are read


@dataclass(frozen=True)
class RecordedValue:
    """One value: number of the argument, its size in bytes (`TEXT` = a text), and format letter, "" = number."""

    number: int
    size: int
    format: str
    floating: bool = False

    @property
    def name(self) -> str:
        """What `arguments` calls it: "arg1"; empty for the return value."""
        return "" if self.number == RETURN else f"{'fparg' if self.floating else 'arg'}{self.number}"


@dataclass(frozen=True)
class Specification:
    """The values that are recorded of functions whose names match. `automatic` ones give way to those of the user."""

    pattern: str
    values: tuple[RecordedValue, ...]
    automatic: bool = False


def value_of(text: str, word: int = 8) -> RecordedValue | None:
    """The value that a specification describes: `arg1/x`, `arg2/i32`, `retval/s`. None: it describes none.

    word  size in bytes of a number whose specification gives no size

    Source: uftrace-record(1), "ARGUMENTS".
    """
    found = _VALUE.match(text)
    if found is None:
        return None
    kind, row, letter, rest = found[1], found[2], found[3] or "", found[4] or ""
    if (kind == "retval") == bool(row) or len(row) > 4:
        return None
    number = RETURN if kind == "retval" else int(row)
    size, floating = word, kind == "fparg"
    if floating or letter == "f":
        size, floating = 8, True
    elif letter == "c":
        size = 1
    elif letter in ("s", "S"):
        size = TEXT
    elif letter == "t":
        digits = re.match(r"\d{0,5}", rest)
        size = int(digits[0] or 0) if digits else 0
        rest = ""
    elif letter == "e":
        rest = ""
    if rest in ("8", "16", "32", "64", "80"):
        size = int(rest) // 8
    return RecordedValue(number, size, letter, floating)


def specifications(text: str, *, automatic: bool = False, word: int = 8) -> list[Specification]:
    """What a line `argspec`, `retspec`, `argauto` or `retauto` of the file `info` says."""
    result = []
    for one in text.split(";")[:_MOST]:
        pattern, _, rest = one.partition("@")
        values = [value_of(part, word) for part in _parts(rest)]
        known = tuple(value for value in values if value is not None)
        if pattern and known:
            result.append(Specification(pattern, known, automatic))
    return result


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


class Layouts:
    """Finds, by the name of a function, which values the trace holds at its entries and at its exits.

    kind     what the patterns are: "regex", "glob" or "simple"
    refused  number of invalid patterns; each is compared as a plain name
    """

    def __init__(self, given: Iterable[Specification], kind: str) -> None:
        self._by_name: dict[str, list[Specification]] = {}
        self._patterns: list[tuple[Pattern, Specification]] = []
        self.refused = 0
        for one in given:
            pattern = self._pattern(one.pattern, kind)
            if pattern is None:
                for name in {one.pattern, qualified_name(one.pattern)}:
                    self._by_name.setdefault(name, []).append(one)
            else:
                self._patterns.append((pattern, one))

    def _pattern(self, text: str, kind: str) -> Pattern | None:
        """The pattern; None for a plain name, and for an invalid pattern."""
        if kind == "simple" or not _REGEX & set(text):
            return None
        try:
            return glob(text) if kind == "glob" else compiled(text)
        except PatternError:
            self.refused += 1
            return None

    def of(self, names: Iterable[str]) -> tuple[tuple[RecordedValue, ...], tuple[RecordedValue, ...]]:
        """The arguments and return values of a function, which has several names (mangled and not)."""
        names = set(names)
        found = [one for name in names for one in self._by_name.get(name, ())]
        found += [one for pattern, one in self._patterns if any(pattern.search(name) for name in names)]
        entry = _merged([one for one in found if one.values[0].number != RETURN])
        leave = _merged([one for one in found if any(value.number == RETURN for value in one.values)])
        return (
            tuple(value for value in entry if value.number != RETURN),
            tuple(value for value in leave if value.number == RETURN),
        )


def _merged(found: list[Specification]) -> list[RecordedValue]:
    """The values in order of their numbers; automatic ones only where nothing else is said."""
    said = [one for one in found if not one.automatic] or found
    values: dict[tuple[bool, int], RecordedValue] = {}
    for one in said:
        for value in one.values:
            values.setdefault((value.floating, value.number), value)
    return sorted(values.values(), key=lambda value: value.number)

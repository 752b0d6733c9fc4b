"""Why a function behaves otherwise: its own code was changed, that of a caller, or neither (TD-14; 002, 7.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from cbvtool.trace.compare.runs.deviations import RunDeviation
from cbvtool.trace.compare.runs.paths import CallPaths, Row

MODULE = "<module>"

CauseKind = Literal["own code", "caller's code", "code unchanged", "input", "unknown"]


class ChangedLines(NamedTuple):
    """Changed lines of a file: the first and how many, before and after; the path after, unless it is gone."""

    file: str
    old: int
    old_count: int
    new: int
    new_count: int


class ChangedCode(NamedTuple):
    """A function with changed lines, by its qualified name; `MODULE` = lines outside of functions.

    hunk  the first hunk that touches it
    gone  the newer version has no such function
    """

    file: str
    name: str
    hunk: ChangedLines
    gone: bool = False


class Cause(NamedTuple):
    """Why: `changed` is the function whose code was changed, itself or the nearest caller.

    "input" is what `crossed.origins` finds where the old code does the same with the new input.
    """

    kind: CauseKind
    changed: ChangedCode | None = None


def causes(deviations: Sequence[RunDeviation], paths: CallPaths, changed: Iterable[ChangedCode] | None) -> list[Cause]:
    """The cause of each deviation; `changed` is what differs between the two versions, None = that is not known."""
    if changed is None:
        return [Cause("unknown")] * len(deviations)
    code = list(changed)
    found = []
    for one in deviations:
        cause = Cause("code unchanged")
        for depth, path in enumerate(reversed(paths.above(one.place))):
            function = int(paths.function[path])
            rows = {row for row in (paths.reference.get(function), paths.test.get(function)) if row is not None}
            touched = next((each for each in code if any(is_code_of(each, row) for row in rows)), None)
            if touched is not None:
                cause = Cause("own code" if depth == 0 else "caller's code", touched)
                break
        found.append(cause)
    return found


def never_ran(paths: CallPaths, changed: Iterable[ChangedCode]) -> list[ChangedCode]:
    """Changed functions that no run of the test called, those that the newer version lacks left out."""
    rows = list(paths.test.values())
    ran = {int(function) for function, calls in zip(paths.function, _test_calls(paths), strict=True) if calls}
    live = [row for function, row in paths.test.items() if function in ran]
    return [one for one in changed if not one.gone and rows and not any(is_code_of(one, row) for row in live)]


def is_code_of(code: ChangedCode, row: Row) -> bool:
    """Whether changed code is that of a recorded function: same name, and a path that ends alike."""
    name, _, file, _ = row
    place = file.replace("\\", "/")
    return (place == code.file or place.endswith("/" + code.file)) and bare_name(name) == bare_name(code.name)


def changed_rows(rows: Sequence[Row], changed: Sequence[ChangedCode]) -> list[int]:
    """Of each function the place in `changed` of its code, -1 = it was not changed. Linear in both."""
    by_name: dict[str, list[int]] = {}
    for place, one in enumerate(changed):
        by_name.setdefault(bare_name(one.name), []).append(place)
    return [
        next((place for place in by_name.get(bare_name(row[0]), ()) if is_code_of(changed[place], row)), -1)
        for row in rows
    ]


def bare_name(name: str) -> str:
    """A qualified name as a source has it: without `<locals>`; lambdas and comprehensions belong to their function."""
    parts = [part for part in name.split(".") if part != "<locals>"]
    while len(parts) > 1 and parts[-1].startswith("<"):
        parts.pop()
    return ".".join(parts)


def _test_calls(paths: CallPaths) -> list[float]:
    return list(paths.calls[paths.references :].sum(axis=0).tolist())

"""Which function of one recording is which of another: by path below the source root and qualified name (TD-12)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.trace.compare.file_pairs import paired_files
from cbvtool.trace.model.trace import Functions

Ints = npt.NDArray[np.int64]


# Counters that compilers and interpreters put into names: `f.constprop.0`, `lambda$main$3`, `Outer$1`, `<lambda:12>`.
_COUNTERS = re.compile(
    r"\.(?:constprop|isra|part|cold|lto_priv|llvm|clone)(?:\.\d+)*|(?<=\w)\$\d+\b|(?<=<lambda)[:@]\d+|\{lambda#\d+\}"
)
_LIBRARY_VERSION = re.compile(r"(?:\.so|\.dylib|\.dll)[.\d]*$|-[\d.]+(?=\.so)")


@dataclass(frozen=True, eq=False)
class CommonFunctions:
    """Functions of two traces under common ids.

    of_reference  int64[f]  the common id of each function of the reference
    of_test       int64[g]  likewise of the test
    count         how many ids there are; functions that only one of the traces has have ids of their own
    """

    of_reference: Ints
    of_test: Ints
    count: int

    @property
    def shared(self) -> Ints:
        """The ids that both have, ascending."""
        return np.intersect1d(self.of_reference, self.of_test)

    @property
    def only_reference(self) -> Ints:
        """The functions of the reference that the test lacks, by their rows in the reference."""
        return np.flatnonzero(~np.isin(self.of_reference, self.of_test))

    @property
    def only_test(self) -> Ints:
        """The functions of the test that the reference lacks, by their rows in the test."""
        return np.flatnonzero(~np.isin(self.of_test, self.of_reference))


def common_functions(
    reference: Functions,
    test: Functions,
    renames: Mapping[str, str] | None = None,
    table: Mapping[str, str] | None = None,
) -> CommonFunctions:
    """The functions of two traces under common ids.

    Equal are functions of paired files (`file_pairs`) with the same qualified name, counters of compilers left out;
    without a file, of the same module or library. Several of one name in a file (redefinitions, lambdas) are paired in
    the order of their lines. `renames` are files (old -> new path below the source root), `table` the user's own pairs
    of functions: qualified name, or `path::qualified name` with as much of the path's end as tells it from others.
    """
    if reference is test:
        same = np.arange(len(reference))
        return CommonFunctions(same, same, len(same))
    files = paired_files(reference.file, test.file, renames)
    ids: dict[tuple[str, str, int], int] = {}
    of_test = np.empty(len(test), np.int64)
    for row, key in enumerate(_keys(test, {})):
        of_test[row] = ids.setdefault(key, len(ids))
    of_reference = np.empty(len(reference), np.int64)
    for row, key in enumerate(_keys(reference, files)):
        of_reference[row] = ids.setdefault(key, len(ids))
    count = len(ids)
    if table:
        count = _follow_table(reference, test, table, of_reference, of_test, count)
    return CommonFunctions(of_reference, of_test, count)


def _follow_table(
    reference: Functions, test: Functions, table: Mapping[str, str], of_reference: Ints, of_test: Ints, count: int
) -> int:
    """Give functions of the reference the ids of those that the table names; returns how many ids there are then.

    What had such an id by its name alone, and is not in the table, gets one of its own.
    """
    olds, news = rows_named(reference, table.keys()), rows_named(test, table.values())
    told = {row: int(of_test[news[new][0]]) for old, new in table.items() if news[new] for row in olds[old]}
    taken = set(told.values())
    for row, own in enumerate(of_reference.tolist()):
        if row in told:
            of_reference[row] = told[row]
        elif own in taken:
            of_reference[row] = count
            count += 1
    return count


def rows_named(functions: Functions, names: Iterable[str]) -> dict[str, list[int]]:
    """The rows of the functions that each name means; see `is_named`."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(functions.name):
        rows[name].append(row)
    found = {}
    for name in names:
        near = {*rows.get(name, ()), *rows.get(name.rpartition("::")[2], ())}
        found[name] = sorted(row for row in near if is_named(functions, row, name))
    return found


def is_named(functions: Functions, row: int, name: str) -> bool:
    """Whether `qualified name` or `path::qualified name`, where the path may be its end alone, means a function."""
    path, divider, qualified = name.rpartition("::")
    if not divider or functions.name[row] == name:
        return functions.name[row] == name
    file = functions.file[row].replace("\\", "/")
    return functions.name[row] == qualified and (file == path or file.endswith("/" + path.lstrip("/")))


def without_counters(name: str) -> str:
    """A function's name without the numbers that a compiler or interpreter gave it."""
    return _COUNTERS.sub("", name)


def _keys(functions: Functions, files: Mapping[str, str]) -> list[tuple[str, str, int]]:
    """What names each function: file as the test has it, or library; name; which of several, by line."""
    keys: list[tuple[str, str]] = []
    for name, module, file in zip(functions.name, functions.module, functions.file, strict=True):
        place = files.get(file, file) if file else _LIBRARY_VERSION.sub("", re.split(r"[/\\]", module)[-1])
        keys.append((place, without_counters(name)))
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        alike[key].append(row)
    which = [0] * len(keys)
    for rows in alike.values():
        for place_in_line, row in enumerate(sorted(rows, key=lambda row: (int(functions.line[row]), row))):
            which[row] = place_in_line
    return [(place, name, number) for (place, name), number in zip(keys, which, strict=True)]

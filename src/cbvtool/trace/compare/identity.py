"""Which function of one recording is which of another: by path below the source root and qualified name (TD-12)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.compare.file_pairs import paired_files
from cbvtool.trace.model.trace import Functions

Ints = npt.NDArray[np.int64]

MOST_NAMED = 1_000  # pairs of the user's table: each is looked for among all functions

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
    for old, new in (table or {}).items():
        partners = [row for row in range(len(test)) if is_named(test, row, new)]
        for row in range(len(reference)):
            if partners and is_named(reference, row, old):
                of_reference[row] = of_test[partners[0]]
    return CommonFunctions(of_reference, of_test, len(ids))


def identity_table(text: str) -> dict[str, str]:
    """The user's pairs of functions: a line each, as `old, new`, with tabs or as `old = new`; `#` begins a remark.

    Raises InputError for a line that is no pair, and for a second partner of one function.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        divider = next((each for each in ("\t", " = ", ",") if each in words), "\t")
        old, _, new = (part.strip().strip('"') for part in words.partition(divider))
        if not old or not new or len(found) >= MOST_NAMED:
            raise InputError(
                f"Line {number:,} of the table of functions: write the name in A, a comma and the name in B"
                + (f"; at most {MOST_NAMED:,} pairs are read." if len(found) >= MOST_NAMED else ".")
            )
        if found.setdefault(old, new) != new:
            raise InputError(f"Line {number:,} of the table of functions: {old} has another partner before.")
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

"""Which functions make a module of the call graph: by name, file, package, or a table of the user (CF-1)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.matching import Lines, PatternError, glob
from cbvtool.trace.model.trace import Functions
from cbvtool.trace.resources.states import group_names

GROUPINGS = ("module", "file", "package", "function")
OTHER = "(other)"  # functions that no row of a table names
MOST_ROWS = 100_000
_PATTERN = frozenset("*?[")


@dataclass(frozen=True)
class ModuleGrouping:
    """g groups of functions. name: str[g]; of_function: int32[f]."""

    name: tuple[str, ...]
    of_function: npt.NDArray[np.int32]


def grouped(functions: Functions, by: str = "module") -> ModuleGrouping:
    """Groups by one of `GROUPINGS`, in the order in which functions name them; without a module by file."""
    if by == "file":
        names = [file or module or "?" for file, module in zip(functions.file, functions.module, strict=True)]
    else:
        names = group_names(functions, by)
    return _numbered(names)


def grouping_of(functions: Functions, by: str = "module", table: str = "") -> ModuleGrouping:
    """Groups as the text of a table says, see `table_of`; without one by one of `GROUPINGS`. Raises InputError."""
    return by_table(functions, table_of(table)) if table.strip() else grouped(functions, by)


def by_table(functions: Functions, table: Mapping[str, tuple[str, ...]]) -> ModuleGrouping:
    """Groups as a table says: group -> names of functions, files or `file::name`, or globs of them.

    Names go before globs, then the first that fits. Raises InputError for a glob that cannot be used.
    """
    exact = {name: group for group, names in reversed(list(table.items())) for name in names}
    found = [
        exact.get(name) or exact.get(file) or exact.get(f"{file}::{name}") or ""
        for name, file in zip(functions.name, functions.file, strict=True)
    ]
    places = [f"{file}::{name}" for name, file in zip(functions.name, functions.file, strict=True)]
    texts = [Lines(each) for each in (functions.name, functions.file, places)]
    for group, patterns in table.items():
        for pattern in patterns:
            if not _PATTERN & set(pattern):
                continue
            try:
                engine = glob(pattern)
            except PatternError as reason:
                raise InputError(f"The pattern {pattern!r} cannot be used: {reason}.") from None
            for lines in texts:
                for row in engine.rows(lines):
                    found[row] = found[row] or group
    return _numbered([each or OTHER for each in found])


def table_of(text: str) -> dict[str, tuple[str, ...]]:
    """A table of groups from JSON: {"group": ["function", ...]}, or a configuration of CallFlow that has one.

    Raises InputError in one sentence.
    """
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("The table of modules is no JSON.") from None
    for key in ("schema", "module_map"):
        if isinstance(said, dict) and isinstance(said.get(key), dict):
            said = said[key]
    if not isinstance(said, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in said.values()
    ):
        raise InputError('A table of modules is JSON such as {"solver": ["solve", "step_*"]}.')
    if sum(len(names) for names in said.values()) > MOST_ROWS:
        raise InputError(f"The table of modules has more than {MOST_ROWS:,} rows.")
    return {str(group): tuple(names) for group, names in said.items()}


def _numbered(names: list[str]) -> ModuleGrouping:
    rows: dict[str, int] = {}
    number = np.array([rows.setdefault(name, len(rows)) for name in names], np.int32)
    return ModuleGrouping(tuple(rows), number)

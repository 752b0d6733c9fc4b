"""The call paths of several runs beside each other: how often each was taken, and what was spent in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from cbvtool.errors import InputError
from cbvtool.trace.compare.file_pairs import paired_files
from cbvtool.trace.compare.identity import CommonFunctions, common_functions, rows_named
from cbvtool.trace.making.call_tree import exclusive_of
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Functions

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Row = tuple[str, str, str, int]  # name, module, file, line of a function

MOST_PATHS = 2_000_000
LEAST_SHARED = 0.02  # of the functions of the smaller side: below, the two are no versions of one program


@dataclass(frozen=True, eq=False)
class CallPaths:
    """p call paths of r runs, the first `references` of which are of the reference; a path stands after its caller's.

    function   int64[p]     common id; what is judged as one has one
    parent     int64[p]     the path of the caller, -1 = none
    calls      float64[r, p]
    own, total float64[r, p]  ns without and with what it calls
    clock      "cpu": of the thread's processor time; "wall"
    reference, test  common id -> the function on that side, where it has it
    began      int64[r]  when each run began, ns since 1970, 0 = unknown
    """

    function: Ints
    parent: Ints
    calls: Floats
    own: Floats
    total: Floats
    references: int
    clock: Literal["cpu", "wall"]
    reference: Mapping[int, Row]
    test: Mapping[int, Row]
    began: Ints

    @property
    def alternating(self) -> bool:
        """Whether the two sides had their turn alternately (A B B A), so that the machine met both alike."""
        is_test = np.arange(len(self.began)) >= self.references
        ahead = np.cumsum(np.where(is_test[np.argsort(self.began, kind="stable")], 1, -1))
        return bool(self.began.min(initial=1) > 0 and len(ahead) > 2 and np.abs(ahead).max() <= 1)

    def __len__(self) -> int:
        return len(self.function)

    def above(self, path: int) -> list[int]:
        """A path and those of its callers, the outermost first."""
        found = []
        while path >= 0:
            found.append(path)
            path = int(self.parent[path])
        return found[::-1]

    def row(self, function: int) -> Row:
        """A function as the test has it, else as the reference has it."""
        return self.test.get(function) or self.reference[function]

    def each_apart(self) -> CallPaths:
        """The same with an id for each path, so that a function is judged on each of its paths by itself (TD-13)."""
        every = self.function.tolist()
        of_reference, of_test = (
            {path: rows[function] for path, function in enumerate(every) if function in rows}
            for rows in (self.reference, self.test)
        )
        return replace(self, function=np.arange(len(self)), reference=of_reference, test=of_test)


def call_paths(
    reference: Sequence[Profile],
    test: Sequence[Profile],
    renames: Mapping[str, str] | None = None,
    table: Mapping[str, str] | None = None,
) -> CallPaths:
    """The call paths of runs that `folding.folded` folded, with functions as `identity.common_functions` pairs them.

    Times are thread CPU times where all runs have them, else those by the clock. Raises InputError when a side has no
    call, the two share hardly a function, or one is put together from samples.
    """
    return _beside(reference, test, (), (), renames, table)


@dataclass(frozen=True, eq=False)
class CrossedPaths:
    """Runs of two versions of the code on two inputs, each compared with the old code on the old input.

    both   the new code on the new input
    code   the new code on the old input
    input  the old code on the new input
    """

    both: CallPaths
    code: CallPaths
    input: CallPaths

    def each_apart(self) -> CrossedPaths:
        """See `CallPaths.each_apart`."""
        return CrossedPaths(*(part.each_apart() for part in (self.both, self.code, self.input)))


def crossed_paths(
    reference: Sequence[Profile],
    test: Sequence[Profile],
    new_code: Sequence[Profile],
    new_input: Sequence[Profile],
    renames: Mapping[str, str] | None = None,
    table: Mapping[str, str] | None = None,
) -> CrossedPaths:
    """The call paths of four groups of runs, with the same ids in all; see `call_paths`.

    reference  the old code on the old input
    test       the new code on the new input
    new_code   the new code on the old input
    new_input  the old code on the new input
    """
    whole = _beside(reference, test, new_input, new_code, renames, table)
    first, second = len(reference), len(reference) + len(test)
    third = second + len(new_input)
    base = np.arange(first)
    return CrossedPaths(
        *(
            _of_runs(whole, np.concatenate((base, np.arange(begin, end))))
            for begin, end in ((first, second), (third, third + len(new_code)), (second, third))
        )
    )


def missing_names(paths: CallPaths, table: Mapping[str, str]) -> list[str]:
    """Names of a table of functions that mean none that ran, those of the reference first."""
    sides = (list(paths.reference.values()), table.keys()), (list(paths.test.values()), table.values())
    return [name for rows, names in sides for name, found in rows_named(functions_of(rows), names).items() if not found]


def _of_runs(paths: CallPaths, runs: Ints) -> CallPaths:
    return replace(
        paths, calls=paths.calls[runs], own=paths.own[runs], total=paths.total[runs], began=paths.began[runs]
    )


def _beside(
    reference: Sequence[Profile],
    test: Sequence[Profile],
    as_reference: Sequence[Profile],
    as_test: Sequence[Profile],
    renames: Mapping[str, str] | None,
    table: Mapping[str, str] | None,
) -> CallPaths:
    """The paths of all these runs, in this order; the code of the last two groups is that of the first two."""
    groups = (reference, test, as_reference, as_test)
    runs = [run for group in groups for run in group]
    if any(run.sampled for run in runs):
        raise InputError("A run was put together from samples: their number is no number of calls; record it whole.")
    if not all(len(run) for run in runs):
        raise InputError("A run holds no call: there is nothing to compare.")
    known_as = [_alike(_merged(side), _merged(more)) for side, more in ((reference, as_reference), (test, as_test))]
    rows_of = [list(dict.fromkeys(names.values())) for names in known_as]
    common = common_functions(functions_of(rows_of[0]), functions_of(rows_of[1]), renames, table)
    if len(common.shared) < LEAST_SHARED * min(len(rows_of[0]), len(rows_of[1])) or not len(common.shared):
        raise InputError("The two have hardly a function in common: they are no runs of one program.")
    numbers = [dict(zip(rows, ids.tolist(), strict=True)) for rows, ids in zip(rows_of, _ids(common), strict=True)]
    has_cpu = all(_cpu(run) is not None for run in runs)
    known: dict[tuple[int, int], int] = {}
    parts: list[tuple[Ints, Floats, Floats, Floats]] = []
    for number, group in enumerate(groups):
        ids, names = numbers[number % 2], known_as[number % 2]
        parts += [
            _placed(run, [ids[names[row]] for row in function_rows(run.functions)], known, has_cpu) for run in group
        ]
    if len(known) > MOST_PATHS:
        raise InputError(f"The runs take more than {MOST_PATHS:,} call paths.")
    p = len(known)
    figures = np.zeros((3, len(runs), p))
    for place, (paths, *values) in enumerate(parts):
        for figure, value in zip(figures, values, strict=True):
            figure[place] = np.bincount(paths, weights=value, minlength=p)
    pairs = np.array(list(known), np.int64)
    return CallPaths(
        pairs[:, 1],
        pairs[:, 0],
        figures[0],
        figures[1],
        figures[2],
        len(reference),
        "cpu" if has_cpu else "wall",
        {ids: row for row, ids in numbers[0].items()},
        {ids: row for row, ids in numbers[1].items()},
        np.array([run.header.began for run in runs], np.int64),
    )


def _alike(rows: Sequence[Row], more: Sequence[Row]) -> dict[Row, Row]:
    """How each function of one version is known: those of `more` runs, whose source may lie elsewhere, as in `rows`."""
    found = {row: row for row in rows}
    if not more:
        return found
    common = common_functions(functions_of(rows), functions_of(more))
    by_id = dict(zip(common.of_reference.tolist(), rows, strict=True))
    files = {other: file for file, other in paired_files((row[2] for row in rows), (row[2] for row in more)).items()}
    for row, number in zip(more, common.of_test.tolist(), strict=True):
        name, module, file, line = row
        found[row] = by_id.get(number, (name, module, files.get(file, file), line))
    return found


def _ids(common: CommonFunctions) -> tuple[Ints, Ints]:
    return common.of_reference, common.of_test


def function_rows(functions: Functions) -> list[Row]:
    """What names each function."""
    return list(zip(functions.name, functions.module, functions.file, functions.line.tolist(), strict=True))


def _merged(runs: Sequence[Profile]) -> list[Row]:
    """The functions of several runs of one version, each once."""
    return list(dict.fromkeys(row for run in runs for row in function_rows(run.functions)))


def functions_of(rows: Sequence[Row]) -> Functions:
    """The functions of such rows."""
    names, modules, files, lines = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Functions(names, modules, files, np.array(lines, np.int32))


def _cpu(run: Profile) -> Floats | None:
    """The CPU time of each node where all have one."""
    metric = run.metric("cpu time", inclusive=True)
    return None if metric is None or np.isnan(metric.mean).any() else metric.mean


def _placed(
    run: Profile, ids: Sequence[int], known: dict[tuple[int, int], int], has_cpu: bool
) -> tuple[Ints, Floats, Floats, Floats]:
    """The path of each node of a run, its calls, own and total time; new paths are added to `known`."""
    calls, wall = run.metric("calls", inclusive=False), run.metric("time", inclusive=True)
    cpu = _cpu(run)
    if calls is None or wall is None:
        raise InputError("A run holds no number of calls, or no time.")
    total = cpu if has_cpu and cpu is not None else wall.mean
    paths: list[int] = []
    for function, parent in zip(run.function.tolist(), run.parent.tolist(), strict=True):
        key = (paths[parent] if parent >= 0 else -1, ids[function])
        paths.append(known.setdefault(key, len(known)))
    return np.array(paths, np.int64), calls.mean, np.nan_to_num(exclusive_of(total, run.parent)), np.nan_to_num(total)

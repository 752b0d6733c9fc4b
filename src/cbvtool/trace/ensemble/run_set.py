"""The library's door to many runs: profiles, traces or a table in, columns or pandas out (CF-1, CF-8).

import cbvtool

runs = cbvtool.runs("profiles/", parameters={"a": {"threads": "4"}})
runs.frame()            # a row for each run and call path
runs.frame("effects")   # which parameter explains which call path
cbvtool.runs(frame)     # a table: run, path, time in ns by itself; further columns are parameters
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.trace.ensemble.effects import RunEffect, run_effects
from cbvtool.trace.ensemble.ensemble import Ensemble, united
from cbvtool.trace.ensemble.parameters import RunParameter, parameters_of
from cbvtool.trace.ensemble.runs import ProfiledRun, runs_of, with_parameters
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.readers.registry import read_traces

SEPARATOR = " > "  # between the functions of a call path
_NEEDED = ("run", "path", "time")
Columns = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class RunSet:
    """Runs of a program beside each other."""

    ensemble: Ensemble

    def __repr__(self) -> str:
        ensemble = self.ensemble
        return f"RunSet({len(ensemble):,} runs, {len(ensemble.parent):,} call paths, {ensemble.metric})"

    @cached_property
    def parameters(self) -> list[RunParameter]:
        """What tells some runs from others."""
        return parameters_of(self.ensemble.parameters)

    @cached_property
    def effects(self) -> list[RunEffect]:
        """Which parameter explains which call path, the strongest first."""
        return run_effects(self.ensemble.exclusive, self.parameters)

    def columns(self, what: str = "values") -> Columns:
        """Columns by name; missing values are NaN.

        values   a row for each run and call path that it has: run, its parameters, path, function, module, file,
                 inclusive, exclusive; what `runs` takes back
        runs     a row for each run: name, total, its parameters
        effects  a row for each call path and parameter

        Raises InputError for another table.
        """
        tables = {"values": self._values, "runs": self._runs, "effects": self._effects}
        if what not in tables:
            raise InputError(f"There is no table {what!r} of runs; there are {', '.join(tables)}.")
        return tables[what]()

    def frame(self, what: str = "values") -> Any:
        """The same as a DataFrame. Raises InputError where pandas is not installed."""
        try:
            import pandas as pd  # type: ignore[import-untyped]  # an extra
        except ImportError:
            raise InputError("pandas is not installed: pip install 'cbvtool[pandas]', or ask for columns().") from None
        return pd.DataFrame(self.columns(what))

    def _names(self) -> list[str]:
        return list(dict.fromkeys(name for each in self.ensemble.parameters for name in each))

    def _values(self) -> Columns:
        ensemble = self.ensemble
        run, row = np.nonzero(~np.isnan(ensemble.inclusive))
        functions, paths = ensemble.functions, paths_of(ensemble)
        function = ensemble.function[row].tolist()
        found: Columns = {"run": [ensemble.names[each] for each in run.tolist()]}
        for name in self._names():
            texts = [each.get(name, "") for each in ensemble.parameters]
            found[_free(name)] = [texts[each] for each in run.tolist()]
        return {
            **found,
            "path": [paths[each] for each in row.tolist()],
            "function": [functions.name[each] for each in function],
            "module": [functions.module[each] for each in function],
            "file": [functions.file[each] for each in function],
            "inclusive": ensemble.inclusive[run, row],
            "exclusive": ensemble.exclusive[run, row],
        }

    def _runs(self) -> Columns:
        ensemble = self.ensemble
        texts = {_free(name): [each.get(name, "") for each in ensemble.parameters] for name in self._names()}
        return {"run": list(ensemble.names), "total": ensemble.totals, **texts}

    def _effects(self) -> Columns:
        paths, found = paths_of(self.ensemble), self.effects
        return {
            "path": [paths[each.part] for each in found],
            "parameter": [self.parameters[each.parameter].name for each in found],
            "strength": np.array([each.strength for each in found], np.float64),
            "least_at": [each.low for each in found],
            "least": np.array([each.least for each in found], np.float64),
            "most_at": [each.high for each in found],
            "most": np.array([each.most for each in found], np.float64),
            "chance": np.array([each.chance for each in found], np.float64),
            "beyond_chance": np.array([each.is_found for each in found], np.bool_),
        }


def _free(name: str) -> str:
    """The name of a parameter's column: no other column has it."""
    taken = (*_NEEDED, "function", "module", "file", "inclusive", "exclusive", "total")
    return f"{name} (parameter)" if name in taken else name


def runs(
    source: Path | str | Iterable[Path | str] | Mapping[str, Sequence[Any]] | Any,
    *,
    metric: str = "",
    parameters: Mapping[str, Mapping[str, object]] | None = None,
) -> RunSet:
    """Unite runs.

    source      files of profiles and traces, a folder of them, or a table with the columns run, path (functions with
                " > " between them) and time (ns, by itself): a DataFrame, or a dict of columns. What else the table
                has are parameters, except what `RunSet.columns` adds
    metric      name; "" = time
    parameters  name of a run -> name of a parameter -> value

    Raises InputError for what cannot be read or compared.
    """
    if isinstance(source, Mapping) or hasattr(source, "columns"):
        found = runs_of_table(source)
    else:
        paths = [source] if isinstance(source, Path | str) else list(source)
        found = runs_of((path.stem, part) for path in _files(paths) for part in read_traces(path))
    if parameters:
        texts = {run: {name: str(value) for name, value in said.items()} for run, said in parameters.items()}
        found = with_parameters(found, texts)
    return RunSet(united(found, metric))


def _files(paths: Iterable[Path | str]) -> Iterable[Path]:
    """Folders that are no recordings are looked into."""
    from cbvtool.trace.readers.recordings import is_trace, recordings_in

    for path in (Path(each).expanduser() for each in paths):
        if path.is_dir() and not is_trace(path):
            yield from recordings_in(path)[0]
        else:
            yield path


def runs_of_table(table: Mapping[str, Sequence[Any]] | Any) -> list[ProfiledRun]:
    """Runs of a table with columns run, path and time, or exclusive in its place, in the order of their first rows."""
    names = [str(name) for name in (table if isinstance(table, Mapping) else table.columns)]
    time = "time" if "time" in names else "exclusive"
    for name in ("run", "path", time):
        if name not in names:
            lacking = "time" if name == time else name
            raise InputError(f"The table of runs has no column {lacking!r}.")
    told = ("run", "path", time, "function", "module", "file", "inclusive")
    others = [name for name in names if name not in told]
    columns = {name: list(table[name]) for name in ("run", "path", time, *others)}
    if len({len(column) for column in columns.values()}) > 1:
        raise InputError("The columns of the table of runs differ in length.")
    modules = list(table["module"]) if "module" in names else None
    rows: dict[str, list[int]] = {}
    for row, run in enumerate(columns["run"]):
        rows.setdefault(str(run), []).append(row)
    return [
        ProfiledRun(run, _profile(columns, own, time, modules), {name: str(columns[name][own[0]]) for name in others})
        for run, own in rows.items()
    ]


def _profile(
    columns: Mapping[str, Sequence[Any]], rows: Sequence[int], time: str, modules: Sequence[Any] | None
) -> Any:
    """A profile of exclusive times. Raises InputError for what is no number."""
    made = ProfileBuilder("table", Budget("The table of runs"))
    nodes: dict[tuple[str, ...], int] = {}
    known = {str(columns["path"][row]): str(modules[row]) for row in rows} if modules is not None else {}
    for row in rows:
        path = tuple(str(columns["path"][row]).split(SEPARATOR))
        for end in range(1, len(path) + 1):
            if path[:end] not in nodes:
                name = path[end - 1]
                module = known.get(SEPARATOR.join(path[:end]), name.rpartition(".")[0])
                nodes[path[:end]] = made.node(made.function(name, module), nodes.get(path[: end - 1], -1))
        try:
            value = float(columns[time][row])
        except (TypeError, ValueError):
            raise InputError(f"Row {row + 1:,} of the table of runs has no number as {time}.") from None
        if np.isfinite(value):
            made.add(nodes[path], "time", value, unit="ns", inclusive=False)
    return made.profile()


def paths_of(ensemble: Ensemble) -> list[str]:
    """The functions along each call path, the outermost first; parents come before their children."""
    found: list[str] = []
    names: Sequence[str] = ensemble.functions.name
    pairs: Iterable[tuple[int, int]] = zip(ensemble.function.tolist(), ensemble.parent.tolist(), strict=True)
    for function, parent in pairs:
        found.append(f"{found[parent]}{SEPARATOR}{names[function]}" if parent >= 0 else names[function])
    return found

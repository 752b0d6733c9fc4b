"""From files, facts and relations to the Graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from cbvtool.analysis.chains import along_imports
from cbvtool.analysis.facts import Definition, FileFacts
from cbvtool.analysis.languages.python.exported import PACKAGE_MARKS, exported
from cbvtool.analysis.resolution import FOLDER, KINDS, Outside, Place, Resolution
from cbvtool.analysis.walk import FoundFile, LeftOut
from cbvtool.graph import CALLABLE, EXTERNAL, Edges, Graph, GraphBuilder, IntColumn, LanguageShare, Report, Skipped


def build_graph(
    name: str,
    files: Sequence[FoundFile],
    facts: Mapping[int, FileFacts],
    resolutions: Sequence[Resolution],
    left_out: Iterable[LeftOut],
    notes: Iterable[str],
    *,
    marks: Mapping[str, Container[int]] = MappingProxyType({}),
    languages: Iterable[LanguageShare] = (),
    entry_points: Iterable[str] = (),
) -> Graph:
    """The graph of `files`; `facts`, `resolutions` and `marks` refer to files by their row.

    marks  name of an own value -> the files for which it is 1

    Folders without files are not in the graph. A folder with an `__init__.py`, or one that a resolver names as such, is
    a package. All external packages are below one top-level node of kind `external`.
    """
    builder = GraphBuilder(name)
    folders = [file.id.rpartition("/")[0] for file in files]
    marked = set[str]().union(*(resolution.packages for resolution in resolutions))
    packages = {
        folder
        for file, folder in zip(files, folders, strict=True)
        if file.id.rpartition("/")[2] in PACKAGE_MARKS or file.path.rpartition("/")[0] in marked
    }
    keys = [
        _add_file(builder, packages, file, facts.get(row), [name for name, rows in marks.items() if row in rows])
        for row, file in enumerate(files)
    ]
    elsewhere: dict[int, set[int]] = defaultdict(set)
    for place in set[Place]().union(*(resolution.elsewhere for resolution in resolutions)):
        elsewhere[place.file].add(place.definition)
    first = np.zeros(len(files), np.int64)  # index in `definition_keys` of the first definition of each file
    definition_keys: list[int] = []
    for row in sorted(facts):  # after all files, so that no definition takes the id of a file
        first[row] = len(definition_keys)
        definition_keys += _add_definitions(builder, files[row].id, facts[row], keys[row], elsewhere.get(row, set()))
    for place in sorted(exported([file.id for file in files], facts, resolutions)):
        builder.measure(definition_keys[int(first[place.file]) + place.definition], "exported", 1.0)
    outside = [use for resolution in resolutions for use in resolution.outside]
    file_keys = np.array(keys, np.int32)
    folder_keys = np.array([builder.key(folder) for folder in folders], np.int32)
    rows = np.concatenate(
        [
            _inside(resolutions, file_keys, folder_keys, first, np.array(definition_keys, np.int32)),
            _outside(builder, outside, file_keys),
        ]
    )
    broken = [row for row in sorted(facts) if facts[row].syntax_error]
    report = Report(
        files=len(facts),
        skipped=tuple(Skipped(path, reason) for path, reason in left_out),
        parse_errors=tuple(files[row].id for row in broken),
        lost_lines=tuple(facts[row].lost_lines for row in broken),
        notes=tuple(notes),
        languages=tuple(languages),
        entry_points=tuple(entry_points),
    )
    numbers = np.array([builder.file_number(file.id) for file in files], np.int32)
    return builder.freeze(report, _edges(rows, numbers))


# Columns of the intermediate relation tables.
_SOURCE, _TARGET, _KIND, _FILE, _LINE, _WHEN, _CONFIDENCE = range(7)


def _inside(
    resolutions: Sequence[Resolution],
    file_keys: IntColumn,
    folder_keys: IntColumn,
    first: npt.NDArray[np.int64],
    definition_keys: IntColumn,
) -> IntColumn:
    """int32[m, 7]: relations between nodes."""
    table = np.concatenate([_relations(found) for found in resolutions] or [np.empty((0, 8), np.int32)])
    ends = []
    for file, definition in (table[:, :2].T, table[:, 2:4].T):
        whole = np.where(definition == FOLDER, folder_keys[file], file_keys[file])
        inner = np.flatnonzero(definition >= 0)
        ends.append(whole)
        ends[-1][inner] = definition_keys[first[file[inner]] + definition[inner]]
    apart = ends[0] != ends[1]  # drops also uses by a class of what is only declared in it: both have one node
    rows = np.column_stack((*ends, table[:, 4], table[:, 0], table[:, 5:])).astype(np.int32)
    found: IntColumn = rows[apart]
    return found


def _relations(resolution: Resolution) -> IntColumn:
    """int32[m, 8]: the columns of its relations."""
    if not len(resolution.relations):
        return np.empty((0, 8), np.int32)
    table: IntColumn = np.frombuffer(resolution.relations.columns, np.int32).reshape(-1, 8)
    return along_imports(table, resolution.everywhere) if resolution.by_import else table


def _outside(builder: GraphBuilder, uses: Sequence[Outside], file_keys: IntColumn) -> IntColumn:
    """int32[k, 7]: uses of packages outside the folder; adds these packages to the graph."""
    rows = np.empty((len(uses), 7), np.int32)
    top = ""
    known: dict[tuple[str, bool], int] = {}
    for use in sorted(set(uses), key=lambda use: (use.package, use.standard)):
        if (use.package, use.standard) not in known:
            if not top:
                top = _free(builder, EXTERNAL)
                builder.add_node(top, "", "(external)", EXTERNAL)
            known[use.package, use.standard] = builder.add_node(
                f"{top}:{use.package}", top, use.package, EXTERNAL, values={"standard": float(use.standard)}
            )
    for i, use in enumerate(uses):
        target = known[use.package, use.standard]
        rows[i] = (file_keys[use.file], target, KINDS.index(use.kind), use.file, use.line, use.when, 0)
    return rows


def _free(builder: GraphBuilder, wanted: str) -> str:
    while wanted in builder:
        wanted += "'"
    return wanted


def _edges(rows: IntColumn, file_numbers: IntColumn) -> Edges:
    """One edge for each (source, target, kind), with all sites, the highest confidence and the earliest `when`."""
    if not len(rows):
        return Edges.empty()
    order = np.lexsort((rows[:, _LINE], rows[:, _FILE], rows[:, _KIND], rows[:, _TARGET], rows[:, _SOURCE]))
    rows = rows[order]
    begins = np.flatnonzero(np.append(True, (rows[1:, :_FILE] != rows[:-1, :_FILE]).any(axis=1)))
    ptr = np.append(begins, len(rows))
    used = np.unique(rows[:, _KIND])
    return Edges(
        rows[begins, _SOURCE],
        rows[begins, _TARGET],
        np.searchsorted(used, rows[begins, _KIND]),
        np.diff(ptr),
        np.minimum.reduceat(rows[:, _CONFIDENCE], begins),
        np.minimum.reduceat(rows[:, _WHEN], begins),
        ptr,
        file_numbers[rows[:, _FILE]],
        rows[:, _LINE],
        tuple(KINDS[kind] for kind in used),
    )


def _add_folders(builder: GraphBuilder, packages: set[str], path: str) -> None:
    """Add the folder `path` and those above it that are not there yet."""
    missing = []
    while path not in builder:
        missing.append(path)
        path = path.rpartition("/")[0]
    for folder in reversed(missing):
        parent, _, name = folder.rpartition("/")
        builder.add_node(folder, parent, name, "package" if folder in packages else "folder")


def _add_file(
    builder: GraphBuilder, packages: set[str], file: FoundFile, facts: FileFacts | None, marks: Iterable[str]
) -> int:
    """Add a file and the folders above it; returns the file's key."""
    folder, _, name = file.id.rpartition("/")
    _add_folders(builder, packages, folder)
    values: dict[str, float] = {"bytes": file.size} | dict.fromkeys(marks, 1.0)
    if facts is None:
        return builder.add_node(file.id, folder, name, "file", file=file.id, values=values)
    if facts.measured:
        values |= _measured(facts)
    return builder.add_node(file.id, folder, name, "file", file=file.id, line=1, end_line=facts.lines, values=values)


def _add_definitions(
    builder: GraphBuilder, file: str, facts: FileFacts, file_key: int, elsewhere: Container[int]
) -> list[int]:
    """Add the classes and functions in `file`.

    Returns their keys; a definition in `elsewhere` has that of its container.
    """
    ids: list[str] = []
    keys: list[int] = []
    numbers: dict[str, int] = {}
    rows = _without(facts.definitions, elsewhere)
    for i, row in enumerate(rows):
        parent = file if row.parent < 0 else ids[row.parent]
        if i in elsewhere:
            ids.append(parent)
            keys.append(file_key if row.parent < 0 else keys[row.parent])
            continue
        wanted = f"{file}::{row.name}" if row.parent < 0 else f"{parent}.{row.name}"
        ids.append(_unique(builder, numbers, wanted))
        keys.append(
            builder.add_node(
                ids[-1],
                parent,
                row.name,
                row.kind,
                file=file,
                line=row.line,
                end_line=row.end_line,
                values=_measured(row),
            )
        )
    return keys


def _without(rows: Sequence[Definition], elsewhere: Container[int]) -> Sequence[Definition]:
    """`rows`, with the lines of definitions in `elsewhere` added to their container, unless that is the file itself."""
    found = list(rows)
    for i, row in enumerate(rows):
        if i in elsewhere and row.parent >= 0:
            around = found[row.parent]
            own, more = around.measures, row.measures
            own = own._replace(sloc=own.sloc + more.sloc, comments=own.comments + more.comments)
            found[row.parent] = around._replace(measures=own)
    return found


def _unique(builder: GraphBuilder, numbers: dict[str, int], wanted: str) -> str:
    """`wanted`, or with `#2`, `#3`, ... when something of that id is there already."""
    number = numbers.get(wanted, 0) + 1
    found = wanted if number == 1 else f"{wanted}#{number}"
    while found in builder:
        number += 1
        found = f"{wanted}#{number}"
    numbers[wanted] = number
    return found


def _measured(own: FileFacts | Definition) -> dict[str, float]:
    measured: dict[str, float] = own.measures._asdict()
    if isinstance(own, Definition) and own.kind in CALLABLE:
        measured["parameters"] = own.parameters
    return measured

"""From files, facts and relations to the Graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cbvtool.analysis.facts import Definition, FileFacts, Relation
from cbvtool.analysis.walk import FoundFile, LeftOut
from cbvtool.graph import Graph, GraphBuilder, Report, Skipped

IMPORT = "import"
_PACKAGE_MARKS = ("__init__.py", "__init__.pyi")


def build_graph(
    name: str, files: Sequence[FoundFile], facts: Mapping[int, FileFacts], relations: Iterable[Relation],
    left_out: Iterable[LeftOut], notes: Iterable[str],
) -> Graph:  # fmt: skip
    """The graph of `files`; `facts` and `relations` name files by their row.

    Folders that hold no file are not in it. A folder with an `__init__.py` is a package.
    """
    builder = GraphBuilder(name)
    packages = {file.id.rpartition("/")[0] for file in files if file.id.rpartition("/")[2] in _PACKAGE_MARKS}
    keys = [_add_file(builder, packages, file, facts.get(row)) for row, file in enumerate(files)]
    for row in sorted(facts):  # only now, so that no definition takes the id of a file
        _add_definitions(builder, files[row].id, facts[row])
    for relation in relations:
        builder.add_edge(
            keys[relation.source], keys[relation.target], IMPORT, confidence=relation.confidence,
            when=relation.when, sites=[(files[relation.source].id, relation.line)],
        )  # fmt: skip
    report = Report(
        files=len(facts),
        skipped=tuple(Skipped(path, reason) for path, reason in left_out),
        parse_errors=tuple(files[row].id for row in sorted(facts) if facts[row].syntax_error),
        notes=tuple(notes),
    )
    return builder.freeze(report)


def _add_folders(builder: GraphBuilder, packages: set[str], path: str) -> None:
    """Add the folder `path` and those above it that are not there yet."""
    missing = []
    while path not in builder:
        missing.append(path)
        path = path.rpartition("/")[0]
    for folder in reversed(missing):
        parent, _, name = folder.rpartition("/")
        builder.add_node(folder, parent, name, "package" if folder in packages else "folder")


def _add_file(builder: GraphBuilder, packages: set[str], file: FoundFile, facts: FileFacts | None) -> int:
    """Add a file and the folders above it; returns the file's key."""
    folder, _, name = file.id.rpartition("/")
    _add_folders(builder, packages, folder)
    values: dict[str, float] = {"bytes": file.size}
    if facts is None:
        return builder.add_node(file.id, folder, name, "file", file=file.id, values=values)
    values |= _measured(facts)
    return builder.add_node(file.id, folder, name, "file", file=file.id, line=1, end_line=facts.lines, values=values)


def _add_definitions(builder: GraphBuilder, file: str, facts: FileFacts) -> None:
    """Add the classes and functions in `file`."""
    ids: list[str] = []
    numbers: dict[str, int] = {}
    for row in facts.definitions:
        parent = file if row.parent < 0 else ids[row.parent]
        wanted = f"{file}::{row.name}" if row.parent < 0 else f"{parent}.{row.name}"
        ids.append(_unique(builder, numbers, wanted))
        builder.add_node(
            ids[-1], parent, row.name, row.kind, file=file, line=row.line, end_line=row.end_line,
            values=_measured(row),
        )  # fmt: skip


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
    return {"sloc": own.sloc, "nl3_lines": own.nl3_lines, "complexity": own.complexity}

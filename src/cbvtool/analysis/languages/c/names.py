"""Resolver of C and C++. See c/includes.py for includes and c/symbols.py for names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages.c import clang as c_clang
from cbvtool.analysis.languages.c.builds import Build, by_clang, by_search
from cbvtool.analysis.languages.c.commands import FILE_NAME, find_database, read_database
from cbvtool.analysis.languages.c.includes import Includes, outside_name
from cbvtool.analysis.languages.c.symbols import Symbols, defined_elsewhere, relate
from cbvtool.analysis.resolution import IMPORT, INCLUDE, Folder, Outside, Resolution

_LISTED = 10  # outside packages that a note names


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the C and C++ files in `facts`."""
    result = Resolution()
    included = _relate_includes(folder, facts, result)
    if _is_first_picture(facts):
        return result
    symbols = Symbols(facts, included, folder.paths)
    relate(symbols, result.relations)
    result.elsewhere = set(defined_elsewhere(symbols))
    return result


def _is_first_picture(facts: Mapping[int, FileFacts]) -> bool:
    """Whether only the includes of the files have been read, for a first graph."""
    return not any(found.measures.sloc or found.definitions for found in facts.values())


def _relate_includes(folder: Folder, facts: Mapping[int, FileFacts], result: Resolution) -> dict[int, dict[int, None]]:
    """Add the includes to `result`; returns the files that each file includes."""
    build = _build(folder, facts, result)
    included: dict[int, dict[int, None]] = {}
    outside: Counter[str] = Counter()
    for file in sorted(facts):
        targets: dict[int, None] = {}
        for directive in facts[file].imports:
            found = build.find(file, directive)
            kind = IMPORT if directive.form == "module" else INCLUDE
            for target in found.files:
                if target != file:
                    targets[target] = None
                    result.relations.add(
                        (file, -1), (target, -1), kind, directive.line, directive.when, found.confidence
                    )
            if not found.files:
                name, standard = outside_name(directive)
                result.outside.append(Outside(file, name, directive.line, directive.when, standard=standard, kind=kind))
                outside[name] += not standard
        included[file] = targets
    names = [name for name, count in sorted(outside.items(), key=lambda item: (-item[1], item[0])) if count]
    if names:
        listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        result.notes.append(
            f"{sum(outside.values()):,} includes lead to {len(names):,} headers or libraries outside: {listed}."
        )
    return included


def _build(folder: Folder, facts: Mapping[int, FileFacts], result: Resolution) -> Build:
    """The includes of the build, if there is a compilation database.

    Without one, an empty `Build`, which searches by project layout.
    """
    database = find_database(folder.root) if folder.root else None
    plain = Includes(folder, facts)
    if database is None:
        return Build(plain, {}, {}, set())
    try:
        units = read_database(database, folder.root, plain.row.__contains__)
    except ValueError as error:
        result.notes.append(str(error))
        return Build(plain, {}, {}, set())
    if not units:
        result.notes.append(f"{FILE_NAME} is not used: it names no source of this folder.")
        return Build(plain, {}, {}, set())
    includes = Includes(folder, facts, [path for unit in units for path in unit.angle])
    possible, seen = by_search(units, includes, facts)
    if _is_first_picture(facts) or len(units) > c_clang.MOST_UNITS or not c_clang.available():
        return Build(includes, {}, possible, seen)
    taken, left = by_clang(folder.root, units, includes)
    if left:
        result.notes.append(f"libclang could not read {left:,} of {len(units):,} units of {FILE_NAME}.")
    return Build(includes, taken, possible, seen)

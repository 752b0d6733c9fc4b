"""Resolver of COBOL: the copybook, program, section or paragraph that a statement refers to, by the language's rules.

Copybooks are searched as compilers do: beside the file, then in the declared include paths. Because few repositories
declare these, they are then searched by name in the whole folder, nearest first. Programs are found by PROGRAM-ID or
ENTRY, contained ones first. Paragraphs are looked up in the own section, then in the program, then in its copybooks;
from inside a copybook, in the programs that copy it. A data item holds the values that the program assigns to it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from cbvtool.analysis.facts import ASSIGN, EXACT, GUESS, REFER, RESOLVED, Definition, FileFacts, Import, Use
from cbvtool.analysis.marks import Entry, Mark, Replacing
from cbvtool.analysis.resolution import CALL, COPY, PERFORM, REFERENCE, Folder, Outside, Place, Resolution

_ENDINGS = ("", ".CPY", ".CBL", ".COB", ".cpy", ".cbl", ".cob")  # as GnuCOBOL tries them
# Suffixes of the files that may be meant, the likeliest first: copybooks, programs, others. A build turns a map (BMS)
# into a copybook.
_LIKELY = (
    (".cpy", ".copy", ".cpb", ".cpyle", ".inc", ".dcl", ".ws", ".wks", ".fd", ".sl", ".pd", ".lib", ""),
    (".cbl", ".cob", ".cobol", ".cblle"),
    (".txt", ".bms"),
)
_RANK = {ending: (sort, rank) for sort, endings in enumerate(_LIKELY) for rank, ending in enumerate(endings)}
_UNITS = frozenset({"program", "function", "class", "interface", "method"})
_CALLABLE = frozenset({"program", "function"})

_MOST_FILES = 200  # files in which one name is looked up, along COPY statements
_MOST_TARGETS = 20  # targets of one use: programs that copy a paragraph, values of a data item
_LONGEST_NAME = 300  # characters of a name after replacing
_MOST_IN_RANGES = 100_000  # relations to the inside of PERFORM ... THRU ranges, for each file

# Programs and copybooks that come with compilers, operating systems, databases and transaction monitors.
_SYSTEM = re.compile(
    r"""(?ix) (?: SQLCA | SQLDA | DFH\w+ | DSN\w+ | CEE\w+ | IGZ\w+ | ILBO\w+ | MQ\w+ | CMQ\w+ | EZA\w+ | CBL_\w+
    | PC_\w+ | C\$.* | CBLTDLI | AIBTDLI | CEETDLI | EXTFH | EXTSM | SYSTEM
    | X["'].* | SCREENIO(?:\.CPY)? | XF\w+\.CPY )$"""
)


def resolve(folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """Relations between the COBOL files in `facts` and their definitions."""
    return _Resolver(folder, facts).run()


class _Copy(NamedTuple):
    """A copybook, as copied by one statement.

    owner    row of the program that contains the statement, -1 = none
    changed  pairs of texts in capitals: replaced text, replacement
    """

    file: int
    confidence: int
    owner: int
    changed: tuple[tuple[str, str], ...]


class _Found(NamedTuple):
    place: Place
    confidence: int


class _Resolver:
    """The lookup tables of the resolver, filled while it goes through the uses."""

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self.paths, self.facts = folder.paths, facts
        self.result = Resolution()
        self.copybooks = _Copybooks(folder, facts)
        self.owners = {file: _owners(found.definitions) for file, found in facts.items()}
        self.labels = {file: _labels(found.definitions, self.owners[file]) for file, found in facts.items()}
        self.copies: dict[int, list[_Copy]] = defaultdict(list)
        self.copied_by: dict[int, list[_Found]] = defaultdict(list)  # copybook -> programs or files that copy it
        self.held: dict[int, dict[str, list[str]]] = {}  # file -> values of its data items
        self.spelling: dict[str, str] = {}  # spelling of names outside the folder
        self.unknown = self.unfollowed = 0
        self._performed: dict[tuple[int, int, str], list[_Found]] = {}
        self._copied_labels: dict[tuple[int, int], dict[str, _Found]] = {}
        self._tables: dict[tuple[int, int], list[dict[str, list[str]]]] = {}

    def run(self) -> Resolution:
        for file in sorted(self.facts):
            self._copy_all(file)
        for file in sorted(self.facts):
            self.held[file] = defaultdict(list)
            for use in self.facts[file].uses.unpack():
                if use.kind == ASSIGN:
                    self.held[file][use.name].append(use.other)
        for file in sorted(self.facts):
            in_ranges = 0
            for use in self.facts[file].uses.unpack():
                if use.kind == ASSIGN:
                    continue
                if use.other.startswith("perform"):
                    in_ranges = self._perform(file, use, in_ranges)
                elif use.other == "function":
                    self._function(file, use)
                elif use.other == "program":
                    self._program(file, use, use.name)
                else:
                    self._data(file, use)
        if self.unknown:
            self.result.notes.append(
                f"{self.unknown:,} uses of COBOL paragraphs and sections name one that is not there "
                "(in a copybook that is missing, or replaced by the compiler?)."
            )
        if self.unfollowed:
            self.result.notes.append(
                f"{self.unfollowed:,} COBOL calls name their program in a data item whose values are not in the source."
            )
        return self.result

    # -- copybooks -------------------------------------------------------------------------------------------------

    def _copy_all(self, file: int) -> None:
        facts = self.facts[file]
        changes = _replacing(facts.marks)
        for row, statement in enumerate(facts.imports):
            found = self.copybooks.find(self.paths[file], statement)
            owner = self.owners[file][statement.scope] if statement.scope >= 0 else -1
            for target, confidence in found:
                if target == file:
                    continue
                # A copybook with paragraphs of its own stands beside those of the program, not in one of them.
                source = Place(file, owner if self.labels.get(target) else statement.scope)
                self.result.relations.add(source, Place(target), COPY, statement.line, statement.when, confidence)
                self.copies[file].append(_Copy(target, confidence, owner, changes.get(row, ())))
                self.copied_by[target].append(_Found(Place(file, owner), confidence))
            if not found:
                self._outside(file, statement.module, statement.line)

    def _copied(self, file: int, owner: int) -> Iterator[tuple[_Copy, tuple[tuple[str, str], ...]]]:
        """What the program in row `owner` of `file` copies, at any depth, each file once, with its replacements."""
        seen = {file}
        todo = [(copy, copy.changed) for copy in reversed(self.copies.get(file, ())) if copy.owner == owner]
        while todo and len(seen) < _MOST_FILES:
            copy, changed = todo.pop()
            if copy.file in seen:
                continue
            seen.add(copy.file)
            yield copy, changed
            todo += [(inner, inner.changed + changed) for inner in reversed(self.copies.get(copy.file, ()))]

    def _outside(self, file: int, name: str, line: int) -> None:
        shown = self.spelling.setdefault(name.upper(), name)
        self.result.outside.append(Outside(file, shown, line, standard=bool(_SYSTEM.match(name))))

    # -- paragraphs and sections -----------------------------------------------------------------------------------

    def _perform(self, file: int, use: Use, in_ranges: int) -> int:
        """Add a PERFORM or GO TO; returns `in_ranges` plus the number of targets added inside a range."""
        source = Place(file, use.scope)
        found = self._find_label(source, use.name)
        self.unknown += not found
        for place, confidence in found:
            self.result.relations.add(source, place, PERFORM, use.line, confidence=confidence)
        _, _, first = use.other.partition(" ")
        if not first or not found:
            return in_ranges
        start = self._find_label(source, first)
        if start and start[0].place.file == found[0].place.file and in_ranges < _MOST_IN_RANGES:
            (place, confidence), end = start[0], found[0].place.definition
            for row in self._between(place.file, place.definition, end):
                in_ranges += 1
                self.result.relations.add(source, Place(place.file, row), PERFORM, use.line, confidence=confidence)
        return in_ranges

    def _between(self, file: int, first: int, last: int) -> Iterator[int]:
        """Rows of the paragraphs and sections between `first` and `last`; a section counts as one."""
        definitions = self.facts[file].definitions
        around = definitions[last].parent
        whole = first
        for row in range(first + 1, last):
            if definitions[row].parent == whole or row == around or definitions[row].kind in _UNITS:
                continue
            if definitions[row].kind == "section":
                whole = row
            yield row

    def _find_label(self, source: Place, name: str) -> list[_Found]:
        """Paragraphs or sections to which `name` (`A` or `A OF B`) refers in `source`."""
        file, scope = source
        definitions = self.facts[file].definitions
        section = scope
        while section >= 0 and definitions[section].kind == "paragraph":
            section = definitions[section].parent
        key = file, section, name
        if key not in self._performed:
            self._performed[key] = self._search_label(file, section, name)
        return self._performed[key]

    def _search_label(self, file: int, section: int, name: str) -> list[_Found]:
        owner = self.owners[file][section] if section >= 0 else -1
        rows = self._rows(file, owner, name)
        if rows:
            own = [row for row in rows if self.facts[file].definitions[row].parent == section]
            if len(own or rows) == 1:
                return [_Found(Place(file, (own or rows)[0]), EXACT)]
            return [_Found(Place(file, row), GUESS) for row in rows[:_MOST_TARGETS]]
        if found := self._in_copies(file, owner, name):
            return found
        if owner < 0:  # in a copybook: look in the programs that copy it
            found = []
            for place, _ in self.copied_by.get(file, ())[:_MOST_FILES]:
                rows = self._rows(place.file, place.definition, name)
                found += [_Found(Place(place.file, row), RESOLVED) for row in rows[:1]]
                if not rows:
                    found += self._in_copies(place.file, place.definition, name)
            return list(dict.fromkeys(found))[:_MOST_TARGETS]
        return []

    def _in_copies(self, file: int, owner: int, name: str) -> list[_Found]:
        """The first paragraph or section called `name` in the copybooks of the program in row `owner` of `file`."""
        key = file, owner
        if key not in self._copied_labels:
            labels = self._copied_labels[key] = {}
            for copy, changed in self._copied(file, owner):
                for label, rows in self.labels.get(copy.file, {}).get(-1, {}).items():
                    confidence = max(
                        copy.confidence, RESOLVED if changed else EXACT, EXACT if len(rows) == 1 else GUESS
                    )
                    found = _Found(Place(copy.file, rows[0]), confidence)
                    labels.setdefault(_replaced(label, changed), found)
                    section = self.facts[copy.file].definitions[rows[0]].parent
                    if section >= 0:
                        around = self.facts[copy.file].definitions[section].name.upper()
                        labels.setdefault(f"{_replaced(label, changed)} OF {_replaced(around, changed)}", found)
        found_here = self._copied_labels[key].get(name)
        return [found_here] if found_here else []

    def _rows(self, file: int, owner: int, name: str) -> list[int]:
        """Rows of definitions called `name` in the program in row `owner` of `file`."""
        if file not in self.facts:
            return []
        label, _, section = name.partition(" OF ")
        rows = self.labels[file].get(owner, {}).get(label, [])
        if section:
            definitions = self.facts[file].definitions
            rows = [
                row
                for row in rows
                if definitions[row].parent >= 0 and definitions[definitions[row].parent].name.upper() == section
            ]
        return rows

    # -- programs --------------------------------------------------------------------------------------------------

    @cached_property
    def programs(self) -> dict[str, list[Place]]:
        """Outermost programs, functions and entries, by name in capitals."""
        found: dict[str, list[Place]] = defaultdict(list)
        for file in sorted(self.facts):
            definitions = self.facts[file].definitions
            for row, definition in enumerate(definitions):
                if definition.kind in _CALLABLE and definition.parent < 0:
                    found[definition.name.upper()].append(Place(file, row))
            for mark in self.facts[file].marks:
                if isinstance(mark, Entry):
                    found[mark.name].append(Place(file, mark.row))
        return found

    @cached_property
    def files(self) -> dict[str, list[Place]]:
        """The first program of each file that has one, by the file's name in capitals."""
        found: dict[str, list[Place]] = defaultdict(list)
        for file in sorted(self.facts):
            definitions = self.facts[file].definitions
            if definitions and definitions[0].kind == "program":
                found[_stem(self.paths[file]).upper()].append(Place(file, 0))
        return found

    @cached_property
    def contained(self) -> dict[tuple[int, int, str], int]:
        """Programs in programs: (file, row of the outer one, name in capitals) -> row."""
        return {
            (file, definition.parent, definition.name.upper()): row
            for file, found in self.facts.items()
            for row, definition in enumerate(found.definitions)
            if definition.kind == "program" and definition.parent >= 0
        }

    def _find_program(self, source: Place, name: str) -> list[_Found]:
        name = name.upper()
        file, scope = source
        definitions = self.facts[file].definitions
        outer = self.owners[file][scope] if scope >= 0 else -1
        while outer >= 0:
            row = self.contained.get((file, outer, name))
            if row is not None:
                return [_Found(Place(file, row), EXACT)]
            outer = definitions[outer].parent
        for known, confidence in ((self.programs, EXACT), (self.files, RESOLVED)):
            if places := known.get(name) or known.get(name.rpartition("/")[2]):
                nearest = _nearest(self.paths, file, [place.file for place in places])
                chosen = [place for place in places if place.file in nearest]
                if len(chosen) > 1:
                    confidence = GUESS
                elif len(places) > 1:
                    confidence = RESOLVED
                return [_Found(place, confidence) for place in chosen[:_MOST_TARGETS]]
        return []

    def _program(self, file: int, use: Use, name: str, least: int = EXACT) -> bool:
        """Add the use of the program `name`, with confidence `least` or lower. Returns whether it was found."""
        source = Place(file, use.scope)
        found = self._find_program(source, name)
        for place, confidence in found:
            kind = REFERENCE if use.kind == REFER else CALL
            self.result.relations.add(source, place, kind, use.line, confidence=max(confidence, least))
        if not found and least == EXACT:
            self._outside(file, name, use.line)
        return bool(found)

    def _function(self, file: int, use: Use) -> None:
        source = Place(file, use.scope)
        places = [
            place
            for place in self.programs.get(use.name, ())
            if self.facts[place.file].definitions[place.definition].kind == "function"
        ]
        nearest = _nearest(self.paths, file, [place.file for place in places])
        for place in places:
            if place.file in nearest:
                confidence = EXACT if len(places) == 1 else RESOLVED if len(nearest) == 1 else GUESS
                self.result.relations.add(source, place, CALL, use.line, confidence=confidence)

    def _data(self, file: int, use: Use) -> None:
        """Add the use of programs whose names are in a data item."""
        values = self._values(file, use)
        known = False
        for name, confidence in values.items():
            known |= self._program(file, use, name, confidence)
        if not known:
            direct = [name for name, confidence in values.items() if confidence == RESOLVED]
            for name in direct:
                self._outside(file, name, use.line)
            self.unfollowed += not direct

    def _values(self, file: int, use: Use) -> dict[str, int]:
        """Literals that the data item of a use may hold, with the confidence of each."""
        tables = self._held_around(file, self.owners[file][use.scope] if use.scope >= 0 else -1)
        values: dict[str, int] = {}
        todo, seen = [use.name], {use.name}
        while todo and len(values) < _MOST_TARGETS:
            name = todo.pop()
            for table in tables:
                for other in table.get(name, ()):
                    if other[0] == "'":
                        sure = RESOLVED if name == use.name else GUESS
                        values[other[1:-1]] = min(sure, values.get(other[1:-1], GUESS))
                    elif other.startswith("table '"):
                        values.setdefault(other[7:-1], GUESS)
                    elif other not in seen and len(seen) < _MOST_TARGETS:
                        seen.add(other)
                        todo.append(other)
        return values

    def _held_around(self, file: int, owner: int) -> list[dict[str, list[str]]]:
        """Values of data items as assigned in the file, its copybooks, and, if `owner` < 0, files that copy it."""
        key = file, owner
        if key not in self._tables:
            files = [file, *(copy.file for copy, _ in self._copied(file, owner))]
            if owner < 0:
                files += [place.file for place, _ in self.copied_by.get(file, ())[:_MOST_FILES]]
            self._tables[key] = [self.held[row] for row in dict.fromkeys(files) if self.held.get(row)]
        return self._tables[key]


class _Copybooks:
    """Files that COPY may refer to, by folder and name.

    here   (folder, name as spelled) -> row
    loose  (folder, name in small letters without its suffix) -> rows
    named  name in small letters, with and without its suffix -> rows
    programs  rows of files that hold a whole program; often a copybook in another folder has the same name
    """

    def __init__(self, folder: Folder, facts: Mapping[int, FileFacts]) -> None:
        self.paths = folder.paths
        self.programs = {
            row
            for row, found in facts.items()
            if any(unit.kind in _UNITS and unit.parent < 0 for unit in found.definitions)
        }
        self.include_paths = [path.strip("/").removeprefix("./") for path in folder.include_paths]
        self.here: dict[tuple[str, str], int] = {}
        self.loose: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.named: dict[str, list[int]] = defaultdict(list)
        for row, path in enumerate(folder.paths):
            where, _, name = path.rpartition("/")
            self.here[where, name] = row
            stem, dot, ending = name.lower().rpartition(".")
            if not dot:
                stem, ending = ending, ""
            self.loose[where, name.lower()].append(row)
            self.named[name.lower()].append(row)
            if dot and f".{ending}" in _RANK:
                self.loose[where, stem].append(row)
                self.named[stem].append(row)
        self._cache: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def find(self, source: str, statement: Import) -> list[tuple[int, int]]:
        """(file, confidence) of the copybooks of a statement in the file `source`; empty = not in the folder."""
        where = source.rpartition("/")[0]
        key = where, statement.module
        if key not in self._cache:
            name = statement.module.strip().strip("/")
            self._cache[key] = self._search(source, where, name, self.programs) or self._search(source, where, name, ())
        if statement.form == "dotted":
            return [(row, max(confidence, RESOLVED)) for row, confidence in self._cache[key]]
        return self._cache[key]

    def _search(self, source: str, where: str, name: str, but: Collection[int]) -> list[tuple[int, int]]:
        """As `find`, for a name, without the files in `but`, unless the name includes their suffix."""
        folders = [where, *self.include_paths]
        for folder in folders:
            inside, base = _inside(folder, name)
            for ending in _ENDINGS:
                row = self.here.get((inside, base + ending))
                if row is not None and (ending == "" or row not in but):
                    return [(row, EXACT)]
        for folder in folders:
            inside, base = _inside(folder, name)
            if rows := [row for row in self.loose.get((inside, base.lower()), ()) if row not in but]:
                return [(self._best(rows)[0], RESOLVED)]
        if "/" in name:  # there is no such library: use the name alone
            for folder in folders:
                if rows := [
                    row for row in self.loose.get((folder, name.lower().rpartition("/")[2]), ()) if row not in but
                ]:
                    return [(self._best(rows)[0], RESOLVED)]
        base = name.lower().rpartition("/")[2]
        rows = self.named.get(base) or self.named.get(base.rpartition(".")[0]) or []
        rows = [row for row in rows if self.paths[row] != source and row not in but]
        likely = min((self._rank(row)[0] for row in rows), default=0)
        rows = [row for row in rows if self._rank(row)[0] == likely]
        if library := name.lower().rpartition("/")[0]:
            rows = [row for row in rows if self.paths[row].lower().split("/")[-2:-1] == [library]] or rows
        nearest = self._best(sorted(_nearest(self.paths, where, rows)))
        return [(row, RESOLVED if len(nearest) == 1 else GUESS) for row in nearest[:_MOST_TARGETS]]

    def _best(self, rows: Sequence[int]) -> list[int]:
        """Those of `rows` whose suffix is the likeliest for a copybook."""
        least = min(map(self._rank, rows), default=None)
        return [row for row in rows if self._rank(row) == least]

    def _rank(self, row: int) -> tuple[int, int]:
        return _RANK.get(_ending(self.paths[row]), (len(_LIKELY), 0))


def _inside(folder: str, name: str) -> tuple[str, str]:
    """Folder and last part of the path `name` below `folder`; a path that leads out of the root matches nothing."""
    above, _, base = name.replace("\\", "/").rpartition("/")
    parts = [part for part in folder.split("/") if part]
    for part in above.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts), base


def _ending(path: str) -> str:
    name = path.rpartition("/")[2].lower()
    return name[name.rfind(".") :] if "." in name else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _nearest(paths: Sequence[str], source: int | str, rows: Sequence[int]) -> set[int]:
    """Those of `rows` with the fewest steps through folders from `source`, a file's row or a folder."""
    if len(rows) < 2:
        return set(rows)
    folder = source if isinstance(source, str) else paths[source].rpartition("/")[0]
    start = folder.split("/") if folder else []

    def steps(row: int) -> int:
        goal = paths[row].split("/")[:-1]
        shared = 0
        while shared < min(len(start), len(goal)) and start[shared] == goal[shared]:
            shared += 1
        return len(start) + len(goal) - 2 * shared

    distance = {row: steps(row) for row in rows}
    least = min(distance.values())
    return {row for row, steps_to in distance.items() if steps_to == least}


def _owners(definitions: Sequence[Definition]) -> list[int]:
    """Row of the innermost unit (see `_UNITS`) that each definition is or lies in; -1 = none."""
    owners: list[int] = []
    for row, definition in enumerate(definitions):
        if definition.kind in _UNITS:
            owners.append(row)
        else:
            owners.append(owners[definition.parent] if definition.parent >= 0 else -1)
    return owners


def _labels(definitions: Sequence[Definition], owners: Sequence[int]) -> dict[int, dict[str, list[int]]]:
    """Rows of paragraphs and sections by program and name in capitals."""
    found: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, definition in enumerate(definitions):
        if definition.kind not in _UNITS:
            found[owners[row]][definition.name.upper()].append(row)
    return found


def _replacing(marks: Sequence[Mark]) -> dict[int, tuple[tuple[str, str], ...]]:
    """The replacements of each COPY, by its row among the imports."""
    return {mark.row: mark.pairs for mark in marks if isinstance(mark, Replacing)}


def _replaced(name: str, changed: Sequence[tuple[str, str]]) -> str:
    """`name` after replacing whole words, parts with their delimiters (`:X:`), and leading or trailing parts."""
    for old, new in changed:
        where, _, part = old.rpartition(" ")
        if where == "LEADING" and name.startswith(part):
            name = new + name.removeprefix(part)
        elif where == "TRAILING" and name.endswith(part):
            name = name.removesuffix(part) + new
        elif name == old:
            name = new
        elif not (where or old[:1].isalnum() or old[-1:].isalnum()):
            name = name.replace(old, new)
        if len(name) > _LONGEST_NAME:
            break
    return name

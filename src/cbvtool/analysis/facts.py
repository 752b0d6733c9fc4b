"""The result of reading one source file: plain tuples, cheap to send from a worker process and to cache."""

from __future__ import annotations

import struct
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Any, NamedTuple

from cbvtool.analysis.marks import Mark

# Increase this when a reader returns other facts for the same bytes, or when a type here changes: it invalidates
# caches.
FACTS_VERSION = 12

# cbvtool.graph.When and cbvtool.graph.Confidence as plain numbers, because workers do not load NumPy.
ALWAYS, DEFERRED, TYPE_CHECKING = 0, 1, 2
EXACT, RESOLVED, GUESS = 0, 1, 2

# Kinds of uses. The last two are not uses themselves; they help to resolve the others.
CALL, CREATE, INHERIT, TYPE, REFER, DECLARE, ASSIGN = range(7)
OUTER = "^"  # prefix of a name that no variable of the function hides


class Measures(NamedTuple):
    """Measures of a file or of a definition, without those of the definitions inside it.

    sloc        lines that hold code
    nl3_lines   those of these lines that are nested three or deeper in control structures
    complexity  decisions (McCabe 1976, "A complexity measure", section II); a function counts one more
    statements  number of statements; a control structure counts as one, and so does each statement in it
    nesting     largest number of control structures around a statement
    comments    lines that hold a comment and no code

    A new measure is a field here, counted in `sweep._measure`, and a metric of that name. Fields are always set by
    name, so that their order may change.
    """

    sloc: int = 0
    nl3_lines: int = 0
    complexity: int = 0
    statements: int = 0
    nesting: int = 0
    comments: int = 0


_NO_MEASURES = Measures()


class Definition(NamedTuple):
    """A definition in a file, such as a class, function or section; it becomes a node below the file.

    parent      an earlier row of the same file's definitions, -1 = the file
    line        1-based; of the first decorator, if there is one. `end_line` is 1-based and inclusive
    measures    its own, without those of inner definitions
    parameters  number of parameters of a function; 0 for others
    type        declared type as written: of a function's result, or of a variable; empty = none
    """

    parent: int
    name: str
    kind: str
    line: int
    end_line: int
    measures: Measures = _NO_MEASURES
    parameters: int = 0
    type: str = ""


class Import(NamedTuple):
    """One module, package or file named by an import, an include or a copy statement.

    module    as written; without quotes, and in Python without the leading dots (empty for `from . import x`)
    level     number of leading dots in Python
    names     names taken from it (`*` = all); None = the module itself
    line      first line of the statement, 1-based
    when      ALWAYS, DEFERRED (once a function runs), TYPE_CHECKING (for a type checker only)
    optional  whether the code catches a failure of this import
    form      how it is written, in languages with several forms (`angle`, `static`, `require`, `export`, ...)
    aliases   local name of each of `names`; if `names` is None, the local name of the module (one, or none at all)
    scope     row of the definition that contains it, -1 = the file
    """

    module: str
    level: int
    names: tuple[str, ...] | None
    line: int
    when: int = ALWAYS
    optional: bool = False
    form: str = ""
    aliases: tuple[str, ...] = ()
    scope: int = -1


class Use(NamedTuple):
    """One place where a definition uses something by a name.

    scope  row of the innermost definition that contains the place, -1 = the file
    kind   CALL (`name` is called), CREATE (`new name`), INHERIT (`scope` extends or implements `name`), TYPE (`name`
           stands where a type does), REFER (`name` is taken as a value), DECLARE (the variable `name` has the type
           `other`, or, if `other` ends with `()`, holds the result of that call), ASSIGN (`name` means what `other`
           means)
    name   dotted, as written but without blanks: `a.b.c`; `.c` = member c of an unnamed expression; after
           `OUTER` = as seen outside the function
    other  see DECLARE and ASSIGN; otherwise empty
    line   1-based
    """

    scope: int
    kind: int
    name: str
    other: str
    line: int


class Uses(NamedTuple):
    """Many uses in little memory. Make them by `pack`, read them by `unpack`.

    names  the distinct texts
    rows   int32[n, 5]: scope, kind, index in `names` of the name and of `other`, line; in this machine's byte order
    """

    names: tuple[str, ...] = ()
    rows: bytes = b""

    @staticmethod
    def pack(uses: Iterable[tuple[int, int, str, str, int]]) -> Uses:
        """The `uses` (as in `Use`), in the same order."""
        flat: list[Any] = list(chain.from_iterable(uses))
        number = dict(zip(dict.fromkeys(chain(flat[2::5], flat[3::5])), count()))
        flat[2::5] = map(number.__getitem__, flat[2::5])
        flat[3::5] = map(number.__getitem__, flat[3::5])
        return Uses(tuple(number), struct.pack(f"{len(flat)}i", *flat))

    @staticmethod
    def of_columns(
        scopes: Sequence[int], kinds: Sequence[int], names: Sequence[str], others: Sequence[str], lines: Sequence[int]
    ) -> Uses:
        """The uses, from one sequence for each field of `Use`, all of one length."""
        number = dict(zip(dict.fromkeys(chain(names, others)), count()))
        row_of = number.__getitem__
        rows = zip(scopes, kinds, map(row_of, names), map(row_of, others), lines, strict=True)
        return Uses(tuple(number), struct.pack(f"{5 * len(scopes)}i", *chain.from_iterable(rows)))

    def unpack(self) -> Iterator[Use]:
        """The uses, in order."""
        rows = array("i", self.rows)
        names = [sys.intern(name) for name in self.names]
        for i in range(0, len(rows), 5):
            yield Use(rows[i], rows[i + 1], names[rows[i + 2]], names[rows[i + 3]], rows[i + 4])

    def __len__(self) -> int:
        return len(self.rows) // 20


class FileFacts(NamedTuple):
    """All facts of one source file.

    lines         number of lines of the file
    measures      its own, without those of its definitions
    package       package, namespace or program that the file declares; empty = none
    syntax_error  whether parts of it were not understood
    marks         facts that only the language's own resolver understands (directives, macros, ...), see `marks`
    measured      whether measures were taken; otherwise only imports were read
    offered       digest of everything that relations of other files may depend on (`seen_elsewhere`); empty = not known
    lost_lines      number of lines that were not understood
    lost_to_macros  in C and C++, number of lost lines with macros or directives
    """

    lines: int
    measures: Measures = _NO_MEASURES
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    uses: Uses = Uses()
    syntax_error: bool = False
    package: str = ""
    marks: tuple[Mark, ...] = ()
    measured: bool = True
    offered: bytes = b""
    lost_lines: int = 0
    lost_to_macros: int = 0


Path = tuple[tuple[str, str, int], ...]  # name, kind and number of a definition and of those around it


def paths(definitions: Iterable[Definition]) -> list[Path]:
    """What identifies each definition of a file, also where others are added before it."""
    found: list[Path] = []
    numbers = Counter[Path]()
    for row in definitions:
        around = () if row.parent < 0 else found[row.parent]
        alike = (*around, (row.name, row.kind, 0))
        found.append((*around, (row.name, row.kind, numbers[alike])))
        numbers[alike] += 1
    return found


def seen_elsewhere(found: FileFacts, uses: Iterable[tuple[int, int, str, str, int]]) -> FileFacts:
    """Facts reduced to what other files may see: no measures, only the given uses, lines replaced by their order."""
    rows = list(uses)
    rank = {line: i for i, line in enumerate(sorted({row[4] for row in rows}), 1)}
    return FileFacts(
        0,
        definitions=tuple(row._replace(line=0, end_line=0, measures=_NO_MEASURES) for row in found.definitions),
        imports=tuple(row._replace(line=0) for row in found.imports),
        uses=Uses.pack((*row[:4], rank[row[4]]) for row in rows),
        package=found.package,
        marks=found.marks,
    )

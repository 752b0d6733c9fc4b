"""What reading one source file yields: plain tuples, cheap to send from a worker process."""

from __future__ import annotations

from typing import NamedTuple


class Definition(NamedTuple):
    """A class or function.

    parent      an earlier row of the same file's definitions, -1 = the file
    line        of the first decorator, if there is one; 1-based, as is `end_line`, which is inclusive
    sloc, nl3_lines, complexity  its own, see `FileFacts`; a function's complexity counts one more
    """

    parent: int
    name: str
    kind: str
    line: int
    end_line: int
    sloc: int
    nl3_lines: int
    complexity: int


class Import(NamedTuple):
    """One module named by an import statement.

    module    dotted name as written, without the leading dots; empty for `from . import x`
    level     number of leading dots; 0 = absolute
    names     names taken from it (`*` = all); None for `import module`
    line      first line of the statement, 1-based
    when      a `cbvtool.graph.When`, as a plain number
    optional  it stands where a failing import is caught
    """

    module: str
    level: int
    names: tuple[str, ...] | None
    line: int
    when: int
    optional: bool


class FileFacts(NamedTuple):
    """All that one source file says. What is its own leaves out its definitions, as theirs leave out their inner ones.

    lines         all lines of the file
    sloc          own lines that hold code
    nl3_lines     those of them that are nested three or deeper in control structures
    complexity    own decisions (McCabe 1976, "A complexity measure", section II)
    syntax_error  parts of it were not understood
    """

    lines: int
    sloc: int
    nl3_lines: int
    complexity: int
    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]
    syntax_error: bool


class Relation(NamedTuple):
    """One import site: file `source` uses file `target` (indices of files).

    `when` and `confidence` are a `cbvtool.graph.When` and a `cbvtool.graph.Confidence` as plain numbers.
    """

    source: int
    target: int
    line: int
    when: int
    confidence: int


class Resolution(NamedTuple):
    """What a resolver found: relations inside the folder, and one sentence each about the rest."""

    relations: list[Relation]
    notes: list[str]

"""Marks: facts that only a language's own resolver understands, one small struct for each kind.

Structs with tags instead of texts with a grammar: so a reader and its resolver share a type that mypy checks. Sending
and storing them costs the same.
"""

from __future__ import annotations

from msgspec import Struct


class _Mark(Struct, frozen=True, array_like=True, tag=True, gc=False):
    """Compared by value; rows are those of the file's definitions."""


class Module(_Mark, frozen=True):
    """C++, Java: the file declares the module `name`, or is part of it."""

    name: str


class PathMacro(_Mark, frozen=True):
    """C: the macro `name` stands for `path`, with its quotes or angle brackets."""

    name: str
    path: str


class Namespace(_Mark, frozen=True):
    """C++: the lines `first` to `last` (inclusive) lie in the namespace `path`; inner ones come later."""

    path: str
    first: int
    last: int


class InlineNamespace(_Mark, frozen=True):
    """C++: names in the namespace `path`, `a.b`, are in `a`."""

    path: str


class Hidden(_Mark, frozen=True):
    """C: these definitions are visible in their file only: `static`, or in a namespace without a name."""

    rows: tuple[int, ...]


class Bodiless(_Mark, frozen=True):
    """C: these functions have no body here."""

    rows: tuple[int, ...]


class Prototypes(_Mark, frozen=True):
    """C: functions declared outside of classes."""

    names: tuple[str, ...]


class FunctionMacros(_Mark, frozen=True):
    """C: macros with parameters."""

    names: tuple[str, ...]


class Record(_Mark, frozen=True):
    """Java: the definition has implicit accessors (JLS 8.10.3)."""

    row: int


class VisibleEverywhere(_Mark, frozen=True):
    """TypeScript: all files see the definitions of this one."""


class Loose(_Mark, frozen=True):
    """JavaScript: a method of an object, which has no name in the scope around it."""

    row: int


class Entry(_Mark, frozen=True):
    """COBOL: the definition can be called by `name`, in capitals."""

    name: str
    row: int


class Replacing(_Mark, frozen=True):
    """COBOL: the replacements of the import in this row, as pairs of texts."""

    row: int
    pairs: tuple[tuple[str, str], ...]


Mark = (
    Module
    | PathMacro
    | Namespace
    | InlineNamespace
    | Hidden
    | Bodiless
    | Prototypes
    | FunctionMacros
    | Record
    | VisibleEverywhere
    | Loose
    | Entry
    | Replacing
)

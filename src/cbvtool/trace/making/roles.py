"""Which functions wait, release, read and write, and which argument names the object: rows of `roles.csv`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

DOES = ("waits", "releases", "reads", "writes")
COLUMNS = ("language", "function", "argument", "kind", "does", "all")
NO_ARGUMENT = "-"  # as an argument: no thread but the one that waits knows the object, as one that sleeps
OBJECT = "0"  # as an argument: the object whose method is called

# The library before a name, and what linkers and compilers add: `libc.so.6!read`, `read@plt`, `f[abi:cxx11]`.
_LIBRARY = re.compile(r"^[^!(]*!")
_ADDED = re.compile(r"(@@?[\w.]+|\[abi:\w+\]|\(.*)$")
_TEMPLATE = re.compile(r"<[^<>]*>")
_NUMBERED = re.compile(r"(^|\.)(__\d+|_V2|__cxx11)\.")  # inline namespaces of C++ libraries
_SCRIPTS = (".py", ".java", ".kt", ".js", ".ts", ".rb")


@dataclass(frozen=True)
class Role:
    """What a function does to the object in one of its arguments.

    argument  "1" is the first one, `OBJECT` the one whose method is called, `NO_ARGUMENT` none; else its name
    kind      of the object: "mutex"
    does      one of `DOES`
    language  "c" and "win32" functions are those of libraries: none of a Python file is one
    all       "" for one object; "1" waits for all of a set, "0" for any, "@3" for all where argument 3 is not zero
    """

    argument: str
    kind: str
    does: str
    language: str = ""
    all: str = ""


Roles = Mapping[str, tuple[Role, ...]]


def roles_of(text: str, before: Roles | None = None) -> Roles:
    """Roles by name of the function, from a CSV text with `COLUMNS`; "::" in a name is ".".

    A function that `before` has is replaced. Raises ValueError, which names the line, for a text that says something
    else.
    """
    found: dict[str, list[Role]] = {}
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise ValueError(f"line 1: the columns are {','.join(COLUMNS)}")
    try:
        for row in reader:
            cells = [(row[column] or "").strip() for column in COLUMNS]
            language, function, argument, kind, does, everything = cells
            if None in row or not function or not argument or not kind:
                raise ValueError(f"line {reader.line_num}: function, argument and kind are needed, and no more cells")
            if does not in DOES:
                raise ValueError(f"line {reader.line_num}: a function {', '.join(DOES)}, not {does!r}")
            if not re.fullmatch(r"[01]?|@\d{1,3}", everything):
                raise ValueError(f"line {reader.line_num}: all is 0, 1, @ARGUMENT or empty, not {everything!r}")
            role = Role(argument, kind, does, language, everything)
            found.setdefault(function.replace("::", "."), []).append(role)
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error
    return {**(before or {}), **{name: tuple(rows) for name, rows in found.items()}}


@cache
def known_roles() -> Roles:
    """The roles that the program knows: pthreads, files of C, C++11, Python, Java, Win32."""
    return roles_of(files("cbvtool.trace.making").joinpath("roles.csv").read_text("utf-8"))


class RoleNames:
    """Finds the roles of functions by their names."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self._longest = max((name.count(".") + 1 for name in roles), default=0)

    def of(self, name: str, module: str = "", file: str = "") -> tuple[Role, ...]:
        """The roles of a function, () = none that are known.

        A name of several parts (`std.mutex.lock`) may be the end of the function's; a name of one part (`read`) is all
        of it, whatever library it is of.
        """
        parts = [part for part in plain_name(name).split(".") if part]
        for qualified in ([part for part in plain_name(module).split(".") if part] + parts, parts):
            for length in range(min(len(qualified), self._longest), 1, -1):
                found = self._roles.get(".".join(qualified[-length:]), ())
                if found:
                    return found
        found = self._roles.get(parts[0], ()) if len(parts) == 1 else ()
        script = file.endswith(_SCRIPTS)
        return tuple(role for role in found if not (script and role.language in ("c", "win32")))


def plain_name(name: str) -> str:
    """A function's name without library, arguments, template arguments and versions, its parts between dots."""
    name = _ADDED.sub("", _LIBRARY.sub("", name))
    while (shorter := _TEMPLATE.sub("", name)) != name:
        name = shorter
    words = name.replace("::", ".").replace("/", ".").split()  # the last one: others are a type that it returns
    name = words[-1] if words else ""
    return _NUMBERED.sub(r"\1", name)


def of_language(roles: Roles, languages: Iterable[str]) -> Roles:
    """Those of some languages alone."""
    wanted = set(languages)
    return {name: rows for name, rows in roles.items() if rows[0].language in wanted}

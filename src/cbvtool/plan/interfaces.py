"""The file that a split dependency goes over: what it is called, what stands in it, and how others refer to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Literal

Form = Literal["invert", "route"]

NAMING = ("import", "include", "copy")  # kinds of relations whose site says where the target lies
_C = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm"})
_COBOL = frozenset({".cbl", ".cob", ".cpy"})
_CAPITALS = frozenset({".cs", ".groovy", ".java", ".kt", ".php", ".scala", ".swift"})  # a file is called after its type
_WORDS: dict[Form, str] = {"invert": "interface", "route": "facade"}


def interface_name(target: str, files: Iterable[str], form: Form) -> str:
    """What the file between is called where nobody says: `money_interface.py`, `MoneyFacade.java`.

    target   name of what the dependency is on
    files    names of the files whose language it is to be written in
    """
    found = Counter(suffix for suffix in (PurePosixPath(name).suffix.lower() for name in files) if suffix)
    suffix = min(found, key=lambda suffix: (-found[suffix], suffix), default="")
    stem = PurePosixPath(target).stem or target
    if suffix in _CAPITALS:
        return f"{stem[:1].upper()}{stem[1:]}{_WORDS[form].capitalize()}{suffix}"
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem).lower()
    suffix = ".h" if suffix in _C else ".cpy" if suffix in _COBOL else suffix
    return f"{words}_{_WORDS[form]}{suffix}"


def kinds_of_use(file: str) -> tuple[str, str]:
    """(kind of relation by which a file with this name uses an interface, kind by which it implements one)."""
    suffix = PurePosixPath(file).suffix.lower()
    if suffix in _C:
        return "include", "include"
    return ("copy", "copy") if suffix in _COBOL else ("import", "inherit")


def interface_words(file: str) -> str:
    """What to write into an interface file: the form of its language, by the name of the file."""
    suffix = PurePosixPath(file).suffix.lower()
    if suffix in _C:
        return "a header with a struct of function pointers (in C++ an abstract class)"
    if suffix in _COBOL:
        return "a copybook with the parameters of the calls"
    if suffix in (".py", ".pyi"):
        return "a module with a Protocol or an abstract base class"
    return {".php": "an interface", ".rs": "a trait", ".scala": "a trait", ".swift": "a protocol"}.get(
        suffix, "an interface"
    )

"""What an edit of some Python files touches in what is known of all files.

A name or expression can only mean something else than before the edit if it lies in an edited file, if it contains a
name that is bound there as it was not before (or an alias of such a name), or if a class or an annotated type that it
has to do with is another one now. All else that changes follows from these by the flow of values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple, TypeVar

from cbvtool.analysis.facts import Path
from cbvtool.analysis.resolution import Place

_Key = TypeVar("_Key")
_Node = TypeVar("_Node")


class Touch:
    """What an edit touches.

    files   whose content it changes, or in which a type is another one
    places  further classes whose bases or derived classes it changes
    names   that mean something else
    """

    def __init__(self, files: AbstractSet[int], places: AbstractSet[Place], names: AbstractSet[str]) -> None:
        self.files, self.places, self.names = files, places, names

    def is_place(self, place: Place) -> bool:
        """Whether it touches the place."""
        return place.file in self.files or place in self.places

    def is_part(self, part: object, values: AbstractSet[int]) -> bool:
        """Whether it touches a place, a name, or one of the `values` by their numbers."""
        if isinstance(part, Place):
            return self.is_place(part)
        return part in values if isinstance(part, int) else part in self.names

    def is_in_text(self, text: str) -> bool:
        """Whether an expression contains one of the names."""
        return bool(self.names) and self._pattern.search(text) is not None

    def is_in_tree(self, tree: ast.expr) -> bool:
        """Whether an expression contains one of the names."""
        return bool(self.names) and any(
            (node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else "")
            in self.names
            for node in ast.walk(tree)
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in sorted(self.names))})\b")


class FileOutline(NamedTuple):
    """What others may see of a file.

    bound     path of the file (empty) or of a class -> name -> how it is bound
    places    path -> place
    methods   name -> places of the functions in classes
    exported  the names in `__all__`; None = there is no such list
    stars     modules from which it does `import *`
    """

    bound: Mapping[Path, Mapping[str, object]]
    places: Mapping[Path, Place]
    methods: Mapping[str, list[Place]]
    exported: AbstractSet[str] | None
    stars: Collection[tuple[str, int]]

    def changed(self, after: FileOutline) -> tuple[set[str], set[Path]]:
        """(names that are bound otherwise in `after`, classes with other special methods).

        Names of classes that are in one of both only are left out: such a class is another value, and another base.
        """
        names = set[str]() if self.exported is None or after.exported is None else {*(self.exported ^ after.exported)}
        special: set[Path] = set()
        for path in self.bound.keys() & after.bound.keys():
            one, other = self.bound[path], after.bound[path]
            found = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
            if path:  # a special method is called without its name
                if any(name.startswith("__") for name in found):
                    special.add(path)
                found = {name for name in found if not name.startswith("__")}
            names |= found
        return names, special

    def moved(self, after: FileOutline) -> dict[Place, Place]:
        """Where definitions are in `after`; those that are gone, nowhere."""
        return {place: after.places.get(path, Place(-1)) for path, place in self.places.items()}


def take_out(table: dict[_Key, _Node], is_touched: Callable[[_Key], bool]) -> set[_Node]:
    """Delete the keys that are touched; returns their values."""
    return {table.pop(key) for key in [key for key in table if is_touched(key)]}

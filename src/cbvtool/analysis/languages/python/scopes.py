"""The content of every scope in the Python files of a folder, as written; `python.values` analyses it.

Tables are filled in one pass over all facts; what derives from them is computed once, when needed.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from cbvtool.analysis.facts import (
    ASSIGN,
    DECLARE,
    INHERIT,
    REFER,
    Definition,
    FileFacts,
    Import,
    Path,
    paths,
    seen_elsewhere,
)
from cbvtool.analysis.languages.python.edits import FileOutline
from cbvtool.analysis.languages.python.texts import ELEMENT, element_of, parsed, words_of
from cbvtool.analysis.languages.python.uses import OPENED, parameters
from cbvtool.analysis.resolution import Place, rows_of

Scope = Place

_SEVERAL = re.compile(r"[^\W\d]\w*(?:, *[^\W\d]\w*)+")
_KEYED = re.compile(r"[\w.]+\[([^\[\]:,*#\n]+)\]")
_FLOW = frozenset({ASSIGN, DECLARE, INHERIT, REFER})
_NOTHING: AbstractSet[str] = frozenset()


def offered(found: FileFacts) -> FileFacts:
    """See `Reader`: only how values flow in a file; other calls, names and reads are left out."""
    rows = rows_of(found.uses, _FLOW)
    return seen_elsewhere(found, (row for row in rows if (row[3] if row[1] == REFER else row[2] != OPENED)))


def line_of(assigned: Assigned) -> int:
    """The line of an assignment, as a sort key."""
    return assigned.line


@lru_cache(1 << 14)
def _signature(text: str) -> tuple[tuple[str, str, str], ...]:
    """Name with stars, annotation and default of each parameter."""
    return tuple(
        (name.decode(), annotation.decode(), default.decode())
        for name, annotation, default in parameters(text.encode())
    )


@lru_cache(1 << 14)
def _parameter_names(text: str) -> frozenset[str]:
    return frozenset(name.lstrip("* ") for name, _, _ in _signature(text))


class Written(NamedTuple):
    """An expression, and the scope and line where it is to be read (see `Scopes.order_of`)."""

    scope: Scope
    text: str
    line: int


class Assigned(NamedTuple):
    """An assignment to a variable, effective from `line` on; always, or only if a control structure is entered."""

    text: str
    line: int
    always: bool


class Scopes:
    """All bindings, assignments and declarations, by scope.

    Lines count assignments (see `order_of`): an edit that only moves lines changes nothing here.

    imported_files  (file, statement) -> files to which an import refers: for its names, or, with names None, for the
                module; the module's own file if it defines the name
    children    file -> name -> file of the submodules of the package at `file`
    """

    def __init__(
        self,
        facts: Mapping[int, FileFacts],
        imported_files: Callable[[int, Import], tuple[int, ...]],
        children: Callable[[int], Mapping[str, int]],
    ) -> None:
        self.facts, self.imported_files, self.children = dict(facts), imported_files, children
        self.members: dict[Place, dict[str, list[Place]]] = defaultdict(dict)
        self.methods: dict[str, list[Place]] = defaultdict(list)  # functions in classes, by name
        # Place -> name -> imports that bind it.
        self.bound: dict[Place, dict[str, list[tuple[Import, str]]]] = defaultdict(dict)
        self.dotted: dict[int, dict[str, Import]] = defaultdict(dict)  # `import a.b`
        self.stars: dict[int, list[Import]] = defaultdict(list)
        self.assigned: dict[Place, dict[str, list[Assigned]]] = defaultdict(dict)
        # Class -> attribute of its objects -> assigned expressions.
        self.attributes: dict[Place, dict[str, list[Written]]] = defaultdict(dict)
        self.declared: dict[Place, dict[str, str]] = defaultdict(dict)
        self.results: dict[Place, list[Written]] = defaultdict(list)
        self.yielded: dict[Place, list[Written]] = defaultdict(list)
        self.decorators: dict[Place, list[str]] = defaultdict(list)
        self.signatures: dict[Place, str] = {}
        self.base_texts: dict[Place, list[str]] = defaultdict(list)
        # Arguments of calls, as `Written`, with the text of the call up to the argument.
        self.arguments: dict[int, list[tuple[Place, str, int, str]]] = defaultdict(list)  # by file
        self.stored: dict[Place, list[str]] = defaultdict(list)  # scope -> expressions stored in attributes there
        self.several: dict[Place, set[str]] = defaultdict(set)  # scope -> variables assigned more than once
        self.places: dict[int, list[Place]] = {}  # file -> places of the file and its definitions
        self._assigning: dict[int, list[int]] = {}  # file -> lines with assignments, ascending
        self._around: dict[Place, tuple[Place, ...]] = {}
        self._returned: dict[Place, AbstractSet[str]] = {}
        self._homes: dict[tuple[Place, str], tuple[Place, Sequence[str]]] = {}
        self._names: dict[Place, AbstractSet[str]] = {}
        self._visible: dict[Place, tuple[tuple[Place, AbstractSet[str]], ...]] = {}
        self._modules: dict[tuple[int, str, int, str | None], tuple[int, ...]] = {}
        self._sources: dict[int, tuple[int, ...]] = {}
        self._offered: dict[int, AbstractSet[str] | None] = {}  # file -> names in `__all__`
        for file, found in facts.items():
            self._read(file, found)

    def _read(self, file: int, found: FileFacts) -> None:
        definitions = found.definitions
        places = self.places[file] = [Place(file, row) for row in range(-1, len(definitions))]
        for place, definition in zip(places[1:], definitions, strict=True):
            self.members[places[definition.parent + 1]].setdefault(definition.name, []).append(place)
            if (
                definition.kind == "function"
                and definition.parent >= 0
                and definitions[definition.parent].kind == "class"
            ):
                self.methods[definition.name].append(place)
        for statement in found.imports:
            scope = places[statement.scope + 1]
            if statement.names is None:
                if statement.aliases:
                    self.bound[scope].setdefault(statement.aliases[0], []).append((statement, ""))
                else:
                    self.dotted[file][statement.module] = statement
            elif statement.names == ("*",):
                self.stars[file].append(statement)
            else:
                for name, alias in zip(statement.names, statement.aliases or statement.names, strict=True):
                    self.bound[scope].setdefault(alias, []).append((statement, name))
        rows = list(rows_of(found.uses))
        self._assigning[file] = sorted({row[4] for row in rows if row[1] == ASSIGN and row[2] != OPENED})
        for row, kind, name, other, line in rows:
            if kind == ASSIGN and name != OPENED:
                self._note(places[row + 1], name, other, self.order_of(file, line))
            elif kind == REFER:
                if other:
                    self.arguments[file].append((places[row + 1], name, self.order_of(file, line), other))
            elif kind == DECLARE:
                scope = places[row + 1]
                if name == "()":
                    self.signatures[scope] = other
                elif name.startswith("self."):
                    self.declared[self.class_around(scope) or scope].setdefault(name[5:], other)
                else:
                    self.declared[scope].setdefault(name, other)
            elif kind == INHERIT:
                self.base_texts[places[row + 1]].append(name)

    def replace_facts(self, new: Mapping[int, FileFacts]) -> None:
        """Read these files again; what is remembered of other ones stays as far as it cannot depend on them."""
        by_place = (
            *(self.members, self.bound, self.assigned, self.attributes, self.declared, self.results, self.yielded),
            *(self.decorators, self.signatures, self.base_texts, self.stored, self.several),
            *(self._around, self._returned, self._names, self._visible),
        )
        for file in new:
            for name in {row.name for row in self.facts[file].definitions}:
                self.methods[name] = [place for place in self.methods[name] if place.file != file]
            for place in self.places[file]:
                for table in by_place:
                    table.pop(place, None)
            for by_file in (self.dotted, self.stars, self.arguments, self._sources, self._offered):
                by_file.pop(file, None)
        self._homes = {key: home for key, home in self._homes.items() if key[0].file not in new}
        self.facts.update(new)
        for file, found in new.items():
            self._read(file, found)

    def outline(self, file: int) -> FileOutline:
        """What other files may see of this one."""
        definitions, places = self.facts[file].definitions, self.places[file]
        by_path = dict(zip(paths(definitions), places[1:], strict=True))
        bound: dict[Path, dict[str, object]] = {(): self._bound_in(places[0])}
        bound |= {path: self._bound_in(place) for path, place in by_path.items() if self.is_class(place)}
        names = {row.name for row in definitions}
        methods = {name: [place for place in self.methods[name] if place.file == file] for name in names}
        stars = [(statement.module, statement.level) for statement in self.stars.get(file, ())]
        return FileOutline(bound, by_path, methods, self._exported(file), stars)

    def _bound_in(self, at: Place) -> dict[str, object]:
        """Name -> how it is bound in `at`, as far as others see it without looking at what is there."""
        imported = self.bound.get(at, {})
        return {
            name: (
                [
                    (self.definition(place).kind, self.decorators.get(place))
                    for place in self.members.get(at, {}).get(name, ())
                ],
                name in self.assigned.get(at, {}),
                [(statement.module, statement.level, original) for statement, original in imported.get(name, ())],
                self.declared.get(at, {}).get(name),
                at in self.attributes and name in self.attributes[at],
            )
            for name in self.names(at) | self.attributes.get(at, {}).keys()
        }

    def aliases(self, names: AbstractSet[str]) -> set[str]:
        """`names`, and all names under which some file may import one of them."""
        found = set(names)
        todo = True
        while todo:
            more = {
                alias
                for bound in self.bound.values()
                for alias, statements in bound.items()
                if alias not in found and any(original in found for _, original in statements)
            }
            found |= more
            todo = bool(more)
        return found

    def _note(self, scope: Scope, target: str, text: str, line: int) -> None:
        name = target.removeprefix("?")
        if name == "()":
            self.results[scope].append(Written(scope, text, line))
        elif name == "()[]":
            self.yielded[scope].append(Written(scope, text, line))
        elif name == "@":
            self.decorators[scope].append(text)
        elif ("," in name or name[:1] in "([") and (parts := _unpacked(name, text)):
            for inner, path in parts:
                self._note(scope, inner if name == target else f"?{inner}", path, line)
        else:
            base, is_element, _ = name.partition("[")
            if is_element:
                text = _table(name, _code(text))
            holder = self.class_around(scope) if base.startswith("self.") else None
            if holder is not None:
                self.attributes[holder].setdefault(base[5:], []).append(Written(scope, text, line))
                self.stored[scope].append(text)
            else:
                known = self.assigned[scope].setdefault(base, [])
                known.append(Assigned(text, line, name == target and not is_element))
                if len(known) == 2:
                    self.several[scope].add(base)

    def order_of(self, file: int, line: int) -> int:
        """The position of `line` among the lines with assignments in `file`: even for one of them, odd between two."""
        lines = self._assigning[file]
        row = bisect_left(lines, line)
        return 2 * row + 1 + (row < len(lines) and lines[row] == line)

    # -- definitions -------------------------------------------------------------------------------------------

    def definition(self, place: Place) -> Definition:
        """The definition at `place`, which is not a file."""
        return self.facts[place.file].definitions[place.definition]

    def around(self, place: Place) -> tuple[Place, ...]:
        """`place`, the definitions around it, innermost first, and its file."""
        known = self._around.get(place)
        if known is None:
            path = [place]
            while path[-1].definition >= 0 and path[-1] not in self._around:
                path.append(self.parent(path[-1]))
            known = self._around.get(path[-1], (path[-1],))
            known = self._around[place] = (*path[:-1], *known)
        return known

    def parent(self, place: Place) -> Place:
        """The scope that contains the definition at `place`."""
        return self.places[place.file][self.definition(place).parent + 1]

    def is_class(self, place: Place) -> bool:
        """Whether the definition at `place` is a class."""
        return place.definition >= 0 and self.definition(place).kind == "class"

    def class_around(self, place: Place) -> Place | None:
        """The innermost class at or around `place`."""
        for at in self.around(place):
            if self.is_class(at):
                return at
        return None

    def is_decorated(self, place: Place, *names: str) -> bool:
        """Whether one of the decorators has one of these names, under whatever alias."""
        return place in self.decorators and any(
            text.partition("(")[0].rpartition(".")[2] in names for text in self.decorators[place]
        )

    def is_property(self, place: Place) -> bool:
        """Whether reading the attribute calls the function at `place`."""
        return place in self.decorators and any(
            "property" in (last := text.rpartition(".")[2]) or last in ("getter", "setter", "deleter")
            for text in self.decorators[place]
        )

    def own(self, place: Place, name: str) -> list[Place]:
        """Definitions called `name` in `place`; of overloads the implementation, of a property the getter."""
        places = self.members[place].get(name, []) if place in self.members else []
        if len(places) > 1:
            places = [
                at for at in places if not self.is_decorated(at, "overload", "setter", "deleter", "register")
            ] or places[-1:]
        return places

    def parameters(self, place: Place) -> tuple[tuple[str, str, str], ...]:
        """Name, annotation and default of each parameter of the function at `place`."""
        return _signature(self.signatures.get(place, ""))

    def is_parameter(self, place: Place, name: str) -> bool:
        """Whether the function at `place` has a parameter called `name`."""
        return place in self.signatures and name in _parameter_names(self.signatures[place])

    def returned(self, place: Place) -> AbstractSet[str]:
        """Names of all variables on which what `place` returns, yields or stores in attributes may depend."""
        known = self._returned.get(place)
        if known is None:
            texts = [text for table in (self.results, self.yielded) for _, text, _ in table.get(place, ())]
            texts += self.stored.get(place, ())
            assigned = self.assigned.get(place, {})
            found: set[str] = set()
            while texts:
                new = frozenset[str]().union(*map(words_of, texts)) - found
                found |= new
                texts = [one.text for name in new for one in assigned.get(name, ())]
            known = self._returned[place] = found
        return known

    # -- names -------------------------------------------------------------------------------------------------

    def names(self, at: Place) -> AbstractSet[str]:
        """All names bound directly in `at`, without those from `import *`."""
        known = self._names.get(at)
        if known is None:
            tables = [table[at] for table in (self.members, self.assigned, self.bound, self.declared) if at in table]
            found = set[str]().union(*tables)
            if at in self.signatures:
                found |= _parameter_names(self.signatures[at])
            if at.definition < 0:
                found |= self.tops(at.file)
            known = self._names[at] = found or _NOTHING
        return known

    def visible(self, scope: Scope) -> tuple[tuple[Place, AbstractSet[str]], ...]:
        """The scopes in which a name in `scope` is looked up, in order, with all names bound in each."""
        known = self._visible.get(scope)
        if known is None:
            # Names of a class are not visible in its methods.
            places = [at for at in self.around(scope) if at == scope or not self.is_class(at)]
            known = self._visible[scope] = tuple((at, self.names(at)) for at in places)
        return known

    def home(self, scope: Scope, text: str, line: int) -> tuple[Scope, int]:
        """The outermost scope in which `text` has the same meaning, and the first line there where it does.

        The line is 0 if it does not matter.
        """
        known = self._homes.get((scope, text))
        if known is None:
            known = self._homes[scope, text] = self._home(scope, text)
        at, names = known
        since = 0
        for name in names:
            assigned = self.assigned[at][name]
            before = bisect_left(assigned, line, key=line_of)
            since = max(since, assigned[before - 1].line + 1 if before else 1)
        return at, since

    def home_of(self, scope: Scope, name: str) -> tuple[Scope, bool]:
        """The scope that binds a name without dots, else the file.

        The second value says whether that is `scope`, and it assigns the name more than once.
        """
        at = scope
        for at, names in self.visible(scope):
            if name in names:
                return at, at == scope and name in self.several.get(at, ())
        return at, False

    def _home(self, scope: Scope, text: str) -> tuple[Scope, Sequence[str]]:
        """The scope, and its variables whose assignments may change the meaning."""
        words = words_of(text)
        at = scope
        if "super" not in words:
            for at, names in self._visible.get(scope) or self.visible(scope):  # noqa: B007 (the last one is the file)
                if not names.isdisjoint(words):
                    break
        several = self.several.get(at) if at == scope else None
        if not several or several.isdisjoint(words):
            return at, ()
        return at, tuple(several & words)

    def tops(self, file: int) -> set[str]:
        """First parts of the dotted modules that `file` imports."""
        return {module.partition(".")[0] for module in self.dotted[file]} if file in self.dotted else set()

    # -- imports -----------------------------------------------------------------------------------------------

    def modules(self, file: int, module: str, level: int = 0, name: str | None = None) -> tuple[int, ...]:
        """The files to which `module`, or its member `name`, refers in `file`."""
        key = (file, module, level, name)
        known = self._modules.get(key)
        if known is None:
            statement = Import(module, level, None if name is None else (name,), 0)
            known = self._modules[key] = self.imported_files(file, statement)
        return known

    def sources(self, file: int) -> tuple[int, ...]:
        """The modules from which `file` does `import *`, the last one first."""
        known = self._sources.get(file)
        if known is None:
            known = self._sources[file] = tuple(
                module
                for statement in reversed(self.stars.get(file, ()))
                for module in self.modules(file, statement.module, statement.level)
            )
        return known

    def may_offer(self, file: int, name: str) -> bool:
        """Whether `from file import *` brings `name`, if the module has it."""
        if file not in self._offered:
            self._offered[file] = self._exported(file)
        listed = self._offered[file]
        return name[:1] != "_" if listed is None else name in listed

    def _exported(self, file: int) -> AbstractSet[str] | None:
        """The names in `__all__`, if it is a list of strings; None = there is no such list."""
        lists = self.assigned.get(Place(file, -1), {}).get("__all__", ())
        listed = parsed(lists[0].text) if lists else None
        if isinstance(listed, ast.List | ast.Tuple):
            return {
                part.value for part in listed.elts if isinstance(part, ast.Constant) and isinstance(part.value, str)
            }
        return None


def _code(text: str) -> str:
    """The text with ELEMENT marks replaced by Python's index syntax."""
    core, row = element_of(text)
    return text if row is None else f"({_code(core)})[{row}]"


def _unpacked(target: str, text: str) -> list[tuple[str, str]]:
    """The expression that each variable in `target` gets by the assignment of `text`.

    Empty if `target` is no pattern.
    """
    if _SEVERAL.fullmatch(target):
        return [(name.strip(), f"{text}{ELEMENT}{row}") for row, name in enumerate(target.split(","))]
    names = parsed(target)
    return list(_taken_apart(names, text)) if isinstance(names, ast.Tuple | ast.List) else []


def _taken_apart(target: ast.expr, text: str) -> Iterator[tuple[str, str]]:
    """The expression that each variable in the pattern `target` gets by the assignment of `text`."""
    if isinstance(target, ast.Tuple | ast.List):
        for row, inner in enumerate(target.elts):
            if isinstance(inner, ast.Starred):
                yield ast.unparse(inner.value), f"[*({_code(text)})[{row}:]]"
            else:
                after = any(isinstance(before, ast.Starred) for before in target.elts[:row])
                yield from _taken_apart(inner, f"{text}{ELEMENT}{row - len(target.elts) if after else row}")
    else:
        yield ast.unparse(target), text


def _table(target: str, text: str) -> str:
    """A container literal equivalent to the assignment `target[key] = text`."""
    if found := _KEYED.fullmatch(target):
        return f"{{{found[1]}: {text}}}"
    node = parsed(target)
    while isinstance(node, ast.Subscript):
        text = f"{{{ast.unparse(node.slice)}: {text}}}"
        node = node.value
    return text

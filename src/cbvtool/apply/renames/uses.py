"""The uses of a definition in one file, each of them sure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from cbvtool.apply.python.importing import BoundTo
from cbvtool.apply.python.modules import Module, module_of
from cbvtool.apply.python.scan import Binding, Chain, NameScope, scanned
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.renames.by_text import computed_globals, listed_things
from cbvtool.apply.renames.members import ClassFamily
from cbvtool.apply.renames.occurrences import LexicalScope, Occurrence, WordFile
from cbvtool.apply.renames.target import RenamedDefinition, last_name
from cbvtool.apply.source import PythonFile
from cbvtool.apply.stopped import Stopped

_BY_NAME = frozenset(
    {"attrgetter", "delattr", "getattr", "hasattr", "methodcaller", "object", "setattr", "delitem", "setitem"}
)
_IMPORTS_BY_TEXT = re.compile(r"\b(?:import_module|__import__|sys\.modules|importlib|import_string)\b")
_TAKES_TYPES = frozenset({"cast", "TypeVar", "ForwardRef", "NewType"})


@dataclass
class FileUses:
    """What is to be done in one file.

    places  indices in the text where the name is replaced
    texts   lines with strings and comments that hold the name, to be looked at
    """

    places: set[int] = field(default_factory=set)
    texts: set[int] = field(default_factory=set)


class NameUses:
    """Finds the uses of a definition.

    target    the definition
    spaces    what names mean in the tree
    related   (path, line) -> the nodes of this name that the analysis relates to there, and whether that is sure
    family    of a member, the classes that it may belong to; None for what stands in a module or function
    """

    def __init__(
        self,
        target: RenamedDefinition,
        spaces: Spaces,
        related: dict[tuple[str, int], dict[int, bool]],
        family: ClassFamily | None,
    ) -> None:
        self._target, self._spaces, self._related, self._family = target, spaces, related, family
        self._home = BoundTo(target.module, target.old)
        self.is_global = target.scope.kind == "module"

    # -- modules that have the name

    def offers(self, module: Module) -> bool:
        """Whether the name of this module is the definition."""
        return self.is_global and self._spaces.member(module, self._target.old) == self._home

    def check_listed(self, sources: Iterable[tuple[str, PythonFile]]) -> None:
        """Raise Stopped where a module that has the name is asked for all its names, or for computed ones."""
        for path, source in sources:
            for line, start in computed_globals(source):
                if self._target.old.startswith(start) and self.offers(module_of(path)):
                    raise Stopped(f"{path}:{line}: {self._target.old} may be a name that is computed there.", path)
            listed = {id(node): line for line, node in listed_things(source)}
            for chain in scanned(source).chains if listed else ():
                if id(chain.nodes[-1]) in listed and (module := self._module(path, chain)) and self.offers(module):
                    line = listed[id(chain.nodes[-1])]
                    raise Stopped(
                        f"{path}:{line}: all names of a module are listed there that has {self._target.old}.", path
                    )

    def _module(self, path: str, chain: Chain) -> Module | None:
        """The module that a whole dotted name is; None = it is none."""
        found = self._spaces.root(path, chain)
        module = found[1] if found is not None else None
        for name in chain.names[1:]:
            value = self._spaces.member(module, name) if module is not None else None
            module = None if value is None or value.name else value.module
        return module

    def of(self, path: str, file: WordFile) -> FileUses:
        """The uses in a file. Raises Stopped for one that is not sure."""
        return _Reading(self, path, file).uses()

    # -- for the readings of files

    @cached_property
    def passed_on(self) -> str:
        """Where a module that has the name is a value, so that anybody may ask it for the name; empty = nowhere."""
        for path in sorted(self._spaces.modules.paths):
            source = self._spaces.imports.read(path)
            for chain in scanned(source).chains if source is not None else ():
                module = self._module(path, chain)
                if module is not None and self.offers(module):
                    return f"{path}:{chain.nodes[0].lineno}"
        return ""

    @property
    def target(self) -> RenamedDefinition:
        """What is renamed."""
        return self._target

    @property
    def spaces(self) -> Spaces:
        """What names mean."""
        return self._spaces

    @property
    def family(self) -> ClassFamily | None:
        """The classes that a member may belong to."""
        return self._family

    @property
    def home(self) -> BoundTo:
        """The definition as what a name of a module stands for."""
        return self._home

    def related(self, path: str, line: int) -> dict[int, bool]:
        """Node with this name -> whether it is sure that the line uses it, as the analysis says."""
        return self._related.get((path, line), {})


class _Reading:
    def __init__(self, uses: NameUses, path: str, file: WordFile) -> None:
        self._uses, self._path, self._file = uses, path, file
        self._target, self._spaces = uses.target, uses.spaces
        self._word = self._target.old
        self._is_home = path == self._target.path
        self._found = FileUses()
        self._occurrences = file.occurrences(self._word)
        self._ours: dict[LexicalScope, int] = {self._target.scope: 1} if self._is_home else {}
        self._chains = {
            id(node): (chain, index)
            for chain in scanned(file.source).chains
            for index, node in enumerate(chain.nodes)
            if chain.names[index] == self._word
        }

    def uses(self) -> FileUses:
        for one in self._occurrences:
            if one.role in ("import", "local"):
                self._import(one)
        for one in self._occurrences:
            match one.role:
                case "definition":
                    if one.node is self._target.node:
                        self._take(one)
                case "name":
                    self._name(one)
                case "attribute":
                    self._attribute(one)
                case "outside":
                    if self._ours and (self._uses.is_global or self._is_home):
                        self._stop(one, "it is declared global or nonlocal there")
        self._quoted()
        for scope, count in self._ours.items():
            if scope.bound[self._word] > count:
                self._stop_at(self._line_of(scope), "the name is given to something else there, too")
        self._agrees()
        return self._found

    # -- imports and names

    def _import(self, one: Occurrence) -> None:
        alias = one.node
        assert isinstance(alias, ast.alias)
        node = self._file.scoped.parents[alias]
        if not self._uses.is_global or not isinstance(node, ast.ImportFrom):
            return
        taken = self._spaces.taken(self._path, Binding(node, alias, NameScope("module")))
        if taken.source is None:
            return
        if taken.value is None:
            if alias.name == self._word and not self._spaces.is_said(taken.source, self._word):
                self._stop(one, "nobody knows what is imported there")
            return
        if taken.value != self._uses.home or alias.name != self._word:
            return
        if one.role == "import":
            self._take(one)
            if not alias.asname:
                self._ours[one.scope] = self._ours.get(one.scope, 0) + 1
        else:
            self._take(one)
            self._ours[one.scope] = self._ours.get(one.scope, 0) + 1

    def _name(self, one: Occurrence) -> None:
        if self._means_ours(one.scope, one):
            self._take(one)

    def _means_ours(self, scope: LexicalScope, one: Occurrence) -> bool:
        """Whether the word, used in a scope, is the definition."""
        holder = scope.binding(self._word)
        if holder is None:
            if self._uses.is_global and self._has_star():
                self._stop(one, "it comes by a star import")
            return False
        if holder.kind == "class" and holder is scope and holder not in self._ours and self._ours:
            above = next((other for other in scope.around() if other in self._ours), None)
            if above is not None and self._is_loaded(one):
                self._stop(one, "the class there has the name, too")
        return holder in self._ours

    @staticmethod
    def _is_loaded(one: Occurrence) -> bool:
        return isinstance(one.node, ast.Name) and isinstance(one.node.ctx, ast.Load)

    def _has_star(self) -> bool:
        for node in scanned(self._file.source).statements:
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                binding = Binding(node, node.names[0], NameScope("module"))
                source = self._spaces.taken(self._path, binding).source
                if source is not None and self._uses.offers(source):
                    return True
        return False

    # -- attributes

    def _attribute(self, one: Occurrence) -> None:
        node = one.node
        assert isinstance(node, ast.Attribute)
        is_ours = self._chained(one, node)
        if is_ours is None and self._uses.family is not None:
            is_ours = self._uses.family.has(self._path, self._file, one.scope, node.value, self._spaces)
        if is_ours is None:
            is_ours = self._told(one)
        if is_ours is None:
            self._unsure(one)
        elif is_ours:
            if self._uses.family is not None and not isinstance(node.ctx, ast.Load):
                self._stop(one, "it is given another value there")
            self._take(one)

    def _chained(self, one: Occurrence, node: ast.Attribute) -> bool | None:
        """Whether a dotted name that begins with a module leads to the definition; None = it is none of that kind."""
        if id(node) not in self._chains:
            return None
        chain, index = self._chains[id(node)]
        found = self._spaces.root(self._path, chain)
        if found is None:
            return False if self._is_outside(chain) else None
        module = found[1]
        for place in range(1, index + 1):
            name = chain.names[place]
            value = self._spaces.member(module, name)
            if place == index:
                if value is None and self._uses.is_global and not self._spaces.is_said(module, name):
                    self._stop(one, "nobody knows what that module has")
                return self._uses.is_global and value == self._uses.home
            if value is None:
                return False if self._spaces.is_said(module, name) else None
            if value.name:
                return None
            module = value.module
        return None

    def _is_outside(self, chain: Chain) -> bool:
        """Whether a dotted name begins with something that is imported from outside the tree."""
        scope = chain.scope.binding(chain.names[0])
        if scope is None or chain.names[0] in scope.others:
            return False
        bindings = scope.imports[chain.names[0]]
        return all(self._spaces.taken(self._path, binding).source is None for binding in bindings)

    def _told(self, one: Occurrence) -> bool | None:
        """What the analysis says about the line, where it stands there once; None = nothing that is sure."""
        on_line = [
            other for other in self._occurrences if other.line == one.line and other.role in ("attribute", "name")
        ]
        related = self._uses.related(self._path, one.line)
        if len(on_line) != 1 or not related or not all(related.values()):
            return None
        if self._uses.family is None:
            return None if self._target.key in related else False
        if set(related) == {self._target.key}:
            return True
        return None if self._target.key in related else False

    def _unsure(self, one: Occurrence) -> None:
        """An attribute with this name of what nobody knows."""
        if self._uses.family is not None:
            self._stop(one, "nobody knows of what class that attribute is")
        if not self._uses.is_global:
            return
        if _IMPORTS_BY_TEXT.search(self._file.source.text):
            self._stop(one, "a module that is imported by a text may be meant")
        if self._uses.passed_on:
            self._stop(one, f"a module with that name may be meant, which is passed on at {self._uses.passed_on}")

    # -- names in texts

    def _quoted(self) -> None:
        """Annotations and `__all__` are changed, other texts listed."""
        for one in self._occurrences:
            if one.role in ("string", "comment"):
                self._found.texts.add(one.line)
        in_strings = [one for one in self._occurrences if one.role == "string"]
        for node in self._file.scoped.scope if in_strings else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and self._word in node.value:
                start, end = self._file.source.span(node)
                inside = [one for one in in_strings if start <= one.start < end]
                if inside:
                    self._string(node, inside)
        for one in self._occurrences:
            if one.role == "unknown" and (self._ours or one.node is not None or self._found.places):
                self._stop(one, "nobody knows what the word is there")

    def _is_path(self, text: str) -> bool:
        """Whether a text is the dotted name of the definition: `pkg.mod.name`, `mod:Class.name`."""
        before, _, last = text.replace(":", ".").rpartition(".")
        around = {*self._target.module, *self._target.names[:-1]}
        return last == self._word and before.rpartition(".")[2] in around and " " not in text

    def _string(self, node: ast.Constant, inside: list[Occurrence]) -> None:
        if isinstance(node.value, str) and self._is_path(node.value):
            self._stop(inside[0], "it is named by a text there")
        if self._is_listed(node):
            if self._uses.is_global and node.value == self._word and self._uses.offers(self._own_module()):
                self._take(inside[0])
            return
        above = list(self._above(node))
        if any(_is_annotation(inner, outer) for inner, outer in above):
            self._annotation(node, inside)
            return
        for inner, outer in above:
            if isinstance(outer, ast.Call) and inner is not outer.func:
                called = last_name(outer.func)
                if called in _BY_NAME and node.value == self._word:
                    self._stop(inside[0], f"{called} may take it by this text")
                if called in _TAKES_TYPES:
                    self._annotation(node, inside)
                return
            if isinstance(outer, ast.Subscript) and inner is outer.slice and node.value == self._word:
                if self._uses.is_global and self._word[:1].isupper():
                    self._stop(inside[0], "a type may be meant by this text")
                return
            if isinstance(outer, ast.stmt):
                return

    def _annotation(self, node: ast.Constant, inside: list[Occurrence]) -> None:
        """Change the names in a text that is a type."""
        assert isinstance(node.value, str)
        try:
            expression = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return
        scope = self._file.scoped.scope[node]
        names = [part for part in ast.walk(expression) if isinstance(part, ast.Name) and part.id == self._word]
        others = [part for part in ast.walk(expression) if isinstance(part, ast.Attribute) and part.attr == self._word]
        if others:
            self._stop(inside[0], "a type is named by a text there")
        if not names or not self._means_ours(scope, inside[0]):
            return
        if len(names) != len(inside):
            self._stop(inside[0], "a type is named by a text there")
        for one in inside:
            self._take(one)

    def _is_listed(self, node: ast.Constant) -> bool:
        """Whether a text stands in `__all__`."""
        for _, outer in self._above(node):
            if isinstance(outer, ast.stmt):
                targets = outer.targets if isinstance(outer, ast.Assign) else [getattr(outer, "target", None)]
                if isinstance(outer, ast.Expr) and isinstance(outer.value, ast.Call):
                    function = outer.value.func
                    targets = [function.value] if isinstance(function, ast.Attribute) else []
                return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
        return False

    def _above(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        parents = self._file.scoped.parents
        while node in parents:
            yield node, parents[node]
            node = parents[node]

    # -- the analysis

    def _agrees(self) -> None:
        """Raise Stopped where the analysis sees a use in a place that stays, or another one in one that changes."""
        key = self._target.key
        starts = {one.start: one for one in self._occurrences}
        changed = {starts[start].line for start in self._found.places}
        for one in self._occurrences:
            if one.role not in ("name", "attribute", "import"):
                continue
            related = self._uses.related(self._path, one.line)
            if one.line not in changed and key in related and (related[key] or one.role != "attribute"):
                self._stop(one, "the analysis finds a use there that the text does not show")
            if one.line not in changed and key in related:
                self._stop(one, "that it is used there is a guess")
            if one.line in changed and related and key not in related and all(related.values()):
                self._stop(one, "the analysis takes it for something else there")

    # -- helpers

    def _own_module(self) -> Module:
        return next(module for module, path in self._spaces.modules.file.items() if path == self._path)

    def _take(self, one: Occurrence) -> None:
        self._found.places.add(one.start)

    def _line_of(self, scope: LexicalScope) -> int:
        return getattr(scope.node, "lineno", 1)

    def _stop(self, one: Occurrence, reason: str) -> NoReturn:
        self._stop_at(one.line, reason)

    def _stop_at(self, line: int, reason: str) -> NoReturn:
        raise Stopped(f"{self._path}:{line}: {reason}, so it is not sure what {self._word} is.", self._path)


def _is_annotation(inner: ast.AST, outer: ast.AST) -> bool:
    if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
        return inner is outer.returns
    return isinstance(outer, ast.arg | ast.AnnAssign) and inner is outer.annotation

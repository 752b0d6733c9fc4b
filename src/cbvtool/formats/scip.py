"""SCIP: indexes of code bases by scip-java, scip-python, scip-typescript, rust-analyzer and others.

Documents become files. Symbols of types, functions and macros defined in a document become its classes and functions,
nested by their descriptors. Every reference becomes a relation to its target, from the innermost definition around it
if the index has ranges of definitions, else from the file. Definitions in other packages are external.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cbvtool.budget import Budget
from cbvtool.formats import scip_messages
from cbvtool.formats.foreign import ROOT, Foreign
from cbvtool.formats.hierarchy import FOLDERS, prefixes
from cbvtool.formats.scip_symbols import MACRO, META, METHOD, NAMESPACE, TERM, TYPE, Symbol, parsed
from cbvtool.graph import EXTERNAL, NO_PARENT, Graph

_DEFINITION, _IMPORT = 1, 2  # bits of SymbolRole
_MODULE = {NAMESPACE, META}
_KIND_BY_SORT = {TYPE: "class", METHOD: "function", MACRO: "macro"}
# By number in `SymbolInformation.Kind`. A term (`const f = () => 1`) may be one of these kinds, or a variable.
_KIND = {
    **dict.fromkeys((9, 17, 18, 26, 34, 45, 66, 67, 68, 69, 70, 71, 72, 74, 76, 80), "function"),
    **dict.fromkeys((7, 62, 75), "class"),
    **dict.fromkeys((21, 42, 56), "interface"),
    **dict.fromkeys((29, 30, 35), "namespace"),
    **dict.fromkeys((33, 36), "object"),
    **dict.fromkeys((54, 55), "type"),
    11: "enum",
    25: "macro",
    49: "struct",
    53: "trait",
    59: "union",
}
_BEGIN = re.compile(rb"\n.{1,3}(?:\x08.)?\x12.{0,200}\x1a.{1,2}file:", re.DOTALL)
_UNSAFE = (".", "..")
_SYMBOL_SIZE = 1_000  # bytes of memory of one parsed symbol

_Position = tuple[int, int]  # line and character, from 0


def begins(start: bytes) -> bool:
    """Whether a file with this beginning is a SCIP index: metadata, with a tool and a root, come first."""
    return _BEGIN.match(start) is not None


def read(data: bytes, name: str, budget: Budget) -> Graph:
    """The graph of a SCIP index; `name` is used if it states no project root.

    Raises Damaged and OverBudget.
    """
    index = scip_messages.Index(data, budget)
    root = index.metadata.project_root.rstrip("/").rpartition("/")[2]
    reader = _Reader(root or name, budget)
    for span in index.spans:
        document = index.document(span)
        reader.define(_path(document.relative_path), document)
    for span in index.spans:
        document = index.document(span)
        reader.use(_path(document.relative_path), document)
    return reader.finished()


def _path(path: str) -> str:
    return "/".join(part for part in path.replace("\\", "/").split("/") if part and part not in _UNSAFE) or "?"


def _span(numbers: Sequence[int]) -> tuple[_Position, _Position] | None:
    """Begin and end of a range; the end line is omitted in the index if it equals the begin line."""
    if len(numbers) == 3:
        return (numbers[0], numbers[1]), (numbers[0], numbers[2])
    return ((numbers[0], numbers[1]), (numbers[2], numbers[3])) if len(numbers) == 4 else None


def _line(number: int) -> int:
    """The 1-based line for a 0-based one."""
    return min(max(number, 0), 2**31 - 2) + 1


class _Reader:
    def __init__(self, name: str, budget: Budget) -> None:
        self._foreign = Foreign(name, budget, structured=True)
        self._numbers: dict[str, int] = {}  # id -> number of definitions with it: overloads
        self._symbols: dict[str, Symbol | None] = {}
        self._home: dict[str, int] = {}  # symbol -> key of its node
        # Path -> ranges of its definitions; `use` sorts them, latest begin first.
        self._around: dict[str, list[tuple[_Position, _Position, int]]] = {}
        self._sorted: set[str] = set()
        self._packages: dict[str, int] = {}
        self._own_packages: set[str] = set()
        self._unknown = 0

    def finished(self) -> Graph:
        """The graph; call it after the last document."""
        self._foreign.note(self._unknown, "reference is", "references are", "left out: nothing says what they mean")
        return self._foreign.graph()

    def _symbol(self, text: str) -> Symbol | None:
        if text not in self._symbols:
            self._foreign.spend(1, _SYMBOL_SIZE + len(text))
            self._symbols[text] = parsed(text)
        return self._symbols[text]

    # -- definitions

    def define(self, path: str, document: Any) -> None:
        """Add a file, the folders above it, and its definitions."""
        file = self._file(path)
        kinds = {said.symbol: _KIND.get(said.kind, "") for said in document.symbols}
        shown = {said.symbol: said.display_name for said in document.symbols}
        spans: dict[str, Any] = {}
        last = 0
        for occurrence in document.occurrences:
            if span := _span(occurrence.range):
                last = max(last, span[1][0])
                if occurrence.symbol_roles & _DEFINITION and self._symbol(occurrence.symbol):
                    spans.setdefault(occurrence.symbol, (span, _span(occurrence.enclosing_range)))
        self._foreign.place(file, path, 1, _line(last))
        here: dict[str, int] = {}
        reach = self._around.setdefault(path, [])
        # All symbols in `spans` could be parsed, so that none is None.
        for text in sorted(spans, key=lambda text: len(self._symbols[text].ends)):  # type: ignore[union-attr]
            symbol = self._symbols[text]
            assert symbol is not None
            self._own_packages.add(symbol.package)
            if symbol.sorts[-1] in _MODULE and not any(sort not in _MODULE for sort in symbol.sorts):
                self._home.setdefault(text, file)  # the node of a module's symbol is the file
                continue
            kind = kinds.get(text) or _KIND_BY_SORT.get(symbol.sorts[-1], "")
            if not kind or not symbol.sorts[-1]:
                continue
            span, wide = spans[text]
            key = self._definition(path, symbol, kind, shown.get(text, ""))
            self._foreign.contain(_above(text, symbol, here, file), key)
            begin, end = wide or span
            self._foreign.place(key, path, _line(begin[0]), _line(end[0]))
            here[text] = key
            self._home.setdefault(text, key)
            if wide:
                reach.append((*wide, key))

    def _file(self, path: str) -> int:
        above = ROOT
        for node, name in prefixes(path, FOLDERS):
            key = self._foreign.add(node, name=name, kind="file" if node == path else "folder")
            if self._foreign.parent(key) == NO_PARENT:
                self._foreign.contain(above, key)
            above = key
        return above

    def _definition(self, path: str, symbol: Symbol, kind: str, shown: str) -> int:
        first = max((i for i, sort in enumerate(symbol.sorts) if sort in _MODULE), default=-1) + 1
        wanted = node = f"{path}::{'.'.join(symbol.names[first:])}"
        while node in self._foreign:  # overloads
            self._numbers[wanted] = number = self._numbers.get(wanted, 1) + 1
            node = f"{wanted}#{number}"
        return self._foreign.add(node, name=shown or symbol.names[-1], kind=kind)

    # -- uses

    def use(self, path: str, document: Any) -> None:
        """Add the relations of a file."""
        file = self._foreign.key(path)
        for said in document.symbols:
            for relationship in said.relationships:
                source, target = self._home.get(said.symbol), self._home.get(relationship.symbol)
                if relationship.is_implementation and source is not None and target is not None and source != target:
                    self._foreign.relate(source, target, "inherit")
        uses = [
            (span[0], occurrence)
            for occurrence in document.occurrences
            if not occurrence.symbol_roles & _DEFINITION and (span := _span(occurrence.range))
        ]
        uses.sort(key=lambda use: use[0])
        reach = self._around[path]
        if path not in self._sorted:
            reach.sort(key=lambda span: (span[0], (-span[1][0], -span[1][1])), reverse=True)
            self._sorted.add(path)
        self._foreign.spend(len(reach), 0)  # counts files that occur repeatedly
        sources = _innermost(reach, (use[0] for use in uses), file)
        for source, (begin, occurrence) in zip(sources, uses, strict=True):
            site = (path, _line(begin[0]))
            self._relate(source, file, occurrence.symbol, occurrence.symbol_roles, site)

    def _relate(self, source: int, file: int, text: str, roles: int, site: tuple[str, int]) -> None:
        symbol = self._symbol(text)
        if symbol is None or not symbol.sorts[-1]:  # parameters are local
            self._unknown += symbol is None and not text.startswith("local ")
            return
        target, sort = self._home.get(text), symbol.sorts[-1]
        if target is None and (owner := self._owner(text, symbol)) is not None:
            target, sort = owner, TERM
            if self._is_around(owner, source):  # a field of the class itself
                return
        if target is None:
            if outside := symbol.package and symbol.package not in self._own_packages:
                self._foreign.relate(file, self._package(symbol.package), "import", sites=[site])
            self._unknown += not outside
        elif target != source:
            in_code = source != file
            self._foreign.relate(source, target, _relation(symbol, sort, roles, in_code), sites=[site])

    def _owner(self, text: str, symbol: Symbol) -> int | None:
        """The innermost known node around a variable or a parameter."""
        return next((self._home[text[:end]] for end in reversed(symbol.ends[:-1]) if text[:end] in self._home), None)

    def _is_around(self, container: int, node: int) -> bool:
        while node not in (container, NO_PARENT):
            node = self._foreign.parent(node)
        return node == container

    def _package(self, package: str) -> int:
        if package not in self._packages:
            top = self._foreign.add(EXTERNAL, name="(external)", kind=EXTERNAL)
            name = package.partition(" ")[2] or package
            key = self._foreign.add(f"{EXTERNAL}:{package}", name=name, kind=EXTERNAL, parent=top)
            self._packages[package] = key
        return self._packages[package]


def _above(text: str, symbol: Symbol, here: dict[str, int], file: int) -> int:
    return next((here[text[:end]] for end in reversed(symbol.ends[:-1]) if text[:end] in here), file)


def _relation(symbol: Symbol, sort: str, roles: int, in_code: bool) -> str:
    """The kind of a relation, from the target's kind: an index does not say how a reference is used."""
    if roles & _IMPORT or sort in _MODULE:
        return "import"
    if sort == TYPE:
        return "type-use"
    if sort in (METHOD, MACRO) and in_code:  # outside of definitions, it may also be an import
        return "instantiate" if symbol.names[-1] in ("<constructor>", "<init>") else "call"
    return "reference"


def _innermost(
    reach: list[tuple[_Position, _Position, int]], places: Iterable[_Position], outside: int
) -> Iterator[int]:
    """The key of the innermost (begin, end, key) in `reach` around each of the ascending `places`.

    reach   sorted by descending begin; of equal begins the shorter one first
    """
    waiting = list(reach)
    around: list[tuple[_Position, int]] = []
    for place in places:
        while waiting and waiting[-1][0] <= place:
            _, end, key = waiting.pop()
            while around and around[-1][0] < end:
                around.pop()
            around.append((end, key))
        while around and around[-1][0] <= place:
            around.pop()
        yield around[-1][1] if around else outside

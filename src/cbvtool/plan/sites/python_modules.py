"""Which module an import in a Python file names, by paths alone, and how it is written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cbvtool.plan.sites.text import CodeText

Module = tuple[str, ...]  # the names of the folders from the root on, then that of the module: ("src", "flask", "cli")

_SUFFIXES = (".py", ".pyi", ".pyw", ".pyx")
_USUAL_ROOTS = ("src", "lib", "python")
_KEYWORD = re.compile(r"(?<!\w)import(?!\w)")
_FROM = re.compile(r"from\b((?:[\s.\w]|\\\n)*)$")
_REST = re.compile(r"(?:[^\n;\\]|\\\n)*")
_LONG, _LONGEST = 1_000, 100_000  # characters before the word `import`, and behind it
_ITEM = re.compile(r"([\w.]+)(?:[\s\\]+as[\s\\]+(\w+))?")


class Item(NamedTuple):
    """One thing that an import statement names.

    module  as written, without leading dots
    level   number of leading dots
    name    what is taken from the module, `*` = all; None = `import module`
    alias   what it is called here; empty for `*`, and for `import a.b`, which binds `a`
    line    of the name; `first` and `last`: of the statement
    """

    module: str
    level: int
    name: str | None
    alias: str
    line: int
    first: int
    last: int


def items(text: CodeText) -> Iterator[Item]:
    """What the import statements of a Python file name, in their order."""
    if "import" not in text.whole:
        return
    code, done = text.whole_code, 0
    for keyword in _KEYWORD.finditer(code):
        if keyword.start() < done:
            continue  # within a statement
        least = max(0, keyword.start() - _LONG)
        begin = code.rfind("\n", least, keyword.start()) + 1
        while begin > 1 and code[begin - 2] == "\\":
            begin = code.rfind("\n", least, begin - 1) + 1  # a continued line
        if not begin and least:
            continue  # nobody wrote so long a line
        before = code[begin : keyword.start()]
        behind = max(before.rfind(";"), before.rfind(":")) + 1
        before = before[behind:].lstrip(" \t\\\n")
        source = _FROM.match(before)
        if before and source is None:
            continue
        start = keyword.end()
        first = text.line_at(keyword.start() - len(before))
        opening = _opening(code, start) if source is not None else -1
        closing = code.find(")", opening, opening + _LONGEST) if opening >= 0 else -1
        if closing < 0:
            rest = _REST.match(code, start)
            closing = rest.end() if rest is not None else start
        done = closing
        last = text.line_at(closing if opening >= 0 else max(closing - 1, start))
        listed = code[start:closing]
        if source is None:
            for name in _ITEM.finditer(listed):
                yield Item(name[1], 0, None, name[2] or "", text.line_at(start + name.start()), first, last)
            continue
        dotted = re.sub(r"[\s\\]", "", source[1])
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
        if "*" in listed:
            yield Item(module, level, "*", "", first, first, last)
        for name in _ITEM.finditer(listed):
            yield Item(module, level, name[1], name[2] or name[1], text.line_at(start + name.start()), first, last)


def _opening(code: str, at: int) -> int:
    """Where the bracket is that the names of an import stand in, behind `at`; -1 = they stand in none."""
    while code[at : at + 1] in (" ", "\t", "\\") or code[at - 1 : at + 1] == "\\\n":
        at += 1
    return at if code[at : at + 1] == "(" else -1


def module_of(path: str) -> Module:
    """The module that the file at `path` is; a package for `__init__.py`."""
    parts = path.rpartition(".")[0].split("/")
    return tuple(parts[:-1] if parts[-1] == "__init__" else parts)


class PythonModules:
    """The Python files of a project as modules and packages.

    paths  of all its Python files
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.file: dict[Module, str] = {}
        self._by_name: dict[str, list[Module]] = defaultdict(list)
        packages: set[Module] = set()
        for path in sorted(paths):
            if not path.endswith(_SUFFIXES):
                continue
            module = module_of(path)
            if module and (module not in self.file or path.endswith("/__init__.py")):
                self.file[module] = path
            packages.update(module[:depth] for depth in range(1, len(module)))
        self.regular = {module for module, path in self.file.items() if path.endswith("/__init__.py")}
        for module in sorted(packages | self.file.keys()):
            self._by_name[module[-1]].append(module)
        self._all = packages | self.file.keys()
        self._known: dict[tuple[Module, Module], Module | None] = {}

    def __contains__(self, module: Module) -> bool:
        return module in self._all

    def named(self, path: str, item: Item) -> Module | None:
        """The module that `item` of the file at `path` takes something from, or imports; None = none of the project."""
        parts = tuple(item.module.split(".")) if item.module else ()
        folder = tuple(path.split("/")[:-1])
        if item.level:
            found = from_folder(folder, item.level, parts)
            return found if found in self._all else None
        return self.absolute(folder, parts)

    def absolute(self, folder: Module, parts: Module) -> Module | None:
        """What the dotted name `parts` means in a file in `folder`."""
        key = folder, parts
        if key not in self._known:
            self._known[key] = self._absolute(folder, parts)
        return self._known[key]

    def _absolute(self, folder: Module, parts: Module) -> Module | None:
        best, best_rank = None, (0, 0, 0)
        for module in self._by_name.get(parts[-1], ()):
            root = module[: len(module) - len(parts)]
            if module[len(root) :] != parts or not self.is_root(root):
                continue
            around = folder[: len(root)] == root
            if not around and len(parts) == 1 and root and root[-1] not in _USUAL_ROOTS and module not in self.regular:
                continue
            rank = (1 if around else 0, len(root) if around else -len(root), 0)
            if best is None or rank > best_rank:
                best, best_rank = module, rank
        return best

    def is_root(self, folder: Module) -> bool:
        """Whether absolute names may begin in `folder`: it is no package itself."""
        return folder not in self.regular

    def dotted(self, module: Module) -> str:
        """How an absolute import names a module: from the first package around it on that is no root."""
        start = len(module) - 1
        while start > 0 and module[:start] in self.regular:
            start -= 1
        if (
            start == len(module) - 1 and module not in self.regular
        ):  # in no package: by its folders, but for usual roots
            start = 0
        while start < len(module) - 1 and module[start] in _USUAL_ROOTS and module[: start + 1] not in self.regular:
            start += 1
        return ".".join(module[start:])


def from_folder(folder: Module, level: int, parts: Module) -> Module:
    """What a relative import of `level` dots and these names means in a file in `folder`."""
    return folder[: max(len(folder) - level + 1, 0)] + parts if level - 1 <= len(folder) else ()

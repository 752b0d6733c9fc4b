"""Which test files are nearest to a module: those that import it, in few steps, and those that are called like it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable
from pathlib import Path

import grimp

PACKAGE = "cbvtool"
_FAR = 9  # imports; for files from which no chain of imports leads to the module
_WORD = 1.5  # imports that a common word of the names stands for
_LAST = {"attack", "fuzz", "soak", "judges", "benchmarks", "mutants", "golden"}  # folders of long tests


class Nearest:
    """Ranks the test files of the checkout `root` for modules of the package in its `src`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._graph = grimp.build_graph(PACKAGE, exclude_type_checking_imports=True, cache_dir=None)
        self._files = sorted(
            file for file in (root / "tests").rglob("test_*.py") if not {"corpus", "samples"} & set(file.parts)
        )
        self._imports = {file: self._reach(file) for file in self._files}

    def files(self, module: str) -> list[str]:
        """All test files, relative to the checkout, the nearest first."""
        steps = self._steps(module)
        return [self._name(file) for file in sorted(self._files, key=lambda file: self._rank(file, module, steps))]

    def _rank(self, file: Path, module: str, steps: dict[str, int]) -> tuple[bool, float, int, str]:
        name = self._name(file)
        far = min((steps[one] + more for one, more in self._imports[file].items() if one in steps), default=_FAR)
        words = _words(name.removeprefix("tests").removesuffix(".py"))
        if "corpus" in words:  # its cases lie in folders called like languages
            words |= {folder.name for folder in (self._root / "tests" / "corpus").iterdir()}
        common = len(_words(module.removeprefix(PACKAGE)) & words)
        return not _LAST.isdisjoint(file.parts), far - _WORD * common, file.stat().st_size, name

    def _name(self, file: Path) -> str:
        return file.relative_to(self._root).as_posix()

    def _steps(self, module: str) -> dict[str, int]:
        """Module -> length of the shortest chain of imports from it to `module`. A package hands on what it holds."""
        found, edge = {module: 0}, [module]
        while edge:
            following = []
            for one in edge:
                for above in self._graph.find_modules_that_directly_import(one):
                    if above not in found:
                        found[above] = found[one] + (0 if module.startswith(f"{above}.") else 1)
                        following.append(above)
            edge = following
        return found

    def _reach(self, file: Path) -> dict[str, int]:
        """Module of the package -> 1 if the file imports it itself; 2, 3, ... through helpers or its conftest."""
        found: dict[str, int] = {}
        edge, seen, far = [file], {file}, 1
        while edge:
            following: list[Path] = []
            for one in edge:
                for name in _imported(one):
                    if name.split(".")[0] == PACKAGE:
                        if (module := self._module(name)) is not None:
                            found.setdefault(module, far)
                    elif name.startswith("tests."):
                        following += self._helpers(name)
            if far == 1:
                following += [folder / "conftest.py" for folder in file.parents if self._root in folder.parents]
            edge = [one for one in dict.fromkeys(following) if one.is_file() and one not in seen]
            seen.update(edge)
            far += 1
        return found

    def _helpers(self, name: str) -> Iterable[Path]:
        """A name may be a file, or something in one."""
        parts = name.split(".")
        return (self._root.joinpath(*parts[:end]).with_suffix(".py") for end in (len(parts), len(parts) - 1))

    def _module(self, name: str) -> str | None:
        """The module that an imported name is, or is in."""
        while name:
            if name in self._graph.modules:
                return name
            name = name.rpartition(".")[0]
        return None


@functools.cache  # helpers and conftest.py are reached from nearly every test
def _imported(file: Path) -> tuple[str, ...]:
    """What a file imports, anywhere in it, as dotted names of modules or of things in them."""
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [f"{node.module}.{one.name}" for one in node.names]
    return tuple(names)


def _words(name: str) -> set[str]:
    words = set(re.split(r"[./_]", name)) - {"", "test"}
    return words | {word.removesuffix("s") for word in words}

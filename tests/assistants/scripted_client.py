"""A client that knows of a code base and its plan only what the tools answer, and carries the plan out.

It moves and renames Python modules, packages and folders, rewriting the imports at the places that it is told.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Ask = Callable[[str, Mapping[str, Any]], dict[str, Any]]
_FROM = re.compile(r"^(\s*)from\s+(\.*)([\w.]*)\s+import\s+(.*)$", re.DOTALL)
_IMPORT = re.compile(r"^(\s*)import\s+(.*)$", re.DOTALL)


def carry_out(ask: Ask, root: Path, document: str, source: str = "") -> list[str]:
    """Carry out all tasks, one after the other; returns the mark of each after its own edits.

    source   folder that modules are imported from, with a `/` at its end
    """
    marks = []
    for row in ask("tasks", {"document": document})["tasks"]:
        task = ask("tasks", {"document": document, "task": row["key"]})["task"]
        _do(task, root, source)
        marks.append(ask("tasks", {"document": document, "task": row["key"]})["task"]["mark"])
    return marks


def _do(task: dict[str, Any], root: Path, source: str) -> None:
    ways = [(way["from"], way["to"]) for way in task["ways"]]
    for place in task.get("must", ()):
        if place["kind"] == "import":
            _rewrite(root / place["file"], place["line"], place["file"], dict(ways), source)
    for before, after in ways:
        if not before:
            (root / after).mkdir(parents=True)
            (root / after / "__init__.py").touch()
        elif not after:
            (root / before).unlink()
        else:
            (root / after).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(root / before, root / after)


def _module(path: str, source: str) -> str:
    return path.removeprefix(source).removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")


def _rewrite(file: Path, line: int, path: str, moved: Mapping[str, str], source: str) -> None:
    """Rewrite the import statement that begins at `line`."""
    lines = file.read_text().splitlines(keepends=True)
    end = line
    while "(" in "".join(lines[line - 1 : end]) and ")" not in "".join(lines[line - 1 : end]):
        end += 1
    lines[line - 1 : end] = [_rewritten("".join(lines[line - 1 : end]), path, moved, source)]
    file.write_text("".join(lines))


def _rewritten(statement: str, path: str, moved: Mapping[str, str], source: str) -> str:
    names = {_module(before, source): _module(after, source) for before, after in moved.items()}

    def renamed(module: str) -> str:
        for before, after in names.items():
            if module == before or module.startswith(f"{before}."):
                return after + module[len(before) :]
        return module

    if found := _IMPORT.match(statement):
        return f"{found[1]}import " + re.sub(r"[\w.]+", lambda word: renamed(word[0]), found[2])
    found = _FROM.match(statement)
    assert found, statement
    indent, dots, module, what = (str(part) for part in found.groups())
    if dots:
        around = _module(path, source).split(".")
        around = around if path.endswith("__init__.py") else around[:-1]
        around = around[: len(around) - len(dots) + 1]
        module = ".".join([*around, *filter(None, [module])])
    taken = what.strip().split(" as ")[0]
    if f"{module}.{taken}" in names:  # a module of a package
        package, _, name = names[f"{module}.{taken}"].rpartition(".")
        as_before = "" if name == taken or " as " in what else f" as {taken}"
        return f"{indent}from {package} import {what.strip().replace(taken, name, 1)}{as_before}\n"
    return f"{indent}from {renamed(module)} import {what}"

"""Code that finds things by their names at run time: names that are computed, and names that are listed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from cbvtool.apply.renames.target import last_name
from cbvtool.apply.source import PythonFile
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph

_LISTS = frozenset({"dir", "getmembers", "vars"})
_ASKS = frozenset({"getattr", "hasattr", "setattr"})


class ComputedName(NamedTuple):
    """A call as `getattr(of, "visit_" + name)`.

    start  what the name begins with; empty = nobody knows
    of     what is asked
    """

    line: int
    start: str
    of: ast.expr


@lru_cache(maxsize=20_000)
def computed_names(source: PythonFile) -> tuple[ComputedName, ...]:
    """The places where a file asks for an attribute by a name that it computes."""
    if "attr(" not in source.text:
        return ()
    return tuple(
        ComputedName(node.lineno, _start(node.args[1]), node.args[0])
        for node in _calls(source, _ASKS)
        if len(node.args) > 1 and not isinstance(node.args[1], ast.Constant)
    )


@lru_cache(maxsize=20_000)
def listed_things(source: PythonFile) -> tuple[tuple[int, ast.expr], ...]:
    """(line, what it is) of everything whose names a file lists by `vars`, `dir` or `getmembers`."""
    if not any(name in source.text for name in _LISTS):
        return ()
    return tuple((node.lineno, node.args[0]) for node in _calls(source, _LISTS) if node.args)


def _calls(source: PythonFile, names: frozenset[str]) -> Iterator[ast.Call]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            yield node


def _start(name: ast.expr) -> str:
    """What a computed text begins with; empty = nobody knows."""
    if isinstance(name, ast.JoinedStr) and name.values and isinstance(name.values[0], ast.Constant):
        return str(name.values[0].value)
    if isinstance(name, ast.BinOp) and isinstance(name.left, ast.Constant):
        return str(name.left.value).partition("%")[0]
    return ""


@lru_cache(maxsize=20_000)
def computed_globals(source: PythonFile) -> tuple[tuple[int, str], ...]:
    """(line, what the name begins with) of every `globals()[name]` in a file."""
    if "globals()[" not in source.text:
        return ()
    return tuple(
        (node.lineno, _start(node.slice))
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func) == "globals"
        and isinstance(node.ctx, ast.Load)
        and not isinstance(node.slice, ast.Constant)
    )


def own_names(node: ast.ClassDef) -> Iterator[int]:
    """Lines at which a class asks for the name of its class, but to be shown."""
    for part in node.body:
        if getattr(part, "name", "") not in ("__repr__", "__str__"):
            for inner in ast.walk(part):
                if isinstance(inner, ast.Attribute) and inner.attr in ("__name__", "__qualname__"):
                    yield inner.lineno


def check_named_after(graph: Graph, said: str, key: int, path: str) -> None:
    """Raise Stopped for a class that something is named after, as `visit_Name`, and for what is named after a class."""
    name = graph.names[key]
    if graph.kind(key) == "class":
        for other in graph.names:
            if other.endswith(f"_{name}") and not other.lower().startswith("test"):
                raise Stopped(f"{said}: {other} is named after it, and may be found by that.", path)
    _, found, after = name.rpartition("_")
    if (
        found
        and after[:1].isupper()
        and any(other == after and graph.kind(number) == "class" for number, other in enumerate(graph.names))
    ):
        raise Stopped(f"{said} is named after {after}, and may be found by that.", path)


def check_computed(name: str, said: str, files: Iterable[tuple[str, PythonFile]]) -> None:
    """Raise Stopped where a name is computed that may be this one."""
    for path, source in files:
        for one in computed_names(source):
            if one.start and name.startswith(one.start):
                raise Stopped(f"{said}: {path}:{one.line} computes names that begin with {one.start}.", path)

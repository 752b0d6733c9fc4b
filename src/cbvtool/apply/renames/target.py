"""What is renamed, and whether its name can be given up: decorators, frameworks and Python may know it by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from cbvtool.apply.python.modules import Module, dotted
from cbvtool.apply.renames.occurrences import Defined, LexicalScope, WordFile
from cbvtool.apply.stopped import Stopped
from cbvtool.plan.naming.language_names import is_python_name

# Decorators that do nothing with the name that could be seen from outside.
_HARMLESS = frozenset(
    {
        "abstractmethod",
        "asynccontextmanager",
        "cache",
        "cached_property",
        "classmethod",
        "contextmanager",
        "dataclass",
        "final",
        "lru_cache",
        "property",
        "runtime_checkable",
        "staticmethod",
        "total_ordering",
        "unique",
        "wraps",
    }
)
_FOUND_BY_NAME = frozenset(
    {
        "asyncSetUp",
        "asyncTearDown",
        "load_tests",
        "main",
        "setUp",
        "setUpClass",
        "setUpModule",
        "setup",
        "setup_class",
        "setup_function",
        "setup_method",
        "setup_module",
        "tearDown",
        "tearDownClass",
        "tearDownModule",
        "teardown_class",
        "teardown_function",
        "teardown_method",
        "teardown_module",
    }
)


@dataclass(frozen=True, eq=False)
class RenamedDefinition:
    """A function or class that gets another name.

    path    of its file
    module  the module that this is
    names   what leads to it in the file: `("Flask", "run")`
    node    its definition
    scope   that its name is bound in
    new     the new name
    key     of the node in the graph
    """

    path: str
    module: Module
    names: tuple[str, ...]
    node: Defined
    scope: LexicalScope
    new: str
    key: int

    @property
    def old(self) -> str:
        """The name that it gives up."""
        return self.names[-1]

    @property
    def said(self) -> str:
        """`flask/app.py::Flask.run`."""
        return f"{self.path}::{dotted(self.names)}"


def found_definition(
    path: str, module: Module, file: WordFile, names: tuple[str, ...], new: str, key: int
) -> RenamedDefinition:
    """The definition that is reached by `names` in a file.

    Raises Stopped if there is none, or more than one, or if its name is known elsewhere than in the code.
    """
    said = f"{path}::{dotted(names)}"
    nodes = file.definitions(names)
    if len(nodes) != 1:
        what = "is defined more than once" if nodes else "is not found in the text of the file"
        raise Stopped(f"{said} {what}.", path)
    found = RenamedDefinition(path, module, names, nodes[0], file.scoped.scope[nodes[0]], new, key)
    _check_new(found)
    _check_known(found)
    if found.scope.bound[found.old] != 1:
        raise Stopped(f"{said}: the name is given to something else there, too.", path)
    return found


def _check_new(found: RenamedDefinition) -> None:
    new = found.new
    if not is_python_name(new):
        raise Stopped(f"{found.said} cannot be called {new}: that is no name.", found.path)
    if found.old.startswith("__") or new.startswith("__"):
        raise Stopped(
            f"{found.said}: Python gives names with two underscores in front a meaning of their own.", found.path
        )


def _check_known(found: RenamedDefinition) -> None:
    """Raise Stopped for what decorators, pytest or unittest know by its name."""
    for decorator in found.node.decorator_list:
        name = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name not in _HARMLESS:
            raise Stopped(f"{found.said}: its decorator {name or 'there'} may use the name.", found.path)
    for name in (found.old, found.new):
        if name in _FOUND_BY_NAME or name.lower().startswith(("test", "pytest_")):
            raise Stopped(f"{found.said}: {name} is a name by which test tools or programs find it.", found.path)


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`; empty for what is no dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""

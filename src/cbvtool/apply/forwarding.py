"""Modules that stay under their old names and lead to the new ones: users of a published package need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from keyword import iskeyword

from cbvtool.apply.carry import Result
from cbvtool.apply.languages import forwarding
from cbvtool.apply.python.importing import Imports
from cbvtool.apply.python.modules import Module, ModuleTree, dotted
from cbvtool.apply.python.relocation import INIT
from cbvtool.apply.stopped import Stopped

_SAYS = '"""Moved to {new}. This name stays for code elsewhere that imports it."""\n\nimport sys\n\nimport {new}\n'
_MODULE = _SAYS + '\nsys.modules[__name__] = sys.modules["{new}"]\n'
# A package stays a module of its own: what lies in it is imported below its old name, and would be loaded twice.
_PACKAGE = _SAYS + (
    "from {new} import *  # noqa: F403\n\n\n"
    "def __getattr__(name: str) -> object:\n"
    '    return getattr(sys.modules["{new}"], name)\n'
)
_NEVER_IMPORTED = "__main__"


@dataclass(frozen=True)
class Forwarder:
    """A module that is left at an old place.

    module   what it is called, from the top folder on; empty if it is not Python
    path     of its file, where the module lay that moved
    target   path of the file that it leads to
    content  of its file
    """

    module: Module
    path: str
    target: str
    content: bytes


def forwarders(result: Result) -> tuple[Forwarder, ...]:
    """One for each module that the plan gave another name, by path, and for each other file that can have one.

    None where the old name means something else in the result, means nothing because its folder is gone, or is one that
    no import can say. Raises
    Stopped for a file in a language without such files.
    """
    before, after = ModuleTree(result.start.paths), ModuleTree(result.tree.paths)
    found = dict[Module, Forwarder]()
    for module in sorted(before.file):
        new, path = result.new(module), before.file[module]
        if new is None or module in after or path in result.tree.paths or module[-1] == _NEVER_IMPORTED:
            continue
        if path in result.start.links:  # another module has its content
            continue
        if module[:-1] in before.packages and module[:-1] not in after.packages and module[:-1] not in found:
            continue
        old_name, name = before.name(module), after.name(new)
        if old_name != name and all(part.isidentifier() and not iskeyword(part) for part in (*old_name, *name)):
            text = _PACKAGE if path.endswith(f"/{INIT}") else _MODULE
            found[module] = Forwarder(module, path, after.file[new], text.format(new=dotted(name)).encode())
    others = [Forwarder((), path, new, content) for path, new, content in forwarding(result.tree, result.places)]
    return tuple(sorted([*found.values(), *others], key=lambda one: one.path))


def with_forwarders(result: Result, forwards: tuple[Forwarder, ...]) -> Result:
    """The result with these modules in its tree. Raises Stopped if the import of one would fail."""
    added = {one.path: one.content for one in forwards}
    tree = result.tree.changed(result.tree.paths | added.keys(), {**result.tree.contents, **added})
    imports = Imports(ModuleTree(tree.paths), tree.read)
    failures = imports.failures([one.module for one in forwards if one.module])
    failing = Imports(ModuleTree(result.start.paths), result.start.read)
    bad = failing.failures(sorted(failures)) if failures else {}
    for module in sorted(failures.keys() - bad.keys()):
        raise Stopped(f"The import of {'/'.join(module)} by its old name would fail: {failures[module]}.")
    return replace(result, tree=tree)

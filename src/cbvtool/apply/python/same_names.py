"""Whether every import and every dotted name leads to the same thing after a change as before it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from cbvtool.apply.python.importing import BoundTo
from cbvtool.apply.python.modules import Module
from cbvtool.apply.python.relocation import Relocation
from cbvtool.apply.python.scan import Chain, scanned
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.stopped import Stopped

_Bound = tuple[str, BoundTo]


def must_mean_the_same(paths: Iterable[str], relocation: Relocation, before: Spaces, after: Spaces) -> None:
    """Raise Stopped for an import or dotted name, in the files at these old paths, that leads elsewhere."""
    for path in paths:
        new_path = relocation.new_path(path)
        source = before.imports.read(path)
        changed = after.imports.read(new_path) if new_path is not None else None
        if source is None or changed is None or new_path is None:
            continue
        wanted = Counter((name, _moved(value, relocation)) for name, value in _bound(path, before))
        missing = wanted - Counter(_bound(new_path, after, both=True))
        if missing:
            name, value = min(missing)
            if value.module in after.modules.file and (failure := after.imports.first(value.module).failure):
                raise Stopped(
                    f"The import of {'.'.join(after.modules.name(value.module))} would fail: {failure}.", path
                )
            what = ".".join((*value.module, value.name) if value.name else value.module)
            raise Stopped(
                f"{path}: after the change the import of {name or '*'} would not lead to {what} any more.", path
            )
        chains = zip(scanned(source).chains, scanned(changed).chains, strict=True)
        for chain, other in chains:
            was, now = _end(path, chain, before), _end(new_path, other, after)
            if was is not None and was[0] is not None and (now is None or (relocation.new(was[0]), was[1]) != now):
                line = getattr(chain.nodes[0], "lineno", 1)
                raise Stopped(f"{path}:{line}: after the change {'.'.join(other.names)} would lead elsewhere.", path)


def _moved(value: BoundTo, relocation: Relocation) -> BoundTo:
    new = relocation.new(value.module)
    return BoundTo(value.module if new is None else new, value.name)


def _bound(path: str, spaces: Spaces, *, both: bool = False) -> Iterator[_Bound]:
    """(name, what it stands for) of each import in the file; the name is `import` for statements as `import a.b`.

    both  those as `import a` also by the name that they bind, for `from . import a` may have become one
    """
    source = spaces.imports.read(path)
    assert source is not None
    found = scanned(source)
    for node in found.statements:
        for binding in found.bindings[node]:
            value = spaces.taken(path, binding).value
            if value is None:
                continue
            is_plain = isinstance(node, ast.Import) and not binding.alias.asname
            yield "import" if is_plain else binding.local, value
            if both and is_plain and "." not in binding.alias.name:
                yield binding.local, value


def _end(path: str, chain: Chain, spaces: Spaces) -> tuple[Module | None, tuple[str, ...]] | None:
    """The last module that a chain leads to, and the names behind it; None = it begins with no module."""
    found = spaces.root(path, chain)
    if found is None:
        return None
    _, module = found
    for index, name in enumerate(chain.names[1:], start=1):
        value = spaces.member(module, name)
        if value is None or value.name:
            return module, chain.names[index:]
        module = value.module
    return module, ()

"""One file as it has to be once modules have moved: its imports, its dotted names, its `__all__`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from keyword import iskeyword
from typing import NoReturn

from cbvtool.apply.python.bodies import Lists, body
from cbvtool.apply.python.importing import BoundTo
from cbvtool.apply.python.modules import Module, dotted, module_of
from cbvtool.apply.python.relocation import INIT, Relocation
from cbvtool.apply.python.scan import Binding, Chain, NameScope, scanned
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.python.splice import behind, with_name, without, written
from cbvtool.apply.source import Edit, PythonFile
from cbvtool.apply.stopped import Stopped

_From = tuple[str, str]  # what is written behind `from`, and behind `import`
Roots = Callable[[], Mapping[Module, frozenset[Module]]]


def rewritten(path: str, source: PythonFile, relocation: Relocation, spaces: Spaces, roots: Roots) -> list[Edit]:
    """The edits of the file at `path`.

    spaces  the names of the tree before
    roots   gives root -> roots from which files there import today; rarely needed

    Raises Stopped where nobody can say what to write.
    """
    return _Rewriting(path, source, relocation, spaces, roots).edits()


class _Rewriting:
    def __init__(self, path: str, source: PythonFile, relocation: Relocation, spaces: Spaces, roots: Roots) -> None:
        self._path, self._source, self._relocation = path, source, relocation
        self._spaces, self._roots = spaces, roots
        new = relocation.new_path(path)
        assert new is not None
        self._new_path = new
        self._scanned = scanned(source)
        self._added: dict[ast.stmt, list[str]] = defaultdict(list)
        self._tops: dict[tuple[NameScope, str], bool] = {}
        self._kept_tops: set[tuple[NameScope, str]] = set()

    def edits(self) -> list[Edit]:
        """See `rewritten`."""
        edits = self._chains()
        for node in self._scanned.statements:
            if isinstance(node, ast.ImportFrom):
                edits += self._from(node)
            else:
                edits += self._import(node)
        for statement, added in self._added.items():
            if added:
                edits.append(behind(self._source, statement, list(dict.fromkeys(added))))
        return edits + self._listed()

    # -- import statements

    def _from(self, node: ast.ImportFrom) -> list[Edit]:
        bindings = self._scanned.bindings[node]
        if node.module == "__future__" and not node.level:
            return []
        taken = [(binding, self._spaces.taken(self._path, binding)) for binding in bindings]
        source = taken[0][1].source
        if source is None:
            self._must_not_hang(node, (node.module or "") if not node.level else "")
            if node.level and self._new_path.rpartition("/")[0] != self._path.rpartition("/")[0]:
                self._stop(node, f"nobody knows what {'.' * node.level}{node.module or ''} is")
            return []
        groups: dict[str, list[tuple[Binding, str]]] = defaultdict(list)
        for binding, found in taken:
            name, text = self._wanted(node, binding, source, found.value)
            groups[name].append((binding, text))
        today = f"{'.' * node.level}{node.module or ''}"
        stays = today if today in groups else max(groups, key=lambda name: (name != "", len(groups[name])))
        if stays == "":
            return self._dropped(node, [text for _, text in groups[""]])
        gone = [binding.alias for name, group in groups.items() if name != stays for binding, _ in group]
        renamed = [(binding.alias, text) for binding, text in groups[stays] if text != written(binding.alias)]
        if gone and renamed:
            listed = ", ".join(text for _, text in groups[stays])
            return self._dropped(node, [f"from {stays} import {listed}", *self._others(groups, stays)])
        self._added[node] += self._others(groups, stays)
        edits = [] if stays == today else [with_name(self._source, node, stays)]
        edits += [Edit(*self._source.span(alias), text) for alias, text in renamed]
        return edits + (without(self._source, node, gone) if gone else [])

    @staticmethod
    def _others(groups: Mapping[str, Sequence[tuple[Binding, str]]], stays: str) -> list[str]:
        found = []
        for name, group in groups.items():
            if name == "":
                found += [text for _, text in group]
            elif name != stays:
                found.append(f"from {name} import {', '.join(text for _, text in group)}")
        return found

    def _dropped(self, node: ast.stmt, statements: Sequence[str] = ()) -> list[Edit]:
        """The statement gives way to others."""
        new = [*statements, *self._added.pop(node, [])]
        start, end = self._source.span(node)
        line = self._source.line(start)[0]
        indent = self._source.text[line:start]
        between = f"{self._source.line_end}{indent}" if not indent.strip() else "; "
        return [Edit(start, end, between.join(dict.fromkeys(new)))]

    def _wanted(self, node: ast.ImportFrom, binding: Binding, source: Module, value: BoundTo | None) -> tuple[str, str]:
        """(what stands behind `from`, what behind `import`); for `import a as b`, nothing and all of it."""
        alias = binding.alias
        inner = (*source, alias.name)
        if value == BoundTo(inner) and inner in self._relocation.base and not self._by_another(source, alias.name):
            new = self._new(inner, node)
            if new == inner and self._new_or_none(source) == source and self._new_path == self._path:
                return f"{'.' * node.level}{node.module or ''}", written(alias)
            if new[:-1] == self._relocation.target.root(new):
                name = dotted(self._absolute(node, new, self._hint(node, source)))
                local = binding.local
                return "", f"import {name}" if name == local else f"import {name} as {local}"
            name = self._named(node, new[:-1], self._hint(node, source))
            return name, written(alias) if new[-1] == alias.name else f"{new[-1]} as {binding.local}"
        new = self._new(source, node)
        if new == source and self._new_path == self._path:
            return f"{'.' * node.level}{node.module or ''}", written(alias)
        return self._named(node, new, self._hint(node, source)), written(alias)

    def _by_another(self, source: Module, name: str) -> bool:
        """Whether the package itself gives the name to a module that is imported under another one."""
        value = self._spaces.member(source, name)
        return value != BoundTo((*source, name))

    def _hint(self, node: ast.ImportFrom, source: Module) -> Module | None:
        parts = node.module.split(".") if node.module else []
        return None if node.level else source[: len(source) - len(parts)]

    def _named(self, node: ast.ImportFrom, module: Module, hint: Module | None) -> str:
        """How a `from` import of the file names a module of the target; as today if that is right."""
        target = self._relocation.target
        parts = tuple(node.module.split(".")) if node.module else ()
        if target.named(self._new_path, node.level, parts) == module and (
            not node.level or self._is_inside(node.level)
        ):
            return f"{'.' * node.level}{node.module or ''}"
        if node.level and (name := self._relocation.relative(self._new_path, module)):
            self._must_be_sayable(node, module, tuple(name.lstrip(".").split(".")))
            return name
        return dotted(self._absolute(node, module, hint))

    def _is_inside(self, level: int) -> bool:
        """Whether so many dots stay in the packages of the file."""
        root = self._relocation.target.root(module_of(self._new_path))
        return self._new_path.count("/") - level + 1 > len(root)

    def _absolute(self, node: ast.stmt, module: Module, hint: Module | None) -> Module:
        if not self._relocation.reaches(self._new_path, module, self._roots):
            self._stop(node, f"{'/'.join(module)} is in a folder from which nothing there is imported today")
        name = self._relocation.absolute(self._new_path, module, hint)
        self._must_be_sayable(node, module, name)
        return name

    def _must_be_sayable(self, node: ast.stmt, module: Module, name: Module) -> None:
        """Raise Stopped for a name that no import can say."""
        bad = next((part for part in name if part and (not part.isidentifier() or iskeyword(part))), None)
        if bad is not None:
            self._stop(node, f"{'/'.join(module)} is imported there, and no import can say {bad}")

    def _import(self, node: ast.Import) -> list[Edit]:
        edits = []
        for binding in self._scanned.bindings[node]:
            alias = binding.alias
            found = self._spaces.taken(self._path, binding).value
            if found is None:
                self._must_not_hang(node, alias.name)
                continue
            name = tuple(alias.name.split("."))
            new = self._new(found.module, node)
            hint = found.module[: len(found.module) - len(name)]
            if new == found.module and self._relocation.target.absolute(self._new_path, name) == new:
                continue
            wanted = self._absolute(node, new, hint)
            if wanted == name:
                continue
            text = dotted(wanted)
            if alias.asname:
                text += f" as {alias.asname}"
            else:
                self._must_be_free(node, wanted[0], binding.scope)
                if wanted[0] != name[0] and (binding.scope, name[0]) in self._kept_tops:
                    text = f"{name[0]}, {text}"
            edits.append(Edit(*self._source.span(alias), text))
        return edits

    def _must_not_hang(self, node: ast.stmt, name: str) -> None:
        """Raise Stopped for a name that begins with a module that moves, and goes on to what nobody sees."""
        parts = tuple(name.split(".")) if name else ()
        for depth in range(len(parts), 0, -1):
            found = self._spaces.modules.absolute(self._path, parts[:depth])
            if found is not None:
                if found in self._relocation.base.file and self._new_or_none(found) != found:
                    self._stop(node, f"nobody knows what {name} is, and {dotted(parts[:depth])} would move")
                return

    def _must_be_free(self, node: ast.stmt, name: str, scope: NameScope) -> None:
        """Raise Stopped if the name, which an import is to bind, means something else in the file."""
        for other in self._scanned.scopes:
            if name in other.others or any(
                not (isinstance(binding.statement, ast.Import) and not binding.alias.asname)
                for binding in other.imports.get(name, ())
            ):
                self._stop(node, f"{name} is the name of something else there")

    # -- dotted names

    def _chains(self) -> list[Edit]:
        edits = []
        roots: dict[tuple[NameScope, str], tuple[Binding, Module] | None] = {}
        for chain in self._scanned.chains:
            key = chain.scope, chain.names[0]
            if key not in roots:
                roots[key] = self._spaces.root(self._path, chain)
            found = roots[key]
            if found is None:
                self._from_star(chain)
                continue
            binding, module = found
            end, text = self._chain(chain, binding, module)
            if text != chain.names[: end + 1]:
                start = self._source.span(chain.nodes[0])[0]
                edits.append(Edit(start, self._source.span(chain.nodes[end])[1], dotted(text)))
            elif isinstance(binding.statement, ast.Import) and not binding.alias.asname:
                self._kept_tops.add((binding.scope, chain.names[0]))
        return edits

    def _chain(self, chain: Chain, binding: Binding, module: Module) -> tuple[int, tuple[str, ...]]:
        """(index of the last name that is a module, the names that lead there in the target)."""
        node = binding.statement
        is_plain = isinstance(node, ast.Import) and not binding.alias.asname
        new: Module | None = self._new_or_none(module)
        text = self._plain(node, module) if is_plain and new != module else chain.names[:1]
        end = 0
        for index, name in enumerate(chain.names[1:], start=1):
            value = self._spaces.member(module, name)
            if value is None or value.name:
                break
            after = self._new(value.module, chain.nodes[index])
            if value.module != (*module, name) or self._spaces.is_said(module, name):
                text = (*text, name)  # the package says so itself, and goes on to
            elif new is not None and after[: len(new)] == new and len(after) > len(new):
                text = (*text, *after[len(new) :])
            else:
                text = self._elsewhere(node, after, chain)
            module, new, end = value.module, after, index
        return end, text

    def _plain(self, node: ast.stmt, module: Module) -> tuple[str, ...]:
        return self._absolute(node, self._new(module, node), None)

    def _elsewhere(self, node: ast.stmt, module: Module, chain: Chain) -> tuple[str, ...]:
        """The absolute name of a module that is not below what the chain begins with; it is imported, too."""
        name = self._absolute(node, module, None)
        self._must_be_free(node, name[0], chain.scope)
        self._added[node].append(f"import {dotted(name)}")
        return name

    def _from_star(self, chain: Chain) -> None:
        """Raise Stopped for a module that moves, and that the file has by a star import of its package alone."""
        if not self._stars or chain.scope.binding(chain.names[0]) is not None:
            return
        for source in self._stars:
            inner = (*source, chain.names[0])
            if (
                inner in self._relocation.base
                and self._new_or_none(inner) != inner
                and self._spaces.member(source, chain.names[0]) == BoundTo(inner)
                and not self._spaces.is_said(source, chain.names[0])
            ):
                self._stop(chain.nodes[0], f"it has {chain.names[0]} by a star import")

    @cached_property
    def _stars(self) -> list[Module]:
        """What the file takes all names from."""
        bindings = [one for found in self._scanned.bindings.values() for one in found if not one.local]
        sources = (self._spaces.taken(self._path, binding).source for binding in bindings)
        return [source for source in sources if source is not None]

    # -- `__all__`

    def _listed(self) -> list[Edit]:
        """Names of submodules in the `__all__` of a package, which a star import imports."""
        if not self._path.endswith(INIT) or not any(isinstance(step, Lists) for step in body(self._source)):
            return []
        package = module_of(self._path)
        edits: list[Edit] = []
        for part in _all_parts(self._source.tree):
            name = part.value if isinstance(part, ast.Constant) else None
            if not isinstance(name, str) or (*package, name) not in self._relocation.base:
                continue
            if self._spaces.is_said(package, name):
                continue
            new, home = self._new((*package, name), part), self._new(package, part)
            if new[:-1] != home:
                self._stop(part, f"__all__ names {name}, which would not be in the package any more")
            if new[-1] != name:
                edits.append(Edit(*self._source.span(part), f'"{new[-1]}"'))
        return edits

    # -- helpers

    def _new_or_none(self, module: Module) -> Module | None:
        return self._relocation.new(module)

    def _new(self, module: Module, node: ast.AST) -> Module:
        new = self._relocation.new(module)
        if new is None:
            self._stop(node, f"{'/'.join(module)} would be gone, and is used there")
        return new

    def _stop(self, node: ast.AST, reason: str) -> NoReturn:
        raise Stopped(f"{self._path}:{getattr(node, 'lineno', 1)}: {reason}.", self._path)


def _all_parts(tree: ast.Module) -> Iterator[ast.expr]:
    """The elements of lists and tuples that `__all__` gets."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and target.id == "__all__" and isinstance(value, ast.List | ast.Tuple):
            yield from value.elts

"""Follows names in Python files to their bindings, through imports, re-exports and `import *`, without values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property

from cbvtool.analysis.facts import FileFacts, Import
from cbvtool.analysis.languages.python.scopes import Scopes
from cbvtool.analysis.resolution import Place

Name = tuple[int, str]  # an attribute of the module in a file


class Links(Scopes):
    """Follows chains of imports. Cycles end; long chains need no recursion, and each is walked about once."""

    def __init__(
        self,
        facts: Mapping[int, FileFacts],
        imported_files: Callable[[int, Import], tuple[int, ...]],
        children: Callable[[int], Mapping[str, int]],
    ) -> None:
        super().__init__(facts, imported_files, children)
        self._leading: dict[Name, bool] = {}
        self._from_star: dict[Name, int] = {}
        self._starred_names: set[str] | None = None

    def replace_facts(self, new: Mapping[int, FileFacts]) -> None:
        """See `Scopes`."""
        super().replace_facts(new)
        self._leading.clear()
        self._from_star.clear()
        self._starred_names = None
        self.__dict__.pop("property_names", None)

    @cached_property
    def property_names(self) -> AbstractSet[str]:
        """The names of all properties."""
        return {
            self.definition(place).name
            for place in self.decorators
            if place.definition >= 0 and self.is_property(place)
        }

    def is_bound(self, file: int, name: str) -> bool:
        """Whether the module itself binds the name, not counting `import *`."""
        return file in self.facts and name in self.names(self.places[file][0])

    def leads(self, file: int, name: str) -> bool:
        """Whether an attribute of a module leads to anything but cyclic or missing imports."""
        start = (file, name)
        known = self._leading
        if start in known:
            return known[start]
        seen = {start}
        path = [(start, self._steps(start))]
        while path:
            for step in path[-1][1]:
                if step is None or known.get(step):
                    for passed, _ in path:
                        known[passed] = True
                    return True
                if step not in seen and step not in known:
                    seen.add(step)
                    path.append((step, self._steps(step)))
                    break
            else:
                path.pop()
        known.update(dict.fromkeys(seen, False))
        return False

    def _steps(self, at: Name) -> Iterator[Name | None]:
        """The attributes of other modules to which this one may refer; None = it has another binding, too."""
        file, name = at
        if not self.is_bound(file, name):
            if file in self.stars and self.may_be_starred(name):
                yield from ((source, name) for source in self.sources(file) if self.may_offer(source, name))
            return
        place = self.places[file][0]
        if self.is_own(place, name) or name in self.tops(file):
            yield None
        for statement, original in self.bound[place].get(name, ()) if place in self.bound else ():
            for module in self.modules(file, statement.module, statement.level):
                yield (module, original) if original else None

    def origin(self, at: Place, name: str) -> tuple[Place, str]:
        """The binding from which a name in `at` is imported, if it is only imported; else the name itself."""
        seen = {(at, name)}
        while at in self.bound:
            statements = self.bound[at].get(name, [])
            if len(statements) != 1:
                break
            statement, original = statements[0]
            if not original or self.is_own(at, name) or self.is_parameter(at, name):
                break
            modules, _ = self.imported_from(at.file, statement, original)
            if len(modules) != 1:
                break
            source: int | None = modules[0]
            if not self.is_bound(modules[0], original):
                source = self.star_source(modules[0], original)
            if source is None or not self.is_bound(source, original):
                break
            following = self.places[source][0], original
            if following in seen:
                break
            seen.add(following)
            at, name = following
        return at, name

    def is_own(self, at: Place, name: str) -> bool:
        """Whether something else than an import binds the name in `at`."""
        return (
            (at in self.members and name in self.members[at])
            or (at in self.assigned and name in self.assigned[at])
            or (at in self.declared and name in self.declared[at])
        )

    def star_source(self, file: int, name: str) -> int | None:
        """The module from which `import *` in `file` brings the name, perhaps through others; None = none."""
        if file not in self.stars or not self.may_be_starred(name):
            return None
        found = self._from_star.get((file, name))
        if found is None:
            found = self._from_star[file, name] = next(self._star_sources(file, name), -1)
        return None if found < 0 else found

    def _star_sources(self, file: int, name: str) -> Iterator[int]:
        seen = {file}
        todo = list(reversed(self.sources(file)))
        while todo:
            source = todo.pop()
            if source in seen or not self.may_offer(source, name):
                continue
            seen.add(source)
            if self.is_bound(source, name):
                if self.leads(source, name):
                    yield source
            elif source in self.facts:
                if name in self.children(source):
                    yield source
                todo += reversed(self.sources(source))

    def may_be_starred(self, name: str) -> bool:
        """Whether any module imported by `import *` binds the name."""
        if self._starred_names is None:
            sources = {source for file in self.stars for source in self.sources(file) if source in self.facts}
            self._starred_names = set[str]().union(
                *(self.names(self.places[source][0]) for source in sources), *(self.children(one) for one in sources)
            )
        return name in self._starred_names

    def imported_from(self, file: int, statement: Import, name: str) -> tuple[list[int], tuple[int, ...]]:
        """The targets of `name`, which an import in `file` takes from a module.

        They are the modules that bind it, and if none does, the files of submodules.
        """
        modules = self.modules(file, statement.module, statement.level)
        leading = [module for module in modules if module in self.facts and self.leads(module, name)]
        if leading:
            return leading, ()
        targets = self.modules(file, statement.module, statement.level, name)
        children = tuple(target for target in targets if target not in modules)
        return [], children or tuple(self.children(module)[name] for module in modules if name in self.children(module))

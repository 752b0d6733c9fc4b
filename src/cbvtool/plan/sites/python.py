"""Python: imports in all forms, dotted uses of modules, names that packages pass on, `__all__`, overriding methods."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from cbvtool.plan.place import place
from cbvtool.plan.sites.planned import FileChange, PartChange, Planned
from cbvtool.plan.sites.python_blocks import emptied_blocks
from cbvtool.plan.sites.python_modules import Item, Module, PythonModules, from_folder, items, module_of
from cbvtool.plan.sites.site import Certainty, Site
from cbvtool.plan.sites.words import (
    BY_NAME,
    bare_word,
    definition_site,
    is_read,
    is_telling,
    line_with,
    member_word,
    same_name,
    site_kind,
    use_sites,
)

_SUFFIXES = ("py", "pyi", "pyw")
_ALL = re.compile(r"__all__[ \t]*(?::[^\n=]*)?(?:\+?=|\.(?:extend|append)\()[^\n\[\](){}]*(?:[\[({][^\])}]*)?")
_ASSIGNED = re.compile(r"^([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
_SELF = r"(?<![\w.])(?:self|cls|super\(\))\s*\.\s*"
_USUAL_ROOTS = frozenset({"src", "lib", "python"})


class Python:
    """See `Language`."""

    suffixes = _SUFFIXES

    def words(self, planned: Planned) -> Iterable[str]:
        """The last two names of each module, and the names of parts."""
        for change in planned.files:
            if is_python(change.old):
                yield ".".join(module_of(change.old)[-2:])
        for part in planned.parts:
            if is_python(part.file):
                yield part.name

    def sites(self, planned: Planned) -> Iterator[Site]:
        """See `Language.sites`."""
        if any(is_python(change.old) for change in planned.files) or any(
            is_python(part.file) for part in planned.parts
        ):
            rules = _Rules(planned)
            yield from rules.file_sites()
            for part in planned.parts:
                if is_python(part.file):
                    yield from rules.part_sites(part)

    def spellings(self, planned: Planned) -> Iterable[tuple[str, int]]:
        """`flask.cli` of a file, `flask.cli.main` and `flask.cli:main` of a function."""
        modules = PythonModules(planned.paths)
        for change in planned.files:
            if is_python(change.old) and "." in (name := modules.dotted(module_of(change.old))):
                yield name, change.cause
        for part in planned.parts:
            if is_python(part.file):
                inside = f"{part.above}.{part.name}" if part.above else part.name
                name = modules.dotted(module_of(part.file))
                yield f"{name}.{inside}", part.cause
                yield f"{name}:{inside}", part.cause


def is_python(path: str) -> bool:
    """Whether a file holds Python."""
    return path.endswith((".py", ".pyi", ".pyw"))


@lru_cache(256)
def _at_start(dotted: str) -> re.Pattern[str]:
    """Finds a dotted name that nothing stands before."""
    return re.compile(rf"(?<![\w.]){re.escape(dotted)}(?!\w)")


class _Bound(NamedTuple):
    """What a file imports.

    items    each item with the module that it names, None = outside
    modules  local name, dotted for `import a.b` -> the module or package that it stands for
    plain    those of the names that are absolute, as `import a.b` binds them
    """

    items: tuple[tuple[Item, Module | None], ...]
    modules: dict[str, Module]
    plain: set[str]


class _Rules:
    """The rules for one plan."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self._modules = PythonModules(planned.paths)
        self._bound: dict[str, _Bound] = {}
        self._new_files = {path for file in planned.paths if (path := planned.new_path(file)) is not None}
        self._folders: dict[Module, Module | None] = {}

    # -- imports of a file -------------------------------------------------------------------------------------

    def bound(self, file: str) -> _Bound:
        """What the file imports."""
        found = self._bound.get(file)
        if found is None:
            known = tuple((item, self._modules.named(file, item)) for item in items(self._planned.text(file)))
            local: dict[str, Module] = {}
            plain: set[str] = set()
            folder = tuple(file.split("/")[:-1])
            for item, module in known:
                if item.name is None:
                    if item.alias and module:
                        local[item.alias] = module
                    elif not item.alias:
                        top = item.module.split(".")
                        for depth in range(1, len(top) + 1):  # `import a.b` gives a, and a.b
                            inner = module[: len(module) - len(top) + depth] if module else None
                            inner = inner or self._modules.absolute(folder, tuple(top[:depth]))
                            if inner:
                                local[".".join(top[:depth])] = inner
                                plain.add(".".join(top[:depth]))
                elif module and item.name != "*" and (*module, item.name) in self._modules:
                    local[item.alias] = (*module, item.name)
            found = self._bound[file] = _Bound(known, local, plain)
        return found

    # -- files that move ---------------------------------------------------------------------------------------

    def file_sites(self) -> Iterator[Site]:
        """Sites of files that lie elsewhere, are called otherwise, or are gone."""
        planned = self._planned
        changes = {module_of(change.old): change for change in planned.files if is_python(change.old)}
        if not changes:
            return
        keys = [change.key for change in changes.values()]
        below = [key for change in changes.values() for key in planned.base.subtree(change.key).tolist()]
        above = {int(planned.base.parent[key]) for key in keys}
        users = {use.file for use in planned.uses_of({*below, *above})}
        users |= {change.old for change in changes.values()}
        users |= planned.files_with(".".join(module[-2:]) for module in changes)
        for file in sorted(users):
            if is_read(planned, file, _SUFFIXES) and planned.new_path(file) is not None:
                yield from self._import_sites(file, changes)
                yield from self._dotted_sites(file, changes)

    def _import_sites(self, file: str, changes: dict[Module, FileChange]) -> Iterator[Site]:
        for item, module in self.bound(file).items:
            if module is None:
                continue
            inner = (*module, item.name) if item.name and item.name != "*" else None
            if inner is not None and inner not in self._modules:
                inner = None
            if self._holds(file, item, module, inner):
                continue
            cause = self._cause(inner or module, file, changes)
            if cause >= 0:
                line = item.line if inner and self._holds(file, item, module, None) else item.first
                if item.name is None:
                    line = item.line
                yield Site(file, line, "import", "must", names=(item.name or item.module,), cause=cause)

    def _cause(self, module: Module, file: str, changes: dict[Module, FileChange]) -> int:
        """Whose doing it is that an import of `module` in `file` does not hold: of what it names, else of the file."""
        for depth in range(len(module), 0, -1):
            change = changes.get(module[:depth])
            if change is not None and (depth == len(module) or self._new(module) != module):
                return change.cause
        for known, change in changes.items():
            if known[: len(module)] == module and self._new(module) != module:
                return change.cause
        own = changes.get(module_of(file))
        return own.cause if own is not None else -1

    def _new(self, module: Module) -> Module | None:
        """What the module is in the target; None = it is gone."""
        path = self._modules.file.get(module)
        if path is not None:
            new = self._planned.new_path(path)
            return None if new is None else module_of(new)
        if module not in self._folders:
            planned = self._planned
            key = planned.base.key_of.get("/".join(module), -1)
            moved = key >= 0 and planned.changed[key] >= 0 and planned.target.tree.pos[key] >= 0
            self._folders[module] = tuple(place(planned.target, key).split("/")) if moved else module
        return self._folders[module]

    def _holds(self, file: str, item: Item, module: Module, inner: Module | None) -> bool:
        """Whether the import is right in the target as it is written.

        module  that it names; `inner`: the module that it takes from that, None = it takes something else
        """
        new = self._new(module)
        if inner is not None:
            assert item.name is not None
            if new is None or self._new(inner) != (*new, item.name):
                return False
            if module not in self._modules.regular and not item.level and self._new(inner) == inner:
                return True  # a folder without `__init__.py` is where its files are
        if new is None:
            return False
        parts = tuple(item.module.split(".")) if item.module else ()
        if item.level:
            here = self._planned.new_path(file)
            assert here is not None
            return from_folder(tuple(here.split("/")[:-1]), item.level, parts) == new
        root, new_root = module[: len(module) - len(parts)], new[: len(new) - len(parts)]
        if new[len(new_root) :] != parts:
            return False
        return new_root == root or (
            "/".join((*new_root, "__init__.py")) not in self._new_files
            and (not new_root or new_root[-1] in _USUAL_ROOTS or self._new(root) == new_root)
        )

    def _dotted_sites(self, file: str, changes: dict[Module, FileChange]) -> Iterator[Site]:
        """Uses as `pk.b.f()` after `import pk.b`, and as `b.f()` after `from pk import b` if b gets another name."""
        text = self._planned.text(file)
        local = self.bound(file).modules
        statements = {(item.first, item.last) for item, _ in self.bound(file).items}
        imports = {line for first, last in statements for line in range(first, last + 1)}
        for module, change in changes.items():
            names = {
                ".".join((name, *module[len(there) :]))
                for name, there in local.items()
                if module[: len(there)] == there and not self._leads(file, name, there, module)
            }
            for name in sorted(names):
                for line in text.lines_with(_at_start(name), holding=name):
                    if line not in imports:
                        yield Site(file, line, "reference", "must", names=(name,), cause=change.cause)

    def _leads(self, file: str, name: str, package: Module, module: Module) -> bool:
        """Whether the name of a package, and the names from there on, lead to the same module in the target, too."""
        rest = module[len(package) :]
        if name in self.bound(file).plain:
            return self._holds(file, Item(".".join((name, *rest)), 0, None, "", 0, 0, 0), module, None)
        new, after = self._new(module), self._new(package)
        is_kept = after is not None and (after[-1] == package[-1] or name != package[-1])
        return is_kept and after is not None and new == (*after, *rest)

    # -- classes and functions ---------------------------------------------------------------------------------

    def part_sites(self, part: PartChange) -> Iterator[Site]:
        """Sites of a class or function that is renamed, removed, or goes to another file."""
        if is_read(self._planned, part.file, _SUFFIXES):
            yield from definition_site(self._planned, part)
        if part.above:
            yield from self._member_sites(part)
        elif part.is_renamed or part.leaves:
            yield from self._top_sites(part)

    def _exporters(self, part: PartChange) -> dict[str, list[Item]]:
        """File -> its imports that bind the part, or all of a file that has it; the part's own file first, with none.

        A file that imports a name has it, and passes it on.
        """
        planned = self._planned
        naming = {file for file in planned.files_with([part.name]) if is_python(file)}
        found: dict[str, list[Item]] = {part.file: []}
        todo = [part.file]
        while todo:
            here = todo.pop()
            module = module_of(here)
            key = planned.paths[here]
            near = {key, int(planned.base.parent[key])} if here.endswith("__init__.py") else {key}
            users = {use.file for use in planned.uses_of(near) if use.kind == "import"}
            for file in sorted(users):
                if file == here or (file not in naming and not file.endswith("__init__.py")):
                    continue
                if not is_read(planned, file, _SUFFIXES):
                    continue
                for item, named in self.bound(file).items:
                    if named != module or item.name not in (part.name, "*"):
                        continue
                    if file not in found:
                        found[file] = []
                        if item.alias in (part.name, ""):
                            todo.append(file)
                    if item not in found[file]:
                        found[file].append(item)
        return found

    def _top_sites(self, part: PartChange) -> Iterator[Site]:
        planned = self._planned
        exporters = self._exporters(part)
        moves = part.leaves and part.new_file is not None
        home = module_of(part.file)
        having = {module_of(file) for file in exporters}
        goes = set(planned.lines_of(part.key)) if part.leaves else set()
        kinds = self._kinds(part)
        for file, binding in exporters.items():
            if not is_read(planned, file, _SUFFIXES):
                continue
            text = planned.text(file)
            direct = [item for item in binding if self._modules.named(file, item) == home]
            naming = [item for item in (direct if moves and not part.is_renamed else binding) if item.name != "*"]
            for item in naming:
                gone = moves and file == part.new_file
                yield Site(
                    file, item.line, "drop-import" if gone else "import", "must", names=(part.name,), cause=part.cause
                )
            if moves and file == part.new_file:
                yield from self._emptied(file, [(item, part.name) for item in naming], "must", part)
            is_bare = file == part.file or any(item.alias in (part.name, "") for item in binding)
            if part.is_renamed or part.new_file is None:
                if is_bare:
                    for line in text.lines_with(bare_word(part.name), holding=part.name):
                        if line not in goes or file != part.file:
                            kind = site_kind(kinds.get((file, line), "reference"))
                            yield Site(file, line, kind, "must", names=(part.name,), cause=part.cause)
                    yield from self._listed(file, part)
            elif moves and file == part.file:
                yield from self._listed(file, part)
                leaving = self._leaving(file)
                if any(line not in leaving for line in text.lines_with(bare_word(part.name), holding=part.name)):
                    yield self._added(file, (part.name,), part)
            elif any(item.name == "*" for item in direct) and file != part.new_file:
                is_passed_on = file.endswith("__init__.py") and self._is_public(part)
                if is_passed_on or any(text.lines_with(bare_word(part.name), holding=part.name)):
                    yield self._added(file, (part.name,), part)
        yield from self._qualified(part, {home} if moves and not part.is_renamed else having, kinds)
        if moves:
            yield from self._neighbours(part)
        else:
            yield from self._unbound_sites(part, exporters)
            uses = [use for use in planned.uses_of([part.key]) if use.file != part.file or use.line not in goes]
            yield from use_sites(planned, uses, part, _SUFFIXES)

    def _unbound_sites(self, part: PartChange, exporters: Container[str]) -> Iterator[Site]:
        """Where the name stands in files that do not import it.

        pytest gives a fixture to the parameters of its name, in the folder of its file and below. Of other names only
        those that no other part has, and that tell something, are to be checked.
        """
        planned = self._planned
        is_fixture, folder = self._is_fixture(part), part.file.rpartition("/")[0]
        is_only = is_telling(part.name) and same_name(planned, part.name, _SUFFIXES) == [part.key]
        if not is_fixture and not is_only:
            return
        name = bare_word(part.name)
        for file in sorted(planned.files_with([part.name])):
            if file not in exporters and is_read(planned, file, _SUFFIXES):
                sure = is_fixture and f"{file}/".startswith(f"{folder}/" if folder else "")
                if not sure and not is_only:
                    continue
                for line in planned.text(file).lines_with(name, holding=part.name):
                    yield self._by_name(file, line, part, sure)

    def _is_fixture(self, part: PartChange) -> bool:
        first = int(self._planned.base.line[part.key])
        line = line_with(self._planned, part.file, first, re.compile(rf"\bdef\s+{re.escape(part.name)}\b"), "code")
        decorators = self._planned.text(part.file).code[first - 1 : line - 1] if line else ()
        return any(re.match(r"\s*@(?:\w+\.)*(?:yield_)?fixture\b", text) for text in decorators)

    def _kinds(self, part: PartChange) -> dict[tuple[str, int], str]:
        """(file, line) -> the kind of the relation to the part that stands there."""
        uses = self._planned.uses_of([part.key])
        return {(use.file, use.line): use.kind for use in uses if use.kind not in ("import", "reference")}

    def _qualified(self, part: PartChange, having: set[Module], kinds: dict[tuple[str, int], str]) -> Iterator[Site]:
        """Uses as `module.name`, where the module is one of those that have the name."""
        planned = self._planned
        attribute = f".{part.name}"
        for file in sorted({there.file for there in planned.mentions(part.name) if attribute in there.text}):
            if not is_read(planned, file, _SUFFIXES):
                continue
            for name, module in self.bound(file).modules.items():
                if module in having:
                    for line in planned.text(file).lines_with(
                        _at_start(f"{name}.{part.name}"), holding=f"{name}.{part.name}"
                    ):
                        kind = site_kind(kinds.get((file, line), "reference"))
                        yield Site(file, line, kind, "must", names=(f"{name}.{part.name}",), cause=part.cause)

    def _is_public(self, part: PartChange) -> bool:
        """Whether `from m import *` takes the part: `__all__` lists it, or there is none and no underscore."""
        text = self._planned.text(part.file).whole_bare
        return any(self._listed(part.file, part)) or (not part.name.startswith("_") and not _ALL.search(text))

    def _listed(self, file: str, part: PartChange) -> Iterator[Site]:
        """The name in `__all__`."""
        text = self._planned.text(file)
        quoted = re.compile(rf"""(["']){re.escape(part.name)}\1""")
        for found in _ALL.finditer(text.whole_bare):
            for name in quoted.finditer(text.whole_bare, found.start(), found.end()):
                yield Site(file, text.line_at(name.start()), "reference", "must", names=(part.name,), cause=part.cause)

    def _added(self, file: str, names: tuple[str, ...], part: PartChange) -> Site:
        after = self._top_import(file)
        return Site(file, None, "add-import", "must", after=after, names=names, cause=part.cause)

    def _top_import(self, file: str) -> int:
        """The last line of the last import of a file that is not indented; 0 = there is none."""
        text = self._planned.text(file)
        last = [item.last for item, _ in self.bound(file).items if text.lines[item.first - 1][:1] in ("i", "f")]
        return max(last, default=0)

    def _leaving(self, file: str, new_file: str | None = None) -> set[int]:
        """The lines of a file that go with what the plan moves or removes; `new_file`: only those that go there."""
        return {
            line
            for other in self._planned.parts
            if other.file == file and other.leaves and new_file in (None, other.new_file)
            for line in self._planned.lines_of(other.key)
        }

    def _assigned(self, part: PartChange, words: set[str]) -> Iterator[tuple[str, int, bool]]:
        """Names that the part's file assigns at its left margin and the part uses.

        Each with its line, and whether nothing that stays in the file uses it, nor anything that goes elsewhere.
        """
        text, going = self._planned.text(part.file), self._leaving(part.file, part.new_file)
        lines: dict[str, list[int]] = defaultdict(list)
        for number, code in enumerate(text.code, 1):
            found = _ASSIGNED.match(code)
            if found and found[1] in words and found[1] != "__all__":
                lines[found[1]].append(number)
        for name, there in sorted(lines.items()):
            yield name, there[0], all(line in going or line in there for line in text.lines_with(bare_word(name)))

    def _neighbours(self, part: PartChange) -> Iterator[Site]:
        """What a part that goes to another file needs there, and what is needed no more where it was."""
        planned = self._planned
        if not is_read(planned, part.file, _SUFFIXES):
            return
        text, goes = planned.text(part.file), planned.lines_of(part.key)
        inside = "\n".join(text.code[goes.start - 1 : goes.stop - 1])
        words = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", inside))
        base = planned.base
        along = {other.key for other in planned.parts if other.file == part.file and other.new_file == part.new_file}
        beside = {
            base.names[key]
            for key in base.children(planned.paths[part.file]).tolist()
            if key not in along and base.kind(key) != "(module)"
        }
        needed = beside & words
        for name, line, goes_along in self._assigned(part, words):
            if goes_along and part.new_file is not None:
                yield Site(part.file, line, "definition", "must", names=(name,), cause=part.cause)
            else:
                needed.add(name)
        leaving = self._leaving(part.file)
        dropped: list[tuple[Item, str]] = []
        for item, _ in self.bound(part.file).items:
            name = item.alias or item.module.partition(".")[0]
            if item.name == "*" or name not in words or item.first in goes:
                continue
            needed.add(name)
            elsewhere = (line for line in text.lines_with(bare_word(name)) if line not in leaving)
            if all(item.first <= line <= item.last for line in elsewhere) and not part.file.endswith("__init__.py"):
                dropped.append((item, name))
        names_at: dict[int, list[str]] = defaultdict(list)
        for item, name in dropped:
            names_at[item.line].append(name)
        for line, names in names_at.items():
            reason = "only what moves uses it: drop it unless others import it from here"
            yield Site(
                part.file, line, "drop-import", "check", names=tuple(sorted(names)), reason=reason, cause=part.cause
            )
        yield from self._emptied(part.file, dropped, "check", part)
        if part.new_file is None:
            return
        there = part.new_file
        if there in planned.paths and is_read(planned, there, _SUFFIXES):
            have = {item.alias or item.module.partition(".")[0] for item, _ in self.bound(there).items}
            have |= {base.names[key] for key in base.children(planned.paths[there]).tolist()}
            if needed - have:
                yield self._added(there, tuple(sorted(needed - have)), part)
            return
        if is_python(there):
            needed |= {
                f"__future__.{item.name}" for item, _ in self.bound(part.file).items if item.module == "__future__"
            }
        if needed:
            yield Site(there, None, "add-import", "must", after=0, names=tuple(sorted(needed)), cause=part.cause)

    def _emptied(
        self, file: str, dropped: Sequence[tuple[Item, str]], certainty: Certainty, part: PartChange
    ) -> Iterator[Site]:
        """The heads of blocks, as `if TYPE_CHECKING:`, in which nothing but dropped imports stands."""
        if not dropped:
            return
        going = {item for item, _ in dropped}
        kept = {item.first for item, _ in self.bound(file).items if item not in going}
        lines = [line for item in going if item.first not in kept for line in range(item.first, item.last + 1)]
        reason = (
            "" if certainty == "must" else "nothing is left in this block without the imports to drop: it goes, too"
        )
        for line, head in emptied_blocks(self._planned.text(file), lines):
            yield Site(file, line, "drop-import", certainty, names=(head,), reason=reason, cause=part.cause)

    # -- methods -----------------------------------------------------------------------------------------------

    def _member_sites(self, part: PartChange) -> Iterator[Site]:
        """A method: what the graph knows, `self.name` in its class and those below, and methods that override it."""
        planned = self._planned
        base = planned.base
        if not (part.is_renamed or part.leaves or int(planned.target.parent[part.key]) != int(base.parent[part.key])):
            return
        owner = int(base.parent[part.key])
        family = self._below(owner)
        same = [key for cls in family for key in base.children(cls).tolist() if base.names[key] == part.name]
        if part.is_renamed:
            for key in same:
                if key != part.key:
                    file = planned.file_of(key)
                    yield from definition_site(planned, part._replace(key=key, file=file))
        told = set()
        is_only = is_telling(part.name) and set(same_name(planned, part.name, _SUFFIXES)) <= set(same)
        for site in use_sites(planned, planned.uses_of(same if part.is_renamed else [part.key]), part, _SUFFIXES):
            told.add((site.file, site.line))
            yield site
        own = re.compile(rf"{_SELF}{re.escape(part.name)}(?!\w)")
        for cls in family:
            file, lines = planned.file_of(cls), planned.lines_of(cls)
            if is_read(planned, file, _SUFFIXES):
                for line in planned.text(file).lines_with(own):
                    if line in lines and (file, line) not in told:
                        told.add((file, line))
                        yield Site(file, line, "call", "must", names=(part.name,), cause=part.cause)
        for file in sorted(planned.files_with([part.name])):
            if is_read(planned, file, _SUFFIXES):
                for line in planned.text(file).lines_with(member_word(part.name)):
                    if (file, line) not in told:
                        yield self._by_name(file, line, part, is_only)

    @staticmethod
    def _by_name(file: str, line: int, part: PartChange, sure: bool) -> Site:
        reason = "" if sure else BY_NAME
        certainty: Certainty = "must" if sure else "check"
        return Site(file, line, "reference", certainty, names=(part.name,), reason=reason, cause=part.cause)

    def _below(self, owner: int) -> list[int]:
        """A class and all that inherit from it."""
        found, todo = {owner: None}, [owner]
        while todo:
            users = self._planned.uses_of([todo.pop()])
            for use in users:
                if use.kind == "inherit" and use.is_sure and use.source not in found:
                    found[use.source] = None
                    todo.append(use.source)
        return list(found)

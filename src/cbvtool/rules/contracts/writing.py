"""Writes rules of `cbvtool.toml` as contracts of import-linter, as far as it can express them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cbvtool.budget import Budget
from cbvtool.graph import EXTERNAL, Graph
from cbvtool.rules.node_patterns import NodeNames
from cbvtool.rules.rule_kinds import (
    AcyclicRule,
    ForbiddenRule,
    IndependenceRule,
    LayersRule,
    Names,
    ProtectedRule,
    Rule,
    RuleTerms,
    key_of,
)
from cbvtool.rules.rules_file import Rules
from cbvtool.words import one_line

_INIT, _SUFFIX = "__init__.py", ".py"
_SECONDS = 10.0
Options = dict[str, list[str] | str]


class _CannotSay(Exception):
    """Why a rule cannot be written as a contract, in a few words."""


@dataclass(frozen=True)
class WrittenContracts:
    """Contracts as a file.

    text   of an `.importlinter`; empty if no rule could be written
    notes  a sentence for everything that the text does not express
    """

    text: str
    notes: tuple[str, ...]


def written_contracts(graph: Graph, rules: Rules) -> WrittenContracts:
    """Contracts that express `rules` for the Python modules of `graph`. Raises InputError over its budget."""
    modules = _ModuleNames(graph)
    contracts: list[tuple[str, Options]] = []
    notes: list[str] = []
    if rules.forbid_cycles:
        notes.append('cycles = "forbid" is not written: import-linter forbids cycles of siblings, not of files.')
    for rule in (*_old_forms(rules), *rules.stated):
        name = one_line(key_of(rule))
        try:
            contracts += _contracts(rule, name, modules)
        except _CannotSay as reason:
            notes.append(f"The rule “{name}” is not written: {reason}.")
            continue
        notes += [f"The rule “{name}”: {said}." for said in _differences(rule)]
    if not contracts:
        return WrittenContracts("", tuple(notes))
    session = ["[importlinter]", *_option("root_packages", sorted(modules.roots))]
    if modules.external:
        session.append("include_external_packages = True")
    sections = [
        "\n".join([f"[importlinter:contract:{number}]", f"name = {name}", *_lines(options)])
        for number, (name, options) in enumerate(contracts, 1)
    ]
    return WrittenContracts("\n\n".join(["\n".join(session), *sections]) + "\n", tuple(notes))


def _old_forms(rules: Rules) -> Iterator[Rule]:
    if rules.layers:
        yield LayersRule(tuple((layer,) for layer in rules.layers))
    for deny in rules.deny:
        yield ForbiddenRule((deny.user,), (deny.used,))


def _differences(rule: Rule) -> Iterator[str]:
    if not rule.terms.imports_only:
        yield "import-linter looks at imports alone, this rule at any dependency"
    if not rule.terms.type_checking:
        yield "import-linter counts imports for a type checker, too, unless it is told not to for all contracts"


def _contracts(rule: Rule, name: str, modules: _ModuleNames) -> Iterator[tuple[str, Options]]:
    ignored = _ignored(rule.terms, modules)
    match rule:
        case ForbiddenRule():
            users, used = modules.of(rule.users), modules.of(rule.used, outside=True)
            yield name, _forbidden(users, used, rule.terms) | ignored
        case LayersRule() if rule.terms.chains:
            layers = [" | ".join(modules.of(side)) for side in rule.layers]
            yield name, {"type": "layers", "layers": layers, **ignored}
        case LayersRule():
            places = [(place, [each]) for place, side in enumerate(rule.layers) for each in modules.of(side)]
            for low, user in places:
                used = [each for high, listed in places for each in listed if (high <= low and listed != user)]
                used = [each for each in used if not _related(each, user[0])]
                if used:
                    yield f"{name}: {user[0]}", _forbidden(user, used, rule.terms) | ignored
        case IndependenceRule() if rule.terms.chains:
            yield name, {"type": "independence", "modules": modules.of(rule.modules), **ignored}
        case IndependenceRule():
            listed = modules.of(rule.modules)
            for each in listed:
                rest = [other for other in listed if other != each]
                if rest:
                    yield f"{name}: {each}", _forbidden([each], rest, rule.terms) | ignored
        case ProtectedRule():
            options: Options = {"type": "protected", "protected_modules": modules.of(rule.modules)}
            # A rule lets protected modules use each other; import-linter requires that to be stated.
            options["allowed_importers"] = [*modules.of(rule.modules), *(modules.of(rule.users) if rule.users else ())]
            yield name, options | {"as_packages": "True"} | ignored
        case AcyclicRule():
            within = modules.of(rule.within) if rule.within else sorted(modules.every_root())
            depth: Options = {"depth": "0"} if rule.within else {}
            yield name, {"type": "acyclic_siblings", "ancestors": within, **depth, **ignored}
        case _:
            raise _CannotSay(f"no contract of import-linter says what the kind {rule.KIND} does")


def _forbidden(users: list[str], used: list[str], terms: RuleTerms) -> Options:
    if near := next(((a, b) for a in users for b in used if _related(a, b)), None):
        raise _CannotSay(f"{near[0]} and {near[1]} lie in one another")
    indirect = "False" if terms.chains else "True"
    return {"type": "forbidden", "source_modules": users, "forbidden_modules": used, "allow_indirect_imports": indirect}


def _related(a: str, b: str) -> bool:
    return f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.")


def _ignored(terms: RuleTerms, modules: _ModuleNames) -> Options:
    pairs = [
        f"{user}{below} -> {used}{inner}"
        for each in terms.ignore
        for user in modules.of((each.user,))
        for used in modules.of((each.used,), outside=True)
        for below in ("", ".**")
        for inner in ("", ".**")
    ]
    return {"ignore_imports": pairs, "unmatched_ignore_imports_alerting": "none"} if pairs else {}


def _lines(options: Options) -> Iterator[str]:
    for key, value in options.items():
        if isinstance(value, str):
            yield f"{key} = {value}"
        else:
            yield from _option(key, value)


def _option(key: str, values: Iterable[str]) -> list[str]:
    return [f"{key} =", *(f"    {value}" for value in values)]


class _ModuleNames:
    """Python modules and packages by their names in rules.

    roots     top-level packages that were requested
    external  whether an external package was requested
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names = NodeNames(graph, Budget("Writing contracts", seconds=_SECONDS))
        self._packages = {path.rpartition("/")[0] for path in graph.key_of if path.endswith(f"/{_INIT}")}
        self.roots: set[str] = set()
        self.external = False

    def of(self, names: Names, *, outside: bool = False) -> list[str]:
        """Modules and packages, each once; with `outside`, also external packages. Raises _CannotSay."""
        found: dict[str, None] = {}
        for name in names:
            keys = self._names.keys(name).tolist()
            if not keys:
                raise _CannotSay(f"{name} is not there")
            for key in keys:
                found[self._outside(key) if outside and self._graph.kind(key) == EXTERNAL else self._module(key)] = None
        return list(found)

    def every_root(self) -> set[str]:
        """All top-level packages."""
        self.roots |= {
            path.rpartition("/")[2] for path in self._packages if path.rpartition("/")[0] not in self._packages
        }
        return self.roots

    def _outside(self, key: int) -> str:
        self.external = True
        return self._graph.names[key].partition(".")[0]

    def _module(self, key: int) -> str:
        path = self._graph.ids[key]
        folder = path if path in self._packages else path.rpartition("/")[0]
        if folder not in self._packages or "::" in path or (folder != path and not path.endswith(_SUFFIX)):
            raise _CannotSay(f"{path} is not a module in a Python package")
        parts = [folder.rpartition("/")[2]]
        while (folder := folder.rpartition("/")[0]) in self._packages:
            parts.insert(0, folder.rpartition("/")[2])
        self.roots.add(parts[0])
        file = path.rpartition("/")[2]
        if path.endswith(_SUFFIX) and file != _INIT:
            parts.append(file.removesuffix(_SUFFIX))
        if not all(part.isidentifier() for part in parts):
            raise _CannotSay(f"{path} has no name that Python can import")
        return ".".join(parts)

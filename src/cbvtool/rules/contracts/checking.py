"""Checks contracts: runs import-linter's own contract classes on the imports that cbvtool found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from importlinter import Contract as Checker
from importlinter.configuration import configure
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract
from importlinter.domain.contract import InvalidContractOptions
from importlinter.domain.helpers import MissingImport

from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.progress import Progress, silent
from cbvtool.rules.contracts.contract_file import Contract, ContractFile
from cbvtool.rules.contracts.modules import ModuleGraph, module_graph
from cbvtool.rules.promise import BrokenPromise, ChainLink

_CLASSES: dict[str, type[Checker]] = {
    "forbidden": ForbiddenContract,
    "layers": LayersContract,
    "independence": IndependenceContract,
    "protected": ProtectedContract,
    "acyclic_siblings": AcyclicSiblingsContract,
}
_WHAT = "checking contracts"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Checked:
    """The outcome.

    broken  violations of contracts
    modules  names of all modules
    notes   warnings of import-linter, and a sentence for each module that is not listed as a layer
    """

    broken: tuple[BrokenPromise, ...]
    modules: frozenset[str]
    notes: tuple[str, ...] = ()


def check_contracts(graph: Graph, file: ContractFile, progress: Progress = silent) -> Checked:
    """Check all contracts of `file`.

    Raises InputError for invalid options, and for packages and modules that do not exist; also any exception of
    `progress`.
    """
    configure()
    modules = module_graph(graph, file.roots, external=file.external, type_checking=file.type_checking)
    broken: list[BrokenPromise] = []
    notes: list[str] = []
    for done, contract in enumerate(file.contracts):
        progress(_WHAT, done, len(file.contracts))
        found, more = _check(contract, modules, file)
        broken += found
        notes += more
    return Checked(tuple(broken), frozenset(modules.node), tuple(notes))


def _check(contract: Contract, modules: ModuleGraph, file: ContractFile) -> tuple[list[BrokenPromise], list[str]]:
    where = f"{file.name}: contract {contract.name!r}"
    try:
        checker = _CLASSES[contract.type](
            name=contract.name,
            session_options={"root_packages": list(file.roots), "include_external_packages": str(file.external)},
            contract_options=dict(contract.options),
        )
    except InvalidContractOptions as error:
        said = "; ".join(f"{key}: {str(text).rstrip('.')}" for key, text in sorted(error.errors.items()))
        raise InputError(f"{where} cannot be read ({said}).") from None
    try:
        result = checker.check(graph=deepcopy(modules.imports), verbose=False)
    except (ValueError, MissingImport, KeyError) as error:
        raise InputError(f"{where} cannot be checked: {str(error).strip().rstrip('.')}.") from None
    notes = [f"{where}: {warning}" for warning in result.warnings]
    notes += [
        f"{where}: {module} is not listed as a layer."
        for module in sorted(result.metadata.get("undeclared_modules", ()))
    ]
    broken = [
        BrokenPromise(
            contract.name,
            contract.type,
            chain[0][0],
            chain[-1][1],
            tuple(link for pair in chain for link in _links(pair, modules)),
            tuple(modules.node[name] for name in dict.fromkeys(name for pair in chain for name in pair)),
        )
        for chain in dict.fromkeys(_chains(contract.type, result.metadata))
    ]
    broken += [
        BrokenPromise(
            contract.name, contract.type, module, "", (), (modules.node[module],) if module in modules.node else ()
        )
        for module in sorted(result.metadata.get("undeclared_modules", ()))
    ]
    return broken, notes


def _chains(kind: str, metadata: dict[str, Any]) -> Iterator[tuple[Pair, ...]]:
    """The chains of imports that break a contract, each as pairs (importer, imported)."""
    if kind == "forbidden":
        for group in metadata["invalid_chains"]:
            for chain in group["chains"]:
                yield tuple(_pairs(chain))
    elif kind == "layers":
        for group in metadata["invalid_dependencies"]:
            yield from _detailed(group["routes"])
    elif kind == "independence":
        for group in metadata["invalid_chains"]:
            yield from _detailed(group["chains"])
    elif kind == "protected":
        for group in metadata["illegal_imports"]:
            yield from ((pair,) for pair in _pairs(group.illegal_links))
    else:
        for _, breakers in sorted(metadata["cycle_breakers_by_package"].items()):
            yield from ((pair,) for pair in sorted(breakers))


def _detailed(routes: Iterable[dict[str, Any]]) -> Iterator[tuple[Pair, ...]]:
    """A chain, and its variants with each of its other first and last imports."""
    for route in routes:
        chain = tuple(_pairs(route["chain"]))
        yield chain
        yield from ((first, *chain[1:]) for first in _pairs(route["extra_firsts"]))
        yield from ((*chain[:-1], last) for last in _pairs(route["extra_lasts"]))


def _pairs(links: Iterable[dict[str, Any]]) -> Iterator[Pair]:
    return ((link["importer"], link["imported"]) for link in links)


def _links(pair: Pair, modules: ModuleGraph) -> Iterator[ChainLink]:
    """A link for each line with the import."""
    for file, line in modules.lines.get(pair, ()):
        yield ChainLink(*pair, file, line)

"""Analyses a commit: its files are written to a folder, and the graph is cached by the id of the commit."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from cbvtool import analysis
from cbvtool.analysis.cache import default_folder, fingerprint, open_cache
from cbvtool.analysis.read import SOURCE_LIMIT
from cbvtool.config import FILE_NAME, text_of
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.mining.versions import Versions
from cbvtool.progress import Progress, silent
from cbvtool.rules import Rules, parse_rules

_PACKAGE = "__init__.py"  # a folder with this file is a Python package, and may belong to an outer one


@dataclass(frozen=True, eq=False)
class Version:
    """A commit of a project.

    name    the name by which it was requested
    commit  its full id
    """

    name: str
    commit: str
    graph: Graph


def analysed(
    versions: Versions,
    name: str,
    *,
    jobs: int | None = None,
    progress: Progress = silent,
    cache: Path | bool = True,
    config: Path | None = None,
) -> Version:
    """The commit `name` of `versions`; see `analysis.analyze` for the rest. Raises InputError."""
    commit = versions.commit_of(name)
    place = cache if isinstance(cache, Path) else default_folder() if cache else None
    known, state = f"{versions.identity}@{commit}", _state(config)
    with open_cache(place) as memory:
        graph = memory.graph(known, state)
    if graph is None:
        folder, notes = versions.lay_out(commit, largest=SOURCE_LIMIT, beside=(_PACKAGE,), progress=progress)
        try:
            graph = analysis.analyze(
                folder, jobs=jobs, progress=progress, cache=cache, config=config, known_as=versions.identity
            )
        except InputError as error:  # it names the temporary folder, which the user does not know
            raise InputError(str(error).replace(str(folder), f"{versions.root} at {commit[:7]}")) from error
        with open_cache(place) as memory:
            memory.keep(known, {}, state, graph)
        if notes:
            graph = graph.with_(report=replace(graph.report, notes=(*graph.report.notes, *notes)))
    return Version(name, commit, graph)


def rules_of(versions: Versions, commit: str) -> Rules:
    """The rules in the commit; empty if it has none, or none that can be read."""
    try:
        text = versions.text_of(commit, FILE_NAME)
        return Rules() if text is None else parse_rules(text)
    except InputError:
        return Rules()


def _state(config: Path | None) -> bytes:
    """Digest of all inputs of a graph apart from the commit."""
    found = hashlib.blake2b(fingerprint(), digest_size=16)
    if config is not None:
        found.update(text_of(config).encode())
    return found.digest()

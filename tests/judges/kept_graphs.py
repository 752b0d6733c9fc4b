"""Graphs of commits, kept in a folder until the code that makes graphs changes."""

from __future__ import annotations

import copyreg
import hashlib
import pickle
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType

import cbvtool
from cbvtool.analysis import analyze
from cbvtool.graph import Graph
from tests.judges.commits import Repository


def frozen_mapping(items: dict[str, object]) -> MappingProxyType[str, object]:
    """What a graph's columns lie in, read back."""
    return MappingProxyType(items)


copyreg.pickle(MappingProxyType, lambda mapping: (frozen_mapping, (dict(mapping),)))


def analysed(repository: Repository, sha: str, folder: Path, cache: Path) -> Graph:
    """The graph of a commit; `folder` holds its files where they had to be read."""
    sources = Path(cbvtool.__file__).parent
    files = [path for room in ("analysis", "graph") for path in sorted((sources / room).rglob("*.py"))]
    kept = cache / "graphs" / f"{repository.name}-{sha}-{digest_of(files)}.pickle"
    if kept.exists():
        graph: Graph = pickle.loads(kept.read_bytes())
        return graph
    repository.check_out(sha, folder)
    graph = analyze(folder, cache=cache / "analysis")
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(pickle.dumps(graph))
    return graph


def digest_of(files: Iterable[Path]) -> str:
    """A short name for what the files hold."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]

"""Functions and classes that got other names: who uses them, and what still has their old names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from cbvtool.apply.places import DEFINITIONS
from cbvtool.apply.proof import GraphProof
from cbvtool.apply.python.modules import ModuleTree, dotted, module_of
from cbvtool.apply.python.moving import FileTree, Moved
from cbvtool.apply.renames.occurrences import WordFile
from cbvtool.apply.source import is_python
from cbvtool.graph import Confidence, Graph, are_dependencies
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import RenameNode

_Line = tuple[str, int, str]


def with_names(proof: GraphProof, planned: Graph, found: Graph, renames: Sequence[RenameNode]) -> GraphProof:
    """The proof with which files use each renamed definition: (file, definition), where plan and result differ."""
    missing, extra = list(proof.missing), list(proof.extra)
    places = {place(found, key): key for key in range(len(found)) if found.kind(key) in DEFINITIONS}
    for one in renames:
        key = planned.key_of[one.node]
        said = place(planned, key)
        wanted = _users(planned, key)
        there = _users(found, places[said]) if said in places else set()
        missing += [(file, said) for file in sorted(wanted - there)]
        extra += [(file, said) for file in sorted(there - wanted)]
        if said not in places:
            missing.append((said.partition("::")[0], said))
    return replace(proof, missing=tuple(missing), extra=tuple(extra))


def _users(graph: Graph, key: int) -> set[str]:
    """Paths of the files that use a node, surely."""
    edges = graph.edges
    rows = are_dependencies(edges) & (edges.target == key) & (edges.confidence != int(Confidence.GUESS))
    files = {file_of(graph, source) for source in edges.source[rows].tolist()}
    return {place(graph, file) for file in files if file >= 0}


def name_mentions(
    base: Graph, start: FileTree, tree: FileTree, texts: Mapping[str, bytes], done: Sequence[tuple[RenameNode, Moved]]
) -> Iterator[_Line]:
    """(path, line, old name) of texts with old names: strings and comments of files that changed, and other files.

    texts  contents of other text files, by path
    """
    modules = ModuleTree(start.paths)
    for one, moved in done:
        key = base.key_of[one.node]
        old = base.names[key]
        for path in moved.rewritten:
            source = tree.read(path) if is_python(path) else None
            for found in WordFile(source).occurrences(old) if source is not None else ():
                if found.role in ("string", "comment"):
                    yield path, found.line, old
        names = place(base, key).partition("::")[2]
        module = dotted(modules.name(module_of(place(base, file_of(base, key)))))
        dotted_name, name = (re.escape(text.encode()) for text in (module, names))
        full = rb"(?<![\w./])" + dotted_name + rb"[.:]" + name
        in_sphinx = rb"(?:auto\w+::[ \t]*|:\w+:`[~!.]?)(?:[\w.]+\.)?" + name
        pattern = re.compile(rb"(?:" + full + rb"|" + in_sphinx + rb")(?!\w)")
        for path, content in sorted(texts.items()):
            if pattern.search(content):
                for number, line in enumerate(content.splitlines(), start=1):
                    if pattern.search(line):
                        yield path, number, old

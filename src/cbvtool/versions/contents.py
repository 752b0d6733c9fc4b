"""What two versions hold by content: the id of each file's content, and digests of the text of definitions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cbvtool.analysis.read import SOURCE_LIMIT
from cbvtool.graph import REMOVED, Graph
from cbvtool.mining.versions import Versions
from cbvtool.versions.analysed import Version

_LINKS = (b"120000", b"160000")  # symbolic links and submodules: no graph has them as files
_DIGEST = 8  # bytes
FILE = "file"


@dataclass(frozen=True, eq=False)
class SideContents:
    """One version.

    blobs  id of the content of each file, by path
    texts  digest of the own text of each definition (by key) of the files whose content differs
    """

    blobs: Mapping[str, str]
    texts: Mapping[int, str]


@dataclass(frozen=True, eq=False)
class Contents:
    """Both versions."""

    before: SideContents
    after: SideContents


def contents_of(versions: Versions, before: Version, after: Version, renames: Mapping[str, str]) -> Contents:
    """The contents of two commits; `renames` of files, from -> to. Raises InputError.

    A content that is missing (a partial clone), or too large to be analysed, has an id and no texts.
    """
    was, now = _blobs(versions, before.commit), _blobs(versions, after.commit)
    pairs = {(old, new) for old in was for new in (old, renames.get(old, old)) if new in now}
    differ = [(old, new) for old, new in pairs if was[old] != now[new]]
    sides = ((before, was, {old for old, _ in differ}), (after, now, {new for _, new in differ}))
    texts = [_texts(versions, version, {path: blobs[path] for path in paths}) for version, blobs, paths in sides]
    return Contents(SideContents(was, texts[0]), SideContents(now, texts[1]))


def _blobs(versions: Versions, commit: str) -> dict[str, str]:
    files = versions.files(commit)
    return {path: entry.blob.decode("ascii") for path, entry in files.items() if entry.mode not in _LINKS}


def _texts(versions: Versions, version: Version, blobs: Mapping[str, str]) -> dict[int, str]:
    inside = definitions_of(version.graph, blobs)
    paths = dict[bytes, list[str]]()
    for path in inside:
        paths.setdefault(blobs[path].encode(), []).append(path)
    found = dict[int, str]()
    with versions.told(version.commit):
        for blob, content in versions.contents(list(paths)):
            if len(content) <= SOURCE_LIMIT:
                for path in paths[blob]:
                    found |= own_texts(version.graph, inside[path], content)
    return found


def definitions_of(graph: Graph, files: Iterable[str]) -> dict[str, list[int]]:
    """Keys of the definitions with known lines in each of the `files` (paths) that has any, containers first."""
    wanted, found = set(files), dict[str, list[int]]()
    rows = {row for row, path in enumerate(graph.files) if path in wanted}
    order = graph.tree.order
    has_lines = (graph.parent[order] != REMOVED) & (graph.end_line[order] > 0) & np.isin(graph.file[order], list(rows))
    for key in order[has_lines].tolist():
        path = graph.files[graph.file[key]]
        if graph.kind(key) != FILE:
            found.setdefault(path, []).append(key)
    return found


def own_texts(graph: Graph, keys: Sequence[int], content: bytes) -> dict[int, str]:
    """Digest of the lines of each definition in a file without those of definitions inside it; ends of lines are alike.

    keys   of all definitions in the file, containers first
    A definition that shares all of its lines with others has the text of all of these lines.
    """
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    places = np.array(keys, np.int64)
    first = np.clip(graph.line[places] - 1, 0, len(lines))
    last = np.maximum(np.minimum(graph.end_line[places], len(lines)), first)
    owner = np.full(len(lines), -1, np.int64)
    for number, (begin, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        owner[begin:end] = number
    order = np.argsort(owner, kind="stable")
    borders = np.searchsorted(owner[order], np.arange(len(keys) + 1)).tolist()
    found, whole = dict[int, str](), dict[tuple[int, int], str]()
    for number, (key, begin, end) in enumerate(zip(keys, first.tolist(), last.tolist(), strict=True)):
        own = order[borders[number] : borders[number + 1]].tolist()
        if own:
            found[key] = _digest([lines[row] for row in own])
        else:
            if (begin, end) not in whole:
                whole[begin, end] = _digest(lines[begin:end])
            found[key] = whole[begin, end]
    return found


def _digest(lines: Sequence[bytes]) -> str:
    return hashlib.blake2b(b"\n".join(lines), digest_size=_DIGEST).hexdigest()

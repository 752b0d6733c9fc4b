"""The text of a project's files, read when it is asked for: `Code` for a folder as it was analysed."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from cbvtool.analysis.read import to_utf8_or_latin
from cbvtool.budget import Budget, OverBudget
from cbvtool.graph import Graph
from cbvtool.plan.sites.code import Mention
from cbvtool.progress import checkpoint
from cbvtool.regular_file import Unreadable, read_bytes

LARGEST = 2_000_000  # bytes of a file that is read; what is larger is data, or generated
_LONGEST_LINE = 2_000  # characters; what is longer was not written by hand, and holds no mention
_SECONDS = 10.0  # of one search in all files
_BYTES = 1_000_000_000
_MOST = 1_000_000  # lines that are found at a time, and kept
_CLOCK = 2.0  # seconds by which the clocks of file systems are coarse
_FEW = 6  # words that are searched one by one
_IDENTIFIER = re.compile(rb"\w+")
_NO_TEXT = re.compile(
    r"\.(?:png|jpe?g|gif|ico|bmp|webp|pdf|zip|gz|bz2|xz|tgz|7z|jar|class|so|dll|dylib|exe|o|a|pyc|woff2?|ttf|otf|eot|mp[34]|"
    r"wav|npy|npz|parquet|sqlite3?|db|bin|min\.js|map|lock|svg)$",
    re.IGNORECASE,
)


class ProjectCode:
    """The files of a project that can still be read as they were analysed.

    sizes  path -> bytes that the file had, NaN = not known: one that has another size is not read
    read   gives the content of a file, at most as many bytes as it is told, or raises Unreadable
    """

    def __init__(self, sizes: Mapping[str, float], read: Callable[[str, int], bytes]) -> None:
        self._sizes = sizes
        self._read = read
        self._found: dict[str, tuple[Mention, ...]] = {}

    def lines(self, file: str) -> Sequence[str]:
        """The lines of a file, without their ends; none where it cannot be read, is too large, or has changed."""
        text = _text(self._content(file))
        return text.removesuffix("\n").split("\n") if text else ()

    def mentions(self, words: Collection[str]) -> Iterator[Mention]:
        """The lines of all text files in which one of the words is whole, by word, file and line.

        What is found is kept, as far as it is not too much. Where the search takes too long it ends early.
        """
        if sum(map(len, self._found.values())) > _MOST:
            self._found.clear()
        new = sorted(set(words) - self._found.keys())
        if new:
            found: dict[str, list[Mention]] = {word: [] for word in new}
            try:
                for mention in self._searched(new):
                    found[mention.word].append(mention)
            except OverBudget:
                pass
            self._found |= {word: tuple(there) for word, there in found.items()}
        for word in words:
            yield from self._found.get(word, ())

    def _content(self, file: str) -> bytes:
        size = self._sizes.get(file)
        if size is None or size > LARGEST:
            return b""
        try:
            data = self._read(file, LARGEST)
        except (OSError, Unreadable, ValueError):
            return b""
        return data if math.isnan(size) or len(data) == size else b""

    def _searched(self, words: Sequence[str]) -> Iterator[Mention]:
        limits = {"seconds": _SECONDS, "size": _BYTES, "count": _MOST}
        budget = Budget("The search for names", things="lines", cancel=checkpoint, **limits)
        encoded = [(word, word.encode()) for word in words]
        ends = [(word, data, set(_IDENTIFIER.findall(data))) for word, data in encoded]
        for file in sorted(self._sizes):
            if _NO_TEXT.search(file):
                continue
            data = self._content(file)
            budget.spend(size=len(data))
            if len(words) > _FEW:
                there = set(_IDENTIFIER.findall(data))
                here = [word for word, whole, parts in ends if parts <= there and whole in data]
            else:
                here = [word for word, whole in encoded if whole in data]
            if here and b"\0" not in data[:1000]:
                for mention in _mentions(file, _text(data), here):
                    budget.spend(1)
                    yield mention


def _text(data: bytes) -> str:
    """`data` as text with Unix line ends; empty if it is no text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = to_utf8_or_latin(data).decode()
        except Unreadable:
            return ""
    if "\0" in text:
        return ""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _mentions(file: str, text: str, words: Sequence[str]) -> Iterator[Mention]:
    for word in words:
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        number, counted, at = 1, 0, text.find(word)
        while at >= 0:
            if not pattern.match(text, at):
                at = text.find(word, at + 1)
                continue
            number += text.count("\n", counted, at)
            counted = at
            begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = len(text) if end < 0 else end
            if end - begin <= _LONGEST_LINE:
                yield Mention(file, number, word, text[begin:end])
            at = text.find(word, end)


def folder_code(root: Path, graph: Graph, since: float = 0.0) -> ProjectCode:
    """The code of the folder `root`, of which `graph` was made.

    since  time at which the analysis began, seconds since the epoch, 0 = not known: what changed later is not read

    Links that lead out of the folder are not followed.
    """
    column = graph.values.get("bytes")
    sizes: dict[str, float] = {}
    files = {kind for kind, name in enumerate(graph.kind_names) if name == "file"}
    for key, kind in enumerate(graph.kinds.tolist()):
        if kind in files:
            sizes[graph.ids[key]] = math.nan if column is None else float(column[key])
    base = os.path.realpath(root)
    folders: dict[str, bool] = {}

    def read(file: str, limit: int) -> bytes:
        folder = file.rpartition("/")[0]
        inside = folders.get(folder)
        if inside is None:
            real = os.path.realpath(os.path.join(base, folder))
            inside = folders[folder] = real == base or real.startswith(os.path.join(base, ""))
        if not inside:
            raise Unreadable("leads out of the folder")
        path = os.path.join(base, file)
        if since and os.stat(path, follow_symlinks=False).st_mtime > since + _CLOCK:
            raise Unreadable("has changed since")
        return read_bytes(path, limit)

    return ProjectCode(sizes, read)

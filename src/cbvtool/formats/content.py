"""Reads the content of a file, unpacked and decoded. The limits hold whatever the file claims."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from cbvtool.budget import Budget
from cbvtool.progress import Progress, silent
from cbvtool.regular_file import opened

GZIP_MAGIC = b"\x1f\x8b"
_LEAST_LIMIT = 2**23  # unpacked size in bytes that is always allowed
_MOST_RATIO = 64  # largest compression ratio above that size; graphs as text reach 5 to 50
_PIECE = 2**20
_BEYOND_ASCII = re.compile("[\x80-\udc7f\udd00-\U0010ffff]")  # except the results of surrogateescape
# Memory for reading a file, without the process itself: this much, or, if larger, an amount proportional to the file's
# size on disk, which is at most a part of the machine's memory.
_MEMORY = 1_300_000_000
_MEMORY_RATIO = 8
_MACHINE_SHARE = 0.5
# A file may contain at most one item (node, relation, value) for each of its bytes, plus this many, because of compact
# notations (groups as ends of relations, defaults).
_MORE_THINGS = 250_000


class Damaged(Exception):
    """The reason why a file is not a graph, as the end of a sentence that also names the file."""


def reading_budget(path: Path, progress: Progress = silent) -> Budget:
    """The budget for reading `path`: `size` is memory in bytes, `count` items; `pieces` adds one item for each byte.

    progress   gets the number of items read; if it raises, the reading stops
    """
    try:
        size = path.stat().st_size
    except OSError:  # opening the file will report the error
        size = 0
    memory = max(_MEMORY, min(_MEMORY_RATIO * size, int(_MACHINE_SHARE * _machine_memory())))
    budget = Budget(
        f"Reading {path}",
        count=_MORE_THINGS,
        size=memory,
        things="nodes, relations and values",
        cancel=None if progress is silent else lambda: progress("reading", budget.spent_count, 0),
    )
    return budget


def _machine_memory() -> int:
    """Memory of this machine in bytes; 0 = unknown."""
    if sys.platform == "win32":
        return 0
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def why_stopped(budget: Budget) -> str:
    """Why an exceeded budget ended the reading, as the end of a sentence."""
    if budget.spent_count > budget.count:
        return f"it stands for more than {budget.count:,} {budget.things}, which is too much for its size"
    return f"it would take more than {budget.size / 1e9:.1f} GB of memory"


def pieces(path: Path, budget: Budget) -> Iterator[bytes]:
    """The content of `path` in pieces of at most a megabyte, unpacked if it is a gzip file (detected by content).

    Each byte adds one to the allowed count of the budget. Raises Damaged for a file that is truncated, broken, or
    unpacks to an absurd size, OverBudget if the budget is exceeded, and OSError as usual.
    """
    with opened(path) as file:
        start = file.read(len(GZIP_MAGIC))
        file.seek(0)
        packed = start == GZIP_MAGIC
        size = os.fstat(file.fileno()).st_size
        limit = max(_LEAST_LIMIT, _MOST_RATIO * size)
        total = 0
        for piece in _unpacked(file) if packed else iter(lambda: file.read(_PIECE), b""):
            total += len(piece)
            if packed and total > limit:
                raise Damaged(f"it unpacks to more than {_MOST_RATIO} times its size")
            budget.count += len(piece)
            budget.spend()
            yield piece


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=file) as inside:
            while piece := inside.read(_PIECE):
                yield piece
    except EOFError:
        raise Damaged("the compressed file is cut off") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise Damaged(f"the compressed file is damaged ({error})") from None


def read_content(path: Path, budget: Budget) -> bytes:
    """All content from `pieces`; its bytes count against the budget."""
    whole = BytesIO()
    for piece in pieces(path, budget):
        budget.spend(size=len(piece))
        whole.write(piece)
    return whole.getvalue()


def first_bytes(path: Path, most: int = 4096) -> bytes:
    """The first bytes of `path`, at most `most`, unpacked if possible. Raises OSError."""
    with opened(path) as file:
        start = file.read(most)
    if not start.startswith(GZIP_MAGIC):
        return start
    member = zlib.decompressobj(wbits=31)
    try:
        inside = member.decompress(start, most)
    except zlib.error:
        return start
    is_cut = len(start) < most and len(inside) < most and not member.eof
    return start if is_cut else inside


def text_of(data: bytes, budget: Budget) -> str:
    """`data` as text: UTF-8 or UTF-16 with a byte order mark, else UTF-8, else Windows-1252 (as spreadsheets write).

    Invalid bytes in a text that is otherwise UTF-8 become lone surrogates (PEP 383), as in file names. Raises Damaged
    if it is not text, OverBudget if the text takes too much memory.
    """
    budget.spend(size=len(data) * _width(data))
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    if not text.isascii() and not _BEYOND_ASCII.search(text):
        text = data.decode("cp1252", "replace")
    if "\0" in text[:_PIECE]:
        raise Damaged("it is not text")
    return text


def _width(data: bytes) -> int:
    """Most bytes of memory for each character of the text in `data`; a single unusual character makes all wider."""
    if data.isascii():
        return 1
    return 4 if any(bytes([first]) in data for first in range(0xF0, 0xF5)) else 2

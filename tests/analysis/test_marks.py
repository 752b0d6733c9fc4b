"""What a reader says to its resolver alone has a type, and survives the cache."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec

from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import LANGUAGES, reader
from cbvtool.analysis.marks import Mark
from cbvtool.regular_file import Unreadable

CORPUS = Path(__file__).parents[1] / "corpus"
READERS = {suffix: row.reader for row in LANGUAGES for suffix in row.suffixes}
MARKING = ("c", "cobol", "cpp", "java", "javascript", "typescript")


def test_every_kind_of_mark_is_made_and_kept() -> None:
    """Over the files of the corpus each kind occurs, and comes back from the cache's bytes as it was."""
    seen: set[type] = set()
    for language in MARKING:
        for path in sorted(CORPUS.glob(f"{language}/*/input/**/*")):
            if not path.is_file() or path.suffix not in READERS:
                continue
            with suppress(Unreadable):  # some cases are about that
                found = reader(READERS[path.suffix]).read_facts(path.read_bytes(), path.name)
                seen |= {type(mark) for mark in found.marks}
                copy = msgspec.msgpack.decode(msgspec.msgpack.encode(found.marks), type=tuple[Mark, ...])
                assert copy == found.marks, path
    assert seen == set(get_args(Mark))
    assert get_type_hints(FileFacts)["marks"] == tuple[Mark, ...]

"""C++ headers whose names have no suffix, such as those of Eigen (`<Eigen/Core>`) and Qt (`<QWidget>`).

Such a file counts as code if it begins like a header and a C or C++ file includes a file of that name. Its content
alone is no proof: OpenFOAM's dictionaries contain `-*- C++ -*-`, and files of other languages begin with `#include`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from cbvtool.analysis.facts import FileFacts

BEGINNING = 16_384  # bytes of a file that are examined

# Blanks and comments, up to evidence of a header: a directive, or an Emacs mode line in a comment.
_HEADER = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s+|//(?![^\n]*-\*-\s*C\+\+)[^\n]*|/\*(?!(?>[^*\n]|\*(?!/))*-\*-\s*C\+\+).*?\*/)*"
    rb"(?:#[ \t]*(?:ifndef|ifdef|if|define|undef|include|pragma)[ \t(<\"!]|//[^\n]*-\*-|/\*[^\n]*-\*-)",
    re.DOTALL,
)


def may_be_header(path: str) -> bool:
    """Whether the name has no suffix, so that the file may be a header."""
    return "." not in path.rpartition("/")[2]


def looks_like_header(beginning: bytes) -> bool:
    """Whether a file with this beginning may be a C++ header."""
    return b"\0" not in beginning and _HEADER.match(beginning) is not None


def included(rows: Collection[int], paths: Sequence[str], facts: Mapping[int, FileFacts]) -> set[int]:
    """Those files in `rows` that C or C++ files include by name, directly or through other files in `rows`.

    facts  of all C and C++ files that could be read, including those in `rows`
    """
    named: dict[str, list[int]] = {}
    for row in rows:
        named.setdefault(paths[row].rpartition("/")[2], []).append(row)
    found: set[int] = set()
    todo = [row for row in facts if row not in rows]
    while todo and named:
        for directive in facts[todo.pop()].imports:
            reached = named.pop(directive.module.rpartition("/")[2], [])
            found.update(reached)
            todo += [row for row in reached if row in facts]
    return found

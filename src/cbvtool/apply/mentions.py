"""What remains to be looked at by hand: old names in texts, and code that asks where it lies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cbvtool.apply.carry import Result
from cbvtool.apply.languages import asks_for_its_place, called, doubtful
from cbvtool.apply.python.modules import ModuleTree

TEXTS = (
    ".adoc",
    ".cfg",
    ".gradle",
    ".html",
    ".in",
    ".ini",
    ".json",
    ".kts",
    ".md",
    ".properties",
    ".pyx",
    ".rst",
    ".toml",
    ".txt",
    ".xml",
    ".yaml",
    ".yml",
)
MOST = 200  # places that are listed
_LONGEST = 200  # characters of a line that is shown


@dataclass(frozen=True)
class ByHand:
    """A line to be looked at: path and line after the change, its text, and why."""

    file: str
    line: int
    text: str
    reason: str


def mentions(result: Result, texts: Mapping[str, bytes]) -> list[ByHand]:
    """The first `MOST` places to be looked at.

    texts  contents of other text files of the tree before, by path
    """
    before, after = ModuleTree(result.start.paths), ModuleTree(result.tree.paths)
    names = set()
    for module in before.file:
        new = result.new(module)
        if new != module and before.name(module) != (after.name(new) if new else None):
            name = before.name(module)
            top = module[: len(module) - len(name) + 1]
            if len(name) > 1 or top in before.packages:
                names.add(".".join(name))
    names |= called(result.start.contents, result.places)
    found = list[ByHand]()
    for path, line, text in doubtful(result.start, result.places):
        if len(found) == MOST:
            break
        found.append(ByHand(path, line, text, "looks like the path of a file that is elsewhere now"))
    for one in _all(result, texts, names):
        if len(found) == MOST:
            break
        found.append(one)
    return found


def _all(result: Result, texts: Mapping[str, bytes], names: set[str]) -> Iterator[ByHand]:
    contents = dict(result.tree.contents)
    contents |= {new: texts[path] for path, new in result.places.items() if path in texts and new is not None}
    moved = {new for path, new in result.places.items() if new is not None and new != path}
    listed = b"|".join(re.escape(name.encode()) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rb"(?<![\w./])(?:" + listed + rb")(?![\w])") if names else None
    for path, content in sorted(contents.items()):
        in_pattern = pattern is not None and pattern.search(content)
        pattern_asks = asks_for_its_place(path) if path in moved else None
        asks = pattern_asks is not None and pattern_asks.search(content)
        if not in_pattern and not asks:
            continue
        for number, line in enumerate(content.splitlines(), start=1):
            text = line.decode("utf-8", "replace").strip()[:_LONGEST]
            if pattern is not None and (match := pattern.search(line)):
                yield ByHand(path, number, text, f"names {match[0].decode()}, which is called otherwise now")
            elif pattern_asks is not None and pattern_asks.search(line):
                yield ByHand(path, number, text, "asks where the code lies, which is elsewhere now")

"""Sites in files that nobody wrote: whatever they hold, the search ends (the repository is not to be trusted)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence

import pytest

from cbvtool.graph import GraphBuilder
from cbvtool.plan import Group, History, Move, Rename
from cbvtool.plan.compress import compress
from cbvtool.plan.sites.code import Mention
from cbvtool.plan.sites.find import find_sites
from cbvtool.plan.sites.language import SiteLanguage
from cbvtool.plan.sites.languages import LANGUAGES

SIZE = 60_000  # characters of each file
PATTERNS = ("\n", " ", "import \\\n", "from x import (", "/*", "`${", "thing ")
MOST = 30  # seconds of processor time for all of it, which takes about two; a quadratic pattern takes minutes


class Hostile:
    """Code whose every file is one pattern, over and over."""

    def __init__(self, pattern: str) -> None:
        self._lines = (pattern * (SIZE // len(pattern))).split("\n")

    def lines(self, file: str) -> Sequence[str]:
        """The same for all."""
        del file
        return self._lines

    def mentions(self, words: Collection[str]) -> Iterable[Mention]:
        """Every file holds every word."""
        return [Mention(file, 1, word, self._lines[0][:100]) for word in words for file in self.files]

    files: Sequence[str] = ()


def search(suffix: str) -> None:
    """Plans on files with this suffix, for each pattern."""
    builder = GraphBuilder("it")
    for folder in ("a", "b"):
        builder.add_node(folder, "", folder, "folder")
    files = [f"a/x.{suffix}", f"a/y.{suffix}", f"b/z.{suffix}"]
    for file in files:
        builder.add_node(file, file[0], file[2:], "file", file=file, line=1, end_line=100)
    builder.add_node(f"{files[0]}::thing", files[0], "thing", "class", file=files[0], line=1, end_line=9)
    builder.add_node(f"{files[0]}::thing.m", f"{files[0]}::thing", "m", "function", file=files[0], line=2, end_line=9)
    for user in files[1:]:
        for kind, target in (("import", files[0]), ("include", files[0]), ("call", f"{files[0]}::thing")):
            builder.add_edge(builder.key(user), builder.key(target), kind, sites=[(user, 1)])
    graph = builder.freeze()
    plans = (
        (Move((files[0],), "b"),),
        (Rename(f"{files[0]}::thing", "other"),),
        (Move((f"{files[0]}::thing",), files[2]),),
    )
    for pattern in PATTERNS:
        for plan in plans:
            code = Hostile(pattern)
            code.files = files
            history = History(graph, (Group("", plan),))
            find_sites(graph, history.graph, compress(history), code)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no processor time")
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: type(language).__name__)
def test_the_search_ends(language: SiteLanguage) -> None:
    """Files of each language; in a process of its own, which is killed when it takes too long."""
    suffix = min(language.suffixes, key=lambda suffix: (len(suffix), suffix))
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({MOST}, {MOST}))"
    script = f"{limited}; from tests.plan.test_sites_hostile import search; search({suffix!r})"
    subprocess.run([sys.executable, "-c", script], check=True)

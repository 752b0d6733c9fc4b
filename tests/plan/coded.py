"""Small projects written to disk, analysed, and planned on: the sites of a plan with the text behind them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from cbvtool.analysis import analyze
from cbvtool.graph import Graph
from cbvtool.plan import Group, History, Operation
from cbvtool.plan.compress import compress
from cbvtool.plan.sites.code import NO_CODE, Code
from cbvtool.plan.sites.files import folder_code
from cbvtool.plan.sites.find import find_sites
from cbvtool.plan.sites.site import Site


class Coded:
    """A project in a folder.

    files  path -> text, indented as in the test
    """

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        self.root = root
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        self.graph: Graph = analyze(root, jobs=1)
        self.code: Code = folder_code(root, self.graph)

    def sites(self, *operations: Operation, blind: bool = False) -> tuple[Site, ...]:
        """The sites of a plan, each operation a step of its own; `blind` = without the code."""
        history = History(self.graph, tuple(Group("", (operation,)) for operation in operations))
        assert not history.refusals, history.refusals
        code = NO_CODE if blind else self.code
        return find_sites(self.graph, history.graph, compress(history), code)

    def told(self, *operations: Operation, blind: bool = False) -> list[str]:
        """The sites as `must import use.py:3`, lines to add as `must add-import use.py+3 a, b`."""
        return sorted(map(in_words, self.sites(*operations, blind=blind)))


def in_words(site: Site) -> str:
    """`must import use.py:3`; lines to add and to drop with their names."""
    named = f" {', '.join(site.names)}" if site.kind in ("add-import", "drop-import") else ""
    place = f"{site.file}:{site.line}" if site.line is not None else f"{site.file}+{site.after}"
    return f"{site.certainty} {site.kind} {place}{named}"

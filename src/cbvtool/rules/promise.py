"""What breaks a rule, with the chain of dependencies that does."""

from __future__ import annotations

from typing import NamedTuple


class ChainLink(NamedTuple):
    """A dependency of a chain at one place in the source: `importer` uses `imported` in `file` at `line`."""

    importer: str
    imported: str
    file: str
    line: int


class BrokenPromise(NamedTuple):
    """`source` depends on `target`, against a rule.

    rule     in words, or the name of the contract
    kind     of the rule
    source, target  ids of nodes, or names of modules; an empty target where something is missing in the rule
    chain    from one to the other; several links with the same ends stand at several lines
    keys     of the nodes on the way, where known
    detail   what is forbidden here, where `rule` is a name
    reason   why the rule is there
    """

    rule: str
    kind: str
    source: str
    target: str
    chain: tuple[ChainLink, ...]
    keys: tuple[int, ...] = ()
    detail: str = ""
    reason: str = ""

    @property
    def sites(self) -> tuple[tuple[str, int], ...]:
        """(file, line) of all links, each once."""
        return tuple(dict.fromkeys((link.file, link.line) for link in self.chain))

"""A violation of a rule, with its chain of dependencies."""

from __future__ import annotations

from typing import NamedTuple


class ChainLink(NamedTuple):
    """One dependency of a chain at one site: `importer` uses `imported` in `file` at `line`."""

    importer: str
    imported: str
    file: str
    line: int


class BrokenPromise(NamedTuple):
    """`source` depends on `target`, against a rule.

    rule     in words, or the name of the contract
    kind     of the rule
    source, target  ids of nodes, or names of modules; the target is empty if the rule itself lacks something
    chain    from source to target; several links with the same ends are at different lines
    keys     of the nodes in the chain, if known
    detail   the prohibition in words, if `rule` is a name
    reason   why the rule exists
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

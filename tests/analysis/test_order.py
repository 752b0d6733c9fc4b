"""The same source gives the same facts, whatever order tree-sitter's binding hands its captures over in."""

from __future__ import annotations

import random

import pytest
from tree_sitter import Node

from cbvtool.analysis import sweep
from cbvtool.analysis.languages import language_of, reader
from cbvtool.regular_file import Unreadable
from tests.analysis.test_corpus import CORPUS, LEAST


@pytest.mark.parametrize("language", LEAST)
def test_facts_do_not_depend_on_the_order_of_captures(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures of one name come in the order of addresses, so another one each time."""
    rng = random.Random(1)
    captured = sweep.captured

    def shuffled(syntax: sweep.Syntax, root: Node) -> dict[str, list[Node]]:
        captures = captured(syntax, root)
        return {
            name: rng.sample(nodes, len(nodes)) for name, nodes in rng.sample(list(captures.items()), len(captures))
        }

    read = 0
    for path in sorted(CORPUS.glob(f"{language}/*/input/**/*")):
        known = language_of(str(path)) if path.is_file() else None
        if known is None:
            continue
        facts = []
        for order in (captured, shuffled, shuffled):
            monkeypatch.setattr(sweep, "captured", order)
            try:
                facts.append(reader(known.reader).read_facts(path.read_bytes(), path.name))
            except Unreadable:
                break
        assert all(one == facts[0] for one in facts), path
        read += len(facts) > 1
    assert read >= LEAST[language] / 2

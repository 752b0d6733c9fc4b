"""NEW-17: what prefix sums give for another range is what counting anew gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.metrics import METRICS, Subject
from cbvtool.metrics.classes import most_of
from cbvtool.metrics.combine import distinct_below
from cbvtool.metrics.history.in_range import commits_of, touches
from tests.metrics.test_against_brute_force import START, graphs, histories

DAY = 86_400


@given(st.data())
def test_authors_and_main_author(data: st.DataObject) -> None:
    """Authors, the main one and the share are those of counting each range from its touches."""
    graph = data.draw(graphs())
    changes = data.draw(histories(graph))
    for _ in range(2):  # the second range is read from what the first one prepared
        since, until = sorted(START + DAY * data.draw(st.integers(-1, 401)) for _ in range(2))
        subject = Subject(graph, changes, since, until)
        assert commits_of(subject)[0] <= commits_of(subject)[1]
        found = touches(subject)
        author = changes.author[found.commit]
        counted = distinct_below(graph.tree, author, found.key)
        authors = METRICS["authors"].compute(subject)
        there = ~np.isnan(authors)
        np.testing.assert_array_equal(authors[there], counted[there])
        column, most = most_of(graph.tree, found.key, author, np.ones(len(author)))
        whole = graph.tree.subtree_sum(np.bincount(found.key, minlength=len(graph)).astype(np.float64))
        above = ~np.isnan(column)  # below a file its author counts, which another test shows
        np.testing.assert_array_equal(METRICS["main_author"].compute(subject)[above], column[above])
        share = METRICS["main_author_share"].compute(subject)[above]
        np.testing.assert_allclose(share, most[above] / whole[above])

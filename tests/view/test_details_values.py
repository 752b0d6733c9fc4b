"""Values by what they are about, with their ranks (CBV-7)."""

from __future__ import annotations

import numpy as np

from cbvtool.metrics import METRICS
from cbvtool.view.panels.details_values import GROUPS, OTHER, group_of, rank

PEERS = np.array([0, 1, 2, 4], np.intp)
COLUMN = np.array([5.0, 9.0, 9.0, 100.0, np.nan])


def test_ranks_are_among_measured_peers() -> None:
    """CBV-7: ties share a rank, others and what is not measured do not count; less may be what is worse."""
    assert rank(COLUMN, PEERS, 1, "more") == (1, 3)
    assert rank(COLUMN, PEERS, 2, "neither") == (1, 3)
    assert rank(COLUMN, PEERS, 0, "less") == (1, 3)
    assert rank(COLUMN, PEERS, 1, "less") is None


def test_the_last_and_the_only_value_have_no_rank() -> None:
    """Nothing comes after them: they say nothing."""
    assert rank(COLUMN, PEERS, 0, "more") is None
    assert rank(np.full(5, 3.0), PEERS, 0, "more") is None


def test_every_metric_has_a_group() -> None:
    """Our own metrics stand in groups; at most the kind of a node is left for the rest."""
    groups = {name: group_of(metric) for name, metric in METRICS.items()}
    assert set(groups.values()) <= set(GROUPS)
    assert [name for name, group in groups.items() if group == OTHER] == ["kind"]

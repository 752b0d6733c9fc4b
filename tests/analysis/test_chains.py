"""Issue 12 item 2: only dependencies are dependencies; what no chain of imports leads to is called back."""

from __future__ import annotations

from cbvtool.analysis import resolution
from cbvtool.graph import CALLS_BACK


def test_resolvers_and_the_graph_mean_the_same_kind() -> None:
    """Workers do without NumPy and so without `cbvtool.graph`: the name stands in both."""
    assert resolution.CALLS_BACK == CALLS_BACK

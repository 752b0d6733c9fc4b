"""How much of the work its main author did."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.main_author import main_authors
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: changes of files by the main author of each subtree / all changes, in the time range or ever.

    What lies inside a file has the share of the file. NaN where nobody changed anything.
    """
    return main_authors(subject)[1]


MAIN_AUTHOR_SHARE = Metric(
    "main_author_share",
    "Main author's share",
    "",
    "neither",
    "recompute",
    compute,
    "Share of the changes in the time range that the main author made; by default in the whole history.",
    lambda value: f"{value:.0%}",
    history=True,
)

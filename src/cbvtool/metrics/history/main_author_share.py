"""Share of the changes by the main author."""

from cbvtool.metrics.combine import Column
from cbvtool.metrics.history.main_author import main_authors
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: share (0..1) of the changes to files of each subtree by its main author, in the time range or ever.

    A node inside a file has the share of the file. NaN without changes.
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

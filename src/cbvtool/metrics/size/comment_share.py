"""Share of comments."""

from cbvtool.metrics.combine import Column, own, share, total
from cbvtool.metrics.metric import Metric, Subject
from cbvtool.metrics.size.nl3 import percent


def compute(subject: Subject) -> Column:
    """float64[n]: comment lines of each subtree as a share (0..1) of its comment and source lines; blank ones left out.

    NaN if comments were not counted.
    """
    comments = total(subject.graph, own(subject.graph, "comments"))
    return share(comments, comments + total(subject.graph, own(subject.graph, "sloc")))


COMMENT_SHARE = Metric(
    "comment_share",
    "Comments",
    "",
    "neither",
    "mean",
    compute,
    "Share of the lines that hold a comment and no code, blank lines left out.",
    percent,
)

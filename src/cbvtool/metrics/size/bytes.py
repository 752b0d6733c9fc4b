"""Size of files."""

from cbvtool.metrics.combine import Column, own, total
from cbvtool.metrics.metric import Metric, Subject


def compute(subject: Subject) -> Column:
    """float64[n]: bytes of the files in each subtree."""
    return total(subject.graph, own(subject.graph, "bytes"))


BYTES = Metric(
    "bytes",
    "File size",
    "bytes",
    "neither",
    "sum",
    compute,
    "Size on disk; also measured for files in languages that are not analysed.",
)

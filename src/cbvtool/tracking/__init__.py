"""A plan followed: what is done of each task in the code as it is later, since which commit."""

from cbvtool.tracking.marks import STATES, MarkState, TaskMark, marks
from cbvtool.tracking.progress_of_plan import CommitMarks, PlanProgress, as_saved, since
from cbvtool.tracking.walk import read_progress

__all__ = [
    "STATES",
    "CommitMarks",
    "MarkState",
    "PlanProgress",
    "TaskMark",
    "as_saved",
    "marks",
    "read_progress",
    "since",
]

"""A plan followed: what is done of each task in the code as it is later, since which commit."""

from cbvtool.tracking.marks import STATES, MarkState, TaskMark, marks
from cbvtool.tracking.progress_of_plan import CommitMarks, PlanProgress, since
from cbvtool.tracking.walk import read_progress

__all__ = ["STATES", "CommitMarks", "MarkState", "PlanProgress", "TaskMark", "marks", "read_progress", "since"]

"""Changes of the open document, as a session reports them to its listeners."""

from __future__ import annotations

from enum import Enum


class Change(Enum):
    """Part of the open document that changed.

    PROJECT   another subject is open
    DEPTH     more is known about the subject, or it was analysed again
    PLAN      operations were done or undone, or the graph is shown in another hierarchy
    VIEW      a field of the view state changed
    TRACE     a trace was opened or closed, or its window of time moved: values and relations follow
    FILE      the document was saved or loaded, or now differs from what is saved
    """

    PROJECT = "project"
    DEPTH = "depth"
    PLAN = "plan"
    VIEW = "view"
    TRACE = "trace"
    FILE = "file"

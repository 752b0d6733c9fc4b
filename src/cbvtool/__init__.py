"""cbvtool: see a code base as an extruded 3D circular bundle view, and plan its restructuring.

import cbvtool
g = cbvtool.analyze("path")
code = cbvtool.open("path")
code.findings(), code.metrics("complexity"), code.check(), code.impact("a.py"), code.plan(...).tasks()
traces = cbvtool.read_traces(Path("run.json"))
runs = cbvtool.runs("profiles/")
runs.frame(), runs.frame("effects")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cbvtool.code_base import open
    from cbvtool.project import analyze
    from cbvtool.trace.ensemble.run_set import runs
    from cbvtool.trace.readers.registry import read_traces
    from cbvtool.trace.store.writing import write_traces

__version__ = "0.1.0"
__all__ = ["__version__", "analyze", "open", "read_traces", "runs", "write_traces"]


def __getattr__(name: str) -> Any:
    """Import what is asked for only now: workers and plugins import this package and need none of it."""
    if name == "analyze":
        from cbvtool.project import analyze

        return analyze
    if name == "open":
        from cbvtool.code_base import open

        return open
    if name == "read_traces":
        from cbvtool.trace.readers.registry import read_traces

        return read_traces
    if name == "runs":
        from cbvtool.trace.ensemble.run_set import runs

        return runs
    if name == "write_traces":
        from cbvtool.trace.store.writing import write_traces

        return write_traces
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

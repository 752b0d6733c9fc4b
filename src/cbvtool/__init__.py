"""cbvtool: see a code base as an extruded 3D circular bundle view, and plan its restructuring.

import cbvtool
g = cbvtool.analyze("path")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cbvtool.project import analyze

__version__ = "0.1.0"
__all__ = ["__version__", "analyze"]


def __getattr__(name: str) -> Any:
    """Import what is asked for only now: workers and plugins import this package and need none of it."""
    if name == "analyze":
        from cbvtool.project import analyze

        return analyze
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

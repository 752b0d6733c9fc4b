"""What a trace or profile is, in a few figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace


def summary(part: Trace | Profile) -> dict[str, Any]:
    """The figures that `cbvtool trace info --format json` prints of a part, without `format` and `mapping`.

    calls, threads, span_ns, open   None for a profile, which does not know them
    depth                           calls within one another at most; levels of a calling context tree
    """
    shared = {"repairs": dict(part.repairs), "omissions": dict(part.omissions)}
    if isinstance(part, Profile):
        heights = np.zeros(len(part) + 1, np.int64)  # the last one: of what is above a root
        for row, parent in enumerate(part.parent.tolist()):
            heights[row] = heights[parent] + 1
        return {
            "kind": "profile",
            "calls": None,
            "threads": None,
            "functions": len(part.functions),
            "span_ns": None,
            "depth": int(heights.max()),
            "open": None,
            "sampled": part.sampled,
            **shared,
        }
    first, last = part.span
    return {
        "kind": "trace",
        "calls": len(part.calls),
        "threads": len(part.threads),
        "functions": len(part.functions),
        "span_ns": last - first,
        "depth": int(part.calls.depth.max()) + 1 if len(part.calls) else 0,
        "open": len(part.open_rows),
        "sampled": part.sampled,
        **shared,
    }

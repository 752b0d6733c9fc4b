"""A rough, transparent estimate of effort: a sum that everybody can redo by hand and disagree with."""

from __future__ import annotations

import math

from cbvtool.plan.operations import KINDS
from cbvtool.plan.task import Kind

# Minutes. Not measured: round figures for somebody who knows the code and has tests that run within minutes.
# `relations` is the task of what is left of several operations.
BY_KIND: dict[Kind, int] = {kind.row.task: kind.row.minutes for kind in KINDS} | {"relations": 30}
PER_ITEM = 2.0
PER_FILE = 3.0
PER_SITE = 1.0
PER_CHECK = 0.5
ROUND_TO = 5

EXPLANATION = (
    "The effort is an estimate by formula, not a measurement. Minutes per task: "
    + ", ".join(f"{kind} {minutes}" for kind, minutes in BY_KIND.items() if kind != "relations")
    + f"; plus {PER_ITEM:g} for each item beyond the first, {PER_FILE:g} for each file to edit, {PER_SITE:g} for each "
    f"site to change and {PER_CHECK:g} for each one to check; rounded up to {ROUND_TO}."
)


def minutes(kind: Kind, items: int, files: int, sites: int, checks: int) -> int:
    """Estimated minutes of one task; see `EXPLANATION`."""
    exact = BY_KIND[kind] + PER_ITEM * max(0, items - 1) + PER_FILE * files + PER_SITE * sites + PER_CHECK * checks
    return math.ceil(exact / ROUND_TO) * ROUND_TO


def show(total: int) -> str:
    """Minutes for people: `25 min`, `3 h 20 min`."""
    hours, rest = divmod(total, 60)
    if not hours:
        return f"{rest} min"
    return f"{hours:,} h {rest} min" if rest else f"{hours:,} h"

"""Couplings as a table for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from cbvtool.history.coupling import Couplings
from cbvtool.words import harmless, one_line

FORMAT, VERSION = "cbvtool-coupling", 1
COLUMNS = ("a", "b", "both", "support", "confidence", "lift")


def to_csv(found: Couplings, names: Sequence[str]) -> str:
    """One line for each pair: `a,b,both,support,confidence,lift`; confidence: share of the sets with a that have b."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for a, b, *figures in _rows(found, names):
        writer.writerow([harmless(a), harmless(b), *figures])
    return text.getvalue()


def to_json(found: Couplings, names: Sequence[str]) -> str:
    """The number of change sets, and the pairs with the same columns."""
    pairs = [dict(zip(COLUMNS, row, strict=True)) for row in _rows(found, names)]
    content = {"format": FORMAT, "version": VERSION, "change_sets": found.sets, "couplings": pairs}
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def to_text(found: Couplings, names: Sequence[str]) -> str:
    """A table for people, with confidence in both directions."""
    lines = [f"{'Both':>6}  {'Support':>8}  {'a -> b':>6}  {'b -> a':>6}  {'Lift':>8}  a  b"]
    for row, (a, b, both, support, confidence, lift) in enumerate(_rows(found, names)):
        back = f"{float(found.back[row]):.0%}"
        lines.append(
            f"{both:>6,}  {support:>8.2%}  {confidence:>6.0%}  {back:>6}  {lift:>8,.1f}  {one_line(a)}  {one_line(b)}"
        )
    return "".join(f"{line}\n" for line in lines)


def _rows(found: Couplings, names: Sequence[str]) -> list[tuple[str, str, int, float, float, float]]:
    return [
        (names[a], names[b], both, support, confidence, lift)
        for a, b, both, support, confidence, lift in zip(
            found.first.tolist(),
            found.second.tolist(),
            found.both.tolist(),
            found.support.tolist(),
            found.confidence.tolist(),
            found.lift.tolist(),
            strict=True,
        )
    ]

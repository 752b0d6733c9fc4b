"""A figure over time as a line of a few letters' size."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from cbvtool.report.markup import element

WIDTH, HEIGHT, PAD = 96, 22, 3


def points(values: Sequence[float], width: float, height: float, pad: float) -> list[list[tuple[float, float]]]:
    """Places of the values, x to the right and y down; a list for each stretch without a gap. The ground is 0."""
    top = max((value for value in values if not math.isnan(value)), default=0.0)
    step = (width - 2 * pad) / max(1, len(values) - 1)
    stretches: list[list[tuple[float, float]]] = [[]]
    for row, value in enumerate(values):
        if math.isnan(value):
            stretches.append([])
            continue
        share = value / top if top > 0 else 0.0
        stretches[-1].append((round(pad + row * step, 1), round(height - pad - share * (height - 2 * pad), 1)))
    return [stretch for stretch in stretches if stretch]


def sparkline(values: Sequence[float], name: str) -> Markup:
    """An SVG with a point at the last value, and its first and last value for those who do not see it."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return Markup("–")
    stretches = points(values, WIDTH, HEIGHT, PAD)
    lines = [
        element("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in stretch), fill="none")
        for stretch in stretches
        if len(stretch) > 1
    ]
    x, y = stretches[-1][-1]
    words = f"{name}: {known[0]:,.0f} to {known[-1]:,.0f}"
    return element(
        "svg",
        element("title", words),
        *lines,
        element("circle", cx=f"{x:g}", cy=f"{y:g}", r="2.5"),
        class_="spark",
        role="img",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=str(WIDTH),
        height=str(HEIGHT),
    )

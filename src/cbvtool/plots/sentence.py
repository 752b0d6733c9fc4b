"""A plot that says one sentence, in place of what cannot be drawn yet."""

from __future__ import annotations

import numpy as np

from cbvtool.geometry.picture import Color
from cbvtool.plots.layers import Labels
from cbvtool.plots.plot import Plot, Viewport


def sentence_plot(sentence: str, viewport: Viewport, color: Color) -> Plot:
    """A sentence in the middle, in as many lines as it needs."""
    size, lines, line = 13.0, list[str](), ""
    for word in sentence.split():
        longer = f"{line} {word}".strip()
        if line and viewport.measure(longer, size, False) > viewport.width - 32:
            lines.append(line)
            line = word
        else:
            line = longer
    lines.append(line)
    y = viewport.height / 2 + 20.0 * (np.arange(len(lines)) - (len(lines) - 1) / 2)
    x = np.full(len(lines), viewport.width / 2)
    room = np.full(len(lines), max(viewport.width - 16, 1.0))
    return Plot(
        (), (Labels(name="sentence", x=x, y=y, text=lines, color=color, size=size, anchor="center", room=room),)
    )

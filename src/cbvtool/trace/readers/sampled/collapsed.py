"""Collapsed stacks (FlameGraph's folded format): `main;work;read_[k] 12` a line, to a profile."""

from __future__ import annotations

import math
import re

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.profile_builder import NO_NODE, ProfileBuilder
from cbvtool.trace.readers.lines import head_lines, text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.sampled.frame_names import frame_name
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "collapsed"
LABEL = "Collapsed stacks"

_LINE = re.compile(r"(.*\S)[ \t]+(\d+(?:\.\d+)?)[ \t]*$")
NO_COUNT = "lines without a stack and a count"
_ENOUGH = 0.6  # of the first lines


def sniff(source: TraceSource) -> bool:
    """Whether most of the first lines are a stack and a count, and one of them has two frames."""
    if source.is_folder or source.head[:1] in b"{[<":
        return False
    lines = [line for line in head_lines(source) if line.strip() and not line.startswith("#")][:100]
    found = [line for line in lines if _LINE.match(line)]
    return bool(found) and len(found) >= _ENOUGH * len(lines) and any(";" in line for line in found)


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One profile: a calling context tree with the samples of each node itself.

    Equal lines add up. Frames with a file are left as they are: the format has no place for it.
    """
    builder = ProfileBuilder(NAME, budget)
    nodes: dict[tuple[int, str], int] = {}
    for line in text_lines(source, budget, progress):
        if not line.strip() or line.startswith("#"):
            continue
        parts = _LINE.match(line)
        count = float(parts[2]) if parts else math.inf
        if parts is None or not math.isfinite(count):
            builder.omissions[NO_COUNT] += 1
            continue
        node = NO_NODE
        for frame in parts[1].split(";"):
            above, node = node, nodes.get((node, frame), NO_NODE)
            if node == NO_NODE:
                node = builder.node(builder.function(*frame_name(frame)), above)
                nodes[above, frame] = node
        builder.add(node, "samples", count, unit="samples")
    if not len(builder):
        raise UnreadableTrace("no line of it is a stack and a count")
    return [builder.profile(sampled=True)]

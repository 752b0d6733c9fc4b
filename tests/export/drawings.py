"""Names that somebody might choose to break what a picture is written as."""

from __future__ import annotations

from cbvtool.graph import Graph, GraphBuilder

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "a&b",
    "x\"y'z",
    "]]>",
    "<!--",
    "\x00\x07\x1b[31m",
    "\u202egnp.exe",
    "\u05e9\u05dc\u05d5\u05dd",
    "\ud800",
    "\u2028line",
    "$policy ${data}",
    "(Tj) \\) endstream",
    "\ufffe",
    "日本語",
)


def hostile() -> Graph:
    """A file of each such name; each uses the next."""
    builder = GraphBuilder("<b>&hostile</b>\x01")
    for number, name in enumerate(HOSTILE):
        builder.add_node(f"{number}", "", name, "file", file=name, line=1, values={"sloc": 100.0, "complexity": 1.0})
    for number in range(len(HOSTILE) - 1):
        builder.add_edge(number + 1, number + 2, "import")
    return builder.freeze()

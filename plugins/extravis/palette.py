"""Colours: of caller and callee, of time, of what differs."""

from __future__ import annotations

from cbvtool.api import Theme

Color = tuple[int, int, int, int]
MAPS = (("thesis", "Green to red"), ("house", "Teal to orange"))


def call_colors(name: str, theme: Theme) -> tuple[Color, Color]:
    """(at the caller, at the callee)."""
    if name == "house":
        return theme.user, theme.used
    return ((60, 200, 90, 255), (255, 80, 70, 255)) if theme.is_dark else ((16, 140, 60, 255), (214, 32, 32, 255))


def only_colors(theme: Theme) -> tuple[Color, Color]:
    """What the first trace has alone, and the second: blue and orange, also told by their side."""
    return ((90, 160, 255, 255), (255, 160, 60, 255)) if theme.is_dark else ((24, 100, 200, 255), (206, 98, 0, 255))


def with_alpha(color: Color, alpha: int) -> Color:
    """The same colour, as opaque as that."""
    return color[0], color[1], color[2], alpha

"""Opens a view as a window or a command does, without either, and looks at what it draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cbvtool.api import Plot, PluginView, Viewport
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewInput, ViewSurroundings, own_inputs


def opened(
    view: PluginView[Any],
    *parts: ViewInput,
    said: list[str] | None = None,
    around: ViewSurroundings | None = None,
    values: Mapping[str, object] | None = None,
    data: Mapping[str, Any] | None = None,
) -> ViewInstance:
    """The view on its inputs; said: what it did wrong."""
    faults: list[str] = [] if said is None else said
    return ViewInstance(view, own_inputs(parts), around or ViewSurroundings(), faults.append, values=values, data=data)


def drawn_plot(instance: ViewInstance, part: str, viewport: Viewport) -> Plot:
    """What a part draws, which must be a plot."""
    drawn = instance.draw(part, viewport)
    assert isinstance(drawn, Plot), drawn
    return drawn


def layer(drawn: Plot, name: str) -> Any:
    """The first layer of a name; None: there is none."""
    return next((each for each in drawn.layers if each.name == name), None)

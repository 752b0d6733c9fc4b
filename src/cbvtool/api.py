"""All that a plugin may import. Young: a plugin says for which version it was written, and is refused by others."""

from __future__ import annotations

from typing import Protocol

from cbvtool.graph import NO_PARENT, REMOVED, Confidence, Edges, Graph, TreeIndex, When
from cbvtool.metrics import Column, Metric, Subject, evaluate
from cbvtool.mining.changes import Changes
from cbvtool.plots.layers import Areas, Bands, Bars, Curves, Cushion, Labels, Points, Raster, Segments
from cbvtool.plots.panes import CANVAS, BoxShape, Pane, SectorShape, locate, place
from cbvtool.plots.plot import NOTHING, Hit, Plot, Viewport
from cbvtool.plugin.events import EventKind, Range, ViewEvent
from cbvtool.plugin.parameters import (
    ChoiceParameter,
    FileParameter,
    NumberParameter,
    SliderParameter,
    SwitchParameter,
    TextParameter,
)
from cbvtool.plugin.parts import Columns, Rows, Tabs, ViewColumn, ViewPart, ViewTable
from cbvtool.plugin.requests import (
    Ask,
    Copy,
    Menu,
    OpenSource,
    OpenView,
    Say,
    SelectNodes,
    SetFocus,
    SetValue,
    ShowOverlay,
)
from cbvtool.plugin.view import Input, Need, PluginView, SubjectCode, ViewContext, ViewMemo
from cbvtool.trace.kernels import kernel
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.focus import NO_FUNCTION, Focus
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import NO_CALL, Calls, Functions, Threads, Trace

API_VERSION = "0.1"

__all__ = [
    "API_VERSION",
    "CANVAS",
    "NOTHING",
    "NO_CALL",
    "NO_FUNCTION",
    "NO_NODE",
    "NO_PARENT",
    "REMOVED",
    "Areas",
    "Ask",
    "Bands",
    "Bars",
    "BoxShape",
    "Calls",
    "Changes",
    "ChoiceParameter",
    "Column",
    "Columns",
    "Confidence",
    "Copy",
    "Curves",
    "Cushion",
    "Edges",
    "EventKind",
    "FileParameter",
    "Focus",
    "Functions",
    "Graph",
    "Hit",
    "Input",
    "Labels",
    "Menu",
    "Metric",
    "Need",
    "NodeMap",
    "NumberParameter",
    "OpenSource",
    "OpenView",
    "Pane",
    "Plot",
    "PluginView",
    "Points",
    "Profile",
    "Range",
    "Raster",
    "Registry",
    "Rows",
    "Say",
    "SectorShape",
    "Segments",
    "SelectNodes",
    "SetFocus",
    "SetValue",
    "ShowOverlay",
    "SliderParameter",
    "Subject",
    "SubjectCode",
    "SwitchParameter",
    "Tabs",
    "TextParameter",
    "Threads",
    "Trace",
    "TreeIndex",
    "ViewColumn",
    "ViewContext",
    "ViewEvent",
    "ViewMemo",
    "ViewPart",
    "ViewTable",
    "Viewport",
    "When",
    "evaluate",
    "kernel",
    "locate",
    "place",
]


class Registry(Protocol):
    """What `register` of a plugin is given."""

    def add_metric(self, metric: Metric) -> None:
        """Offer `metric` wherever metrics are chosen. Raises ValueError when its name is taken."""

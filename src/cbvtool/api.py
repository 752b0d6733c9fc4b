"""All that a plugin may import. Young: a plugin says for which version it was written, and is refused by others."""

from __future__ import annotations

from typing import Any, Protocol

from cbvtool.budget import Budget
from cbvtool.errors import Cancelled
from cbvtool.geometry.colors import CLASS_COLORS, Theme, map_colors
from cbvtool.graph import NO_PARENT, REMOVED, Confidence, Edges, Graph, TreeIndex, When
from cbvtool.metrics import Column, Metric, Subject, evaluate
from cbvtool.mining.changes import Changes
from cbvtool.plots.layers import Areas, Bands, Bars, Curves, Cushion, Labels, Points, Raster, Segments
from cbvtool.plots.panes import CANVAS, BoxShape, Pane, SectorShape, locate, place
from cbvtool.plots.plot import NOTHING, Hit, Plot, Viewport
from cbvtool.plugin.contributions import OverlayColumn, OverlayContent, PluginCommand, PluginOverlay
from cbvtool.plugin.events import EventKind, Range, ViewEvent
from cbvtool.plugin.parameters import (
    ChoiceParameter,
    FileParameter,
    NumberParameter,
    Parameter,
    SliderParameter,
    SwitchParameter,
    TextParameter,
)
from cbvtool.plugin.parts import Columns, Layout, Rows, Tabs, ViewColumn, ViewPart, ViewTable
from cbvtool.plugin.requests import (
    Ask,
    Copy,
    Menu,
    OpenSource,
    OpenView,
    Request,
    Say,
    SelectNodes,
    SetFocus,
    SetValue,
    ShowOverlay,
)
from cbvtool.plugin.simple import SimpleView
from cbvtool.plugin.states import state_of
from cbvtool.plugin.view import Input, Need, NeedProgress, PluginView, SubjectCode, ViewContext, ViewMemo
from cbvtool.progress import Progress
from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.durations import duration
from cbvtool.trace.model.focus import NO_FUNCTION, Focus
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.trace import NO_CALL, Calls, Functions, Header, Threads, Trace
from cbvtool.trace.readers.reader import TraceReader
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.timeline.bars import TimeBars, TimeGrid, bars_of, clustered, grid_of
from cbvtool.trace.timeline.brushing import Brushed, brushed, in_focus
from cbvtool.trace.timeline.figures import WindowFigures, window_figures
from cbvtool.trace.timeline.folding import LevelFolding, bar_heights, level_tops
from cbvtool.trace.timeline.levels import Levels, call_at, levels_of, parent_of, path_to
from cbvtool.trace.timeline.merged import MergedCalls, merged_calls
from cbvtool.trace.timeline.neighbours import neighbour, next_of
from cbvtool.trace.timeline.own_calls import OwnCalls, own_calls
from cbvtool.trace.timeline.patterns import activity_pattern
from cbvtool.trace.timeline.thread_groups import ThreadGroups, thread_groups
from cbvtool.trace.timeline.warp import LINEAR, Warp, event_queue, held, squeezed, warp_of

API_VERSION = "0.2"
API_VERSIONS = ("0.1", API_VERSION)  # those that still load

__all__ = [
    "API_VERSION",
    "API_VERSIONS",
    "CANVAS",
    "CLASS_COLORS",
    "LINEAR",
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
    "Brushed",
    "Budget",
    "Calls",
    "Cancelled",
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
    "Header",
    "Hit",
    "Input",
    "Labels",
    "Layout",
    "LevelFolding",
    "Levels",
    "Menu",
    "MergedCalls",
    "Metric",
    "Need",
    "NeedProgress",
    "NodeMap",
    "NumberParameter",
    "OpenSource",
    "OpenView",
    "OverlayColumn",
    "OverlayContent",
    "OwnCalls",
    "Pane",
    "Parameter",
    "Plot",
    "PluginCommand",
    "PluginOverlay",
    "PluginView",
    "Points",
    "Profile",
    "ProfileBuilder",
    "ProfileMetric",
    "Progress",
    "Range",
    "Raster",
    "Registry",
    "Request",
    "Rows",
    "Say",
    "SectorShape",
    "Segments",
    "SelectNodes",
    "SetFocus",
    "SetValue",
    "ShowOverlay",
    "SimpleView",
    "SliderParameter",
    "Subject",
    "SubjectCode",
    "SwitchParameter",
    "Tabs",
    "TextParameter",
    "Theme",
    "ThreadGroups",
    "Threads",
    "TimeBars",
    "TimeGrid",
    "Trace",
    "TraceBuilder",
    "TraceReader",
    "TraceSource",
    "TreeIndex",
    "UnreadableTrace",
    "ViewColumn",
    "ViewContext",
    "ViewEvent",
    "ViewMemo",
    "ViewPart",
    "ViewTable",
    "Viewport",
    "Warp",
    "When",
    "WindowFigures",
    "activity_pattern",
    "bar_heights",
    "bars_of",
    "brushed",
    "call_at",
    "clustered",
    "duration",
    "evaluate",
    "event_queue",
    "grid_of",
    "held",
    "in_focus",
    "kernel",
    "level_tops",
    "levels_of",
    "locate",
    "map_colors",
    "merged_calls",
    "neighbour",
    "next_of",
    "own_calls",
    "parent_of",
    "path_to",
    "place",
    "squeezed",
    "state_of",
    "thread_groups",
    "warp_of",
    "window_figures",
]


class Registry(Protocol):
    """What `register` of a plugin is given."""

    def add_metric(self, metric: Metric) -> None:
        """Offer `metric` wherever metrics are chosen. Raises ValueError when its name is taken."""

    def add_view(self, view: PluginView[Any]) -> None:
        """Offer `view` in the menu Traces, the palette and `cbvtool trace render`. Raises ValueError or TypeError."""

    def add_reader(self, reader: TraceReader) -> None:
        """Offer `reader` for traces; the built-in ones are asked first. Raises ValueError when its name is taken."""

    def add_overlay(self, overlay: PluginOverlay) -> None:
        """Offer `overlay` for the 3D view. Raises ValueError when its name is taken."""

    def add_command(self, command: PluginCommand) -> None:
        """Offer `command` in the palette. Raises ValueError when its name is taken."""

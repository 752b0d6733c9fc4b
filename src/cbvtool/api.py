"""All that a plugin may import. Young: a plugin says for which version it was written, and is refused by others."""

from __future__ import annotations

from typing import Any, Protocol

from cbvtool.budget import Budget
from cbvtool.bundling.on_circle import curves_on_circle
from cbvtool.errors import Cancelled, InputError
from cbvtool.geometry.colors import CLASS_COLORS, Theme, map_colors
from cbvtool.graph import NO_PARENT, REMOVED, Confidence, Edges, Graph, TreeIndex, When
from cbvtool.layout.strips import strip_boxes
from cbvtool.metrics import Column, Metric, Subject, evaluate
from cbvtool.mining.changes import Changes
from cbvtool.plots.flattening import flattened
from cbvtool.plots.framing import frames_around
from cbvtool.plots.gradients import curve_image
from cbvtool.plots.layers import Areas, Bands, Bars, Curves, Cushion, Labels, Points, Raster, Segments
from cbvtool.plots.panes import CANVAS, BoxShape, Pane, SectorShape, locate, place
from cbvtool.plots.plot import NOTHING, Hit, Plot, Viewport
from cbvtool.plugin.call_levels import levels_in, levels_needs
from cbvtool.plugin.contributions import OverlayColumn, OverlayContent, OverlayRelations, PluginCommand, PluginOverlay
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
from cbvtool.plugin.time_ruler import time_ruler
from cbvtool.plugin.view import CodeChanges, Input, Need, NeedProgress, PluginView, SubjectCode, ViewContext, ViewMemo
from cbvtool.progress import Progress
from cbvtool.trace.compare.aligned import AlignedCalls, aligned_calls
from cbvtool.trace.compare.alignment.kinds import CallChange
from cbvtool.trace.compare.function_table import function_table
from cbvtool.trace.compare.groups import NO_GROUP, MatchGroups, grouped, inner_groups
from cbvtool.trace.compare.identity import CommonFunctions, common_functions, is_named
from cbvtool.trace.compare.matches import CallMatches, Likeness, likeness, matches_above
from cbvtool.trace.compare.runs.causes import ChangedCode, ChangedLines, changed_rows
from cbvtool.trace.compare.trees import CallTree, call_tree
from cbvtool.trace.compare.union import FunctionChanges, UnionTree, function_changes, union_tree, union_widths
from cbvtool.trace.ensemble.box_statistics import BoxStatistics, box_statistics
from cbvtool.trace.ensemble.by_rank import ValuesByRank, values_by_rank
from cbvtool.trace.ensemble.differences import RunDifferences, run_differences, run_is_odd
from cbvtool.trace.ensemble.effects import FEWEST_RUNS, RunEffect, run_effects
from cbvtool.trace.ensemble.ensemble import Ensemble, united
from cbvtool.trace.ensemble.grouping import ModuleGrouping, grouping_of
from cbvtool.trace.ensemble.groups import SuperGraph, super_graph
from cbvtool.trace.ensemble.hierarchy import ModuleHierarchy, module_hierarchy
from cbvtool.trace.ensemble.parameters import RunParameter, parameters_of
from cbvtool.trace.ensemble.runs import ProfiledRun, runs_of
from cbvtool.trace.ensemble.sankey.layout import SankeyLayout, sankey
from cbvtool.trace.ensemble.similarity.clusters import PointGroups, point_groups
from cbvtool.trace.ensemble.similarity.distances import FEWEST_ODD, RunNeighbours, run_neighbours, tree_distances
from cbvtool.trace.ensemble.similarity.features import parameter_points, point_distances
from cbvtool.trace.ensemble.similarity.scaling import RunMap, scaled_map
from cbvtool.trace.ensemble.splitting import SPLITS, ModuleSplit, NodeModules, split_module
from cbvtool.trace.ensemble.trends import FEWEST_POSITIONS, RunTrend, run_positions, run_trend
from cbvtool.trace.kernels import kernel
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.making.roles import Role, known_roles, roles_of
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.durations import duration, signed_duration
from cbvtool.trace.model.focus import NO_FUNCTION, Focus
from cbvtool.trace.model.profile import Profile, ProfileMetric
from cbvtool.trace.model.titles import function_title, is_main, thread_title
from cbvtool.trace.model.trace import NO_CALL, Calls, Functions, Header, Threads, Trace
from cbvtool.trace.overlay.call_changes import CallChanges, PairChanges, call_changes, calls_by_node, pair_changes
from cbvtool.trace.readers.reader import TraceReader
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.resources.cells import TIMES, Amount, ResourceCells, amount_of, amounts_offered, cells_of, own_time
from cbvtool.trace.resources.deviations import Deviation, deviations
from cbvtool.trace.resources.information import Information, information_of, interval
from cbvtool.trace.resources.optima import Optima, all_optima, first_optima
from cbvtool.trace.resources.partition import Partition, best_partition
from cbvtool.trace.resources.resource_tree import ResourceTree
from cbvtool.trace.resources.shapes import AREA, OTHER_TIMES, SAME_TIMES, Shapes, painted, shapes_of
from cbvtool.trace.resources.states import GROUPINGS, OTHERS
from cbvtool.trace.sequence.call_sequence import CallSequence, call_sequence
from cbvtool.trace.sequence.icicles import ELSEWHERE, Icicle, icicle
from cbvtool.trace.sequence.identities import (
    Identities,
    IdentityFigures,
    identities,
    identity_figures,
    shared_identities,
)
from cbvtool.trace.sequence.importance import call_repeats, call_weights
from cbvtool.trace.sequence.leaf_order import call_length, leaf_order
from cbvtool.trace.sequence.painting import PixelSpans, paint_sequence, pixel_spans
from cbvtool.trace.sequence.repeats import Repeats, TooMuchMarked, repeats
from cbvtool.trace.sequence.row_alignment import GAP, RowAlignment, aligned_rows
from cbvtool.trace.timeline.bars import TimeBars, TimeGrid, bars_of, clustered, grid_of
from cbvtool.trace.timeline.brushing import Brushed, brushed, in_focus, standing_for
from cbvtool.trace.timeline.figures import WindowFigures, window_figures
from cbvtool.trace.timeline.folding import LevelFolding, bar_heights, level_tops
from cbvtool.trace.timeline.levels import Levels, call_at, levels_of, parent_of, path_to
from cbvtool.trace.timeline.merged import MergedCalls, merged_calls
from cbvtool.trace.timeline.neighbours import neighbour, next_of
from cbvtool.trace.timeline.own_calls import OwnCalls, own_calls
from cbvtool.trace.timeline.part_figures import NEVER, PartFigures, outermost_time, part_figures
from cbvtool.trace.timeline.patterns import activity_pattern
from cbvtool.trace.timeline.thread_groups import ThreadGroups, thread_groups
from cbvtool.trace.timeline.ticks import tick_times, time_text
from cbvtool.trace.timeline.warp import LINEAR, Warp, event_queue, held, squeezed, warp_of
from cbvtool.trace.waits.by_name import with_waits
from cbvtool.trace.waits.correspondences import (
    FLOW,
    MUTEX,
    NO_OBJECT,
    RELEASE,
    SPAWN,
    TASK,
    Correspondences,
    correspondences,
)
from cbvtool.trace.waits.critical_path import CriticalStep, critical_path
from cbvtool.trace.waits.shares import dur_of
from cbvtool.trace.waits.totals import NOBODY, Contended, LongWaits, WaitTotals, contended, longest_waits, wait_totals
from cbvtool.trace.waits.what_if import Estimate, WhatIf, what_if

API_VERSION = "0.2"
API_VERSIONS = ("0.1", API_VERSION)  # those that still load

__all__ = [
    "API_VERSION",
    "API_VERSIONS",
    "AREA",
    "CANVAS",
    "CLASS_COLORS",
    "ELSEWHERE",
    "FEWEST_ODD",
    "FEWEST_POSITIONS",
    "FEWEST_RUNS",
    "FLOW",
    "GAP",
    "GROUPINGS",
    "LINEAR",
    "MUTEX",
    "NEVER",
    "NOBODY",
    "NOTHING",
    "NO_CALL",
    "NO_FUNCTION",
    "NO_GROUP",
    "NO_NODE",
    "NO_OBJECT",
    "NO_PARENT",
    "OTHERS",
    "OTHER_TIMES",
    "RELEASE",
    "REMOVED",
    "SAME_TIMES",
    "SPAWN",
    "SPLITS",
    "TASK",
    "TIMES",
    "AlignedCalls",
    "Amount",
    "Areas",
    "Ask",
    "Bands",
    "Bars",
    "BoxShape",
    "BoxStatistics",
    "Brushed",
    "Budget",
    "CallChange",
    "CallChanges",
    "CallMatches",
    "CallSequence",
    "CallTree",
    "Calls",
    "Cancelled",
    "ChangedCode",
    "ChangedLines",
    "Changes",
    "ChoiceParameter",
    "CodeChanges",
    "Column",
    "Columns",
    "CommonFunctions",
    "Confidence",
    "Contended",
    "Copy",
    "Correspondences",
    "CriticalStep",
    "Curves",
    "Cushion",
    "Deviation",
    "Edges",
    "Ensemble",
    "Estimate",
    "EventKind",
    "FileParameter",
    "Focus",
    "FunctionChanges",
    "Functions",
    "Graph",
    "Header",
    "Hit",
    "Icicle",
    "Identities",
    "IdentityFigures",
    "Information",
    "Input",
    "InputError",
    "Labels",
    "Layout",
    "LevelFolding",
    "Levels",
    "Likeness",
    "LongWaits",
    "MatchGroups",
    "Menu",
    "MergedCalls",
    "Metric",
    "ModuleGrouping",
    "ModuleHierarchy",
    "ModuleSplit",
    "Need",
    "NeedProgress",
    "NodeMap",
    "NodeModules",
    "NumberParameter",
    "OpenSource",
    "OpenView",
    "Optima",
    "OverlayColumn",
    "OverlayContent",
    "OverlayRelations",
    "OwnCalls",
    "PairChanges",
    "Pane",
    "Parameter",
    "PartFigures",
    "Partition",
    "PixelSpans",
    "Plot",
    "PluginCommand",
    "PluginOverlay",
    "PluginView",
    "PointGroups",
    "Points",
    "Profile",
    "ProfileBuilder",
    "ProfileMetric",
    "ProfiledRun",
    "Progress",
    "Range",
    "Raster",
    "Registry",
    "Repeats",
    "Request",
    "ResourceCells",
    "ResourceTree",
    "Role",
    "RowAlignment",
    "Rows",
    "RunDifferences",
    "RunEffect",
    "RunMap",
    "RunNeighbours",
    "RunParameter",
    "RunTrend",
    "SankeyLayout",
    "Say",
    "SectorShape",
    "Segments",
    "SelectNodes",
    "SetFocus",
    "SetValue",
    "Shapes",
    "ShowOverlay",
    "SimpleView",
    "SliderParameter",
    "Subject",
    "SubjectCode",
    "SuperGraph",
    "SwitchParameter",
    "Tabs",
    "TextParameter",
    "Theme",
    "ThreadGroups",
    "Threads",
    "TimeBars",
    "TimeGrid",
    "TooMuchMarked",
    "Trace",
    "TraceBuilder",
    "TraceReader",
    "TraceSource",
    "TreeIndex",
    "UnionTree",
    "UnreadableTrace",
    "ValuesByRank",
    "ViewColumn",
    "ViewContext",
    "ViewEvent",
    "ViewMemo",
    "ViewPart",
    "ViewTable",
    "Viewport",
    "WaitTotals",
    "Warp",
    "WhatIf",
    "When",
    "WindowFigures",
    "activity_pattern",
    "aligned_calls",
    "aligned_rows",
    "all_optima",
    "amount_of",
    "amounts_offered",
    "bar_heights",
    "bars_of",
    "best_partition",
    "box_statistics",
    "brushed",
    "call_at",
    "call_changes",
    "call_length",
    "call_repeats",
    "call_sequence",
    "call_tree",
    "call_weights",
    "calls_by_node",
    "cells_of",
    "changed_rows",
    "clustered",
    "common_functions",
    "contended",
    "correspondences",
    "critical_path",
    "curve_image",
    "curves_on_circle",
    "deviations",
    "dur_of",
    "duration",
    "evaluate",
    "event_queue",
    "first_optima",
    "flattened",
    "frames_around",
    "function_changes",
    "function_table",
    "function_title",
    "grid_of",
    "grouped",
    "grouping_of",
    "held",
    "icicle",
    "identities",
    "identity_figures",
    "in_focus",
    "information_of",
    "inner_groups",
    "interval",
    "is_main",
    "is_named",
    "kernel",
    "known_roles",
    "leaf_order",
    "level_tops",
    "levels_in",
    "levels_needs",
    "levels_of",
    "likeness",
    "locate",
    "longest_waits",
    "map_colors",
    "matches_above",
    "merged_calls",
    "module_hierarchy",
    "neighbour",
    "next_of",
    "outermost_time",
    "own_calls",
    "own_time",
    "paint_sequence",
    "painted",
    "pair_changes",
    "parameter_points",
    "parameters_of",
    "parent_of",
    "part_figures",
    "path_to",
    "pixel_spans",
    "place",
    "point_distances",
    "point_groups",
    "repeats",
    "roles_of",
    "run_differences",
    "run_effects",
    "run_is_odd",
    "run_neighbours",
    "run_positions",
    "run_trend",
    "runs_of",
    "sankey",
    "scaled_map",
    "shapes_of",
    "shared_identities",
    "signed_duration",
    "split_module",
    "squeezed",
    "standing_for",
    "state_of",
    "strip_boxes",
    "super_graph",
    "thread_groups",
    "thread_title",
    "tick_times",
    "time_ruler",
    "time_text",
    "tree_distances",
    "union_tree",
    "union_widths",
    "united",
    "values_by_rank",
    "wait_totals",
    "warp_of",
    "what_if",
    "window_figures",
    "with_waits",
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

"""`cbvtool trace render`: a view of a plugin as a file, without a window."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from cbvtool.cli.arguments import add_reading, listed, place, size
from cbvtool.cli.of_traces.trace_reading import SAMPLED, TraceCommand, is_named, window_of
from cbvtool.cli.output import DONE, STDOUT, progress, say, write_result
from cbvtool.cli.reading import means, read_file
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from cbvtool.extensions import PluginRegistry
    from cbvtool.formats.replaceable import Sort
    from cbvtool.plots.plot import Plot, Viewport
    from cbvtool.plugin.parts import ViewPart, ViewTable
    from cbvtool.plugin.view import PluginView, SubjectCode
    from cbvtool.session.plugin_views.instance import ViewInstance
    from cbvtool.session.plugin_views.surroundings import ViewInput, ViewInputs
    from cbvtool.trace.model.focus import Focus
    from cbvtool.trace.model.trace import Trace

_SORTS: dict[str, Sort] = {".png": "PNG picture", ".svg": "SVG picture", ".html": "HTML page"}
PAGE = ".html"


def add(command: TraceCommand) -> None:
    """Add the command."""
    added = command(
        "render",
        _run,
        "draw a trace view into a file, without a window: PNG, SVG or a page; tables as text",
        "cbvtool trace render busy run.cbvtrace -o busy.png",
        "cbvtool trace render busy run.cbvtrace -o busy.svg --set rows=50 --window 120ms..1.5s",
        "cbvtool trace render ocelotl run.cbvtrace -o run.html",
        "cbvtool trace render busy run.cbvtrace -o busy.png --graph ~/src/flask --threads MainThread",
    )
    added.add_argument("view", metavar="VIEW", help="name of the view: `cbvtool plugins` lists them")
    added.add_argument(
        "inputs", nargs="+", type=place, metavar="INPUT", help="traces, profiles or graphs, as the view takes them"
    )
    added.add_argument(
        "-o",
        "--output",
        type=place,
        metavar="FILE",
        required=True,
        help="a .png or .svg; a .html, which holds all pictures and tables; of a table a .csv, .json or text, or -",
    )
    added.add_argument("--part", metavar="NAME", help="draw this part alone (default: all, tables as text)")
    added.add_argument("--size", type=size, metavar="WxH", default=(1600, 1000), help="pixels (default: 1600x1000)")
    added.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="value of a parameter of the view"
    )
    added.add_argument(
        "--window",
        type=window_of("s"),
        metavar="A..B",
        help="look at this part of the first trace, from its begin: 120ms..1.5s; without a unit seconds",
    )
    added.add_argument(
        "--threads",
        type=listed,
        metavar="NAME|ID,...",
        help="of the first trace look at these threads alone: names, ids or PROCESS:ID",
    )
    added.add_argument(
        "--graph", type=place, metavar="PATH", help="folder or graph file that ran (default: made from the inputs)"
    )
    added.add_argument("--theme", choices=("light", "dark"), default="light", help="default: light")
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.extensions import discover
    from cbvtool.formats.replaceable import check_output
    from cbvtool.geometry.colors import THEMES
    from cbvtool.plots.plot import Viewport
    from cbvtool.plugin.parts import ViewTable
    from cbvtool.session.plugin_views.instance import ViewInstance
    from cbvtool.session.plugin_views.rendering import render_part, render_whole, settled
    from cbvtool.session.plugin_views.surroundings import ViewSurroundings
    from cbvtool.session.plugin_views.tables import table_csv, table_json, table_text
    from cbvtool.session.plugin_views.values import set_from_text

    registry, _ = discover()
    view = _view(registry, chosen.view)
    values = set_from_text(view.parameters, chosen.set)
    suffix = chosen.output.suffix.lower()
    if chosen.output != STDOUT and suffix in _SORTS:
        for path in chosen.inputs:
            check_output(chosen.output, path, _SORTS[suffix])
    elif chosen.part is None:
        raise InputError(f"{chosen.output} ends in neither .png nor .svg nor .html: the ending chooses the sort.")
    inputs, code = _inputs(chosen, view)
    faults = list[str]()
    around = ViewSurroundings(focus=_focus(chosen, inputs), theme=THEMES[chosen.theme], code=code)
    instance = ViewInstance(view, inputs, around, faults.append, values=values)
    width, height = chosen.size
    viewport = Viewport(float(width), float(height), measure=_measure)

    if suffix == PAGE and chosen.output != STDOUT:
        _write_page(chosen, instance, viewport, faults)
        return DONE

    def draw() -> Plot | ViewTable:
        if chosen.part is None:
            return render_whole(instance, viewport, around.theme)
        return render_part(instance, chosen.part, viewport)

    with progress() as shown:
        drawn = settled(instance, draw, shown)
    _must_be_whole(view, faults)
    if isinstance(drawn, ViewTable):
        if suffix in _SORTS:
            raise InputError(
                f"{chosen.part} is a table, which is written as text: choose another ending than {suffix}."
            )
        write_result(chosen, {".csv": table_csv, ".json": table_json}.get(suffix, table_text)(drawn))
        return DONE
    if suffix not in _SORTS:
        raise InputError(f"{chosen.part} is a picture: choose a file that ends in .png or .svg.")
    from cbvtool.drawing.plot_files import write_picture
    from cbvtool.plots.filling import fill
    from cbvtool.plots.to_picture import to_picture

    picture = to_picture(fill(drawn, viewport), lines=suffix == ".svg")
    write_picture(picture, chosen.output, around.theme.ground, title=view.label)
    return DONE


def _must_be_whole(view: PluginView[Any], faults: list[str]) -> None:
    """Raises InputError with the first thing that the view did wrong."""
    if faults:
        raise InputError(f"The view {view.name} {faults[0].rstrip('.')}.")


def _write_page(chosen: argparse.Namespace, instance: ViewInstance, viewport: Viewport, faults: list[str]) -> None:
    """All parts of the view, or the one that was named, as one page."""
    from cbvtool.formats.atomic import replacing
    from cbvtool.plots.filling import fill
    from cbvtool.plots.to_picture import to_picture
    from cbvtool.plugin.parts import ViewTable, parts_of
    from cbvtool.report.view_page import ViewSection, view_page
    from cbvtool.session.plugin_views.rendering import render_each, render_part, settled

    def draw() -> list[tuple[ViewPart, Plot | ViewTable, Viewport]]:
        if chosen.part is None:
            return render_each(instance, viewport)
        drawn = render_part(instance, chosen.part, viewport)
        return [(each, drawn, viewport) for each in parts_of(instance.layout()) if each.name == chosen.part]

    with progress() as shown:
        drawn = settled(instance, draw, shown)
    view = instance.view
    _must_be_whole(view, faults)
    sections = [
        ViewSection(
            part.title or ("" if part.name == "main" else part.name) or view.label,
            found if isinstance(found, ViewTable) else to_picture(fill(found, room), lines=True),
        )
        for part, found, room in drawn
    ]
    about = [", ".join(instance.inputs.names) or ", ".join(path.name for path in chosen.inputs)]
    about += _set_words(view, chosen.set)
    page = view_page(view.label, about, sections, instance.around.theme)
    with replacing(chosen.output) as file:
        file.write(page)


def _set_words(view: PluginView[Any], given: list[str]) -> list[str]:
    """What --set chose, in the words of the window."""
    found = []
    for name, _, value in (each.partition("=") for each in given):
        parameter = next(each for each in view.parameters if each.name == name)
        found.append(f"{parameter.label}: {dict(getattr(parameter, 'options', ())).get(value, value)}")
    return found


def _view(registry: PluginRegistry, name: str) -> PluginView[Any]:
    if name not in registry.views:
        known = ", ".join(sorted(registry.views)) or "none at all"
        broken = f" {len(registry.problems)} plugins are broken: see `cbvtool plugins`." if registry.problems else ""
        raise InputError(f"There is no view {name!r}: the plugins have {known}.{broken}")
    return registry.views[name]


def _measure(text: str, size: float, bold: bool) -> float:
    from cbvtool.drawing.pillow_painter import text_width

    return text_width(text, size, bold)


def _inputs(chosen: argparse.Namespace, view: PluginView[Any]) -> tuple[ViewInputs, SubjectCode | None]:
    """What was named, read, and mapped to the graph around it; the sources, where there are some.

    Raises InputError for what the view does not take.
    """
    from cbvtool.session.plugin_views.surroundings import arranged, kind_of, mapped_inputs, own_inputs, why_not

    read = [(part, path.stem) for path in chosen.inputs for part in _read(path, chosen, view)]
    parts = [part for part, _ in read]
    if reason := why_not(view.takes, [kind_of(part) for part in parts]):
        raise InputError(f"The view {view.name} cannot show {', '.join(map(str, chosen.inputs))}: {reason}.")
    in_order = arranged(view.takes, parts)
    names = tuple(next(name for other, name in read if other is part) for part in in_order)
    if any(getattr(part, "sampled", False) for part in parts):
        say(SAMPLED)
    if chosen.graph is None:
        return replace(own_inputs(in_order), names=names), None
    from cbvtool.project import open_project

    with progress() as shown, means(chosen) as how:
        project = open_project(chosen.graph, history=False, progress=shown, **how)
    if project.kind != "folder":
        return replace(mapped_inputs(in_order, project.graph, None), names=names), None
    from cbvtool.session.plugin_views.project_text import ProjectText
    from cbvtool.trace.model.trace import Trace
    from cbvtool.trace.waits.by_name import with_waits
    from cbvtool.trace.waits.own_roles import configured_roles

    own, notes = configured_roles(project.path)
    for note in notes:
        say(note)
    known = [with_waits(part, own) if own and isinstance(part, Trace) else part for part in in_order]
    return replace(mapped_inputs(known, project.graph, project.path), names=names), ProjectText(project)


def _read(path: Path, chosen: argparse.Namespace, view: PluginView[Any]) -> list[ViewInput]:
    """The traces and profiles in a file; or the graph, for a view that takes one, where it is no recording."""
    from cbvtool.trace.readers.registry import reader_of
    from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

    takes_graphs = any(each.kind == "graph" for each in view.takes)
    try:
        recorded = not takes_graphs or reader_of(TraceSource(path)) is not None
    except (OSError, UnreadableTrace):
        recorded = True  # reading it says what is wrong
    if recorded:
        return [*read_file(path)]
    from cbvtool.project import open_project

    with progress() as shown, means(chosen) as how:
        return [open_project(path, history=False, progress=shown, **how).graph]


def _focus(chosen: argparse.Namespace, inputs: ViewInputs) -> Focus:
    """What --window and --threads say of the first trace. Raises InputError where there is none."""
    from cbvtool.trace.model.focus import Focus
    from cbvtool.trace.model.trace import Trace

    first = next((part for part in inputs.parts if isinstance(part, Trace)), None)
    if chosen.window is None and chosen.threads is None:
        return Focus()
    if first is None:
        raise InputError("--window and --threads choose a part of a trace, and no trace was named.")
    window = None
    if chosen.window is not None:
        begin, end = first.span
        low, high = chosen.window
        window = (begin + (low or 0), end if high is None else begin + high)
    return Focus(inputs.numbers[inputs.parts.index(first)], window, _threads(chosen, first))


def _threads(chosen: argparse.Namespace, trace: Trace) -> frozenset[int] | None:
    if chosen.threads is None:
        return None
    rows = frozenset(row for row in range(len(trace.threads)) if is_named(trace, row, chosen.threads))
    if not rows:
        raise InputError(f"No thread of the trace is called {' or '.join(chosen.threads)}.")
    return rows

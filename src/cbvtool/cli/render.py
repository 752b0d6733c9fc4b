"""`cbvtool render`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from cbvtool.cli.arguments import Command, add_guesses, add_path, add_reading, place, size, unit, whole
from cbvtool.cli.output import SHORT, STDOUT, say
from cbvtool.cli.reading import open_into, say_refusals
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.formats.replaceable import Sort
    from cbvtool.geometry.state.view_state import Mapping as MetricMapping
    from cbvtool.session import Session


def add(command: Command) -> None:
    """Add the command."""
    added = command(
        "render",
        _run,
        "draw the 3D circular bundle view into a file, without a window: PNG, SVG, PDF or HTML",
        "cbvtool render ~/src/flask -o flask.png",
        "cbvtool render graph.json -o top.png --top --size 1600x1000",
        "cbvtool render . -o poster.pdf",
        "cbvtool render . -o scene.html --theme dark",
        "cbvtool render plan.cbv -o plan.png --depth 3 --color complexity --height fan_in",
        "cbvtool render . -o spots.png --preset hot-spots --scale height=log --scale color=linear:0:50",
    )
    add_path(added)
    added.add_argument(
        "-o",
        "--output",
        type=place,
        metavar="FILE",
        required=True,
        help="the picture: .png, .svg or .pdf (from above), or .html (a page with the scene, to turn)",
    )
    added.add_argument("--size", type=size, metavar="WxH", default=(1600, 1000), help="pixels (default: 1600x1000)")
    added.add_argument(
        "--hierarchy",
        metavar="NAME",
        help="what the rings are: folders, packages, owners, languages, age, or csv:FILE with path,group[,group...]",
    )
    added.add_argument("--depth", type=whole(1, 1000), metavar="N", help="show N levels (default: as many as fit)")
    added.add_argument(
        "--preset",
        metavar="NAME",
        help="a ready style: maintainability, hot-spots, unused, ownership, age, thesis, languages or management",
    )
    for name, text in {"height": "height", "color": "colour", "angle": "angular extent"}.items():
        added.add_argument(f"--{name}", metavar="METRIC", help=f"metric that decides the {text}")
    added.add_argument(
        "--scale",
        action="append",
        default=[],
        metavar="WHAT=KIND[:MIN:MAX]",
        help="scale of height or color: linear, log or quantile, and its range; values beyond are drawn like its ends",
    )
    added.add_argument(
        "--combine",
        action="append",
        default=[],
        metavar="WHAT=HOW",
        help="how what lies inside makes one value of angle, height or color: sum, mean, weighted, median or max",
    )
    added.add_argument("--color-map", metavar="NAME", help="ember, cividis or thesis (default: ember)")
    added.add_argument("--thickness", metavar="WHAT", help="of relations: weight, count or none (default: weight)")
    added.add_argument("--beta", type=unit, metavar="B", help="how tight bundles are, 0 to 1 (default: 0.8)")
    add_guesses(added, "show")
    added.add_argument(
        "--calls-back", action="store_true", help="also show what a framework calls but does not depend on"
    )
    added.add_argument("--external", action="store_true", help="also show the packages that are used from outside")
    added.add_argument("--top", action="store_true", help="look from above")
    added.add_argument(
        "--density",
        type=whole(1, 32),
        metavar="N",
        default=1,
        help="N times as many pixels in each direction, for fine screens and print (PNG)",
    )
    added.add_argument("--theme", choices=("light", "dark"), help="default: light, or that of the document")
    added.add_argument("--transparent", action="store_true", help="leave out the ground behind everything")
    added.add_argument("--no-legends", action="store_true", help="leave out the legends")
    added.add_argument("--no-title", action="store_true", help="leave out the name of the subject, and how large it is")
    add_reading(added)


def _run(chosen: argparse.Namespace) -> int:
    from cbvtool.export.size import readable
    from cbvtool.extensions import discover
    from cbvtool.formats.replaceable import check_output
    from cbvtool.geometry.state.presets import why_not
    from cbvtool.hierarchies import check, named
    from cbvtool.session import Session

    if chosen.output == STDOUT:
        raise InputError("A picture needs the name of a file, not -.")
    sort = _picture_sort(chosen)
    check_output(chosen.output, chosen.path, sort)
    registry, problems = discover()
    session = Session(registry.metrics)
    if chosen.hierarchy is not None:
        check(named(chosen.hierarchy))
    if chosen.path.is_dir():  # it takes a while to read, and brings no metrics of its own
        _style(session, chosen)
    open_into(session, chosen)
    _set_view(session, chosen)
    known = len(problems)
    scene = session.scene()
    if chosen.preset is not None and (reason := why_not(session.view.mapping, scene.values)):
        raise InputError(reason)
    for problem in problems[known:]:
        raise InputError(f"The {problem}.")
    project, history = session.project, session.history
    assert project is not None
    assert history is not None
    size, scale = (chosen.size, 1.0) if chosen.no_legends and chosen.no_title else readable(chosen.size)
    about: dict[str, Any] = {
        "title": project.name,
        "commit": project.commit[:SHORT],
        "legends": not chosen.no_legends,
        "heading": not chosen.no_title,
        "transparent": chosen.transparent,
        "size": size,
    }
    if sort == "PNG picture":
        from cbvtool.drawing.offscreen import (  # takes a second to import: after all that may be wrong
            PictureOptions,
            picture,
            save,
        )

        wide, tall = (chosen.density * side for side in chosen.size)
        options = PictureOptions(scale=scale * chosen.density, exactly=(wide, tall), **about)
        save(picture(scene, options, top=chosen.top), chosen.output)
    else:
        from cbvtool.drawing.pillow_painter import font_files, text_width
        from cbvtool.export.files import write_drawing

        write_drawing(scene, chosen.output, measure=text_width, fonts=font_files(), pixels=chosen.size, **about)
    return say_refusals(history)


def _picture_sort(chosen: argparse.Namespace) -> Sort:
    """What the suffix of the output asks for, PNG without any.

    Other suffixes, and options that this sort cannot follow, are refused.
    """
    from cbvtool.export.files import SORTS

    suffix = chosen.output.suffix.lower() or ".png"
    if suffix not in SORTS:
        raise InputError(f"{chosen.output} ends in none of {', '.join(SORTS)}: the ending chooses the sort of picture.")
    refused = {
        "--density": chosen.density != 1 and suffix != ".png",
        "--transparent": chosen.transparent and suffix == ".html",
        "--top": chosen.top and suffix == ".html",
        "--no-title": chosen.no_title and suffix == ".html",
    }
    if wrong := [option for option, is_wrong in refused.items() if is_wrong]:
        raise InputError(f"{SORTS[suffix]}s do not support {wrong[0]}: leave it out, or choose another ending.")
    return SORTS[suffix]


def _style(session: Session, chosen: argparse.Namespace) -> MetricMapping:
    """What width, height, colour and thickness are to show."""
    from cbvtool.geometry.state.asked_style import asked_style
    from cbvtool.geometry.state.view_state import VARIABLES

    return asked_style(
        session.view.mapping,
        session.metrics,
        chosen.preset,
        {name: metric for name in VARIABLES if (metric := getattr(chosen, name)) is not None},
        chosen.scale,
        chosen.combine,
        chosen.color_map,
        chosen.thickness,
    )


def _set_view(session: Session, chosen: argparse.Namespace) -> None:
    if chosen.hierarchy is not None:
        from cbvtool.hierarchies import named

        for note in session.show_in(named(chosen.hierarchy)):
            say(note)
    if chosen.depth is not None:
        session.show_depth(chosen.depth)
    if chosen.beta is not None:
        session.set_view(beta=chosen.beta)
    session.set_view(guesses=session.view.guesses or chosen.guesses, external=session.view.external or chosen.external)
    if chosen.calls_back:
        from cbvtool.graph import CALLS_BACK

        session.show_kind(CALLS_BACK, shown=True)
    session.set_view(mapping=_style(session, chosen))
    if chosen.theme is not None:
        session.set_view(theme=chosen.theme)

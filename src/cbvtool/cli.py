"""The command line. Results go to standard output or to `-o`, progress and errors to standard error.

Exit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import cbvtool
from cbvtool.errors import Cancelled, InputError
from cbvtool.progress import silent
from cbvtool.words import one_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import numpy as np
    import numpy.typing as npt

    from cbvtool.formats.replaceable import Sort
    from cbvtool.geometry.view_state import Mapping as MetricMapping
    from cbvtool.graph import Graph
    from cbvtool.plan.history import History
    from cbvtool.progress import Progress
    from cbvtool.project import Project
    from cbvtool.session import Session

DONE, FINDINGS, FAILED, INTERRUPTED = 0, 1, 2, 130
_BROKEN_PIPE = 141  # what a shell reports for a program that died of SIGPIPE
_SHORT = 7  # digits of a commit id for people
_STDOUT = Path("-")
_REDRAW = 0.1  # seconds between two looks of the progress line


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status. `argv` without the program name, None = `sys.argv`."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    verbose = "--verbose" in arguments
    try:
        chosen = _parser().parse_args(arguments)
        status: int = chosen.run(chosen)
        sys.stdout.flush()
    except SystemExit as end:  # --help and --version
        return end.code if isinstance(end.code, int) else DONE
    except InputError as error:
        return _fail(str(error), verbose)
    except (KeyboardInterrupt, Cancelled):
        return _interrupted()
    except BrokenPipeError:
        # Whoever read the output has seen enough. What is still buffered must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except Exception as error:
        if _while_interrupted(error):
            return _interrupted()
        return _fail(f"Something went wrong inside cbvtool: {type(error).__name__}: {error}; see --verbose.", verbose)
    return status


def _interrupted() -> int:
    _say("Interrupted.")
    return INTERRUPTED


def _while_interrupted(error: BaseException) -> bool:
    """Whether `error` came of tidying up after Ctrl-C: a process pool that is still starting cannot be closed."""
    cause = error.__context__
    return cause is not None and (isinstance(cause, KeyboardInterrupt | Cancelled) or _while_interrupted(cause))


def _fail(sentence: str, verbose: bool) -> int:
    if verbose:
        traceback.print_exc()
    _say(sentence)
    return FAILED


def _say(sentence: str) -> None:
    _print(f"cbvtool: {one_line(sentence)}", sys.stderr)


def _print(text: str, to: TextIO | None = None, end: str = "\n") -> None:
    """Print names as they are where the stream can, else escaped (file names may be no text at all)."""
    to = to or sys.stdout
    encoding = to.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end=end, file=to)


# -- commands --------------------------------------------------------------------------------------------------


def _open(chosen: argparse.Namespace) -> int:
    if chosen.path is not None and not os.path.exists(chosen.path):
        raise InputError(f"{chosen.path} does not exist.")
    from cbvtool import app  # the only command that needs Qt

    return app.main(chosen.path, verbose="verbose" in chosen)


def _analyze(chosen: argparse.Namespace) -> int:
    from cbvtool.formats import outputs, write_graph
    from cbvtool.formats.graph_json import graph_text
    from cbvtool.formats.replaceable import check_output
    from cbvtool.project import open_project

    to_stdout = chosen.output == _STDOUT
    if chosen.output and not to_stdout:
        for file in outputs(chosen.output):
            check_output(file, chosen.path, "graph")
    start = time.monotonic()
    with _progress() as progress, _cluster(chosen.dask) as executor:
        project = open_project(
            chosen.path, history=chosen.history, jobs=chosen.jobs, progress=progress, cache=chosen.cache,
            config=chosen.config, executor=executor,
        )  # fmt: skip
    seconds = time.monotonic() - start
    if to_stdout:
        _stdout_bytes(graph_text(project.graph, project.history))
    elif chosen.output:
        write_graph(project.graph, chosen.output, project.history)
    _print(_summary(project, seconds), sys.stderr if to_stdout else sys.stdout)
    return DONE


def _render(chosen: argparse.Namespace) -> int:
    from cbvtool.extensions import discover
    from cbvtool.formats.replaceable import check_output
    from cbvtool.geometry.presets import why_not
    from cbvtool.hierarchies import check, named
    from cbvtool.session import Session

    if chosen.output == _STDOUT:
        raise InputError("A picture needs the name of a file, not -.")
    sort = _picture_sort(chosen)
    check_output(chosen.output, chosen.path, sort)
    registry, problems = discover()
    session = Session(registry.metrics)
    if chosen.hierarchy is not None:
        check(named(chosen.hierarchy))
    if chosen.path.is_dir():  # it takes a while to read, and brings no metrics of its own
        _look(session, chosen)
    _open_into(session, chosen)
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
    about: dict[str, Any] = {"title": project.name, "commit": project.commit[:_SHORT], "legends": not chosen.no_legends}
    if sort == "PNG picture":
        from cbvtool.view.offscreen import render_png  # takes a second to import: after all that may be wrong

        render_png(
            scene, chosen.output, size=chosen.size, top=chosen.top, scale=chosen.density,
            transparent=chosen.transparent, **about,
        )  # fmt: skip
    else:
        from cbvtool.export.files import write_drawing
        from cbvtool.view.pillow_painter import font_files, text_width

        write_drawing(
            scene, chosen.output, size=chosen.size, transparent=chosen.transparent, measure=text_width,
            fonts=font_files(), **about,
        )  # fmt: skip
    return _say_refusals(history)


def _picture_sort(chosen: argparse.Namespace) -> Sort:
    """What the suffix of the output asks for, PNG without one of ours.

    Suffixes of other sorts, and options that this sort cannot follow, are refused.
    """
    from cbvtool.export.files import OTHERS, SORTS

    suffix = chosen.output.suffix.lower()
    if suffix in OTHERS:
        raise InputError(f"{chosen.output} ends in none of {', '.join(SORTS)}: the ending chooses the sort of picture.")
    suffix = suffix if suffix in SORTS else ".png"
    refused = {
        "--density": chosen.density != 1 and suffix != ".png",
        "--transparent": chosen.transparent and suffix == ".html",
        "--top": chosen.top and suffix == ".html",
    }
    if wrong := [option for option, is_wrong in refused.items() if is_wrong]:
        raise InputError(f"{SORTS[suffix]}s know no {wrong[0]}: leave it out, or choose another ending.")
    return SORTS[suffix]


def _tasks(chosen: argparse.Namespace) -> int:
    from cbvtool.formats.atomic import replacing
    from cbvtool.formats.replaceable import check_output
    from cbvtool.plan.export import to_csv, to_json, to_markdown
    from cbvtool.plan.tasks import tasks
    from cbvtool.project import open_document

    to_stdout = chosen.output in (None, _STDOUT)
    if not to_stdout:
        check_output(chosen.output, chosen.path, "task list")
    with _progress() as progress:
        document, project = open_document(chosen.path, progress=progress)
    history = document.plan.history(project.graph)
    found = tasks(history, project.changes)
    if chosen.format == "csv":
        text = to_csv(found)
    else:
        write = to_markdown if chosen.format == "markdown" else to_json
        text = write(found, document.name, document.plan.name, project.commit)
    if to_stdout:
        _stdout_bytes([text.encode()])
    else:
        with replacing(chosen.output) as file:
            file.write(text.encode())
    return _say_refusals(history)


def _unused(chosen: argparse.Namespace) -> int:
    from cbvtool.metrics.entry_points import ENTRY_POINTS, entry_points, patterns_of
    from cbvtool.metrics.unused import unused

    graph = _planned(chosen.path)
    for pattern in chosen.entry:
        try:
            entry_points(graph, (pattern,))
        except ValueError as error:
            raise InputError(f"{pattern!r} is no pattern of entry points: {error}.") from None
    found = unused(graph, patterns_of(graph, chosen.entry))
    if found is None:
        raise InputError(f"No entry point is known in {chosen.path}: name what is used from outside with --entry.")
    lines = [f"{_counted(len(found), 'set')} of unused code" + (", candidates for removal:" if found else ".")]
    for number, one in enumerate(found, 1):
        lines += ["", f"{number}. {one.size}"]
        lines += [f"   {graph.ids[key]}" for key in one.heads]
        lines += [f"   then {graph.ids[key]}" for key in one.keys if key not in set(one.heads)]
    lines += ["", f"Entry points that are built in: {' '.join(ENTRY_POINTS)}"]
    lines += [
        f"Entry points of your own: {' '.join(more)}" for more in [(*graph.report.entry_points, *chosen.entry)] if more
    ]
    _print("\n".join(map(one_line, lines)))
    return FINDINGS if found else DONE


def _query(chosen: argparse.Namespace) -> int:
    from cbvtool.asking import table
    from cbvtool.asking.expression import measures, metric_of, parse
    from cbvtool.asking.search import Found, search
    from cbvtool.extensions import discover
    from cbvtool.formats.atomic import replacing
    from cbvtool.formats.replaceable import check_output
    from cbvtool.geometry.scene import Values
    from cbvtool.metrics.metric import Subject
    from cbvtool.session import Session

    to_stdout = chosen.output in (None, _STDOUT)
    if not to_stdout:
        check_output(chosen.output, chosen.path, "answer")
    session = Session(discover()[0].metrics)
    _open_into(session, chosen)
    query = parse(chosen.expression, session.metrics)
    if query is None:
        raise InputError("The query is empty: name what to look for, such as 'kind:file and commits > 10'.")
    names = [*measures(query), *(metric_of(word, session.metrics) for word in chosen.metrics)]
    assert session.project is not None
    changes = session.project.changes
    end = int(changes.time[-1]) if changes is not None and len(changes.time) else None
    since, until = (_moment(text, end) for text in (chosen.since, chosen.until))
    values = Values(Subject(session.graph, changes, since, until), session.metrics)
    metrics = [values.metrics[name] for name in dict.fromkeys(names)]
    found = search(session.graph, query, values)
    count = len(found.keys)
    found = Found(found.keys[: chosen.limit], found.metric)
    if chosen.format == "json":
        text = table.to_json(session.graph, found, metrics, values, chosen.expression)
    else:
        write = table.to_csv if chosen.format == "csv" else table.to_text
        text = write(session.graph, found, metrics, values)
    if not to_stdout:
        with replacing(chosen.output) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    elif count or chosen.format != "table":
        _stdout_bytes([text.encode("utf-8", "backslashreplace")])
    if chosen.format == "table":
        shown = f", {chosen.limit:,} of them shown" if count > len(found.keys) else ""
        _print(f"{count:,} {'match' if count == 1 else 'matches'}{shown}", sys.stderr)
    return DONE


def _impact(chosen: argparse.Namespace) -> int:
    from cbvtool.asking.impact import impact
    from cbvtool.asking.impact_export import to_csv, to_json, to_markdown
    from cbvtool.asking.nodes import node_named
    from cbvtool.asking.steps import steps
    from cbvtool.formats.atomic import replacing
    from cbvtool.formats.replaceable import check_output

    to_stdout = chosen.output in (None, _STDOUT)
    if not to_stdout:
        check_output(chosen.output, chosen.path, "impact list")
    graph = _planned(chosen.path)
    keys = tuple(node_named(graph, node) for node in chosen.nodes)
    kinds = chosen.kind
    if kinds is not None and (unknown := [kind for kind in kinds if kind not in graph.edges.kind_names]):
        known = ", ".join(graph.edges.kind_names) or "none"
        raise InputError(f"There are no relations of the kind {unknown[0]!r}; there are {known}.")
    ways = steps(graph, _relations(graph, guesses=chosen.guesses))
    found = impact(graph, ways, keys, kinds=kinds, depth=chosen.depth or 0)
    if chosen.format == "csv":
        text = to_csv(graph, found)
    else:
        text = (to_markdown if chosen.format == "md" else to_json)(graph, found, graph.name)
    if to_stdout:
        _stdout_bytes([text.encode()])
    else:
        with replacing(chosen.output) as file:
            file.write(text.encode())
    return DONE


def _path(chosen: argparse.Namespace) -> int:
    from cbvtool.asking.nodes import node_named
    from cbvtool.asking.path_text import path_text
    from cbvtool.asking.paths import shortest_paths
    from cbvtool.asking.steps import steps

    graph = _planned(chosen.path)
    source, target = (node_named(graph, node) for node in (chosen.source, chosen.target))
    if source == target:
        raise InputError(f"Both ends are {graph.ids[source] or graph.name}.")
    ways = steps(graph, _relations(graph, guesses=chosen.guesses))
    found = shortest_paths(graph, ways, source, target, most=chosen.most)
    _print(path_text(graph, found))
    return DONE if found.length else FINDINGS


def _relations(graph: Graph, *, guesses: bool) -> npt.NDArray[np.bool_] | None:
    from cbvtool.metrics.users import is_sure

    return None if guesses else is_sure(graph)


def _plugins(chosen: argparse.Namespace) -> int:
    from cbvtool.extensions import discover, plugin_folders

    registry, problems = discover()
    for plugin in registry.plugins:
        _print(one_line(f"{plugin.name} {plugin.version}".rstrip() + f"  {', '.join(plugin.contributes) or 'nothing'}"))
        _print(one_line(f"    from {plugin.origin}"))
    for problem in problems:
        _print(one_line(f"{problem.plugin}  broken: {problem.reason}"))
        _print(one_line(f"    from {problem.origin}"))
    if not registry.plugins and not problems:
        _print("No plugins.")
    _print(one_line(f"Your own plugins go to {plugin_folders()[0]}"))
    return FINDINGS if problems else DONE


# -- what they share -------------------------------------------------------------------------------------------


def _open_into(session: Session, chosen: argparse.Namespace) -> None:
    """Open the folder, graph file or document that was named."""
    from cbvtool.project import open_document, open_project

    with _progress() as progress:
        if chosen.path.suffix.lower() == ".cbv":
            document, project = open_document(chosen.path, progress=progress)
            session.open(project, document, chosen.path)
        else:
            session.open(open_project(chosen.path, progress=progress))


def _planned(path: Path) -> Graph:
    """The graph of a folder or graph file, or that of a document as planned; without the history."""
    from cbvtool.project import open_document, open_project

    with _progress() as progress:
        if path.suffix.lower() != ".cbv":
            return open_project(path, history=False, progress=progress).graph
        document, project = open_document(path, history=False, progress=progress)
    return document.plan.history(project.graph).graph


def _look(session: Session, chosen: argparse.Namespace) -> MetricMapping:
    """What width, height, colour and thickness are to show."""
    from cbvtool.geometry.asked_look import asked_look
    from cbvtool.geometry.view_state import VARIABLES

    return asked_look(
        session.view.mapping, session.metrics, chosen.preset,
        {name: metric for name in VARIABLES if (metric := getattr(chosen, name)) is not None},
        chosen.scale, chosen.combine, chosen.color_map, chosen.thickness,
    )  # fmt: skip


def _set_view(session: Session, chosen: argparse.Namespace) -> None:
    if chosen.hierarchy is not None:
        from cbvtool.hierarchies import named

        for note in session.show_in(named(chosen.hierarchy)):
            _say(note)
    if chosen.depth is not None:
        session.show_depth(chosen.depth)
    if chosen.beta is not None:
        session.set_view(beta=chosen.beta)
    session.set_view(guesses=session.view.guesses or chosen.guesses, external=session.view.external or chosen.external)
    session.set_view(mapping=_look(session, chosen))
    if chosen.theme is not None:
        session.set_view(theme=chosen.theme)


def _say_refusals(history: History) -> int:
    """Tell of the steps of a plan that do not fit the code any more, and are left out of the result."""
    for refusal in history.refusals:
        _say(f"A step of the plan no longer fits this version of the code and is left out: {refusal.reason}")
    return FINDINGS if history.refusals else DONE


@contextmanager
def _cluster(address: str | None) -> Iterator[Executor | None]:
    """The executor of the Dask cluster at `address`; None without an address."""
    if address is None:
        yield None
        return
    from cbvtool.analysis.cluster import dask_executor

    with dask_executor(address) as executor:
        yield executor


def _summary(project: Project, seconds: float) -> str:
    from cbvtool.formats.summary import summary

    title = f"{project.name} ({project.path})"
    ending = [f"history       {_history(project)}", f"time          {seconds:,.1f} s"]
    return "\n".join(one_line(line) for line in (title, *summary(project.graph), *ending))


def _history(project: Project) -> str:
    changes = project.changes
    if changes is None:
        return "not read"
    if not changes.sha:
        return " ".join(changes.notes) or "none"
    by = f"{_counted(len(changes.sha), 'commit')} by {_counted(len(changes.authors), 'author')}"
    return " ".join((f"{by}, up to {project.commit[:_SHORT]}.", *changes.notes))


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _stdout_bytes(pieces: Iterable[bytes]) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.writelines(pieces)
    sys.stdout.buffer.flush()


@contextmanager
def _progress() -> Iterator[Progress]:
    """A line on standard error for a person who looks at it; nothing for a file or a pipe."""
    if not sys.stderr.isatty():
        yield silent
        return
    shown = 0.0

    def show(what: str, done: int, total: int) -> None:
        nonlocal shown
        if (now := time.monotonic()) - shown < _REDRAW:
            return
        shown = now
        much = f" {done:,} of {total:,}" if total else f" {done:,}" if done else ""
        width = shutil.get_terminal_size().columns - 1
        _print(f"\r{one_line(f'{what}{much}')[:width]:<{width}}", sys.stderr, end="\r")
        sys.stderr.flush()

    try:
        yield show
    finally:
        _print(f"\r{'':<{shutil.get_terminal_size().columns - 1}}", sys.stderr, end="\r")


# -- arguments -------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence, like every other error."""
        raise InputError(f"{message[:1].upper()}{message[1:]}; see {self.prog} --help.")


def _parser() -> argparse.ArgumentParser:
    verbose = _Parser(add_help=False)
    # SUPPRESS: given before the command, it must not be reset by the default that the command would set.
    verbose.add_argument(
        "--verbose", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from"
    )
    parser = _Parser(
        prog="cbvtool",
        allow_abbrev=False,
        parents=[verbose],
        description="See a code base as an extruded 3D circular bundle view, plan its restructuring, list the tasks.",
        epilog=_examples(
            "cbvtool open ~/src/flask", "cbvtool analyze . -o graph.json", "cbvtool render . -o picture.png"
        )
        + "\nexit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cbvtool {cbvtool.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str, *examples: str) -> _Parser:
        added = commands.add_parser(
            name, help=text, description=f"{text[:1].upper()}{text[1:]}.", epilog=_examples(*examples),
            parents=[verbose], allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        added.set_defaults(run=run)
        return added

    _add_open(command)
    _add_analyze(command)
    _add_render(command)
    _add_tasks(command)
    _add_unused(command)
    _add_impact(command)
    _add_path(command)
    _add_query(command)
    command("plugins", _plugins, "list the plugins, and what is wrong with those that are broken", "cbvtool plugins")
    return parser


_Command = Callable[..., _Parser]


def _add_open(command: _Command) -> None:
    added = command(
        "open", _open, "open the window",
        "cbvtool open", "cbvtool open ~/src/flask", "cbvtool open restructuring.cbv", "cbvtool open graph.graphml",
    )  # fmt: skip
    added.add_argument(
        "path", nargs="?", type=Path, metavar="PATH", help="folder, graph file or document (.cbv); none = start page"
    )


def _add_analyze(command: _Command) -> None:
    added = command(
        "analyze", _analyze, "analyse a folder, print a summary, and write the graph on request",
        "cbvtool analyze ~/src/flask", "cbvtool analyze . -o graph.json.gz",
        "cbvtool analyze index.scip -o graph.graphml",
        "cbvtool analyze . --no-history -o - | jq '.nodes | length'",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder with source code, or a graph file of any format")
    added.add_argument(
        "-o", "--output", type=Path, metavar="FILE",
        help="write the graph in the format of the ending: .json, .graphml, .dot, .csv or .rsf, .gz may follow; "
        "- = JSON to standard output, the summary then goes to standard error",
    )  # fmt: skip
    added.add_argument("--no-history", dest="history", action="store_false", help="do not read the git history")
    added.add_argument("--jobs", type=_whole(1, 1024), metavar="N", help="parse in N processes (default: one per core)")
    added.add_argument(
        "--config", type=Path, metavar="FILE", help="settings for the analysis, in place of the folder's cbvtool.toml"
    )
    added.add_argument(
        "--cache", type=Path, metavar="DIR", default=True,
        help="folder in which to keep what was found, for the next time (default: that of the user)",
    )  # fmt: skip
    added.add_argument(
        "--no-cache", dest="cache", action="store_const", const=False, help="read everything, and keep nothing"
    )
    added.add_argument("--dask", metavar="ADDRESS", help="read the sources on the Dask cluster with this scheduler")


def _add_render(command: _Command) -> None:
    added = command(
        "render", _render, "draw the 3D circular bundle view into a file, without a window: PNG, SVG, PDF or HTML",
        "cbvtool render ~/src/flask -o flask.png", "cbvtool render graph.json -o top.png --top --size 1600x1000",
        "cbvtool render . -o poster.pdf", "cbvtool render . -o scene.html --theme dark",
        "cbvtool render plan.cbv -o plan.png --depth 3 --color complexity --height fan_in",
        "cbvtool render . -o spots.png --preset hot-spots --scale height=log --scale color=linear:0:50",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder, graph file or document (.cbv)")
    added.add_argument(
        "-o", "--output", type=Path, metavar="FILE", required=True,
        help="the picture: .png, .svg or .pdf (from above), or .html (a page with the scene, to turn)",
    )  # fmt: skip
    added.add_argument("--size", type=_size, metavar="WxH", default=(1600, 1000), help="pixels (default: 1600x1000)")
    added.add_argument(
        "--hierarchy", metavar="NAME",
        help="what the rings are: folders, packages, owners, languages, age, or csv:FILE with path,group[,group...]",
    )  # fmt: skip
    added.add_argument("--depth", type=_whole(1, 1000), metavar="N", help="show N levels (default: as many as fit)")
    added.add_argument(
        "--preset", metavar="NAME",
        help="a ready look: maintainability, hot-spots, unused, ownership, age, thesis or languages",
    )  # fmt: skip
    for name, text in {"height": "height", "color": "colour", "angle": "angular extent"}.items():
        added.add_argument(f"--{name}", metavar="METRIC", help=f"metric that decides the {text}")
    added.add_argument(
        "--scale", action="append", default=[], metavar="WHAT=KIND[:MIN:MAX]",
        help="scale of height or color: linear, log or quantile, and its range; values beyond are drawn like its ends",
    )  # fmt: skip
    added.add_argument(
        "--combine", action="append", default=[], metavar="WHAT=HOW",
        help="how what lies inside makes one value of angle, height or color: sum, mean, weighted, median or max",
    )  # fmt: skip
    added.add_argument("--color-map", metavar="NAME", help="ember, cividis or thesis (default: ember)")
    added.add_argument("--thickness", metavar="WHAT", help="of relations: weight, count or none (default: weight)")
    added.add_argument("--beta", type=_unit, metavar="B", help="how tight bundles are, 0 to 1 (default: 0.8)")
    added.add_argument("--guesses", action="store_true", help="also show relations that were found by name alone")
    added.add_argument("--external", action="store_true", help="also show the packages that are used from outside")
    added.add_argument("--top", action="store_true", help="look from above")
    added.add_argument(
        "--density", type=_whole(1, 32), metavar="N", default=1,
        help="N times as many pixels in each direction, for fine screens and print (PNG)",
    )  # fmt: skip
    added.add_argument("--theme", choices=("light", "dark"), help="default: light, or that of the document")
    added.add_argument("--transparent", action="store_true", help="leave out the ground behind everything")
    added.add_argument("--no-legends", action="store_true", help="leave out the legends")


def _add_tasks(command: _Command) -> None:
    added = command(
        "tasks", _tasks, "print the tasks that a plan amounts to",
        "cbvtool tasks plan.cbv", "cbvtool tasks plan.cbv --format csv -o tasks.csv",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="FILE.cbv", help="document with a plan")
    added.add_argument("--format", choices=("markdown", "csv", "json"), default="markdown", help="default: markdown")
    added.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to (default: standard output)")


def _add_unused(command: _Command) -> None:
    added = command(
        "unused", _unused, "list code that no entry point reaches, in sets that can be removed together",
        "cbvtool unused ~/src/flask", "cbvtool unused . --entry 'src/shop/api.py' 'plugins/' '*.py::handle_*'",
        "cbvtool unused . --entry '!tests/**'",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder, graph file or document (.cbv)")
    added.add_argument(
        "--entry", nargs="+", action="extend", default=[], metavar="PATTERN",
        help="what else is used from outside: files as in a .gitignore, FILES::NAMES for definitions; ! takes it out",
    )  # fmt: skip


def _add_query(command: _Command) -> None:
    added = command(
        "query", _query, "list what an expression finds, with the metrics that it asks about, the first one deciding",
        "cbvtool query . 'kind:file and churn > 10 and complexity > 50' --since 1y",
        "cbvtool query graph.json 'path:src/ and nl3 > 20%' --metrics sloc,authors --format csv -o nested.csv",
        "cbvtool query . 'not kind:file and fan_in >= 10' --limit 20",
        "cbvtool query . '/^test_.*slow/'",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder, graph file or document (.cbv)")
    added.add_argument(
        "expression", metavar="EXPRESSION",
        help="words, /regular expression/, kind:, path:, comparisons of metrics; and, or, not, parentheses",
    )  # fmt: skip
    added.add_argument(
        "--metrics", type=lambda text: text.split(","), default=[], metavar="NAMES", help="also tell these, as a,b,c"
    )
    added.add_argument("--since", type=_date, metavar="WHEN", help=f"history from then on: {_WHEN}")
    added.add_argument("--until", type=_date, metavar="WHEN", help=f"history up to then: {_WHEN}")
    added.add_argument("--limit", type=_whole(1, 10**9 - 1), metavar="N", help="the first N only")
    added.add_argument("--format", choices=("table", "csv", "json"), default="table", help="default: table")
    added.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to (default: standard output)")


def _add_impact(command: _Command) -> None:
    added = command(
        "impact", _impact, "list what depends on some nodes: what to change and what to test again if they change",
        "cbvtool impact ~/src/flask src/flask/app.py", "cbvtool impact graph.json app.py::Flask.run --depth 2",
        "cbvtool impact . core/order.py core/price.py --kind call inherit --format csv -o impact.csv",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder, graph file or document (.cbv)")
    added.add_argument(
        "nodes", nargs="+", metavar="NODE", help="what changes, with all in it: its id, or the end of that"
    )
    added.add_argument(
        "--kind", nargs="+", action="extend", metavar="KIND", help="only over relations of these kinds (default: all)"
    )
    added.add_argument("--depth", type=_whole(1, 1000), metavar="K", help="at most K relations away (default: all)")
    added.add_argument("--guesses", action="store_true", help="also over relations that were found by name alone")
    added.add_argument("--format", choices=("md", "csv", "json"), default="md", help="default: md")
    added.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to (default: standard output)")


def _add_path(command: _Command) -> None:
    added = command(
        "path", _path, "tell why one node reaches another: the shortest chains of relations, with their places",
        "cbvtool path ~/src/flask src/flask/cli.py src/flask/json", "cbvtool path graph.json web core --most 5",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder, graph file or document (.cbv)")
    added.add_argument("source", metavar="A", help="where the chains begin: an id, or the end of one")
    added.add_argument("target", metavar="B", help="where they lead")
    added.add_argument("--most", type=_whole(1, 100_000), default=20, metavar="N", help="list N chains (default: 20)")
    added.add_argument("--guesses", action="store_true", help="also over relations that were found by name alone")


def _examples(*commands: str) -> str:
    return "examples:\n" + "".join(f"  {command}\n" for command in commands)


def _whole(least: int, most: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return convert


def _date(text: str) -> str:
    if _AGO.fullmatch(text) is None and (_DAY.fullmatch(text) is None or not _is_day(text)):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a day such as 2024-12-31 nor a time ago such as 1y, 6m, 2w or 30d"
        )
    return text


def _is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _moment(text: str | None, end: int | None) -> int | None:
    """Seconds since the epoch of a day (its begin, UTC), or of a time before the end of the history."""
    if text is None or (ago := _AGO.fullmatch(text)) is None:
        day = None if text is None else datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
        return None if day is None else int(day.timestamp())
    return None if end is None else end - round(int(ago[1]) * _DAYS[ago[2]] * 24 * 60 * 60)


_WHEN = "1y, 6m, 2w, 30d before the end of the history, or a day such as 2024-12-31"
_AGO, _DAY = re.compile(r"([0-9]{1,5})([ymwd])"), re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAYS = {"y": 365.25, "m": 30.5, "w": 7.0, "d": 1.0}


def _unit(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return value


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(_SMALLEST <= side <= _LARGEST for side in size):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no size such as 1600x1000, each side from {_SMALLEST} to {_LARGEST}"
        )
    return size


_SMALLEST, _LARGEST = 64, 8192  # pixels; larger frames are beyond what software OpenGL can be relied upon to draw

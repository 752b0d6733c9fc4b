"""The command line. Results go to standard output or to `-o`, progress and errors to standard error.

Exit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import cbvtool
from cbvtool.errors import Cancelled, InputError
from cbvtool.progress import silent
from cbvtool.words import one_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cbvtool.graph import Graph
    from cbvtool.metrics.metric import Metric
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
    from cbvtool.geometry.view_state import VARIABLES
    from cbvtool.session import Session

    if chosen.output == _STDOUT:
        raise InputError("A picture needs the name of a file, not -.")
    check_output(chosen.output, chosen.path, "PNG picture")
    registry, problems = discover()
    wanted = {name: metric for name in VARIABLES if (metric := getattr(chosen, name)) is not None}
    session = Session(registry.metrics)
    if chosen.path.is_dir():  # it takes a while to read, and brings no metrics of its own
        _check_metrics(wanted.values(), session.metrics)
    _open_into(session, chosen)
    _check_metrics(wanted.values(), session.metrics)
    _set_view(session, chosen, wanted)
    known = len(problems)
    scene = session.scene()
    for problem in problems[known:]:
        raise InputError(f"The {problem}.")
    from cbvtool.view.offscreen import render_png  # takes a second to import: after all that may be wrong

    project, history = session.project, session.history
    assert project is not None
    assert history is not None
    render_png(
        scene, chosen.output, size=chosen.size, top=chosen.top, title=project.name, commit=project.commit[:_SHORT]
    )
    return _say_refusals(history)


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


def _set_view(session: Session, chosen: argparse.Namespace, mapping: Mapping[str, str]) -> None:
    if chosen.depth is not None:
        session.show_depth(chosen.depth)
    if chosen.beta is not None:
        session.set_view(beta=chosen.beta)
    session.set_view(guesses=session.view.guesses or chosen.guesses, external=session.view.external or chosen.external)
    if mapping:
        session.set_view(mapping=replace(session.view.mapping, **mapping))


def _say_refusals(history: History) -> int:
    """Tell of the steps of a plan that do not fit the code any more, and are left out of the result."""
    for refusal in history.refusals:
        _say(f"A step of the plan no longer fits this version of the code and is left out: {refusal.reason}")
    return FINDINGS if history.refusals else DONE


def _check_metrics(names: Iterable[str], metrics: Mapping[str, Metric]) -> None:
    for name in names:
        if name not in metrics:
            raise InputError(f"There is no metric {name!r}; there are {', '.join(metrics)}.")


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
        "render", _render, "draw the 3D circular bundle view into a PNG file, without a window",
        "cbvtool render ~/src/flask -o flask.png", "cbvtool render graph.json -o top.png --top --size 1600x1000",
        "cbvtool render plan.cbv -o plan.png --depth 3 --color complexity --height fan_in",
    )  # fmt: skip
    added.add_argument("path", type=Path, metavar="PATH", help="folder, graph file or document (.cbv)")
    added.add_argument("-o", "--output", type=Path, metavar="FILE", required=True, help="the picture")
    added.add_argument("--size", type=_size, metavar="WxH", default=(1600, 1000), help="pixels (default: 1600x1000)")
    added.add_argument("--depth", type=_whole(1, 1000), metavar="N", help="show N levels (default: as many as fit)")
    for name, text in {"height": "height", "color": "colour", "angle": "angular extent"}.items():
        added.add_argument(f"--{name}", metavar="METRIC", help=f"metric that decides the {text}")
    added.add_argument("--beta", type=_unit, metavar="B", help="how tight bundles are, 0 to 1 (default: 0.8)")
    added.add_argument("--guesses", action="store_true", help="also show relations that were found by name alone")
    added.add_argument("--external", action="store_true", help="also show the packages that are used from outside")
    added.add_argument("--top", action="store_true", help="look from above")


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


def _examples(*commands: str) -> str:
    return "examples:\n" + "".join(f"  {command}\n" for command in commands)


def _whole(least: int, most: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return convert


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

"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from cbvtool.cli.output import print_line
from cbvtool.errors import InputError

if TYPE_CHECKING:
    from cbvtool.assessment.modules import ModuleChoice


class Parser(argparse.ArgumentParser):
    """A parser whose errors are InputErrors."""

    def error(self, message: str) -> NoReturn:
        """One sentence, like every other error."""
        raise InputError(f"{message[:1].upper()}{message[1:]}; see {self.prog} --help.")

    def _print_message(self, message: str, file: object = None) -> None:
        """Help and version. argparse itself says nothing of a stream that takes nothing."""
        print_line(message, end="")


Command = Callable[..., Parser]  # (name, what runs it, what it does, examples) -> its parser


def examples(*commands: str) -> str:
    """What stands below a help text."""
    return "examples:\n" + "".join(f"  {command}\n" for command in commands)


def commands_below(parser: Parser) -> Command:
    """What adds commands below a command that does nothing by itself."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def below(name: str, run: Callable[[argparse.Namespace], int], text: str, *shown: str) -> Parser:
        made: Parser = commands.add_parser(
            name,
            help=text,
            description=f"{text[:1].upper()}{text[1:]}.",
            epilog=examples(*shown),
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.add_argument(
            "--verbose", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from"
        )
        made.set_defaults(run=run)
        return made

    return below


# -- rows ------------------------------------------------------------------------------------------------------


def add_path(parser: argparse.ArgumentParser) -> None:
    """PATH: what is opened."""
    parser.add_argument("path", type=place, metavar="PATH", help="folder, graph file or document (.cbv)")


def add_output(parser: argparse.ArgumentParser) -> None:
    """-o, for `output.write_result`."""
    parser.add_argument("-o", "--output", type=place, metavar="FILE", help="where to (default: standard output)")


# Endings of files, by what --format calls them. Names that --format had in earlier versions still mean the same.
_ENDINGS = {
    "text": (".txt",),
    "markdown": (".md", ".markdown"),
    "csv": (".csv",),
    "tracker": (".csv",),
    "github": (".json",),
    "gitlab": (".csv",),
    "jira": (".csv",),
    "checklist": (".md", ".markdown"),
    "archunit": (".java",),
    "import-linter": (".importlinter", ".cfg", ".ini"),
    "dependency-cruiser": (".json",),
    "json": (".json",),
    "sarif": (".sarif", ".json"),
    "junit": (".xml",),
}
_EARLIER = {"md": "markdown", "table": "text"}
_OTHER_ENDINGS = (".png", ".svg", ".pdf", ".html", ".graphml", ".dot", ".cbv")


def add_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    """--format: what the name of -o says, else the first one; for `settle_format`."""
    parser.add_argument(
        "--format",
        type=lambda name: _EARLIER.get(name, name),
        choices=formats,
        help=f"default: what the ending of -o says, else {formats[0]}",
    )
    parser.set_defaults(formats=formats)


def settle_format(chosen: argparse.Namespace) -> None:
    """Set `chosen.format` where nobody said it. Raises InputError for a name of -o that promises something else."""
    formats = getattr(chosen, "formats", None)
    if formats is None:
        return
    output: Path | None = getattr(chosen, "output", None)
    ending = output.suffix.lower() if output else ""
    fitting = [name for name in formats if ending in _ENDINGS[name]]
    if chosen.format is None:
        chosen.format = fitting[0] if fitting else formats[0]
    wanted = _ENDINGS[chosen.format]
    known = {*_OTHER_ENDINGS, *(ending for endings in _ENDINGS.values() for ending in endings)}
    if ending in known and ending not in wanted:
        others = f", or choose --format {fitting[0]}" if fitting else ""
        raise InputError(f"{output} does not end as {chosen.format} does: name it {wanted[0]}{others}.")


def add_guesses(parser: argparse.ArgumentParser, also: str) -> None:
    """--guesses: `also` says what is done with them."""
    parser.add_argument("--guesses", action="store_true", help=f"also {also} relations that were found by name alone")


def add_when(parser: argparse.ArgumentParser) -> None:
    """--without-deferred and --without-type-checking, for `reading.when`."""
    parser.add_argument(
        "--without-deferred", action="store_true", help="leave out imports that take effect once a function runs"
    )
    parser.add_argument(
        "--without-type-checking", action="store_true", help="leave out imports for a type checker alone"
    )


def add_history(parser: argparse.ArgumentParser) -> None:
    """--since, --until and --without-bots, for `moment` and `of_history.reading.read_with_lines`."""
    parser.add_argument("--since", type=date, metavar="WHEN", help=f"commits from then on: {WHEN}")
    parser.add_argument("--until", type=date, metavar="WHEN", help="commits up to then; a day counts whole (UTC)")
    parser.add_argument("--without-bots", action="store_true", help="leave out commits of bots")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """How a folder is read, in a group of its own, for `reading.means`."""
    add_means(parser.add_argument_group("how a folder is read"))


def add_means(parser: argparse._ActionsContainer) -> None:
    """The same beside the other options: of `analyze`, which does nothing else."""
    parser.add_argument("--jobs", type=whole(1, 1024), metavar="N", help="parse in N processes (default: one per core)")
    parser.add_argument(
        "--config", type=place, metavar="FILE", help="settings for the analysis, in place of the folder's cbvtool.toml"
    )
    parser.add_argument(
        "--cache",
        type=place,
        metavar="DIR",
        default=True,
        help="folder in which to keep what was found, for the next time (default: that of the user)",
    )
    parser.add_argument(
        "--no-cache", dest="cache", action="store_const", const=False, help="read everything, and keep nothing"
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="read the sources on the Dask cluster with this scheduler")


def add_modules(parser: argparse.ArgumentParser) -> None:
    """--modules: what counts as a module, for `reading.module_choice`."""
    parser.add_argument(
        "--modules",
        type=modules,
        metavar="WAY",
        help="what counts as a module: found, packages, children, layers or depth:N (default: as the document says, "
        "else found)",
    )


# -- values ----------------------------------------------------------------------------------------------------


def modules(text: str) -> ModuleChoice:
    """A type of arguments: what counts as a module."""
    from cbvtool.assessment.modules import choice_named

    found = choice_named(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of found, packages, children, layers, depth:1 to depth:9")
    return found


def place(text: str) -> Path:
    """A type of arguments: a path. An empty one is a variable that was not set, and not the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty: give a name, or . for the current folder")
    return Path(text)


def node(text: str) -> str:
    """A type of arguments: what a node is called. An empty one is a variable that was not set."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty: give the path of a node, such as src/a.py::Class.f")
    return text


def listed(text: str) -> list[str]:
    """A type of arguments: a,b,c."""
    return text.split(",")


def whole(least: int, most: int) -> Callable[[str], int]:
    """A type of arguments: whole numbers in this range."""

    def convert(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return convert


def share(text: str) -> float:
    """A type of arguments: a share above 0, as 10% or 0.1."""
    number, percent = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        value = float(number) / percent
    except ValueError:
        value = -1.0
    if not 0.0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no share such as 10% or 0.1")
    return value


def date(text: str) -> str:
    """A type of arguments: a day, or a time ago, for `moment`."""
    if _AGO.fullmatch(text) is None and (_DAY.fullmatch(text) is None or not _is_day(text)):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a date such as 2024-12-31 nor a time ago such as 1y, 6m, 2w or 30d"
        )
    return text


def _is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def moment(text: str | None, end: int | None, *, last: bool = False) -> int | None:
    """Seconds since the epoch of a day (UTC; its first second, or its last), or of a time before the history's end."""
    if text is None or (ago := _AGO.fullmatch(text)) is None:
        day = None if text is None else datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
        return None if day is None else int(day.timestamp()) + (_DAY_LENGTH - 1 if last else 0)
    return None if end is None else end - round(int(ago[1]) * _DAYS[ago[2]] * 24 * 60 * 60)


WHEN = "1y, 6m, 2w, 30d before the end of the history, or a day such as 2024-12-31"
_AGO, _DAY = re.compile(r"([0-9]{1,5})([ymwd])"), re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY_LENGTH = 24 * 60 * 60  # seconds
_DAYS = {"y": 365.25, "m": 30.5, "w": 7.0, "d": 1.0}


def unit(text: str) -> float:
    """A type of arguments: a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def size(text: str) -> tuple[int, int]:
    """A type of arguments: width and height in pixels."""
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text)
    sides = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(_SMALLEST <= side <= _LARGEST for side in sides):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size such as 1600x1000, each side from {_SMALLEST} to {_LARGEST}"
        )
    return sides


_SMALLEST, _LARGEST = 64, 8192  # pixels; larger frames are beyond what software OpenGL can be relied upon to draw

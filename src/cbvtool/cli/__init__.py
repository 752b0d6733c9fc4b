"""The command line. Results go to standard output or to `-o`, progress and errors to standard error.

Exit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted.

Every command has a module of its own with `add`, which says what its arguments are. They share `arguments` (rows that
several commands take), `reading` (how what was named is opened) and `output`.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence

import cbvtool
from cbvtool.cli import analyze, impact, path, plugins, query, render, tasks, unused
from cbvtool.cli import open as opening
from cbvtool.cli.arguments import Parser, examples
from cbvtool.cli.output import DONE, FAILED, FINDINGS, INTERRUPTED, say
from cbvtool.errors import Cancelled, InputError

__all__ = ["DONE", "FAILED", "FINDINGS", "INTERRUPTED", "main"]

_BROKEN_PIPE = 141  # what a shell reports for a program that died of SIGPIPE


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
    say("Interrupted.")
    return INTERRUPTED


def _while_interrupted(error: BaseException) -> bool:
    """Whether `error` came of tidying up after Ctrl-C: a process pool that is still starting cannot be closed."""
    cause = error.__context__
    return cause is not None and (isinstance(cause, KeyboardInterrupt | Cancelled) or _while_interrupted(cause))


def _fail(sentence: str, verbose: bool) -> int:
    if verbose:
        traceback.print_exc()
    say(sentence)
    return FAILED


def _parser() -> argparse.ArgumentParser:
    verbose = Parser(add_help=False)
    # SUPPRESS: given before the command, it must not be reset by the default that the command would set.
    verbose.add_argument(
        "--verbose",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show where an error comes from, and when `analyze` had a first graph",
    )
    parser = Parser(
        prog="cbvtool",
        allow_abbrev=False,
        parents=[verbose],
        description="See a code base as an extruded 3D circular bundle view, plan its restructuring, list the tasks.",
        epilog=examples(
            "cbvtool open ~/src/flask", "cbvtool analyze . -o graph.json", "cbvtool render . -o picture.png"
        )
        + "\nexit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cbvtool {cbvtool.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str, *shown: str) -> Parser:
        added = commands.add_parser(
            name, help=text, description=f"{text[:1].upper()}{text[1:]}.", epilog=examples(*shown),
            parents=[verbose], allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        added.set_defaults(run=run)
        return added

    for module in (opening, analyze, render, tasks, unused, impact, path, query, plugins):  # in the order of work
        module.add(command)
    return parser

"""The command line. Results go to standard output or to `-o`, progress and errors to standard error.

Exit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted, 143 terminated.

Every command has a module of its own with `add`, which says what its arguments are. They share `arguments` (rows that
several commands take), `reading` (how what was named is opened) and `output`.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress

import cbvtool
from cbvtool.cli import (
    analyze,
    check,
    findings,
    impact,
    mcp,
    path,
    plugins,
    proposals,
    query,
    render,
    report,
    tasks,
    unused,
)
from cbvtool.cli import open as opening
from cbvtool.cli.arguments import Parser, examples, settle_format
from cbvtool.cli.of_history import coupling, diff, evolution, history, hotspots, people
from cbvtool.cli.of_plans import plan
from cbvtool.cli.of_runs import runs
from cbvtool.cli.of_traces import compare_traces, trace
from cbvtool.cli.output import DONE, FAILED, FINDINGS, INTERRUPTED, say
from cbvtool.cli.signals import Ended, ended_by_signals, ignore_interrupts
from cbvtool.cli.streams import open_streams, silence, told
from cbvtool.errors import Cancelled, InputError

__all__ = ["DONE", "FAILED", "FINDINGS", "INTERRUPTED", "main"]

_BROKEN_PIPE = 141  # what a shell reports for a program that died of SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status. `argv` without the program name, None = `sys.argv`."""
    open_streams()
    status = _status(list(sys.argv[1:] if argv is None else argv))
    if argv is None:
        ignore_interrupts()  # the process ends, and what is done is done
    return status


def _status(arguments: list[str]) -> int:
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments  # behind it: a program to be run
    verbose = "--verbose" in own
    try:
        with ended_by_signals():
            status = _run(arguments)
        with told():
            sys.stdout.flush()
    except InputError as error:
        return _fail(str(error), verbose)
    except (KeyboardInterrupt, Cancelled) as error:
        return _interrupted(error)
    except BrokenPipeError:
        # Whoever read the output has seen enough. What is still buffered must not fail again at exit.
        silence(sys.stdout)
        return _BROKEN_PIPE
    except Exception as error:
        if (cause := _interruption(error)) is not None:
            return _interrupted(cause)
        return _fail(f"Something went wrong inside cbvtool: {type(error).__name__}: {error}; see --verbose.", verbose)
    return status


def _run(arguments: list[str]) -> int:
    try:
        chosen = _parser().parse_args(arguments)
        settle_format(chosen)
        status: int = chosen.run(chosen)
    except SystemExit as end:  # --help and --version
        return end.code if isinstance(end.code, int) else DONE
    return status


def _interrupted(error: BaseException) -> int:
    say("Terminated." if isinstance(error, Ended) else "Interrupted.")
    return error.status if isinstance(error, Ended) else INTERRUPTED


def _interruption(error: BaseException) -> BaseException | None:
    """Ctrl-C or a signal, if `error` came of tidying up after it; a pool that is still starting cannot be closed."""
    cause = error.__context__
    if cause is None or isinstance(cause, KeyboardInterrupt | Cancelled):
        return cause
    return _interruption(cause)


def _fail(sentence: str, verbose: bool) -> int:
    if verbose:
        with suppress(OSError):
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
        + "\nexit status: 0 done, 1 done with findings, 2 wrong usage or bad input, 130 interrupted, 143 terminated",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cbvtool {cbvtool.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int] | None, text: str, *shown: str) -> Parser:
        added = commands.add_parser(
            name,
            help=text,
            description=f"{text[:1].upper()}{text[1:]}.",
            epilog=examples(*shown),
            parents=[verbose],
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    for module in (
        opening,
        analyze,
        render,
        report,
        tasks,
        plan,
        findings,
        proposals,
        check,
        unused,
        impact,
        path,
        query,
        history,
        evolution,
        hotspots,
        coupling,
        people,
        diff,
        trace,
        compare_traces,
        mcp,
        runs,
        plugins,
    ):  # in the order of work
        module.add(command)
    return parser

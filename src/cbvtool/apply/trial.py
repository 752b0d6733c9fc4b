"""The result tried out, on consent alone: its modules imported, and the tests of the project run.

This runs code of the subject. It runs in a copy that is removed afterwards, with a home folder of its own that is, too,
in a session that ends when the time is over, and inside of what `sandbox` offers.
"""

from __future__ import annotations

import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cbvtool.apply.python.modules import Module, ModuleTree, dotted
from cbvtool.apply.sandbox import sandbox
from cbvtool.progress import Progress, checkpoint, silent

_SECONDS = 60.0  # of one import
_LOOK = 0.2  # seconds between two looks whether it was cancelled
_TAIL = 4_000  # characters of what the tests say
_OWN_FOLDERS = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


@dataclass(frozen=True)
class Tests:
    """What came of the tests.

    status  exit status with the plan; None = they did not end in time
    said    the end of what they said
    before  exit status without the plan, asked for where they fail with it; None = not asked for, or no end in time
    told    the end of what they said without the plan
    """

    command: str
    status: int | None
    said: str
    before: int | None = None
    told: str = ""


def importable(folder: Path, modules: Iterable[Module], known: ModuleTree, progress: Progress = silent) -> set[Module]:
    """Those of the modules that can be imported in a fresh interpreter each."""
    listed = sorted(modules)
    found = set()
    for index, module in enumerate(listed):
        progress("Importing each module", index, len(listed))
        place = os.path.join(folder, *known.root(module))
        code = f"import sys; sys.path.insert(0, {place!r}); __import__({dotted(known.name(module))!r})"
        status, _ = _run([_python(), "-c", code], folder, known, _SECONDS)
        if status == 0:
            found.add(module)
    return found


def run_tests(folder: Path, command: str, known: ModuleTree, seconds: float) -> Tests:
    """Run the tests of the project by a command of the shell."""
    status, said = _run(["/bin/sh", "-c", command], folder, known, seconds)
    return Tests(command, status, said[-_TAIL:])


def _run(command: Sequence[str], folder: Path, known: ModuleTree, seconds: float) -> tuple[int | None, str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            sandbox().around(command, [folder, Path(home)]),
            cwd=folder,
            env=_environment(folder, known, home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said = _said(process, seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            return None, f"It did not end within {seconds:,.0f} seconds."
        except BaseException:
            _end(process)
            raise
    return process.returncode, said.decode("utf-8", "replace")


def _said(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    """What the process said until it ended. Raises TimeoutExpired, and Cancelled by a `checkpoint`."""
    until = time.monotonic() + seconds
    while True:
        checkpoint()
        rest = until - time.monotonic()
        try:
            return process.communicate(timeout=min(_LOOK, max(rest, 0)))[0]
        except subprocess.TimeoutExpired:
            if rest <= _LOOK:
                raise


def _environment(folder: Path, known: ModuleTree, home: str) -> dict[str, str]:
    """With the libraries of the copy, and `home` for all that programs keep; packages of the user are still found."""
    roots = {known.root(package) for package in known.packages} | {()}
    libraries = [root for root in sorted(roots) if not root or root[-1] in ("src", "lib", "python")]
    kept = {name: value for name, value in os.environ.items() if name not in _OWN_FOLDERS}
    return {
        "PYTHONUSERBASE": site.getuserbase(),
        **kept,
        "PYTHONPATH": os.pathsep.join(os.path.join(folder, *root) for root in reversed(libraries)),
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), home),
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _python() -> str:
    return shutil.which("python") or shutil.which("python3") or sys.executable

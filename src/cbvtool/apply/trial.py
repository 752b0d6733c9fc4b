"""The result tried out, on consent alone: its modules imported, and the tests of the project run.

This runs code of the subject. It runs in a copy that is removed afterwards, in a session of its own that ends when the
time is over, without the network where the system lets a user give it up (`unshare`).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cbvtool.apply.modules import Module, ModuleTree, dotted
from cbvtool.progress import Progress, silent

_SECONDS = 60.0  # of one import
_TAIL = 4_000  # characters of what the tests say
_NO_NETWORK = ("unshare", "--map-root-user", "--net")


@dataclass(frozen=True)
class Tests:
    """What came of the tests.

    status  exit status with the plan; None = they did not end in time
    said    the end of what they said
    before  exit status without the plan, asked for where they fail with it; None = not asked for, or no end in time
    """

    command: str
    status: int | None
    said: str
    before: int | None = None


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
    roots = {known.root(package) for package in known.packages} | {()}
    libraries = [root for root in sorted(roots) if not root or root[-1] in ("src", "lib", "python")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(os.path.join(folder, *root) for root in reversed(libraries)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    process = subprocess.Popen(
        [*_without_network(), *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return None, f"It did not end within {seconds:,.0f} seconds."
    except BaseException:
        _end(process)
        raise
    return process.returncode, said.decode("utf-8", "replace")


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


def _without_network() -> tuple[str, ...]:
    """What a command is put behind, so that it has no network; nothing where the system does not let us."""
    if shutil.which(_NO_NETWORK[0]) is None:
        return ()
    tried = subprocess.run([*_NO_NETWORK, "true"], capture_output=True, check=False)
    return _NO_NETWORK if tried.returncode == 0 else ()

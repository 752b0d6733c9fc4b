"""How far the system keeps a command from the network, and from writing outside of a few folders.

bubblewrap (`bwrap`) does both where it is installed. Elsewhere Linux takes the network away in a user namespace
(`unshare`), and Landlock the files (`confined`, since Linux 6.2). What the user may read, the command may read.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cbvtool.apply import confined

_BUBBLEWRAP = ("bwrap", "--die-with-parent", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev")
_NAMESPACE = ("unshare", "--map-current-user", "--keep-caps", "--net", "--")
_LANDLOCK = (sys.executable, "-I", "-S", confined.__file__)
# The last one is memory: locks of processes are there.
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/shm")  # noqa: S108 - nothing of ours is there
_SECONDS = 10.0


@dataclass(frozen=True)
class Sandbox:
    """What a command can be kept from.

    network     it has none
    files       it writes to places that are named alone
    bubblewrap  by this tool
    """

    network: bool
    files: bool
    bubblewrap: bool = False

    def around(self, command: Sequence[str], writable: Sequence[Path]) -> list[str]:
        """The command that runs `command` inside; `writable` are folders to which it may write."""
        places = [str(place) for place in writable]
        if self.bubblewrap:
            return [*_BUBBLEWRAP, *(word for place in places for word in ("--bind", place, place)), "--", *command]
        network = _NAMESPACE if self.network else ()
        if not self.files:
            return [*network, *command]
        devices = [device for device in _DEVICES if Path(device).exists()]
        return [*network, *_LANDLOCK, *places, *devices, "--", *command]

    def works(self) -> bool:
        """Whether this system can do it: something harmless is run."""
        command = self.around(["true"], [])
        if shutil.which(command[0]) is None:
            return False
        try:
            return subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False

    @property
    def lacks(self) -> str:
        """What it is not kept from, in one sentence; empty if that is nothing."""
        can = [] if self.network else ["use the network"]
        can += [] if self.files else ["write to all files that you can write to"]
        return f"The code of the project can {' and '.join(can)}; on Linux, bubblewrap prevents that." if can else ""


@lru_cache(maxsize=1)
def sandbox() -> Sandbox:
    """What this system offers, tried out once."""
    whole = Sandbox(network=True, files=True, bubblewrap=True)
    if whole.works():
        return whole
    network = Sandbox(network=True, files=False).works()
    return Sandbox(network, Sandbox(network, files=True).works())

"""Processor time and memory of a process."""

from __future__ import annotations

import os
from typing import NamedTuple


class Cost(NamedTuple):
    """Seconds of processor time, and bytes of memory, own and shared."""

    seconds: float
    memory: int


def cost_of(process: int) -> Cost | None:
    """The cost so far of the process with that id; None if it has ended."""
    try:
        return _from_linux(process)
    except (OSError, ValueError, IndexError):
        return _from_psutil(process)


def _from_linux(process: int) -> Cost:
    """As `cost_of`, on Linux, without loading a library. For the fields, see `man proc`."""
    with open(f"/proc/{process}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()  # the name of the program may contain any characters
    spent = int(fields[11]) + int(fields[12])
    return Cost(spent / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))


def _from_psutil(process: int) -> Cost | None:
    import psutil  # it takes a while to load

    try:
        found = psutil.Process(process)
        times = found.cpu_times()
        return Cost(times.user + times.system, found.memory_info().rss)
    except psutil.Error:
        return None

"""Whether a folder still is what was analysed, by what the system says of its files; no content is read as a rule."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from cbvtool.analysis.read import SOURCE_LIMIT, digest
from cbvtool.analysis.walk import LEFT_OUT_FOLDERS
from cbvtool.regular_file import Unreadable, read_bytes

_Stamp = tuple[int, int, int, int] | None
# A file that changes twice within one tick of the clock looks the same from outside. No file system ticks slower.
_TICK = 2_000_000_000  # ns
_KERNEL_TICK = 20_000_000  # ns by which the times of files lag behind the clock


class TreeStamps:
    """How `places` (absolute paths) looked from outside once an analysis was over that began at `since`.

    since   seconds since the epoch

    A file that was added or removed changes its folder, so folders are among the places. Contents are compared for
    files that had been written just before the analysis began, until one comparison comes late enough for their times
    to tell every later write. Not safe for use from several threads at once.
    """

    def __init__(self, places: Iterable[str], since: float) -> None:
        began = int(since * 1e9)
        self._seen = {place: _stamp(place) for place in places}
        recent = {
            place: max(seen[1:3]) for place, seen in self._seen.items() if seen and max(seen[1:3]) > began - _TICK
        }
        self._was_left = any(when >= began - _KERNEL_TICK for when in recent.values())
        self._contents = {place: _content(place) for place in recent}

    def hold(self) -> bool:
        """Whether nothing has changed since the analysis began."""
        if self._was_left:
            return False
        stat = os.stat
        for place, seen in self._seen.items():  # thousands of them, each time somebody asks
            try:
                now = stat(place)
            except OSError:
                if seen is not None:
                    return False
                continue
            if seen is None or (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino) != seen:
                return False
        return all(self._has_content(place) for place in list(self._contents))

    def _has_content(self, place: str) -> bool:
        """Whether a recent file is what it was; its stamp has just been found the same."""
        now = time.time_ns()
        if _content(place) != self._contents[place]:
            return False
        seen = self._seen[place]
        if seen is None or now > max(seen[1:3]) + _TICK:  # who writes from now on leaves another time
            del self._contents[place]
        return True


def places_in(root: Path, files: Iterable[str]) -> Iterator[str]:
    """The `files` (paths relative to `root`), and all folders, also those that hold none of them."""
    for file in files:
        yield os.path.join(root, file)
    for folder, below, _ in os.walk(root):
        below[:] = [name for name in below if name not in LEFT_OUT_FOLDERS]
        yield folder


def _stamp(place: str) -> _Stamp:
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _content(place: str) -> bytes:
    with suppress(Unreadable):
        return digest(read_bytes(place, SOURCE_LIMIT))
    return b""

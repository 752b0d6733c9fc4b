"""Who watches: a monitor that is never told of a fire, and a vane that looks up at the wind."""

import itertools
import threading
import time

from mill.work import work


class Alarm:
    """Nobody rings it."""

    def __init__(self) -> None:
        self.rings = threading.Event()

    def monitor(self) -> None:
        """The monitor: waits for a fire."""
        self.rings.wait()


class Vane:
    """Looks up every so often, seldom once the wind is steady."""

    def watch(self) -> None:
        """The thread: polls."""
        for looks in itertools.count():
            self.look()
            pause(0.02 if looks < 25 else 0.1)

    def look(self) -> None:
        """Read the wind."""
        work(0.001)


def pause(seconds: float) -> None:
    """Look elsewhere."""
    time.sleep(seconds)

"""A baker and three ovens, each with a tray of its own: no two threads wait for the same object."""

import queue
import time

from mill.work import work

OVENS, LOAVES = 3, 15


class Oven:
    """Bakes what lies on its tray."""

    def __init__(self) -> None:
        self.tray: queue.SimpleQueue[int] = queue.SimpleQueue()

    def wait(self) -> int:
        """The next loaf, 0 = none comes any more."""
        return self.tray.get()

    def run(self) -> None:
        """The thread of the oven."""
        while self.wait():
            bake()


def bake() -> None:
    """A loaf."""
    work(0.008)


def serve(ovens: list[Oven]) -> None:
    """The baker: a loaf for each oven in turn."""
    for loaf in range(LOAVES):
        time.sleep(0.07)
        ovens[loaf % OVENS].tray.put(1)
    for oven in ovens:
        oven.tray.put(0)

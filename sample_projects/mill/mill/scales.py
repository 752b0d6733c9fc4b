"""One pair of scales for all; who inspects them keeps them."""

import threading

from mill.work import work


class Scales:
    """Weighing takes a moment, but not while an inspector has the scales."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked = threading.Event()
        self.inspected = threading.Event()

    def weigh(self, sack: int) -> None:
        """Weigh a sack."""
        with self.lock:
            work(0.001)

    def inspect(self) -> None:
        """The inspector: comes when asked, and leaves when everything is in order."""
        self.asked.wait()
        with self.lock:
            calibrate()
        self.inspected.set()


def calibrate() -> None:
    """Compare the scales with all weights there are."""
    work(0.1)

"""A compressor that hardly anybody needs."""

import threading

from mill.work import work


class Compressor:
    """Compresses air when somebody asks for it."""

    def __init__(self) -> None:
        self.needed = threading.Semaphore(0)
        self.is_over = False

    def ask(self) -> None:
        """Ask for air."""
        self.needed.release()

    def stop(self) -> None:
        """End the thread that runs it."""
        self.is_over = True
        self.needed.release()

    def run(self) -> None:
        """The thread: idle, but for a moment now and then."""
        while True:
            self.needed.acquire()
            if self.is_over:
                return
            compress()


def compress() -> None:
    """Fill the tank."""
    work(0.006)

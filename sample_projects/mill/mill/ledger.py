"""The ledger: the main thread writes it, and a clerk copies it, page by page."""

import io
import os
import time

PAGE = 1 << 16  # bytes


class Ledger:
    """What is written is read at the other end of a pipe."""

    def __init__(self) -> None:
        self.clerk, self.writer = os.pipe()

    def write_day(self) -> None:
        """Write the day down: the clerk copies more slowly than anybody can write."""
        pages = bytes(8 * PAGE)
        with open(self.writer, "wb", buffering=0) as file:
            for _ in range(3):
                write(file, pages)

    def copy(self) -> None:
        """The clerk."""
        while os.read(self.clerk, PAGE):
            time.sleep(0.012)
        os.close(self.clerk)


def write(file: io.FileIO, pages: bytes) -> None:
    """Some pages."""
    file.write(pages)

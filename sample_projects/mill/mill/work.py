"""What takes time."""

import hashlib
import time

_BLOCK = bytes(1 << 18)


def work(seconds: float) -> None:
    """Keep the processor busy for so long, and let other threads run meanwhile."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        hashlib.sha256(_BLOCK)

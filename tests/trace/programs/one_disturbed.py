"""Sixteen processes that compute and meet at a barrier; for a while a CPU hog beside the computation disturbs one.

cbvtool trace record -o hog.run -- python tests/trace/programs/one_disturbed.py
"""

from __future__ import annotations

import threading
from multiprocessing import Process, get_context
from multiprocessing.synchronize import Barrier

WORKERS, ROUNDS = 16, 12
DISTURBED, BEGIN, END = 5, 4, 8  # which process, and from which round to which
STEPS = 250_000
HOGS = 2


def compute() -> int:
    """The work of a round, the same in all processes."""
    found = 0
    for number in range(STEPS):
        found = (found * 31 + number) % 1_000_003
    return found


def exchange(meeting: Barrier) -> None:
    """Wait until all have computed."""
    meeting.wait()


def hog(enough: threading.Event) -> None:
    """Compute without need, until told."""
    while not enough.is_set():
        sum(range(1_000))


def worker(rank: int, meeting: Barrier) -> None:
    """All rounds of a process."""
    enough = threading.Event()
    for step in range(ROUNDS):
        if rank == DISTURBED and step == BEGIN:
            for _ in range(HOGS):
                threading.Thread(target=hog, args=(enough,), name="hog", daemon=True).start()
        if step == END:
            enough.set()
        compute()
        exchange(meeting)
    enough.set()


def main() -> None:
    """Start the processes, and wait for them."""
    context = get_context("fork")
    meeting = context.Barrier(WORKERS)
    processes: list[Process] = [
        context.Process(target=worker, args=(rank, meeting), name=f"rank {rank}")  # type: ignore[misc]
        for rank in range(WORKERS)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


if __name__ == "__main__":
    main()

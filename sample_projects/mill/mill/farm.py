"""A farmer brings sacks, far too slowly for three millers."""

import queue
import time

from mill.compressor import Compressor
from mill.scales import Scales
from mill.work import work

SACKS, MILLERS = 14, 3


class Yard:
    """Where sacks wait for the millers."""

    def __init__(self) -> None:
        self.sacks: queue.Queue[int] = queue.Queue()

    def fetch(self) -> int:
        """The next sack, 0 = no more come."""
        return self.sacks.get()

    def bring(self, sack: int) -> None:
        """Put a sack down."""
        self.sacks.put(sack)


def farm(yard: Yard, scales: Scales) -> None:
    """The farmer: one sack after the other. Before the last but four the scales are inspected."""
    for sack in range(1, SACKS + 1):
        drive()
        if sack == SACKS - 4:
            scales.asked.set()
            time.sleep(0.02)
        yard.bring(sack)
        if sack == SACKS - 4:
            scales.inspected.wait()
    for _ in range(MILLERS):
        yard.bring(0)


def drive() -> None:
    """To the field and back."""
    time.sleep(0.08)


def mill(yard: Yard, scales: Scales, compressor: Compressor) -> None:
    """A miller: weighs each sack, and grinds it."""
    while (sack := yard.fetch()) != 0:
        scales.weigh(sack)
        grind(sack)
        if sack % 6 == 1:
            compressor.ask()


def grind(sack: int) -> None:
    """Grind a sack."""
    work(0.008)

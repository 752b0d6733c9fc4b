"""A line of the store as numbers."""

from dataclasses import dataclass


@dataclass
class Reading:
    """What was measured at a moment."""

    moment: str
    rain: float
    wind: float

    @property
    def month(self) -> int:
        """1 to 12."""
        return int(self.moment[5:7])


def number_of(word: str) -> float:
    """The number in `rain=54`."""
    return float(word.partition("=")[2])


def read_line(line: str) -> Reading:
    """A line as numbers."""
    moment, rain, wind = line.split()
    return Reading(moment, number_of(rain), number_of(wind))

"""Reads towns."""

from town.entities.building import Building
from town.entities.ids import Id
from town.gui.triangle import Triangle


def read_town(lines: list[str]) -> list[Building]:
    """One building a line: number, owner, width, depth, height. Those without a ground are left out."""
    found = []
    for line in lines:
        number, owner, *sides = line.split()
        width, depth, height = map(float, sides)
        if Triangle((0, 0, 0), (width, 0, 0), (0, depth, 0)).area() > 0:
            found.append(Building(Id(int(number)), owner, width, depth, height))
    return found

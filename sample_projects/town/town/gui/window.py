"""The window: surfaces above, the two diagrams below."""

from itertools import pairwise

from town.core.roof import flat_roof
from town.entities.owner import owners
from town.gui.canvas import draw
from town.network.springs import settle
from town.port.reader import read_town
from town.treemap.labels import labelled


def show_town(lines: list[str]) -> None:
    """Read a town and show all there is of it."""
    buildings = read_town(lines)
    for building in buildings:
        print("\n".join(draw(flat_roof(building.width, building.depth, building.height))))
    for owner in owners(buildings):
        print(labelled(owner.name, {building.id: building.width * building.depth for building in owner.buildings}))
    ids = [building.id for building in buildings]
    print(settle(ids, list(pairwise(ids))))

"""Owners of buildings."""

from town.entities.building import Building


class Owner:
    """Somebody, and what is theirs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.buildings: list[Building] = []


def owners(buildings: list[Building]) -> list[Owner]:
    """Whoever owns one of the buildings, by name."""
    found: dict[str, Owner] = {}
    for building in buildings:
        found.setdefault(building.owner, Owner(building.owner)).buildings.append(building)
    return [found[name] for name in sorted(found)]

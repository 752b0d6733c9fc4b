"""Divides a box among things by their size."""

from town.entities.ids import Id
from town.feedback.progress import Progress


def divide(width: float, sizes: dict[Id, float]) -> dict[Id, tuple[float, float]]:
    """From where to where each thing goes, the first at 0."""
    progress = Progress("Treemap", len(sizes))
    places, at, whole = {}, 0.0, sum(sizes.values())
    for id, size in sizes.items():
        places[id] = (at, at + width * size / whole)
        at = places[id][1]
        progress.step()
    return places

"""Names in boxes."""

from town.entities.ids import Id
from town.treemap.boxes import divide

WIDTH = 60


def labelled(title: str, sizes: dict[Id, float]) -> str:
    """A row of boxes with what is in them."""
    boxes = divide(WIDTH, sizes)
    return title + " |" + "|".join(str(id).center(round(end - start)) for id, (start, end) in boxes.items()) + "|"

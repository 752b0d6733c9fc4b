"""Buildings."""

from town.entities.ids import Id


class Building:
    """A box with an owner; in metres."""

    def __init__(self, id: Id, owner: str, width: float, depth: float, height: float) -> None:
        self.id, self.owner = id, owner
        self.width, self.depth, self.height = width, depth, height

"""Points of a network."""

from town.entities.ids import Id


class Node:
    """Something at a place of a line."""

    def __init__(self, id: Id, at: float) -> None:
        self.id, self.at = id, at

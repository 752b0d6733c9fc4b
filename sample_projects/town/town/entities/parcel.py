"""Parcels of land, as the land registry numbers them."""


class Parcel:
    """A piece of land; in square metres."""

    def __init__(self, number: int, area: float) -> None:
        self.number, self.area = number, area

"""Reads towns from punched cards, as the land registry once sent them."""

from town.entities.parcel import Parcel
from town.port.codes import decode


def read_cards(cards: list[bytes]) -> list[Parcel]:
    """One parcel a card: eight columns of number, then its area."""
    texts = [decode(card) for card in cards]
    return [Parcel(int(text[:8]), float(text[8:])) for text in texts]

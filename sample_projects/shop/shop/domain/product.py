"""A thing that can be bought."""

from __future__ import annotations

from dataclasses import dataclass

from .money import Money


class UnknownProduct(Exception):
    """No product has that number."""


@dataclass(frozen=True)
class Product:
    """One article of the catalogue. The weight is in grams."""

    sku: str
    name: str
    price: Money
    weight: int = 0

    def is_heavy(self) -> bool:
        """Whether a letter cannot carry it."""
        return self.weight > 1000


def from_record(record: dict[str, str]) -> Product:
    """A product from a row of the product file."""
    return Product(record["sku"], record["name"], Money(int(record["price"])), int(record["weight"]))

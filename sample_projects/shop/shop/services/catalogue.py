"""Which products there are."""

from __future__ import annotations

from shop.domain.product import Product, UnknownProduct, from_record
from shop.infrastructure.storage import Table

COLUMNS = ("sku", "name", "price", "weight", "on_hand", "reorder_at")


class Catalogue:
    """All products by their number."""

    def __init__(self) -> None:
        self._products = {row["sku"]: from_record(row) for row in Table("products", COLUMNS).rows()}

    def __iter__(self):
        return iter(self._products.values())

    def find(self, sku: str) -> Product:
        """The product with number `sku`."""
        try:
            return self._products[sku]
        except KeyError:
            raise UnknownProduct(f"there is no product {sku!r}") from None

    def search(self, words: str) -> list[Product]:
        """Products whose names contain all the words, the shortest name first."""
        wanted = words.lower().split()
        found = [p for p in self if all(word in p.name.lower() for word in wanted)]
        return sorted(found, key=lambda p: (len(p.name), p.name))

"""How many of each product are there."""

from __future__ import annotations

from shop.domain.cart import Cart
from shop.infrastructure.storage import Table

from .catalogue import COLUMNS


class OutOfStock(Exception):
    """There are fewer than were ordered."""


def on_hand() -> dict[str, int]:
    """Number of pieces by product number."""
    return {row["sku"]: int(row["on_hand"]) for row in Table("products", COLUMNS).rows()}


def take(cart: Cart) -> None:
    """Take what is in the cart off the shelf, or nothing at all."""
    table = Table("products", COLUMNS)
    rows = {row["sku"]: row for row in table.rows()}
    for line in cart.lines:
        row = rows[line.product.sku]
        left = int(row["on_hand"]) - line.quantity
        if left < 0:
            raise OutOfStock(f"only {row['on_hand']} of {line.product.name} are left")
        row["on_hand"] = str(left)
    table.replace(list(rows.values()))


def to_reorder(expected: dict[str, int] | None = None) -> list[tuple[str, int]]:
    """Product numbers and how many to order, so that twice the reorder level is there afterwards.

    `expected`: pieces already on their way.
    """
    orders = []
    for row in Table("products", COLUMNS).rows():
        level = int(row["reorder_at"])
        if level > 0:
            here = int(row["on_hand"])
            if expected is not None:
                if row["sku"] in expected:
                    here += expected[row["sku"]]
            if here < level:
                missing = 2 * level - here
                if missing > 0:
                    orders.append((row["sku"], missing))
    return sorted(orders, key=lambda order: -order[1])

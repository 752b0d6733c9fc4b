"""Figures about what was sold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shop.domain.money import Money, total
from shop.infrastructure.storage import Table
from shop.services.checkout import COLUMNS

if TYPE_CHECKING:
    from shop.domain.order import Order


def turnover(year: int | None = None) -> Money:
    """What all orders, or those of one year, brought in."""
    rows = Table("orders", COLUMNS).rows()
    return total([Money(int(row["total"])) for row in rows if year is None or row["placed"].startswith(str(year))])


def best_sellers(count: int = 3) -> list[tuple[str, int]]:
    """Product numbers and pieces sold, most first."""
    sold: Counter[str] = Counter()
    for row in Table("orders", COLUMNS).rows():
        if row["skus"]:
            for part in row["skus"].split(" "):
                sku, _, quantity = part.partition(":")
                if quantity.isdigit():
                    sold[sku] += int(quantity)
    return sold.most_common(count)


def line_of(order: Order) -> str:
    """One order on one line."""
    pieces = sum(line.quantity for line in order.lines)
    return f"{order.number}  {order.placed:%Y-%m-%d}  {pieces} pieces  {order.total()}"

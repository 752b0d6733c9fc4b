"""From the cart to the order."""

from __future__ import annotations

import shop.domain.order as orders
from shop.domain.cart import Cart
from shop.infrastructure import mailer
from shop.infrastructure.storage import Table
from shop.services.stock import take
from shop.ui import messages

COLUMNS = ("number", "customer", "skus", "total", "placed")


def next_number() -> int:
    """The number of the next order."""
    return max((int(row["number"]) for row in Table("orders", COLUMNS).rows()), default=1000) + 1


def place_order(customer: str, cart: Cart) -> tuple[orders.Order, str]:
    """Take the goods off the shelf, write the order down, tell the customer; the order and what to show."""
    if "@" not in customer:
        raise ValueError(f"{customer!r} is not a mail address")
    order = orders.from_cart(next_number(), customer, cart)
    take(cart)
    Table("orders", COLUMNS).append(order.as_record())
    mailer.send(mailer.confirmation(order))
    return order, messages.thanks(customer, str(order.total()))

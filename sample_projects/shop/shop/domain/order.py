"""A cart that was bought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shop.domain.cart import Cart, Line
from shop.domain.money import Money
from shop.domain.shipping import cost
from shop.infrastructure import clock


@dataclass(frozen=True)
class Order:
    """What was bought, when, and for how much."""

    number: int
    customer: str
    lines: tuple[Line, ...]
    goods: Money
    shipping: Money
    placed: datetime

    def total(self) -> Money:
        """What the customer pays."""
        return self.goods + self.shipping

    def as_record(self) -> dict[str, str]:
        """The row of the order file."""
        return {
            "number": str(self.number),
            "customer": self.customer,
            "skus": " ".join(f"{line.product.sku}:{line.quantity}" for line in self.lines),
            "total": str(self.total().cents),
            "placed": self.placed.isoformat(),
        }


def from_cart(number: int, customer: str, cart: Cart) -> Order:
    """The order that a cart becomes."""
    if not cart.lines:
        raise ValueError("an empty cart cannot be ordered")
    return Order(number, customer, tuple(cart.lines), cart.total(), cost(cart), clock.now())

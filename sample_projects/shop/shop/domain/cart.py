"""What a customer is about to buy."""

from __future__ import annotations

from dataclasses import dataclass, field

from shop.domain import discount
from shop.domain.money import Money, total
from shop.domain.product import Product


@dataclass
class Line:
    """A product and how many of it."""

    product: Product
    quantity: int

    def amount(self) -> Money:
        """Price of the line before discounts."""
        return self.product.price.times(self.quantity)


@dataclass
class Cart:
    """Lines in the order in which they were put in."""

    lines: list[Line] = field(default_factory=list)
    coupon: str = ""

    def put(self, product: Product, quantity: int = 1) -> None:
        """Put `quantity` more of `product` in."""
        if quantity < 1:
            raise ValueError(f"cannot put {quantity} of {product.name} into a cart")
        for line in self.lines:
            if line.product.sku == product.sku:
                line.quantity += quantity
                return
        self.lines.append(Line(product, quantity))

    def take_out(self, sku: str) -> None:
        """Remove the line of product `sku`."""
        self.lines = [line for line in self.lines if line.product.sku != sku]

    def weight(self) -> int:
        """Grams of everything."""
        return sum(line.product.weight * line.quantity for line in self.lines)

    def subtotal(self) -> Money:
        """What it costs before discounts."""
        return total([line.amount() for line in self.lines])

    def total(self) -> Money:
        """What it costs."""
        return self.subtotal() - discount.best(self)

"""What it costs to send a cart."""

from __future__ import annotations

from shop.domain.cart import Cart
from shop.domain.money import Money

FREE_FROM = Money(6000)
# Up to so many grams, for so many cents.
RATES = ((500, Money(290)), (2000, Money(490)), (10000, Money(890)))


def cost(cart: Cart) -> Money:
    """Nothing from `FREE_FROM` on, else by weight; heavy things never go as a letter."""
    if cart.subtotal() >= FREE_FROM:
        return Money(0)
    weight = cart.weight()
    for grams, rate in RATES:
        if weight <= grams:
            if grams == 500:
                for line in cart.lines:
                    if line.product.is_heavy():
                        return RATES[1][1]
            return rate
    parcels = -(-weight // RATES[-1][0])
    return RATES[-1][1].times(parcels)

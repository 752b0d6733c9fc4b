"""What is taken off the price of a cart. The customer gets the best of all that apply."""

from __future__ import annotations

from collections.abc import Callable

from shop.domain import cart
from shop.domain.money import Money

COUPONS = {"WELCOME": 10, "FRIENDS": 15}

Rule = Callable[["cart.Cart"], Money]
RULES: list[Rule] = []


def best(of: cart.Cart) -> Money:
    """The largest discount that applies."""
    return max((rule(of) for rule in RULES), default=Money(0))


def applies(rule: Rule) -> Rule:
    """Let `rule` count."""
    RULES.append(rule)
    return rule


@applies
def by_coupon(of: cart.Cart) -> Money:
    """A share of everything, for a known coupon."""
    return of.subtotal().percent(COUPONS.get(of.coupon.upper(), 0))


@applies
def by_quantity(of: cart.Cart) -> Money:
    """Every sixth piece of a product is free."""
    free = Money(0)
    for line in of.lines:
        if line.quantity >= 6:
            free = free + line.product.price.times(line.quantity // 6)
    return free


@applies
def by_amount(of: cart.Cart) -> Money:
    """Five percent from 100 on."""
    amount = of.subtotal()
    return amount.percent(5) if amount >= Money(10000) else Money(0)

"""Amounts of money in cents, so that nothing is lost in rounding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Money:
    """An amount in cents."""

    cents: int

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + other.cents)

    def __sub__(self, other: Money) -> Money:
        return Money(self.cents - other.cents)

    def times(self, factor: int) -> Money:
        """The amount `factor` times."""
        return Money(self.cents * factor)

    def percent(self, share: int) -> Money:
        """`share` percent of it, rounded half up."""
        return Money((self.cents * share + 50) // 100)

    def __str__(self) -> str:
        return f"{self.cents // 100}.{self.cents % 100:02d}"


def total(amounts: list[Money]) -> Money:
    """The sum; nothing for an empty list."""
    result = Money(0)
    for amount in amounts:
        result = result + amount
    return result


def parse(text: str) -> Money:
    """Read `12`, `12.5` or `12.50`."""
    whole, _, fraction = text.strip().partition(".")
    if not whole.isdigit() or not (fraction + "0").isdigit() or len(fraction) > 2:
        raise ValueError(f"{text!r} is not an amount of money")
    return Money(int(whole) * 100 + int(fraction.ljust(2, "0")))

"""The shop on the command line."""

from __future__ import annotations

import argparse

from shop.domain.cart import Cart
from shop.domain.product import UnknownProduct
from shop.services import Catalogue, place_order
from shop.services.stock import OutOfStock, on_hand, to_reorder

from . import messages
from .tables import render


def main(argv: list[str]) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="shop")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    buy = commands.add_parser("buy")
    buy.add_argument("items", nargs="+", help="product and quantity, in turn")
    buy.add_argument("--coupon", default="")
    buy.add_argument("--customer", default="someone@example.org")
    commands.add_parser("report")
    arguments = parser.parse_args(argv)
    try:
        if arguments.command == "list":
            print(list_products())
        elif arguments.command == "buy":
            print(buy_items(arguments.items, arguments.coupon, arguments.customer))
        else:
            print(report())
    except (UnknownProduct, OutOfStock, ValueError) as error:
        print(messages.failed(str(error)))
        return 1
    return 0


def list_products() -> str:
    """All products with price and stock."""
    stock = on_hand()
    return render(("product", "name", "price", "left"), [(p.sku, p.name, str(p.price), str(stock[p.sku])) for p in Catalogue()])


def buy_items(items: list[str], coupon: str, customer: str) -> str:
    """Order products given as number, quantity, number, quantity, ..."""
    if len(items) % 2:
        raise ValueError("every product needs a quantity")
    catalogue = Catalogue()
    cart = Cart(coupon=coupon)
    for sku, quantity in zip(items[::2], items[1::2]):
        cart.put(catalogue.find(sku), int(quantity))
    return place_order(customer, cart)[1]


def report() -> str:
    """Turnover, best sellers and what to order."""
    from shop.services import reports

    rows = [(sku, str(pieces)) for sku, pieces in reports.best_sellers()]
    wanted = [(sku, str(pieces)) for sku, pieces in to_reorder()]
    parts = [f"Turnover: {reports.turnover()}"]
    if rows:
        parts.append(render(("best seller", "pieces"), rows))
    if wanted:
        parts.append(render(("to order", "pieces"), wanted))
    return "\n\n".join(parts)

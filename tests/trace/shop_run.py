"""A made-up run of the sample project."""

from __future__ import annotations

from cbvtool.graph import Graph
from cbvtool.trace.model.trace import Trace
from tests.trace.handmade import of_nodes

CHECKOUT = "shop/services/checkout.py::place_order"
FROM_CART = "shop/domain/order.py::from_cart"
TOTAL = "shop/domain/cart.py::Cart.total"
NOW = "shop/infrastructure/clock.py::now"
MAIN = "shop/ui/cli.py::main"
ELSEWHERE = "library/json.py::loads"


def shop_run(graph: Graph) -> Trace:
    """1000 ms on thread 1, where an order is placed from 100 to 400 and from 600 to 900, and a second thread.

    `total` calls `now` once at 150, which the source does not.
    """
    spans = [(1, MAIN, 0, 1000)]
    for start in (100, 600):
        spans += [(1, CHECKOUT, start, start + 300), (1, FROM_CART, start + 20, start + 220)]
        spans += [(1, TOTAL, start + 40, start + 140), (1, NOW, start + 150, start + 160)]
    spans += [(1, NOW, 150, 155), (1, ELSEWHERE, 950, 960), (2, TOTAL, 500, 520), (2, TOTAL, 700, 720)]
    spans.sort(key=lambda span: (span[0], span[2], -span[3]))
    return of_nodes(graph, spans)

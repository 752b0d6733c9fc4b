"""Carts and what is taken off their price."""

import unittest

from shop.domain import cart, shipping
from shop.domain.money import Money
from shop.domain.product import Product

TEA = Product("tea", "Green tea", Money(650), 120)


class CartTest(unittest.TestCase):
    def setUp(self):
        self.cart = cart.Cart()
        self.cart.put(TEA, 5)

    def test_same_product_goes_into_one_line(self):
        self.cart.put(TEA)
        self.assertEqual([line.quantity for line in self.cart.lines], [6])

    def test_sixth_is_free(self):
        self.cart.put(TEA)
        self.assertEqual(self.cart.total(), Money(5 * 650))

    def test_shipping(self):
        self.assertEqual(shipping.cost(self.cart), Money(490))

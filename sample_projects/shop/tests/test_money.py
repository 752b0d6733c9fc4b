"""Amounts of money."""

import unittest

from shop.domain.money import Money, parse, total


class MoneyTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(str(total([Money(199), Money(1)])), "2.00")

    def test_parse(self):
        self.assertEqual(parse("12.5"), Money(1250))
        with self.assertRaises(ValueError):
            parse("a lot")

import helpers
import fakes
import shop.tests.test_cart

import helpers
import local
import shop.cart
import fakes

import shop.price
from shop import price
import tests

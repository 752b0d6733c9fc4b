import shop.cart as cart
from shop.price import tax
import shop
from src.shop import price
import shop_extra

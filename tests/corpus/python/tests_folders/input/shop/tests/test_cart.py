from shop import cart
from ..cart import total
from . import data
from shop.tests import data

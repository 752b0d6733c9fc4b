from ..util import price, tax
from ..util.money import cents
from ... import shop

"""What can be done with the shop."""

from shop.services.catalogue import Catalogue
from shop.services.checkout import place_order

__all__ = ["Catalogue", "place_order"]

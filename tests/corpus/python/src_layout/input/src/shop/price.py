from .cart import total

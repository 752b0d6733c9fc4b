from shop import cart, price

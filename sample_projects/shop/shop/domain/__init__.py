"""What the shop is about: products, carts, discounts and orders."""

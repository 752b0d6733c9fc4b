"""What menus, keys and the palette offer, and what it does."""

"""Java files that change places, with what names them."""

"""Several plans for one code base: making and choosing them, copying steps, comparing and merging them."""

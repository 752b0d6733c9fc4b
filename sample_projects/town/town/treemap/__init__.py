"""A town as boxes in boxes."""

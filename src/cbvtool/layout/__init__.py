"""Tree and weights become coordinates."""

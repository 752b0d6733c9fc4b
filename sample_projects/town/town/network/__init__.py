"""A town as points and lines."""

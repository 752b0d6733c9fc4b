"""A plan followed in the window."""

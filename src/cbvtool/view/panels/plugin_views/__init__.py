"""Views of plugins in the window: their parameters, their parts, and what they ask for."""

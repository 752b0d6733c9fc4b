"""From a scene to pixels: the only package that uses VTK. It uses no Qt, so it can draw without a window."""

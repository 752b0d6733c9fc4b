"""The only room that knows Qt and VTK: the window, the canvas, and what draws the scene."""

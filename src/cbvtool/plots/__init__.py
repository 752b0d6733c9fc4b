"""Plots: panes with coordinates of their own and layers of arrays in them, filled, picked and made into pictures.

Without Qt and VTK. A view of a plugin draws a `Plot`; `geometry.picture.Picture` is what painters paint.
"""

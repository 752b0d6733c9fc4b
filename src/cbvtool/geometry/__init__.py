"""Meshes, curves and flat pictures: arrays ready for any renderer, with the item of every cell."""

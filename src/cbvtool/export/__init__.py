"""Exports of pictures: the flat view as SVG and PDF, and the scene as an HTML page."""

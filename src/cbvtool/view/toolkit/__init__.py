"""Widgets and helpers for any Qt program: they know nothing of graphs, plans or pictures of code."""

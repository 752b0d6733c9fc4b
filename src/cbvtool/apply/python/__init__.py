"""Moves of Python modules and packages, whose imports are followed."""

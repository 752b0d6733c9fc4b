"""A small mail-order shop."""

__version__ = "2.3"

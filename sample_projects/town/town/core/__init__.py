"""Solids and their surfaces."""

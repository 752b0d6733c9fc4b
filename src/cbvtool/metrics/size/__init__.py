"""Metrics that are counted in the source code itself."""

"""Metrics that follow from the commits of a time range."""

"""Metrics computed from the commits of a time range."""

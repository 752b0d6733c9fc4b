"""Metrics of the kind of code, and of its relations."""

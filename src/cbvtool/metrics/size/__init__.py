"""Metrics that count what stands in the code itself."""

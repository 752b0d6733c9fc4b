"""Metrics of what code is and what it is connected with."""

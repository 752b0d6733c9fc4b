"""Panels about the history: what changes together, and who knows what."""

"""Carrying a plan out from the window."""

"""Versions compared in the window."""

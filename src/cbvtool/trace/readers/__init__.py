"""Traces and profiles from files of other programs: one file for each format, found by content."""

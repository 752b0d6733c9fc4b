"""Carrying a plan out: Python modules and packages are moved, and whatever imports them is rewritten.

Everything here works on the contents of files by their paths, in memory: `mining.scratch` makes commits of them.
"""

"""Repeated runs of two versions: what they spend in each call path, and what is not the noise of one version (TD-13).

paths       the call paths of all runs beside each other
statistics  medians, intervals, tests, corrected for how many there are
deviations  what the test does more, less or slower than the reference (TD-9)
causes      whether the code of a function was changed, that of its callers, or none (TD-14)
crossed     whether it was the new code or the new input (TD-14)
"""

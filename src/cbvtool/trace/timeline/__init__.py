"""Calls along time, for plots of stacks: the warp of time, bars of a window, folding, brushing, figures of a window."""

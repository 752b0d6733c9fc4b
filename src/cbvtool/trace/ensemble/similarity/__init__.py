"""Which runs are alike (CF-3, CF-7): pure functions of what they spent, the same each time.

distances  how far apart the trees of two runs are; runs that are far from all others
scaling    a map of the runs, on which what is alike lies near
clusters   groups of points
"""

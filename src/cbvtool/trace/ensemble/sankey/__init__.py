"""Where boxes and flows of a Sankey diagram lie (CF-2): pure functions of values and flows, the same each time.

layers     which column each box is in; edges that close a cycle
ordering   the order in each column that has the fewest weighted crossings
placing    heights and places of boxes, and of the ends of flows
layout     all of it
"""

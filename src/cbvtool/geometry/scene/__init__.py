"""From the graph and a view state to a scene: rings, curves and their colours as arrays."""

"""Questions to a compound graph, pure functions: what a text finds, how a node reaches another, who is affected."""

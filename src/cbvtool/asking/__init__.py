"""Questions to a compound graph, as pure functions: search by text, paths between nodes, impact of a change."""

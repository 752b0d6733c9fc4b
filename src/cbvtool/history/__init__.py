"""What the commits of a time range say: which of them count, what changes together, and who knows what."""

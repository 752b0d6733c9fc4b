"""History: what the commits say, as pure functions of Changes. Without Qt and git."""

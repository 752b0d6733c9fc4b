"""The parts of a session that tell of its history: the time range, what changes together, and who knows what."""

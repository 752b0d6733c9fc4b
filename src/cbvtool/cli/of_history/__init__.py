"""Commands about the history alone: what changes together, and who knows what."""

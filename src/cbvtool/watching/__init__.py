"""Whether a folder changes while it is open."""

"""What is asked about a history: pure functions over its columns. Knows neither git nor a screen."""

from cbvtool.history.choosing import Choice, Committers, chosen, counted_commits, counted_touches, people

__all__ = ["Choice", "Committers", "chosen", "counted_commits", "counted_touches", "people"]

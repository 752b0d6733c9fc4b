"""Questions about a history, as pure functions over its columns, independent of git and of the screen."""

from cbvtool.history.choosing import Choice, Committers, chosen, counted_commits, counted_touches, people

__all__ = ["Choice", "Committers", "chosen", "counted_commits", "counted_touches", "people"]

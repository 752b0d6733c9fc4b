"""Regular expressions and globs from outside: the only door to them, by an engine whose time is linear in the text.

`re` backtracks: a pattern of 20 characters can take longer than anybody lives, and holds the lock of all threads
meanwhile. RE2 does not. A pattern that stands in our own source may use `re`; one that a user, a document or a
repository brought comes through here (`tests/test_matching.py` sees to it).
"""

from cbvtool.matching.engine import Lines, Pattern, Set, compiled, glob
from cbvtool.matching.syntax import PatternError

__all__ = ["Lines", "Pattern", "PatternError", "Set", "compiled", "glob"]

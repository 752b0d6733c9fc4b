"""Kinds of relations that are told apart by what they count as. Kinds are an open set; all others are dependencies."""

from __future__ import annotations

CO_CHANGE = "co-change"
RUN_TIME_CALL = "run-time call"
# The source calls, refers to or makes the target, but does not name it: the target reaches the calling code only as an
# argument, by a registration or in a container filled elsewhere. A framework does not depend on what is given to it.
CALLS_BACK = "calls back"

NO_USE = frozenset({CO_CHANGE})  # who changes together need not use each other
NO_DEPENDENCY = NO_USE | {RUN_TIME_CALL, CALLS_BACK}  # uses that the code of the user does not ask for

"""The open document: subject, plan and view state, with everything a user can do to them. Knows no Qt.

`session`    the plan, and the file it is kept in
`viewing`    what is shown of the subject, on which that rests: place, selection, picture, other hierarchies
the others   the parts of these two, and pure functions, each file named after what it is about
"""

from cbvtool.session.change import Change
from cbvtool.session.groupings import Grouped
from cbvtool.session.session import ELSEWHERE, Session
from cbvtool.session.start import Start

__all__ = ["ELSEWHERE", "Change", "Grouped", "Session", "Start"]

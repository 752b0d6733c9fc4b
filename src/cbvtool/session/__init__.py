"""The open document: subject, plan and view state, with everything a user can do to them. Knows no Qt.

`session`    what views call; it is made of parts: `state`, which they share, `viewing`, `pictures`, `background`,
             `shown_hierarchy`, `travels`, `planning`, `dragging`, `saved_views`, `document_file`, `opening`
`follower`   a session that follows another one
the others   pure functions and values that the parts need, each file named after what it is about
"""

from cbvtool.session.change import Change
from cbvtool.session.groupings import Grouped
from cbvtool.session.planning import COMPARED, ELSEWHERE
from cbvtool.session.session import Session
from cbvtool.session.start import Start

__all__ = ["COMPARED", "ELSEWHERE", "Change", "Grouped", "Session", "Start"]

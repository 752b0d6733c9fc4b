"""The plan of a session: its steps, what follows from them, its judgement, and the comparison with what was before.

`planning`    records steps; `steps` carries one out and finds what follows from it
`listing`     the steps in words, for the list of them; `step_words`: what the last one did
`judging`     what a further step is judged by; `figures`: tasks and judgement worked out together
`comparing`   shows what there was before the plan
"""

from cbvtool.session.planning.planning import COMPARED, ELSEWHERE, Planning

__all__ = ["COMPARED", "ELSEWHERE", "Planning"]

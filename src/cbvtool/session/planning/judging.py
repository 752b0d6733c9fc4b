"""Prepares, once for each state of the plan, the data that a judgement of its next step needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from cbvtool.assessment.judged import Asked, Judged, judged
from cbvtool.geometry.scene.scene import NO_RULES
from cbvtool.hierarchies import is_of_folders
from cbvtool.session.picture import changes_of
from cbvtool.session.state import State


def question(state: State) -> Asked:
    """What a judgement of the present plan depends on, whatever is shown of it. LookupError when nothing is open."""
    if state.history is None:
        raise LookupError("nothing is open")
    history, view, rules = state.history, state.view, state.rules or NO_RULES
    overlay = state.overlay if state.weigh_by_calls else None
    run_time = None if overlay is None else overlay.run_time
    calls = run_time if run_time is not None and run_time.counted else None
    modules = view.modules if view.tests else replace(view.modules, tests=False)
    is_elsewhere = bool(view.hierarchy) or state.compared is not None
    root = history.base.root if is_elsewhere else view.root
    return Asked(history.base, history.graph, changes_of(state.project), rules, modules, root, calls)


class PreparedJudgement:
    """The prepared data for the present plan, if there are any.

    Preparing takes some tenths of a second for large graphs. So whoever shows a judgement runs the function that
    `preparing` returns on another thread, and passes its result to `prepared`. With it, judging a step takes
    milliseconds.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._judged: Judged | None = None

    @property
    def asked(self) -> Asked | None:
        """What a judgement of the present plan depends on; None = there is nothing to judge.

        In packages the plan is judged as in folders: it is the same plan.
        """
        state = self._state
        if state.history is None or not is_of_folders(state.view.hierarchy) or state.compared is not None:
            return None
        return question(state)

    @property
    def ready(self) -> Judged | None:
        """The prepared data for the present plan; None = not prepared yet."""
        asked, found = self.asked, self._judged
        if asked is None or found is None:
            return None
        return found if found.asked.same_base(asked) and found.asked.planned is asked.planned else None

    def preparing(self) -> Callable[[], Judged] | None:
        """A function that prepares the data, on any thread; None = already prepared, or nothing to judge."""
        asked = self.asked
        if asked is None or self.ready is not None:
            return None
        return partial(judged, asked, self._judged)

    def prepared(self, found: Judged) -> None:
        """Keep the prepared data; `ready` checks whether they still belong to the present plan."""
        self._judged = found

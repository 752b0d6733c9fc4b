"""The part of a session that lays files that change together over the picture, while their kind is shown (NEW-12)."""

from __future__ import annotations

from dataclasses import replace

from cbvtool.errors import InputError
from cbvtool.graph.kinds import CO_CHANGE
from cbvtool.history.change_sets import ticket_pattern, usual_choice
from cbvtool.history.coupled_files import CouplingOptions, coupled_in
from cbvtool.session.change import Change
from cbvtool.session.state import State


class CoupledRelations:
    """Keeps `State.coupled` what the view and the options ask for. It is the first to hear of a change.

    options  what counts as coupled
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._usual = CouplingOptions().most, ""  # what the project says: files of a commit, and tickets
        self._made: tuple[object, ...] = ()  # of what `State.coupled` was made
        state.subscribe(self._follow)

    @property
    def options(self) -> CouplingOptions:
        """What counts as coupled."""
        return self._state.coupling

    @property
    def is_offered(self) -> bool:
        """Whether there is a history to see it in."""
        project = self._state.project
        return project is not None and project.changes is not None and bool(project.changes.sha)

    @property
    def is_shown(self) -> bool:
        """Whether the relations are shown."""
        return self.is_offered and CO_CHANGE not in self._state.view.kinds_off

    def choose(self, options: CouplingOptions) -> None:
        """Let other files count as coupled. Raises InputError for a wrong pattern of tickets, and changes nothing."""
        ticket_pattern(options.ticket)
        before, self._state.coupling = self._state.coupling, options
        try:
            changed = self._update()
        except InputError:
            self._state.coupling = before
            raise
        if changed:
            self._state.tell(Change.TRACE, Change.VIEW)

    def _follow(self, what: Change) -> None:
        if what in (Change.PROJECT, Change.DEPTH):
            self._take_usual()
        if what in (Change.PROJECT, Change.DEPTH, Change.VIEW) and self._update():
            self._state.tell(Change.TRACE)

    def _take_usual(self) -> None:
        """Begin with what the project says; what the user chose since stays while that is the same."""
        project = self._state.project
        if project is None or project.changes is None or not project.changes.sha:
            return
        usual = usual_choice(project.changes)
        if (usual.most, usual.ticket) != self._usual:
            self._usual = usual.most, usual.ticket
            self._state.coupling = replace(self._state.coupling, most=usual.most, ticket=usual.ticket)

    def _update(self) -> bool:
        """Make what is to be shown; whether it is something else than before."""
        state, made = self._state, tuple[object, ...]()
        if self.is_shown and state.history is not None and state.project is not None:
            made = (state.history.base, state.project.changes, state.coupling, state.view.since, state.view.until)
        if len(made) == len(self._made) and all(a is b or a == b for a, b in zip(made, self._made, strict=True)):
            return False
        if made:
            assert state.history is not None
            assert state.project is not None
            assert state.project.changes is not None
            view = state.view
            state.coupled = coupled_in(
                state.history.base, state.project.changes, state.coupling, view.since, view.until
            )
        else:
            state.coupled = None
        self._made = made
        return True

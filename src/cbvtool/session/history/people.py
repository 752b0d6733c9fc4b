"""The part of a session that knows people: teams and leavers, and whether names are shown (NEW-17)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from cbvtool.history.change_sets import change_sets
from cbvtool.history.hidden_names import without_names
from cbvtool.history.identity import by_name
from cbvtool.history.knowledge import Contact, quiet_authors, whom_to_ask
from cbvtool.history.people_metrics import people_metrics
from cbvtool.history.people_table import PeopleInRange, author_names
from cbvtool.history.roster import roster, with_table
from cbvtool.metrics.history.in_range import touches
from cbvtool.metrics.metric import Subject
from cbvtool.mining.changes import Changes
from cbvtool.session.change import Change
from cbvtool.session.state import State


class KnownPeople:
    """Answers who knows what is open, by names or by numbers.

    hides_names  the user wants no names, whatever the project says
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self.hides_names = False
        self._named: tuple[Changes, Changes] | None = None  # (without names, what it was made of)
        self._asked: tuple[object, ...] = ()
        self._contacts: list[Contact] = []
        state.subscribe(self._follow)

    @property
    def changes(self) -> Changes | None:
        """The history, with or without names; None = there is none."""
        project = self._state.project
        return None if project is None or project.changes is None or not project.changes.sha else project.changes

    @property
    def must_hide(self) -> bool:
        """Whether the project says that no names are shown."""
        return self._state.project is not None and self._state.project.people.hide_names

    def hide_names(self, on: bool) -> bool:
        """Put numbers in place of names, or names again unless the project forbids them; whether that changed anything.

        The session tells its listeners.
        """
        self.hides_names = on
        return self._apply()

    def read_table(self, file: Path) -> None:
        """Take teams and leavers from a table of the user's. Raises InputError for what is none."""
        project = self._state.project
        if project is None or (changes := self._with_names()) is None:
            return
        people = with_table(project.people, file)
        known = roster(changes, people)
        self._state.project = replace(project, people=people, roster=known)
        self._state.metrics = {**self._state.own_metrics, **people_metrics(known)}
        self._state.tell(Change.DEPTH, Change.VIEW)

    def tables(self) -> Callable[[], PeopleInRange] | None:
        """What finds, on any thread, what tables of people are made of; None = there is no history."""
        changes, project, view = self.changes, self._state.project, self._state.view
        if changes is None or project is None:
            return None
        choice, known = replace(self._state.coupling, ticket="").within(view.since, view.until), project.roster
        return lambda: PeopleInRange.of(changes, change_sets(changes, choice), known, choice.until)

    def ask_about(self, keys: Iterable[int]) -> list[tuple[str, Contact]]:
        """(name, what is known) of those who may be asked about these nodes, the best first."""
        changes, project, view = self.changes, self._state.project, self._state.view
        chosen = tuple(keys)
        if changes is None or project is None or not chosen:
            return []
        graph = self._state.bare
        asked = (changes, graph, chosen, view.since, view.until, project.roster)
        if asked != self._asked:
            found = touches(Subject(graph, changes, view.since, view.until))
            inside = graph.tree.below(chosen)[found.key]
            left = project.roster.left if len(project.roster.left) == len(changes.authors) else None
            people = by_name(changes)
            quiet = quiet_authors(people, left, view.until, project.roster.quiet_days)
            self._contacts = whom_to_ask(people, np.unique(found.commit[inside]), quiet)
            self._asked = asked
        names = author_names(changes)
        return [(names[contact.author], contact) for contact in self._contacts]

    def _with_names(self) -> Changes | None:
        changes, pair = self.changes, self._named
        if changes is None or pair is None or pair[0].authors is not changes.authors:
            return changes
        if pair[0].churn is not changes.churn:  # its lines were counted meanwhile
            pair = self._named = (changes, replace(pair[1], churn=changes.churn))
        return pair[1]

    def _follow(self, what: Change) -> None:
        if what in (Change.PROJECT, Change.DEPTH):
            self._apply()

    def _apply(self) -> bool:
        """Let the project have names, or none; whether it changed."""
        project, named = self._state.project, self._with_names()
        if project is None or named is None:
            return False
        if not self.hides_names:
            wanted = named
        elif self._named is not None and self._named[1] is named:
            wanted = self._named[0]
        else:
            wanted = without_names(named)
            self._named = (wanted, named)
        if wanted is project.changes:
            return False
        self._state.project = replace(project, changes=wanted)
        return True

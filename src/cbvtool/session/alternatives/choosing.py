"""The named plans of the open document: new ones, branches, which one is current, copies of steps. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from cbvtool.errors import InputError
from cbvtool.plan.alternatives.copying import CopiedSteps, copy_steps
from cbvtool.plan.alternatives.named_plans import NamedPlans
from cbvtool.plan.history import History
from cbvtool.session.change import Change
from cbvtool.session.document_file import DocumentFile
from cbvtool.session.jobs import PendingJobs
from cbvtool.session.planning import Planning
from cbvtool.session.state import State
from cbvtool.session.versions import VersionComparison
from cbvtool.words import one_line


class PlanChoice:
    """Changes which plans there are. Every method raises InputError where something is not possible, and says why."""

    def __init__(
        self, state: State, planning: Planning, versions: VersionComparison, file: DocumentFile, jobs: PendingJobs
    ) -> None:
        self._state = state
        self._planning = planning
        self._versions = versions
        self._file = file
        self._jobs = jobs

    @property
    def plans(self) -> NamedPlans:
        """The plans as they are now."""
        return self._file.plans

    def new(self, name: str = "") -> None:
        """Begin an empty plan, and go to it; without a name it gets one."""
        self._go(self._ready().with_new(name))

    def branch(self, name: str = "") -> None:
        """Make a plan of the steps that the current one has so far, and go to it."""
        self._go(self._ready().branched(name))

    def switch(self, name: str) -> None:
        """Go to another plan."""
        plans = self._ready()
        if name != plans.current.name:
            self._go(plans.switched(name))

    def rename(self, name: str, to: str) -> None:
        """Give a plan another name."""
        self._keep(self._ready().renamed(name, to))

    def note(self, name: str, note: str) -> None:
        """Say what a plan is for."""
        self._keep(self._ready().with_note(name, note))

    def delete(self, name: str) -> Callable[[], None]:
        """Delete a plan; the result takes that back."""
        plans = self._ready()
        at, gone = plans.names.index(name) if name in plans.names else 0, plans.named(name)
        left = plans.without(name)
        if plans.current.name == name:
            self._go(left)
        else:
            self._keep(left)

        def again() -> None:
            now = self._ready().with_again(gone, at)
            if plans.current.name == name:
                self._go(now.switched(name))
            else:
                self._keep(now)

        return again

    def rebase(self) -> None:
        """From now on the current plan counts as made on the commit that is open."""
        plans, project = self._ready(), self._state.project
        if project is None or not project.commit:
            raise InputError("What is open has no commit that a plan could be put on.")
        self._keep(plans.with_plan(replace(plans.current, commit=project.commit)))

    # -- copying -----------------------------------------------------------------------------------------

    def copying(self, numbers: Collection[int], into: str, source: str = "") -> Callable[[], CopiedSteps]:
        """What copies steps of the plan `source` to another one, on any thread; for `copied`.

        numbers  of its steps, from 0
        source   empty = the current plan
        """
        plans, history = self._ready(), self._state.history
        origin, target = plans.named(source) if source else plans.current, plans.named(into)
        assert history is not None
        if into == origin.name:
            raise InputError("Steps are copied to another plan: choose one, or make one first.")
        if not numbers:
            raise InputError("No step is chosen.")
        return lambda: copy_steps(numbers, origin.history(history.base), target.history(history.base))

    def copied(self, into: str, found: CopiedSteps) -> None:
        """Keep what was copied."""
        plans = self._ready()
        target = plans.named(into)
        if target.done != found.history.done[: len(target.done)]:
            raise InputError(f"The plan {into!r} has changed since: copy the steps again.")
        if not found.copied:
            return
        commit = target.commit or plans.current.commit
        more = plans.with_plan(replace(target, done=found.history.done, undone=(), commit=commit))
        if into == plans.current.name:
            self._go(more)
        else:
            self._keep(more)

    # -- inside ------------------------------------------------------------------------------------------

    def _ready(self) -> NamedPlans:
        if self._state.history is None:
            raise InputError("Open a folder first.")
        if self._jobs.edits:
            raise InputError("The last step of the plan is still being made: try again in a moment.")
        return self._file.plans

    def _keep(self, plans: NamedPlans) -> None:
        """Have other plans, of which the current one has the same steps."""
        self._file.have(plans)
        self._state.tell(Change.PLAN, Change.FILE)

    def _go(self, plans: NamedPlans) -> None:
        """Have other plans, and show the current one of them."""
        if self._state.compared is not None:
            self._versions.end()
        plan = plans.current

        def change(before: History) -> History:
            return plan.history(before.base)

        what = f"going to {one_line(plan.name)}"
        if reason := self._planning.take_step(change, what, with_it=lambda: self._file.have(plans)):
            raise InputError(reason)

"""The named plans of a document, of which one is current: new ones, branches, names. All are values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from cbvtool.errors import InputError
from cbvtool.plan.document import MOST_PLANS, Plan

AS_IS = "as-is"  # stands for the code without any plan
LONGEST_NAME = 80  # letters
LONGEST_NOTE = 2_000


@dataclass(frozen=True)
class NamedPlans:
    """Plans whose names differ, at least one. Each change gives other `NamedPlans`, or raises InputError and says why.

    active  index of the current one
    """

    plans: tuple[Plan, ...] = (Plan(),)
    active: int = 0

    @property
    def current(self) -> Plan:
        """The plan that is shown and changed."""
        return self.plans[self.active]

    @property
    def names(self) -> list[str]:
        """Their names, in their order."""
        return [plan.name for plan in self.plans]

    def named(self, name: str) -> Plan:
        """The plan of this name."""
        return self.plans[self._index(name)]

    def with_plan(self, plan: Plan) -> NamedPlans:
        """`plan` in place of the one with its name."""
        at = self._index(plan.name)
        return replace(self, plans=(*self.plans[:at], plan, *self.plans[at + 1 :]))

    def switched(self, name: str) -> NamedPlans:
        """Another one is current."""
        return replace(self, active=self._index(name))

    def with_new(self, name: str = "", commit: str = "") -> NamedPlans:
        """With an empty plan that is made on `commit`; it is current. Without a name it gets one."""
        return self._joined(Plan(name or self.free_name("Plan"), commit=commit))

    def branched(self, name: str = "") -> NamedPlans:
        """With a plan that has the steps of the current one so far, and is current; what was undone stays behind."""
        plan = self.current
        return self._joined(replace(plan, name=name or self.free_name(plan.name), undone=()))

    def renamed(self, name: str, to: str) -> NamedPlans:
        """A plan has another name."""
        at = self._index(name)
        if to == name:
            return self
        self._must_be_free(to)
        return replace(self, plans=(*self.plans[:at], replace(self.plans[at], name=to), *self.plans[at + 1 :]))

    def without(self, name: str) -> NamedPlans:
        """A plan is deleted; if it was current, the one before it is."""
        at = self._index(name)
        if len(self.plans) == 1:
            raise InputError(f"{name!r} is the only plan: a document has at least one.")
        left = (*self.plans[:at], *self.plans[at + 1 :])
        active = self.active - 1 if at < self.active or (at == self.active and at) else self.active
        return NamedPlans(left, active)

    def with_again(self, plan: Plan, at: int) -> NamedPlans:
        """A plan that was deleted is back, at index `at`."""
        self._must_be_free(plan.name)
        active = self.active + 1 if at <= self.active else self.active
        return NamedPlans((*self.plans[:at], plan, *self.plans[at:]), active)

    def with_note(self, name: str, note: str) -> NamedPlans:
        """With what a plan is for."""
        if len(note) > LONGEST_NOTE:
            raise InputError(f"The note is longer than {LONGEST_NOTE:,} letters.")
        return self.with_plan(replace(self.named(name), note=note.strip()))

    def free_name(self, stem: str) -> str:
        """`Plan 2`: the stem of a name with the first number that is free."""
        words = stem.split(" ")
        if len(words) > 1 and words[-1].isdecimal():
            words = words[:-1]
        stem = " ".join(words)[: LONGEST_NAME - 5]
        names = set(self.names)
        return next(name for number in itertools.count(2) if (name := f"{stem} {number}") not in names)

    # -- inside

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"There is no plan {name!r}.")
        return self.names.index(name)

    def _joined(self, plan: Plan) -> NamedPlans:
        self._must_be_free(plan.name)
        if len(self.plans) >= MOST_PLANS:
            raise InputError(f"A document holds at most {MOST_PLANS} plans: delete one first.")
        at = self.active + 1
        return NamedPlans((*self.plans[:at], plan, *self.plans[at:]), at)

    def _must_be_free(self, name: str) -> None:
        if not name.strip() or name != name.strip():
            raise InputError("A plan needs a name, without spaces around it.")
        if len(name) > LONGEST_NAME or any(not letter.isprintable() for letter in name):
            raise InputError(f"The name of a plan is one line of at most {LONGEST_NAME} letters.")
        if name.casefold() == AS_IS:
            raise InputError(f"{AS_IS!r} means the code without a plan: choose another name.")
        if name in self.names:
            raise InputError(f"There is a plan {name!r} already.")

"""A three-way merge of documents: what two people did with the same plans, in one document, or which steps clash.

Only what the documents say counts: no code is read, so that git can merge a document like any other file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from cbvtool.plan.alternatives.copying import renumbered
from cbvtool.plan.alternatives.footprints import Containment, Footprint, clash_reason
from cbvtool.plan.alternatives.named_plans import NamedPlans
from cbvtool.plan.document import MOST_PLANS, Document, Plan
from cbvtool.plan.history import Group
from cbvtool.plan.listing.annotations import Annotation, Annotations
from cbvtool.plan.operations import Create, creations

T = TypeVar("T")
NAMED, NOTES = "named", "notes"  # members of the view that people have written
_DIGITS = 10  # of a new id


@dataclass(frozen=True)
class MergeConflict:
    """What cannot be merged, in one sentence.

    plan         its name; empty = it is about no plan
    ours, theirs the steps that clash; empty = it is about no steps
    """

    sentence: str
    plan: str = ""
    ours: str = ""
    theirs: str = ""


@dataclass(frozen=True)
class Merged:
    """What came of merging: the document, or, where there are conflicts, none."""

    document: Document | None
    conflicts: tuple[MergeConflict, ...] = ()


def merge_documents(base: Document | None, ours: Document, theirs: Document) -> Merged:
    """Merge what `ours` and `theirs` made of `base`; None = they have none in common."""
    merging = _Merging(base, ours, theirs)
    document = merging.document()
    return Merged(None if merging.conflicts else document, tuple(merging.conflicts))


@dataclass
class _Merging:
    base: Document | None
    ours: Document
    theirs: Document
    conflicts: list[MergeConflict] = field(default_factory=list)

    def document(self) -> Document:
        """The merged document, as far as there are no conflicts."""
        ours, theirs = self.ours, self.theirs
        was = self.base or theirs  # with none in common, ours counts
        plans = self._plans()
        if not plans or len(plans) > MOST_PLANS:
            few = "no plan is left" if not plans else f"there would be more than {MOST_PLANS} plans"
            self.conflicts.append(MergeConflict(f"Of both together, {few}."))
            return ours
        names = [plan.name for plan in plans]
        active = chosen_of(was.plan.name, ours.plan.name, theirs.plan.name)
        chosen = next((name for name in (active, ours.plan.name, theirs.plan.name) if name in names), names[0])
        return Document(
            chosen_of(was.subject, ours.subject, theirs.subject),
            chosen_of(was.name, ours.name, theirs.name),
            "",
            tuple(plans),
            names.index(chosen),
            self._view(),
            traces=chosen_of(was.traces, ours.traces, theirs.traces),
        )

    # -- plans

    def _plans(self) -> list[Plan]:
        was, ours, theirs = map(_by_name, (self.base, self.ours, self.theirs))
        found = list[Plan]()
        for name, plan in ours.items():
            if name in was:
                kept = self._one_plan(was[name], plan, theirs.get(name))
                found += [] if kept is None else [kept]
            else:
                found.append(plan)
        for name, plan in theirs.items():
            if name in ours and name in was:
                continue  # merged above
            if name in ours:
                if plan != ours[name] and not plan.is_empty:  # two people have made a plan, and called it the same
                    taken = NamedPlans((*found, *ours.values(), *theirs.values()))
                    found.append(replace(plan, name=taken.free_name(name)))
            elif name not in was:
                found.append(plan)
            elif (kept := self._one_plan(was[name], None, plan)) is not None:
                found.append(kept)
        return found

    def _one_plan(self, was: Plan, ours: Plan | None, theirs: Plan | None) -> Plan | None:
        """A plan that the base has, merged; None = it was deleted."""
        if ours == theirs or theirs == was:
            return ours
        if ours == was:
            return theirs
        if ours is None or theirs is None:
            who, other = ("Ours", "theirs") if ours is None else ("Theirs", "ours")
            sentence = f"{who} deleted the plan {was.name!r}, or gave it another name, and {other} changed it."
            self.conflicts.append(MergeConflict(sentence, was.name))
            return ours or theirs
        done = self._steps(*(_bare_where(was, plan) for plan in (was, ours, theirs)))
        commit = chosen_of(was.commit, ours.commit, theirs.commit)
        if len({was.commit, ours.commit, theirs.commit}) == 3:
            sentence = (
                f"The plan {was.name!r} was put on commit {ours.commit[:7]} in ours, {theirs.commit[:7]} in theirs."
            )
            self.conflicts.append(MergeConflict(sentence, was.name))
        same = [[step.bare for step in plan.done] == [step.bare for step in done] for plan in (ours, theirs)]
        undone = ours.undone if same[0] else theirs.undone if same[1] else ()
        done = self._with_step_notes(done, was, ours, theirs)
        noted = self._annotations(was, ours.annotations, theirs.annotations)
        note = self._text(f"the note on the plan {was.name!r}", was.name, was.note, ours.note, theirs.note)
        return Plan(was.name, done, undone, noted, commit, note)

    def _steps(self, was: Plan, ours: Plan, theirs: Plan) -> tuple[Group, ...]:
        if ours.done == theirs.done or theirs.done == was.done:
            return ours.done
        if ours.done == was.done:
            return theirs.done
        removed, added = _difference(was.done, ours.done)
        removed_there, added_there = _difference(was.done, theirs.done)
        added_there = _apart(added_there, was.done, added)
        added_there = [step for step in added_there if step not in added]
        removed_there_only = [step for step in removed_there if step not in removed]
        removed_only = [step for step in removed if step not in removed_there]
        within = Containment((*was.done, *ours.done, *theirs.done, *added_there))
        clashes = [
            *_clashes(added, added_there, within),
            *_clashes(removed_only, added_there, within),
            *_clashes(added, removed_there_only, within),
        ]
        for one, other, reason in clashes:
            sentence = (
                f"In the plan {was.name!r}, the step {_said(one, removed)} of ours and the step "
                f"{_said(other, removed_there)} of theirs clash: {reason}."
            )
            self.conflicts.append(MergeConflict(sentence, was.name, one.label, other.label))
        left = list(removed_there_only)
        kept = []
        for step in ours.done:
            if step in left:
                left.remove(step)
            else:
                kept.append(step)
        return (*kept, *added_there)

    def _with_step_notes(self, done: tuple[Group, ...], was: Plan, ours: Plan, theirs: Plan) -> tuple[Group, ...]:
        """The steps with their notes, which count where the base has the step; others bring theirs along."""
        notes = [{step.bare: step.note for step in plan.done} for plan in (was, ours, theirs)]

        def noted(step: Group) -> Group:
            if step.bare not in notes[0]:
                return step
            what = f"the note on the step {step.label!r} in the plan {was.name!r}"
            texts = [told.get(step.bare, notes[0][step.bare]) for told in notes]
            return replace(step, note=self._text(what, was.name, *texts))

        return tuple(map(noted, done))

    def _annotations(self, was: Plan, ours: Annotations, theirs: Annotations) -> Annotations:
        """Notes on tasks, member by member. Of a wish for an order, or the title that a task had, ours counts."""
        found = dict[str, Annotation]()
        for key in dict.fromkeys((*ours, *theirs)):
            usual = Annotation()
            said = [asdict(side.get(key, usual)) for side in (was.annotations, ours, theirs)]
            members = {name: chosen_of(*(side[name] for side in said)) for name in said[0]}
            for name in ("note", "assignee"):
                title = members["title"] or key
                members[name] = self._text(
                    f"the {name} of the task {title!r} in the plan {was.name!r}",
                    was.name,
                    *(side[name] for side in said),
                )
            if (annotation := Annotation(**members)) != usual:
                found[key] = annotation
        return found

    # -- the rest

    def _view(self) -> dict[str, Any]:
        """What is shown is ours where both looked elsewhere; what people wrote is merged entry by entry."""
        views = [{} if one is None else dict(one.view) for one in (self.base, self.ours, self.theirs)]
        written = [{name: view.pop(name, None) for name in (NAMED, NOTES)} for view in views]
        found: dict[str, Any] = dict(chosen_of(*views))
        if notes := self._notes(*(_mapping(one[NOTES]) for one in written)):
            found[NOTES] = notes
        if named := _named_views(*(_views(one[NAMED]) for one in written)):
            found[NAMED] = named
        return found

    def _notes(self, was: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
        found = {
            node: self._text(
                f"the note on {node or 'the project'}", "", was.get(node), ours.get(node), theirs.get(node)
            )
            for node in dict.fromkeys((*ours, *theirs))
        }
        return {node: note for node, note in found.items() if note is not None}

    def _text(self, what: str, plan: str, was: T, ours: T, theirs: T) -> T:
        """What somebody wrote; if both changed it differently, that is a conflict."""
        if ours != theirs and was not in (ours, theirs):
            self.conflicts.append(MergeConflict(f"Ours and theirs changed {what} in different ways.", plan))
        return chosen_of(was, ours, theirs)


def chosen_of(was: T | None, ours: T, theirs: T) -> T:
    """Theirs if they alone changed it, else ours."""
    return theirs if ours == was else ours


def _by_name(document: Document | None) -> dict[str, Plan]:
    if document is None:
        return {}
    return {plan.name: replace(plan, commit=document.commit_of(plan)) for plan in document.plans}


def _bare_where(was: Plan, plan: Plan) -> Plan:
    """The plan with the steps of `was` in it without notes: they are the same step, whatever is noted about them."""
    known = {step.bare for step in was.done}
    return replace(plan, done=tuple(step.bare if step.bare in known else step for step in plan.done))


def _difference(was: Sequence[Group], now: Sequence[Group]) -> tuple[list[Group], list[Group]]:
    """(the steps that are gone, those that came)."""
    left, added = list(was), list[Group]()
    for step in now:
        if step in left:
            left.remove(step)
        else:
            added.append(step)
    return left, added


def _apart(theirs: Sequence[Group], was: Sequence[Group], ours: Sequence[Group]) -> list[Group]:
    """Their steps, with other ids for what they made where ours gave the id to something else: `plan:1`, earlier."""
    known = _made((*was, *ours))
    ids = {
        node: _new_id(node, creation, (*known, *_made(theirs)))
        for node, creation in _made(theirs).items()
        if known.get(node, creation) != creation
    }
    return [renumbered(step, ids) for step in theirs]


def _made(steps: Iterable[Group]) -> dict[str, Create]:
    return creations(operation for step in steps for operation in step.operations)


def _new_id(node: str, creation: Create, taken: Iterable[str]) -> str:
    """An id that is the same wherever the same documents are merged."""
    number, found = 0, node
    while found in taken:
        digest = hashlib.sha256(f"{number} {creation!r}".encode("utf-8", "surrogatepass")).hexdigest()
        found, number = f"plan:{digest[:_DIGITS]}", number + 1
    return found


def _clashes(ours: Sequence[Group], theirs: Sequence[Group], within: Containment) -> list[tuple[Group, Group, str]]:
    """Pairs of steps that clash, each step of ours with the first of theirs, and why."""
    touched = [(step, [Footprint(operation) for operation in step.operations]) for step in theirs]
    found = []
    for step in ours:
        own = [Footprint(operation) for operation in step.operations]
        found += [(step, other, reason) for other, prints in touched if (reason := _reason(own, prints, within))][:1]
    return found


def _reason(ours: Sequence[Footprint], theirs: Sequence[Footprint], within: Containment) -> str | None:
    pairs = ((one, other) for one in ours for other in theirs)
    return next((reason for one, other in pairs if (reason := clash_reason(one, other, within))), None)


def _said(step: Group, removed: Sequence[Group]) -> str:
    return f"{step.label!r} (taken back)" if step in removed else repr(step.label)


def _mapping(data: object) -> Mapping[str, Any]:
    return data if isinstance(data, dict) else {}


def _views(data: object) -> dict[str, Any]:
    """Named views by their names; what makes no sense is left out."""
    entries = data if isinstance(data, list) else []
    return {str(entry.get("name")): entry for entry in entries if isinstance(entry, dict)}


def _named_views(was: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Any]:
    """Views with a name; where both changed one in different ways, ours has the name."""
    found = {name: chosen_of(was.get(name), ours.get(name), theirs.get(name)) for name in (*ours, *theirs)}
    return [entry for entry in found.values() if entry is not None]

"""What commands do with the selection: show it otherwise, or change the plan; asks for names and places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypedDict, Unpack

from cbvtool.plan import Create, Refused, Rename, Split, check, pulled_out
from cbvtool.plan.containment import holds_code
from cbvtool.session.dragging.gestures import (
    bundle_of,
    common_parent,
    free_name,
    kind_named,
    kinds_in,
    new_name,
    place_for,
    with_ending,
)
from cbvtool.session.dragging.takers import takers_of_relation
from cbvtool.view.canvas.asking import place_forms
from cbvtool.view.canvas.drag_words import names
from cbvtool.view.canvas.dragging import BUSY
from cbvtool.view.commands.containers import choices_of, merge_targets, split_targets
from cbvtool.view.commands.searching import Searching
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.ask_card import Answer, AskCard, Question
from cbvtool.view.toolkit.chooser import ChooserRow, choose
from cbvtool.view.toolkit.plain import ask_line
from cbvtool.words import one_line

NO_PLACE = "Nothing can take this: there is no other place for it, or names would clash."


class ModulesChanges(TypedDict, total=False):
    """Some fields of `Modules` with their new values."""

    by: str
    depth: int
    tests: bool


class Editing:
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._session = desk, desk.session

    def expand(self) -> None:
        """Show the children of the selection."""
        here = self._desk.here.session
        here.expand(here.view.selected)

    def collapse(self) -> None:
        """Hide the children of the selection."""
        here = self._desk.here.session
        here.collapse(here.view.selected)

    def restrict(self) -> None:
        """Show the selected subtree alone."""
        here = self._desk.here.session
        here.restrict(here.view.selected[0])

    def show_everything(self) -> None:
        """End restriction, hiding and filter."""
        here = self._desk.here.session
        here.set_view(root=here.graph.root, hidden=frozenset(), only="")

    def hide(self) -> None:
        """Hide the selection."""
        here = self._desk.here.session
        here.hide(here.view.selected)
        here.select(())

    def show_only(self) -> None:
        """Hide everything else."""
        here = self._desk.here.session
        here.show_only(here.view.selected)

    def escape(self) -> None:
        """Undo the innermost thing in progress: gesture, then search, then answer, selection, restriction."""
        here = self._desk.here
        if here.session.view.before:
            here.session.show_before(False)
        elif not here.cancel_gesture() and not self._desk.part(Searching).escape() and here.session.is_open:
            here.session.escape()

    def remove(self) -> None:
        """Take the selection out of the target design."""
        if self._is_elsewhere():
            return
        self._tell(self._session.remove(self._session.view.selected))

    def rename(self) -> None:
        """Ask for another name."""
        if self._is_elsewhere():
            return
        key = self._session.view.selected[0]
        old = self._session.graph.names[key]
        name = ask_line(self._desk.widget, "Rename", "New name", old)
        graph = self._session.graph
        name = None if name is None else with_ending(name, key, graph)
        if name is not None and name != old:
            self._tell(self._session.refusal(Rename(graph.ids[key], name)) or self._session.rename(key, name))

    def new_container(self) -> None:
        """Group the selection into a new container; with nothing selected make an empty one."""
        if self._is_elsewhere():
            return
        session, graph = self._session, self._session.graph
        keys = session.topmost(session.view.selected)
        if not keys or graph.root in keys:
            self.new_empty()
            return
        if self._hold(lambda: session.begin_drag(keys)):
            session.drag_over(common_parent(keys, graph), fresh=True)
            self._desk.main.ask_drop(keys[-1])

    def new_empty(self) -> None:
        """Ask for kind and name of something new at the selection, and make it."""
        if self._is_elsewhere():
            return
        session, graph, main = self._session, self._session.graph, self._desk.main
        at = session.view.selected[-1] if session.view.selected else session.view.root
        is_code = graph.kind(at) in ("class", "interface") or (graph.kind(at) == "file" and holds_code(graph, at))
        parent = at if is_code else place_for(at, "folder", graph)
        kinds = kinds_in(parent, (), graph)
        where = "the top level" if parent == graph.root else one_line(graph.path(parent))
        choices = [(kind, kind.capitalize()) for kind in kinds]

        def made(answer: Answer) -> Create:
            usual = free_name(new_name(answer.kind, parent, graph), parent, graph)
            return Create("plan:new", graph.ids[parent], answer.name or usual, answer.kind)

        def weigh(answer: Answer) -> tuple[str, Sequence[str], str]:
            new = made(answer)
            refused = session.refusal(new, answer.form)
            return free_name(new_name(answer.kind, parent, graph), parent, graph), (), refused

        def take() -> None:
            new = made(card.answer)
            self._tell(session.create(parent, new.name, new.kind, card.answer.form))

        forms = place_forms(session.planning.places(made(Answer("", kinds[0], ""))))
        question = Question(
            "New container", (f"In {where}",), forms, choices, "Name", "Create", lambda name: kind_named(name, graph)
        )
        self._desk.main.cancel_gesture()
        card = AskCard(main.canvas, question, weigh)
        card.taken.connect(take)
        main.ask(card, parent)

    def move_to(self) -> None:
        """Ask for a container and move the selection there."""
        if self._is_elsewhere():
            return
        keys = self._session.view.selected
        top = self._session.topmost(keys)
        choices = choices_of(self._session.graph, self._session.dragging.takers(top), self._desk.icon)
        target = self._take("Move to...", f"Where should {self._named(keys)} go? Type a part of its path", choices)
        if target is not None and self._hold(lambda: self._session.begin_drag(top)):
            self._session.drag_over(target)
            self._drop(target)

    def _take(self, title: str, hint: str, choices: Sequence[ChooserRow]) -> int | None:
        """Ask for one of `choices`; None = none was taken. Where there is none, that is said."""
        if not choices:
            self._desk.say(NO_PLACE)
            return None
        taken: int | None = choose(title, hint, choices, self._desk.widget)
        return taken

    def judge_by(self, **chosen: Unpack[ModulesChanges]) -> None:
        """Let something else count as a module when the plan is judged."""
        self._session.set_view(modules=replace(self._session.view.modules, **chosen))
        self._desk.refresh()

    def switch_tint(self) -> None:
        """Tint possible targets of a drag, or do not."""
        self._desk.settings.tint_targets = not self._desk.settings.tint_targets
        self._desk.refresh()

    def merge_into(self) -> None:
        """Ask for a container and merge the selection into it."""
        if self._is_elsewhere():
            return
        session = self._session
        keys = session.topmost(session.view.selected)
        choices = merge_targets(session.graph, keys, self._desk.icon, session.refusal)
        hint = f"What should {self._named(tuple(keys))} be merged into? Type a part of its path"
        target = choose("Merge into...", hint, choices, self._desk.widget)
        if target is not None and self._hold(lambda: session.begin_drag(keys)):
            session.dragging.merge_instead(True)
            session.drag_over(target)
            self._drop(target)

    def split(self) -> None:
        """Ask for a third node, and lead the dependency between the two that are selected over it."""
        if self._is_elsewhere():
            return
        session, graph = self._session, self._session.graph
        user, used = session.view.selected
        if not bundle_of((user, used), graph).total and bundle_of((used, user), graph).total:
            user, used = used, user
        ends = f"{one_line(graph.names[user])} → {one_line(graph.names[used])}"
        if not bundle_of((user, used), graph).total:
            self._tell(check(Split(graph.ids[user], graph.ids[used], graph.ids[graph.root]), graph))
            return
        refusals = session.planning.split_refusals(Split(graph.ids[user], graph.ids[used], graph.ids[graph.root]))
        found = takers_of_relation((user, used), graph)
        choices = split_targets(graph, found, (user, used), self._desk.icon, refusals)
        hint = f"What should {ends} lead over? A folder gets a new file"
        target = self._take("Split the dependency...", hint, choices)
        if target is not None and self._hold(lambda: session.dragging.begin_split(user, used)):
            session.drag_over(target)
            self._desk.main.ask_drop(target)

    def pull_out(self) -> None:
        """Ask what is to be pulled out, of the two that are selected, and where it should go."""
        if self._is_elsewhere():
            return
        session, graph, window = self._session, self._session.graph, self._desk.widget
        one, other = session.view.selected
        ways = [self._pull_choice(whole, partner) for whole, partner in ((one, other), (other, one))]
        way = choose("Pull out...", "What should be pulled out?", ways, window)
        if way is None:
            return
        whole, partner, keys = way
        choices = choices_of(graph, session.dragging.takers(keys), self._desk.icon)
        hint = f"Where should {names(keys, graph)} go? Type a part of its path"
        if keys and not choices:
            self._desk.say(NO_PLACE)
            return
        target = choose("Pull out to...", hint, choices, window)
        if target is not None and self._hold(lambda: session.dragging.begin_pull(whole, partner)):
            session.drag_over(target)
            self._drop(target)

    def _pull_choice(self, whole: int, partner: int) -> ChooserRow:
        graph = self._session.graph
        name, of = one_line(graph.names[whole]), one_line(graph.names[partner])
        try:
            taken = pulled_out(graph.ids[whole], graph.ids[partner], graph)
        except Refused as reason:
            return ChooserRow(f"Out of {name}", "", None, self._desk.icon(graph.kind(whole)), str(reason))
        keys = tuple(graph.key_of[node] for node in taken)
        text = f"{names(keys, graph)}, out of {name}" if keys != (whole,) else name
        return ChooserRow(text, f"relates to {of}", (whole, partner, keys), self._desk.icon(graph.kind(whole)), "")

    def _is_elsewhere(self) -> bool:
        """Whether nothing can be planned in what is shown; that is said, with the way to where it can."""
        if not self._session.dragging.elsewhere:
            return False
        self._desk.main.offer_planning()
        return True

    def _hold(self, begin: Callable[[], None]) -> bool:
        """Let the session hold something; a sentence says why not."""
        self._desk.main.cancel_gesture()
        begin()
        if self._session.view.drag is None:
            self._desk.say(BUSY)
        return self._session.view.drag is not None

    def _drop(self, target: int) -> None:
        """Drop what the session holds, or ask where, if it could go to several places."""
        if self._session.dragging.asks:
            self._desk.main.ask_drop(target)
        else:
            self._tell(self._session.drop())

    def pin_note(self) -> None:
        """Ask what is to be noted about the selected node; an empty line takes the note away."""
        key = self._session.view.selected[0]
        node = self._session.graph.ids[key]
        known = self._session.notes.all.get(node, "")
        text = ask_line(self._desk.widget, "Pin a note", f"Note about {self._named((key,))}", known)
        if text is not None:
            self._session.noting.pin(node, text)
            done = "Pinned the note to" if self._session.notes.all.get(node) else "There is no note at"
            self._desk.note(f"{done} {one_line(self._named((key,)))}; notes are kept with the plan")

    def _named(self, keys: tuple[int, ...]) -> str:
        return self._session.graph.names[keys[0]] if len(keys) == 1 else f"these {len(keys):,} nodes"

    def _tell(self, refused: str | None) -> None:
        if refused is not None:
            self._desk.say(refused)

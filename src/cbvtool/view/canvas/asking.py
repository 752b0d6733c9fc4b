"""The question about a drop: the form of a split, and kind and name of the node that it creates."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtWidgets import QWidget

from cbvtool.geometry.state.view_state import Drag
from cbvtool.graph import Graph
from cbvtool.session import Session
from cbvtool.session.dragging.gestures import Bundle
from cbvtool.session.planning.translated import FolderPlace
from cbvtool.view.canvas.drag_words import bundle_words, ends, kinds_words, place_words
from cbvtool.view.toolkit.ask_card import Answer, AskCard, Form, Question
from cbvtool.words import one_line

MOST_PLACES = 6  # folders to choose from
FORMS = (Form("invert", "Invert: over an interface or callback", ""), Form("route", "Route via a facade", ""))


def ask_about(session: Session, parent: QWidget) -> AskCard:
    """A card about the drag in progress, not shown yet: every choice on it changes the drag."""
    drag, graph, dragging = session.view.drag, session.graph, session.dragging
    assert drag is not None

    def weigh(answer: Answer) -> tuple[str, Sequence[str], str]:
        splits = drag.splits
        form = {"act": answer.form} if splits else {"place": answer.form}
        refusal = dragging.answer(**form, kind=answer.kind, name=answer.name)
        return dragging.usual_name(), _meanings(session), refusal or ""

    kinds = [(kind, kind.capitalize()) for kind in dragging.kinds()]
    places = dragging.candidate().places
    return AskCard(parent, _question(drag, dragging.bundle(), graph, kinds, places), weigh)


def _question(
    drag: Drag, bundle: Bundle, graph: Graph, kinds: Sequence[tuple[str, str]], places: Sequence[FolderPlace]
) -> Question:
    where = place_words(drag.target, graph)
    if drag.splits:
        over = f"Over a new file in {where}" if drag.fresh else f"Over {where}"
        lines = (f"{bundle_words(bundle)}.", over)
        named = "Name" if drag.fresh else "File" if kinds else ""
        return Question(f"Split {ends(drag.relation, graph)}", lines, FORMS, kinds, named, "Split")
    what = kinds_words(drag.keys, graph)
    forms = place_forms(places)
    if not drag.fresh:
        verb = {"pull": "Pull out", "merge": "Merge"}.get(drag.act, "Move")
        return Question(f"{what} to {where}", ("It could go to several folders: which one?",), forms, (), "", verb)
    verb = "Pull out" if drag.act == "pull" else "Group"
    return Question(f"{what} into a new container", (f"In {where}",), forms, kinds, "Name", verb)


def place_forms(places: Sequence[FolderPlace]) -> list[Form]:
    """The folders to choose from where something could go to several."""
    return [Form(place.root, place.path, "A new folder" if place.is_new else "") for place in places[:MOST_PLACES]]


def _meanings(session: Session) -> tuple[str, ...]:
    """The meaning of each of `FORMS` for the drag in progress."""
    drag, graph = session.view.drag, session.graph
    if drag is None:
        return ()
    if not drag.splits:
        return tuple(form.means for form in place_forms(session.candidate().places))
    user, used = (one_line(graph.names[key]) for key in drag.relation)
    over = drag.name or session.dragging.usual_name() or one_line(graph.names[drag.target])
    return f"{user} → {over} ← {used}", f"{user} → {over} → {used}"

"""CBV-13: other hierarchies in the session: read-only, each with its place, kept by documents and followed by plans."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.errors import InputError
from cbvtool.geometry.state.named_views import Viewpoint
from cbvtool.graph import REMOVED, Edges
from cbvtool.plan.document import read_document
from cbvtool.project import Project
from cbvtool.rules import Deny, Rules
from cbvtool.session import COMPARED, ELSEWHERE, Session
from cbvtool.session.change import Change
from cbvtool.versions import compared
from tests.hierarchies.test_groupings import COMMITS, SHOP, changes_of, tree_of


def shop() -> Project:
    return Project(Path("shop").absolute(), "shop", tree_of(SHOP), changes_of(COMMITS), "abc123", "folder")


@pytest.fixture
def session() -> Session:
    opened = Session()
    opened.open(shop())
    return opened


def key(session: Session, node: str) -> int:
    return session.graph.key_of[node]


def test_the_same_leaves_are_shown_in_other_groups(session: Session) -> None:
    """CBV-13: the scene has owners for rings and the same relations; going back shows the very same graph."""
    folders = session.graph
    told: list[Change] = []
    session.subscribe(told.append)
    session.show_in("owners")
    assert told == [Change.PLAN, Change.VIEW]
    assert {session.graph.names[k] for k in session.scene().tree.key.tolist()} >= {"ada", "ben"}
    assert session.graph.edges is folders.edges
    session.show_in("")
    assert session.graph is folders


def test_selection_goes_along_and_places_stay(session: Session) -> None:
    """CBV-13: what is selected is selected in every hierarchy; what is expanded and hidden belongs to one."""
    page, core = key(session, "ui/page.py"), key(session, "core")
    session.select([page, core])
    session.hide([core])
    session.show_in("owners")
    assert session.view.selected == (page,)
    assert not session.view.hidden
    ben = key(session, "owner:ben")
    session.restrict(ben)
    session.show_in("")
    assert session.view.hidden == {core}
    assert session.view.root == session.graph.root
    session.show_in("owners")
    assert session.view.root == ben


def test_nothing_is_planned_among_owners(session: Session) -> None:
    """CBV-13: nothing can be lifted there, which is said at once."""
    session.show_in("owners")
    page, ben = key(session, "ui/page.py"), key(session, "owner:ben")
    session.begin_drag([page])
    assert session.view.drag is None
    assert session.dragging.elsewhere == ELSEWHERE
    assert session.rename(page, "side.py") == session.remove([page]) == session.create(ben, "new") == ELSEWHERE
    assert session.history is not None
    assert not session.history.done


@pytest.mark.parametrize("name", ["", "owners", "languages"])
def test_a_comparison_ends_where_it_began(session: Session, name: str) -> None:
    """NEW-6: meanwhile nothing is lifted; then hierarchy and place are those before, and what is selected stays so."""
    assert session.history is not None
    base, page = session.history.base, key(session, "ui/page.py")
    assert session.move([page], key(session, "core")) is None
    if name:
        session.show_in(name)
    above = next(iter(session.graph.ancestors(page)))
    session.set_view(expanded=frozenset({above}), selected=(page,))
    shown = session.graph
    for number in (1, 2):  # another comparison in place of the first
        assert session.versions.show(compared(base, session.history.graph, f"v{number}")) is None
        assert session.view.hierarchy == ""
        assert session.view.selected == (page,)
        session.begin_drag([page])
        assert session.view.drag is None
        assert session.dragging.elsewhere == COMPARED
    cart = key(session, "ui/cart.py")
    session.select([cart])
    session.versions.end()
    assert session.view.hierarchy == name
    assert session.graph is shown
    assert session.view.expanded == frozenset({above})
    assert session.view.selected == (cart,)
    assert session.dragging.elsewhere == (ELSEWHERE if name in ("owners", "languages") else "")


def test_groups_follow_the_plan(session: Session) -> None:
    """CBV-13: undone in another hierarchy, with more or fewer nodes before the groups; the place is kept."""
    assert session.create(session.graph.root, "new") is None
    assert session.remove([key(session, "ui/cart.py")]) is None
    session.show_in("owners")
    ben = key(session, "owner:ben")
    session.set_view(expanded=session.view.expanded | {ben}, selected=(ben,))
    assert "ui/cart.py" not in session.graph.key_of
    session.undo()
    session.undo()
    assert session.view.selected == (key(session, "owner:ben"),)
    assert key(session, "owner:ben") in session.view.expanded
    assert session.graph.parent[key(session, "ui/cart.py")] == key(session, "owner:ben")
    session.scene()


def test_going_back_goes_to_the_other_hierarchy(session: Session) -> None:
    """CBV-6, CBV-13: hierarchies are places; the words say so."""
    session.show_in("owners")
    assert session.places() == ["Folders"]
    owners = session.graph
    session.go_back()
    assert session.view.hierarchy == ""
    assert session.graph is session.planned
    session.go_forward()
    assert session.graph is owners


def test_a_document_keeps_the_hierarchy_and_the_places_in_others(session: Session, tmp_path: Path) -> None:
    """CBV-13: by ids; a table that is gone shows folders."""
    table = tmp_path / "teams.csv"
    table.write_text("ui,Web\ncore,Shop\n")
    session.restrict(key(session, "ui"))
    session.show_in(f"csv:{table}")
    session.restrict(key(session, "group:Web"))
    session.save(tmp_path / "plan.cbv")
    again = Session()
    again.open(shop(), read_document(tmp_path / "plan.cbv"))
    assert again.view.hierarchy == f"csv:{table}"
    assert again.view.root == key(again, "group:Web")
    again.show_in("")
    assert again.view.root == key(again, "ui")
    table.unlink()
    bare = Session()
    bare.open(shop(), read_document(tmp_path / "plan.cbv"))
    assert bare.view.hierarchy == ""
    assert bare.scene().graph is bare.planned
    with pytest.raises(InputError, match=r"teams\.csv cannot be read"):
        bare.show_in(f"csv:{table}")
    assert bare.view.hierarchy == ""


@pytest.mark.parametrize("places", [7, {"owners": 3}, {"owners": {"root": [], "expanded": [None], "hidden": "x"}}])
def test_damaged_places_are_left_out(session: Session, places: object) -> None:
    """CBV-13: whatever a document says."""
    document = session.document()
    session.open(shop(), replace(document, view={**document.view, "hierarchy": 5, "places": places}))
    assert session.view.hierarchy == ""
    session.show_in("owners")
    assert session.view.root == session.graph.root


def test_a_deeper_analysis_keeps_the_hierarchy(session: Session) -> None:
    """CBV-13: also one that has other keys."""
    session.show_in("owners")
    session.restrict(key(session, "owner:ben"))
    deeper = replace(shop(), graph=tree_of({"aaa.txt": {}, **SHOP}))
    session.deepen(deeper)
    assert session.view.hierarchy == "owners"
    assert session.view.root == key(session, "owner:ben")
    assert "aaa.txt" in session.graph.key_of


def test_a_named_view_shows_its_hierarchy(session: Session) -> None:
    """CBV-11, CBV-13: from any other one."""
    session.show_in("owners")
    session.restrict(key(session, "owner:ada"))
    session.keep_view("Ada's", Viewpoint())
    session.show_in("")
    session.show_named(session.named[0])
    assert session.view.hierarchy == "owners"
    assert session.graph.ids[session.view.root] == "owner:ada"


def test_rules_name_folders_whatever_is_shown(session: Session) -> None:
    """CBV-7, CBV-13: the filter for violations finds in every hierarchy what it finds in that of folders."""
    project = shop()
    one = np.array([1])
    page, bill = (project.graph.key_of[node] for node in ("ui/page.py", "core/bill.py"))
    edges = Edges(
        np.array([page]),
        np.array([bill]),
        one * 0,
        one,
        one * 0,
        one * 0,
        np.array([0, 0]),
        one[:0],
        one[:0],
        ("import",),
    )
    session.rules = Rules(deny=(Deny("ui", "core"),))
    session.open(replace(project, graph=project.graph.with_(edges=edges)))
    for name in ("", "owners", "languages"):
        session.show_in(name)
        session.set_view(filter=replace(session.view.filter, violations=True))
        assert session.scene().relations.tolist() == [True], name


def test_what_is_removed_stays_removed(session: Session) -> None:
    """CBV-13: in other hierarchies, too."""
    session.remove([key(session, "ui")])
    session.show_in("languages")
    assert np.count_nonzero(session.graph.parent != REMOVED) == 5  # the root, two languages with a file each

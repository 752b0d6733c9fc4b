"""Notes pinned to nodes: kept in the document, shown where the node is (NEW-15)."""

from __future__ import annotations

from pathlib import Path

from cbvtool.plan.document import read_document
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.planning.pinned_notes import LONGEST, of_data


def test_notes_are_saved_with_the_plan(shop: Project, tmp_path: Path) -> None:
    """They make a document unsaved, and come back; one that is emptied is gone."""
    session, file = Session(), tmp_path / "plan.cbv"
    session.open(shop)
    assert not session.document_file.unsaved
    session.notes.pin("shop/ui", " Ask\nEve ")
    session.notes.pin("gone", "Kept")
    assert session.document_file.unsaved
    session.save(file)
    again = Session()
    again.open(shop, read_document(file), file)
    assert dict(again.notes.all) == {"gone": "Kept", "shop/ui": "Ask\\nEve"}
    assert not again.document_file.unsaved
    again.notes.pin("shop/ui", "")
    assert dict(again.notes.all) == {"gone": "Kept"}


def test_what_makes_no_sense_is_left_out() -> None:
    """A document may hold anything there."""
    assert of_data(["a"]) == of_data(None) == {}
    assert of_data({"a": 1, "b": "", "c": "x" * 999}) == {"c": "x" * LONGEST}

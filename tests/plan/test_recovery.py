"""Unsaved work is found again after a crash (DESIGN 8: autosaved, and recovered)."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from cbvtool.errors import InputError
from cbvtool.plan import Group, Remove
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.recovery import discard_recovery, find_recovery, read_recovery, recovery_path, write_recovery


@pytest.fixture
def unsaved(tmp_path: Path) -> Document:
    """What was planned since the last save."""
    return Document(tmp_path / "shop", "shop", plans=(Plan("p", (Group("removal of x", (Remove(("x",)),)),)),))


def test_a_copy_is_found_until_it_is_discarded(tmp_path: Path, unsaved: Document) -> None:
    """DESIGN 8: for a saved document, and for a plan that was never saved."""
    for opened in (tmp_path / "plan.cbv", tmp_path / "shop"):
        assert find_recovery(opened) is None
        path = write_recovery(unsaved, opened)
        assert path.is_relative_to(platformdirs.user_data_path("cbvtool", appauthor=False))
        found = find_recovery(opened)
        assert found is not None
        assert found.path == path
        assert read_recovery(found) == unsaved
        discard_recovery(opened)
        discard_recovery(opened)
        assert find_recovery(opened) is None


def test_a_copy_older_than_the_document_is_not_offered(tmp_path: Path, unsaved: Document) -> None:
    """DESIGN 8: what was saved since is not lost to an old copy; one as old as the document is offered."""
    opened = tmp_path / "plan.cbv"
    path = write_recovery(unsaved, opened)
    write_document(unsaved, opened)
    for saved, offered in ((200, False), (100, True), (50, True)):
        os.utime(path, (100, 100))
        os.utime(opened, (saved, saved))
        assert (find_recovery(opened) is not None) == offered


def test_every_document_has_a_copy_of_its_own(tmp_path: Path) -> None:
    """DESIGN 8: also those of one name in different folders; a long name makes no path too long."""
    paths = {recovery_path(tmp_path / folder / "plan.cbv") for folder in "abc"}
    assert len(paths) == 3
    assert {path.name[:5] for path in paths} == {"plan-"}
    assert len(recovery_path(tmp_path / ("x" * 250 + ".cbv")).name) < 100
    assert recovery_path(Path("/")).name.startswith("root-")
    (tmp_path / "link").symlink_to(tmp_path)
    assert recovery_path(tmp_path / "link" / "plan.cbv") == recovery_path(tmp_path / "plan.cbv")


def test_a_damaged_copy_gets_a_sentence(tmp_path: Path, unsaved: Document) -> None:
    """DESIGN 8: the crash may have been one of the disk."""
    path = write_recovery(unsaved, tmp_path / "plan.cbv", tmp_path / "copies")
    assert path.parent == tmp_path / "copies"
    path.write_bytes(path.read_bytes()[:50])
    found = find_recovery(tmp_path / "plan.cbv", tmp_path / "copies")
    assert found is not None
    with pytest.raises(InputError, match="ends too early"):
        read_recovery(found)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, unsaved: Document) -> None:
    """DESIGN 8: one sentence, no traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        write_recovery(unsaved, tmp_path / "plan.cbv", tmp_path / "file" / "copies")

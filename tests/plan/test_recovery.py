"""Unsaved work is found again after a crash (design 8), and nothing but an answer or saving it removes a copy."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest

from cbvtool.errors import InputError
from cbvtool.plan import Group, Remove
from cbvtool.plan import recovery as recovery_module
from cbvtool.plan.document import ChangedOnDisk, Document, Plan, must_be_unchanged, read_document, write_document
from cbvtool.plan.process_lock import is_locked, lock
from cbvtool.plan.recovery import (
    Named,
    OwnCopies,
    RecoveryCopy,
    discard_copy,
    find_offered,
    is_of,
    is_saved,
    key_of,
    list_copies,
    living_windows,
    lock_of,
    name_of_copy,
    offered,
    read_name,
    recovery_folder,
    remove_dead_locks,
)

LATE = 100.0  # seconds


def plan_of(folder: Path, *steps: str) -> Document:
    """An unsaved plan for the subject `shop` in `folder`."""
    done = tuple(Group(f"removal of {step}", (Remove((step,)),)) for step in steps)
    return Document(folder / "shop", "shop", plans=(Plan("Plan 1", done),))


@pytest.fixture
def unsaved(tmp_path: Path) -> Document:
    """What was planned since the last save."""
    return plan_of(tmp_path, "x")


@pytest.fixture
def own() -> Iterator[OwnCopies]:
    """The copies of a living window."""
    made = OwnCopies()
    yield made
    made.close()


def killed(own: OwnCopies) -> None:
    """What the system does when the process of a window is killed: it lets go of the lock."""
    assert own._lock is not None
    own._lock.release(remove=False)


# -- names ---------------------------------------------------------------------------------------------------------


def test_a_name_says_whose_copy_it_is(tmp_path: Path) -> None:
    """Also those of documents of one name in different folders; a long name makes no path too long."""
    plan = tmp_path / "plan.cbv"
    name = name_of_copy(plan, "0123456789ab", 7)
    assert name.startswith("plan-")
    assert read_name(name) == Named(key_of(plan), "0123456789ab", 7)
    assert len({key_of(tmp_path / folder / "plan.cbv") for folder in "abc"}) == 3
    for long in ("x" * 250, "🙂" * 60):  # legal: 250 and 240 bytes
        assert len(os.fsencode(name_of_copy(tmp_path / f"{long}.cbv", "0123456789ab", 10**6))) < 130
    assert name_of_copy(Path("/"), "0123456789ab", 1).startswith("root-")
    (tmp_path / "link").symlink_to(tmp_path)
    assert key_of(tmp_path / "link" / "plan.cbv") == key_of(plan)


def test_other_files_are_no_copies() -> None:
    digest = "0123456789abcdef"
    assert read_name(f"shop-{digest}.cbv") == Named(digest, "", 0), "of a version with one copy for all windows"
    for name in ("shop.cbv", f".shop-{digest}.cbv.1f.part", "0123456789ab.lock", f"shop-{digest}.x-1.cbv"):
        assert read_name(name) is None


# -- what is offered, as a function ------------------------------------------------------------------------------


def copy_of(opened: Path, document: Document | None, *, window: str = "a" * 12, at: float = 1.0) -> RecoveryCopy:
    number = 1 if window else 0
    return RecoveryCopy(Path(f"{opened}-{window}"), at, Named(key_of(opened), window, number), opened, "", document)


def test_what_is_offered(tmp_path: Path, unsaved: Document) -> None:
    """All copies of dead windows for what is open, the latest first; not those of the living, nor of other subjects."""
    opened, subject = tmp_path / "plan.cbv", tmp_path / "shop"
    early = copy_of(opened, unsaved, window="a" * 12, at=1)
    late = copy_of(opened, plan_of(tmp_path, "x", "y"), window="b" * 12, at=2)
    old = copy_of(opened, unsaved, window="", at=0)
    living = copy_of(opened, unsaved, window="c" * 12, at=3)
    other = copy_of(tmp_path / "other.cbv", plan_of(tmp_path / "far", "x"), window="d" * 12)
    everything = [old, early, late, living, other]
    assert offered(everything, opened, subject, {"c" * 12}, exists=lambda _: True) == [late, early, old]
    assert offered(everything, opened, subject, {"c" * 12}, saved=unsaved, exists=lambda _: True) == [late]


def test_the_copy_of_a_document_that_is_gone_is_offered_for_its_subject(tmp_path: Path, unsaved: Document) -> None:
    """Nobody can open that document any more."""
    copy = copy_of(tmp_path / "plan.cbv", unsaved)
    folder = tmp_path / "shop"
    assert is_of(copy, folder, folder, exists=lambda _: False)
    assert is_of(copy, tmp_path / "renamed.cbv", folder, exists=lambda _: False)
    assert not is_of(copy, folder, folder, exists=lambda _: True)
    assert not is_of(copy, tmp_path / "other", tmp_path / "other", exists=lambda _: False)
    assert not is_of(replace(copy, document=None), folder, folder, exists=lambda _: False)


def test_the_copy_of_a_subject_that_was_moved_is_offered(tmp_path: Path, unsaved: Document) -> None:
    """Told as the subject of a plan is: by its name and what is in it."""
    copy = copy_of(tmp_path / "shop", unsaved)
    moved, other = tmp_path / "elsewhere" / "shop", tmp_path / "other" / "shop"
    for place in (moved / "x", other):
        place.mkdir(parents=True)
    assert is_of(copy, moved, moved)
    assert not is_of(copy, other, other)
    (tmp_path / "shop").mkdir()
    assert not is_of(copy, moved, moved)


def test_a_plan_that_is_saved_needs_no_copy(tmp_path: Path, unsaved: Document) -> None:
    """The very plan: the same steps and named views; how one looked at it does not count."""
    copy = copy_of(tmp_path / "plan.cbv", unsaved)
    assert is_saved(copy, unsaved)
    assert is_saved(copy, replace(unsaved, view={"beta": 0.5}, usual_commit="abc"))
    assert not is_saved(copy, None)
    assert not is_saved(copy, plan_of(tmp_path, "y"))
    assert not is_saved(copy, replace(unsaved, view={"named": [{"name": "n"}]}))
    assert not is_saved(replace(copy, document=None), None)
    assert is_saved(copy_of(tmp_path / "shop", plan_of(tmp_path)), None), "nothing is planned"


# -- copies in the folder ----------------------------------------------------------------------------------------


def test_a_copy_is_offered_once_its_window_is_dead(tmp_path: Path, unsaved: Document, own: OwnCopies) -> None:
    """Design 8: for a saved document, and for a plan that was never saved."""
    for opened in (tmp_path / "plan.cbv", tmp_path / "shop"):
        own = OwnCopies()
        path = own.write(unsaved, opened, "d1")
        assert path.is_relative_to(platformdirs.user_data_path("cbvtool", appauthor=False))
        assert find_offered(opened, unsaved.subject) == []
        killed(own)
        (found,) = find_offered(opened, unsaved.subject)
        assert (found.path, found.opened, found.digest, found.document) == (path, opened, "d1", unsaved)
        assert (found.steps, found.last) == (1, "removal of x")
        discard_copy(found)
        discard_copy(found)
        assert find_offered(opened, unsaved.subject) == []


def test_no_window_touches_the_copy_of_another(tmp_path: Path, unsaved: Document) -> None:
    """Two windows on one document, dead or alive: each has its own."""
    opened = tmp_path / "plan.cbv"
    dead, first, second = OwnCopies(), OwnCopies(), OwnCopies()
    dead.write(unsaved, opened, "")
    killed(dead)
    paths = {own.write(plan_of(tmp_path, name), opened, "") for own, name in ((first, "a"), (second, "b"))}
    assert len(paths) == 2
    second.write(plan_of(tmp_path, "b", "c"), opened, "")
    assert len(list_copies()) == 3
    second.discard()
    second.close()
    first.close()
    assert [copy.steps for copy in find_offered(opened, unsaved.subject)] == [1, 1]


def test_every_unsaved_plan_has_a_number(tmp_path: Path, unsaved: Document, own: OwnCopies) -> None:
    """What begins another plan without an answer about the one before leaves its copy."""
    paths = [own.write(unsaved, tmp_path / "shop", "")]
    own.begin()
    paths.append(own.write(plan_of(tmp_path, "y"), tmp_path / "shop", ""))
    assert own.write(plan_of(tmp_path, "y", "z"), tmp_path / "shop", "") == paths[1]
    own.discard()
    assert [path.exists() for path in paths] == [True, False]
    own.close()
    assert [copy.path for copy in find_offered(tmp_path / "shop", unsaved.subject)] == paths[:1]


def test_a_plan_that_gets_another_file_has_one_copy(tmp_path: Path, unsaved: Document, own: OwnCopies) -> None:
    first = own.write(unsaved, tmp_path / "shop", "")
    second = own.write(unsaved, tmp_path / "plan.cbv", "")
    assert not first.exists()
    assert second.exists()


def test_a_copy_is_claimed_by_one_window(tmp_path: Path, unsaved: Document, own: OwnCopies) -> None:
    """Its new owner keeps it as an own one at once; a second window is told."""
    opened = tmp_path / "plan.cbv"
    dead, other = OwnCopies(), OwnCopies()
    dead.write(unsaved, opened, "d1")
    killed(dead)
    (copy,) = find_offered(opened, unsaved.subject)
    own.claim(copy, opened)
    assert own.present is not None
    assert read_document(own.present) == unsaved
    assert find_offered(opened, unsaved.subject) == []
    with pytest.raises(InputError, match="another window"):
        other.claim(copy, opened)
    other.close()


def test_saving_the_very_plan_removes_its_copy(tmp_path: Path, unsaved: Document) -> None:
    """A crash between saving and removing the copy; an older copy of other steps is offered, whatever its date."""
    opened = tmp_path / "plan.cbv"
    for document in (unsaved, plan_of(tmp_path, "other")):
        own = OwnCopies()
        path = own.write(document, opened, "")
        os.utime(path, (LATE, LATE))
        killed(own)
    write_document(unsaved, opened)
    (found,) = find_offered(opened, unsaved.subject, read_document(opened))
    assert found.last == "removal of other"
    assert len(list_copies()) == 1


def test_the_single_copy_of_earlier_versions_is_found(tmp_path: Path, unsaved: Document) -> None:
    opened = tmp_path / "plan.cbv"
    path = recovery_folder() / f"plan-{key_of(opened)}.cbv"
    path.parent.mkdir(parents=True)
    write_document(unsaved, path)
    (found,) = find_offered(opened, unsaved.subject)
    assert (found.path, found.opened, found.digest, found.document) == (path, None, "", unsaved)


def test_a_damaged_copy_is_offered_with_a_sentence(tmp_path: Path, unsaved: Document, own: OwnCopies) -> None:
    """Design 8: the crash may have been one of the disk."""
    own = OwnCopies(tmp_path / "copies")
    path = own.write(unsaved, tmp_path / "plan.cbv", "")
    path.write_bytes(path.read_bytes()[:50])
    own.close()
    (found,) = find_offered(tmp_path / "plan.cbv", unsaved.subject, folder=tmp_path / "copies")
    assert found.document is None
    assert "ends too early" in found.fault
    assert path.exists()


@pytest.mark.parametrize("said", ["3", '{"opened": 1}', "[]", "null", '{"digest": "x"}'])
def test_a_copy_that_says_nonsense_about_itself_is_found(tmp_path: Path, unsaved: Document, said: str) -> None:
    own = OwnCopies()
    path = own.write(unsaved, tmp_path / "shop", "d")
    path.write_text(path.read_text().replace('"recovery": {', f'"recovery": {said}, "old": {{'))
    own.close()
    (found,) = find_offered(tmp_path / "shop", unsaved.subject)
    assert found.document == unsaved


def test_a_copy_that_cannot_be_written_is_told(
    tmp_path: Path, unsaved: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design 8: one sentence, no traceback; the copy before stays."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        OwnCopies(tmp_path / "file" / "copies").write(unsaved, tmp_path / "plan.cbv", "")
    own = OwnCopies(tmp_path / "copies")
    path = own.write(unsaved, tmp_path / "plan.cbv", "")

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space"):
        own.write(plan_of(tmp_path, "y"), tmp_path / "plan.cbv", "")
    assert read_document(path) == unsaved
    own.close()


# -- who lives -----------------------------------------------------------------------------------------------------

WINDOW = """
import sys
from pathlib import Path
from cbvtool.plan import Group, Remove
from cbvtool.plan.document import Document, Plan
from cbvtool.plan.recovery import OwnCopies
subject = Path(sys.argv[1])
own = OwnCopies()
for n in range(3):
    own.begin()
    plan = Plan(done=(Group(f"removal of {n}", (Remove((str(n),)),)),))
    own.write(Document(subject, "shop", plans=(plan,)), subject, "")
print("written", flush=True)
sys.stdin.read()
"""


def test_a_killed_process_lives_no_longer(tmp_path: Path) -> None:
    """SIGKILL: nothing of ours runs at the end, and all its plans are offered from then on."""
    subject = tmp_path / "shop"
    with subprocess.Popen(
        [sys.executable, "-c", WINDOW, str(subject)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        assert find_offered(subject, subject) == []
        process.kill()
    assert [copy.last for copy in find_offered(subject, subject)] == [f"removal of {n}" for n in (2, 1, 0)]


def test_a_lock_is_held_until_it_is_released(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    assert not is_locked(path)
    held = lock(path)
    assert held is not None
    assert is_locked(path)
    assert is_locked(path), "looking does not take it"
    assert lock(path) is None
    held.release(remove=False)
    assert path.exists()
    assert not is_locked(path)


def test_where_nothing_can_be_locked_copies_are_offered(
    tmp_path: Path, unsaved: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too much rather than too little: the living window writes its copy again with its next step."""

    def refuse(_path: Path) -> None:
        return None

    monkeypatch.setattr(recovery_module, "lock", refuse)
    own = OwnCopies()
    own.write(unsaved, tmp_path / "shop", "")
    assert len(find_offered(tmp_path / "shop", unsaved.subject)) == 1
    own.close()


def test_locks_of_the_dead_are_removed(tmp_path: Path, unsaved: Document, own: OwnCopies) -> None:
    dead = OwnCopies()
    dead.write(unsaved, tmp_path / "shop", "")
    own.write(unsaved, tmp_path / "shop", "")
    killed(dead)
    folder = recovery_folder()
    locks = {window: lock_of(window, folder) for window in (dead._window, own._window)}
    remove_dead_locks(folder)
    assert all(path.exists() for path in locks.values()), "one that is new may be about to be held"
    for path in locks.values():
        os.utime(path, (LATE, LATE))
    remove_dead_locks(folder)
    assert [path.exists() for path in locks.values()] == [False, True]
    assert living_windows(locks, folder) == {own._window}


# -- documents that somebody else has changed ----------------------------------------------------------------------


def test_a_document_is_compared_with_what_was_read(tmp_path: Path, unsaved: Document) -> None:
    """By its bytes, not by its time stamp."""
    path = tmp_path / "plan.cbv"
    must_be_unchanged(path, "")
    digest = write_document(unsaved, path)
    assert read_document(path).digest == digest
    os.utime(path, (time.time() + LATE, time.time() + LATE))
    must_be_unchanged(path, digest)
    with pytest.raises(ChangedOnDisk, match="changed by another") as found:
        must_be_unchanged(path, "")
    assert not found.value.gone
    other = write_document(plan_of(tmp_path, "y"), path)
    assert other != digest
    with pytest.raises(ChangedOnDisk):
        must_be_unchanged(path, digest)
    path.unlink()
    with pytest.raises(ChangedOnDisk, match="not there any more") as found:
        must_be_unchanged(path, digest)
    assert found.value.gone
    path.mkdir()
    must_be_unchanged(path, digest)  # writing says what is wrong

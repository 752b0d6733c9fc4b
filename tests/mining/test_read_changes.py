"""From a folder to its changes, and what becomes of bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.mining import Changes, head_commit, read_changes
from cbvtool.mining.view_repository import View


def touched(changes: Changes) -> dict[str, list[str]]:
    """Path -> ids of the commits that touched it, oldest first."""
    result: dict[str, list[str]] = {path: [] for path in changes.paths}
    for commit, path in zip(changes.touch_commit.tolist(), changes.touch_path.tolist(), strict=True):
        result[changes.paths[path]].append(changes.sha[commit])
    return result


def sentence(changes: Changes, *words: str) -> None:
    """No history, and exactly one sentence that names the thing and the reason."""
    assert not changes.sha
    (note,) = changes.notes
    assert note[0] != " "
    assert note.endswith(".")
    assert "\n" not in note
    for word in words:
        assert word in note


def test_commits_in_ascending_date_with_their_authors(repository: Any) -> None:
    """Dates are not monotone, mail addresses go through the mail map of the commit."""
    second = repository.commit({"a.py": "1\n"}, at=1_600_000_200, author="old@x")
    first = repository.commit({"a.py": "2\n", "b.py": "1\n"}, at=1_600_000_100, author="bob@x")
    third = repository.commit({".mailmap": "Ann <ann@x> <old@x>\n"}, at=1_600_000_300, author="ann@x")
    changes = read_changes(repository.root)
    assert changes.sha == (first, second, third)
    assert changes.time.tolist() == [1_600_000_100, 1_600_000_200, 1_600_000_300]
    assert [changes.authors[a] for a in changes.author] == ["bob@x", "ann@x", "ann@x"]
    assert [changes.name_of(a) for a in changes.author] == ["A", "A", "A"]  # of the newest commit of each
    assert touched(changes) == {"a.py": [first, second], "b.py": [first], ".mailmap": [third]}
    assert (np.diff(changes.touch_commit) >= 0).all()
    assert changes.head == third
    assert not changes.shallow
    assert changes.notes == ()


def test_a_folder_that_the_repository_around_it_does_not_hold_has_no_history(repository: Any) -> None:
    """Installed packages lie in a work tree, ignored: that repository's commits say nothing about them."""
    repository.commit({".gitignore": ".venv/\n"})
    repository.write({".venv/package/module.py": "1\n"})
    sentence(read_changes(repository.root / ".venv" / "package"), "package", "holds no file")


def test_mail_map_in_the_work_tree_is_not_read(repository: Any) -> None:
    """What is not committed does not count, as for the files."""
    repository.commit({"a.py": "1\n"}, author="old@x")
    repository.write({".mailmap": "Ann <ann@x> <old@x>\n"})
    assert read_changes(repository.root).authors == ("old@x",)


def test_subfolder_gets_its_own_files_by_its_own_paths(repository: Any, text: Callable[[str], str]) -> None:
    """A rename across the border is followed, since the whole repository is read."""
    first = repository.commit({"outside.py": text("o"), "pack age/x.py": text("x"), "pack agent.py": "1\n"})
    repository.rename("outside.py", "pack age/in/o.py")
    second = repository.commit()
    assert touched(read_changes(repository.root / "pack age")) == {"x.py": [first], "in/o.py": [first, second]}
    assert touched(read_changes(repository.root / "pack age" / "in")) == {"o.py": [first, second]}


def test_relative_path_and_link_to_the_folder(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths as people type them."""
    repository.commit({"sub/a.py": "1\n"})
    link = repository.root.parent / "link"
    link.symlink_to(repository.root / "sub", target_is_directory=True)
    assert read_changes(link).paths == ("a.py",)
    monkeypatch.chdir(repository.root)
    assert read_changes(Path("sub")).paths == ("a.py",)
    assert read_changes(Path()).paths == ("sub/a.py",)


def test_folder_that_the_repository_does_not_know(repository: Any) -> None:
    """Bad input."""
    repository.commit({"a.py": "1\n"})
    (repository.root / "new").mkdir()
    changes = read_changes(repository.root / "new")
    assert changes.paths == ()
    assert any("new" in note for note in changes.notes)


def test_submodules_are_no_files_but_links_are(repository: Any, new_repository: Callable[..., Any]) -> None:
    """Paths are those of today's files."""
    inner = new_repository("inner")
    inner.commit({"i.py": "1\n"})
    repository.commit({"a.py": "1\n"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "module")
    (repository.root / "link.py").symlink_to("a.py")
    repository.commit()
    assert set(read_changes(repository.root).paths) == {"a.py", "link.py", ".gitmodules"}
    assert read_changes(repository.root / "module").paths == ("i.py",)


def test_sha256_repository(new_repository: Callable[..., Any], text: Callable[[str], str]) -> None:
    """FACTS "Git": its ids have 64 digits; the view repository is of the same format."""
    repository = new_repository("subject", "--object-format=sha256")
    repository.commit({"a.py": text("a")})
    repository.rename("a.py", "b.py")
    head = repository.commit()
    changes = read_changes(repository.root)
    assert len(head) == 64
    assert changes.head == head_commit(repository.root) == head
    assert len(touched(changes)["b.py"]) == 2


@pytest.mark.parametrize(
    "name", ["with space", 'qu"ote', "new\nline", "back\\slash", "tab\t", "ünï雪", "#hash", ":colon"]
)
@pytest.mark.skipif(os.name == "nt", reason="not a name there")
def test_any_name_of_the_folder(new_repository: Callable[..., Any], name: str) -> None:
    """The object database is found wherever it lies."""
    repository = new_repository(name)
    sha = repository.commit({"a.py": "1\n"})
    assert touched(read_changes(repository.root)) == {"a.py": [sha]}


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode elsewhere")
def test_name_that_is_no_unicode(new_repository: Callable[..., Any]) -> None:
    """Of the folder, and of a file; spelt as in node ids, so that it is found there."""
    repository = new_repository(os.fsdecode(b"f\xffolder"))
    (repository.root / os.fsdecode(b"l\xe4tin.py")).write_text("1\n")
    sha = repository.commit()
    assert touched(read_changes(repository.root)) == {"l\ufffdtin.py": [sha]}


def test_objects_of_other_repositories(repository: Any, text: Callable[[str], str]) -> None:
    """A clone that borrows objects, from one that borrows objects itself."""
    for i in range(3):
        repository.commit({"a.py": text(str(i))})
    repository.git("clone", "-q", "--shared", ".", "../second")
    repository.git("-C", "../second", "clone", "-q", "--shared", ".", "../third")
    third = repository.root.parent / "third"
    alternates = third / ".git/objects/info/alternates"
    alternates.write_text(
        os.path.relpath(repository.root.parent / "second/.git/objects", third / ".git/objects") + "\n"
    )
    assert len(touched(read_changes(third))["a.py"]) == 3


def test_linked_work_tree(repository: Any) -> None:
    """It has a HEAD of its own and the objects of the main one."""
    repository.commit({"a.py": "1\n"})
    repository.git("worktree", "add", "-q", "-b", "other", "../linked")
    repository.commit({"a.py": "2\n"})
    assert len(read_changes(repository.root).sha) == 2
    assert len(read_changes(repository.root.parent / "linked").sha) == 1


def test_shallow_clone_is_marked_and_its_edge_adds_nothing(repository: Any) -> None:
    """FACTS "Git": boundaries look like mass additions."""
    for i in range(5):
        repository.commit({f"file{i}.py": "1\n", "a.py": f"{i}\n"})
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", "../shallow")
    changes = read_changes(repository.root.parent / "shallow")
    assert len(changes.sha) == 2
    assert changes.shallow
    assert any("shallow" in note for note in changes.notes)
    counts = {path: len(shas) for path, shas in touched(changes).items()}
    assert counts == {"a.py": 1, "file4.py": 1} | {f"file{i}.py": 0 for i in range(4)}


def delete_object(repository: Any, name: str) -> None:
    sha = repository.git("rev-parse", name)
    (repository.root / ".git" / "objects" / sha[:2] / sha[2:]).unlink()


def test_missing_contents_keep_the_whole_history(repository: Any, text: Callable[[str], str]) -> None:
    """FACTS "Git": a partial clone; nothing is fetched, renames without edits are still followed."""
    first = repository.commit({"a.py": text("a"), "x.py": text("x")})
    repository.rename("a.py", "b.py")
    second = repository.commit()
    repository.rename("x.py", "y.py")
    third = repository.commit({"y.py": text("x") + "edited\n"})
    fourth = repository.commit({"b.py": text("a") + "edited\n"})
    delete_object(repository, f"{first}:x.py")
    changes = read_changes(repository.root)
    assert changes.sha == (first, second, third, fourth)
    assert touched(changes) == {"b.py": [first, second, fourth], "y.py": [third]}
    (note,) = changes.notes
    assert "oldest 3 commits" in note
    assert not changes.shallow


def test_real_partial_clone(repository: Any, text: Callable[[str], str]) -> None:
    """As git makes it: without old contents, and with a configuration that would fetch them."""
    first = repository.commit({"a.py": text("a"), "x.py": text("x")})
    repository.rename("x.py", "y.py")
    second = repository.commit({"y.py": text("x") + "edited\n", "a.py": text("a") + "edited\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.root}", "../partial")
    partial = repository.root.parent / "partial"
    before = sorted(partial.rglob("*.pack"))
    changes = read_changes(partial)
    assert changes.sha == (first, second)
    assert touched(changes) == {"a.py": [first, second], "y.py": [second]}
    assert sorted(partial.rglob("*.pack")) == before


@pytest.mark.parametrize("lost", ["{2}^{{tree}}", "{2}"])
def test_history_that_breaks_off_keeps_what_was_read(repository: Any, lost: str) -> None:
    """FACTS "Git": a missing folder list, a missing commit; what comes before it stays."""
    shas = [repository.commit({"a.py": f"{i}\n"}) for i in range(6)]
    delete_object(repository, lost.format(*shas))
    changes = read_changes(repository.root)
    assert changes.shallow
    assert any("breaks off" in note for note in changes.notes)
    assert set(touched(changes)["a.py"]) >= set(shas[4:])
    assert set(touched(changes)["a.py"]) <= set(shas[3:])


def test_missing_head(repository: Any) -> None:
    """Not even today's files can be listed."""
    repository.commit({"a.py": "1\n"})
    delete_object(repository, "HEAD")
    changes = read_changes(repository.root)
    assert changes.sha == ()
    assert changes.paths == ()
    assert len(changes.notes) == 2


def test_folder_without_git(tmp_path: Path) -> None:
    """Works and says so."""
    sentence(read_changes(tmp_path), str(tmp_path), "not in a git repository")
    sentence(read_changes(tmp_path / "missing"), "missing", "not in a git repository")


def test_repository_without_commits(repository: Any) -> None:
    """Bad input."""
    sentence(read_changes(repository.root), str(repository.root), "no commits")


def test_bare_repository(repository: Any) -> None:
    """Bad input."""
    repository.commit({"a.py": "1\n"})
    repository.git("clone", "-q", "--bare", ".", "../bare.git")
    sentence(read_changes(repository.root.parent / "bare.git"), "bare.git", "bare repository")


def test_git_file_that_leads_nowhere(tmp_path: Path) -> None:
    """Bad input."""
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    sentence(read_changes(tmp_path), ".git", "does not lead to a git repository")


def test_symlink_loop(tmp_path: Path) -> None:
    """Bad input."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    sentence(read_changes(tmp_path / "a"), "not in a git repository")
    (tmp_path / ".git").symlink_to(tmp_path / "a")
    sentence(read_changes(tmp_path), "not in a git repository")


def test_git_is_not_installed(repository: Any) -> None:
    """One sentence, in a process that never found git."""
    repository.commit({"a.py": "1\n"})
    code = (
        "import sys; from pathlib import Path; from cbvtool.mining import *;"
        "c = read_changes(Path(sys.argv[1])); assert not c.sha; print(*c.notes)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(repository.root)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PATH": "/nonexistent"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "The program git was not found, so no history was read; install git.\n"


def test_nothing_is_left_behind_and_nothing_written(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 8: the subject stays as it is, to the byte, and no temporary folder remains."""
    folders: list[Path] = []
    stream = View.stream

    def recorded(view: View, *arguments: str, reads: Any = None) -> Any:
        folders.append(Path(view.environment["GIT_DIR"]))
        return stream(view, *arguments, reads=reads)

    monkeypatch.setattr(View, "stream", recorded)
    repository.commit({"a.py": "1\n"})

    def content() -> dict[Path, tuple[int, bytes]]:
        files = (file for file in repository.root.rglob("*") if file.is_file())
        return {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in files}

    before = content()
    read_changes(repository.root)
    assert content() == before
    assert folders
    assert not any(folder.parent.exists() for folder in folders)


def test_import_is_light() -> None:
    """Design 2: a graph is opened without looking for git."""
    code = "import sys, cbvtool.mining; assert not {'git', 'subprocess'} & set(sys.modules), sorted(sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)

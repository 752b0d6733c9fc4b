"""Finding a repository and its commit without running git."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cbvtool.mining import head_commit, is_bare_repository
from cbvtool.mining.locate import NotReadable, find_repository, resolve_head, shallow_boundary


def test_head_is_what_git_says_wherever_the_reference_is_kept(repository: Any) -> None:
    """Loose, packed, symbolic twice, detached."""
    first = repository.commit({"a.py": "1\n"})
    assert head_commit(repository.root) == first
    repository.git("pack-refs", "--all")
    assert not (repository.root / ".git/refs/heads/main").exists()
    assert head_commit(repository.root) == first
    second = repository.commit({"a.py": "2\n"})  # loose beside packed: the loose one holds
    assert head_commit(repository.root) == second
    repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repository.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head_commit(repository.root) == second
    repository.git("checkout", "-q", "--detach", first)
    assert head_commit(repository.root) == first


def test_name_that_ends_like_the_branch_is_not_taken(repository: Any) -> None:
    """Packed references are compared whole."""
    wrong = repository.commit({"a.py": "1\n"})
    repository.git("branch", "x/main")
    right = repository.commit({"a.py": "2\n"})
    repository.git("pack-refs", "--all")
    assert head_commit(repository.root) == right != wrong


def test_subfolder_linked_work_tree_and_submodule(repository: Any, new_repository: Callable[..., Any]) -> None:
    """`.git` may lie above, or be a file that leads elsewhere."""
    sha = repository.commit({"deep/er/a.py": "1\n"})
    assert head_commit(repository.root / "deep" / "er") == sha

    repository.git("worktree", "add", "-q", "-b", "other", "../linked")
    linked = repository.root.parent / "linked"
    assert (linked / ".git").is_file()
    assert head_commit(linked) == sha
    repository.commit({"b.py": "1\n"})
    assert head_commit(linked) == sha  # it has a HEAD of its own

    outer = new_repository("outer")
    outer.commit({"o.py": "1\n"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository.root), "inner")
    assert (outer.root / "inner" / ".git").is_file()
    assert head_commit(outer.root / "inner") == head_commit(repository.root)


def test_folder_without_repository(tmp_path: Path) -> None:
    """Bad input."""
    assert find_repository(tmp_path) is None
    assert head_commit(tmp_path) == ""
    assert head_commit(tmp_path / "missing") == ""


def test_git_folder_that_is_none_is_passed_over(repository: Any) -> None:
    """An empty `.git` folder hides the repository above no more than it does for git."""
    sha = repository.commit({"sub/a.py": "1\n"})
    (repository.root / "sub" / ".git").mkdir()
    assert head_commit(repository.root / "sub") == sha


@pytest.mark.parametrize("content", ["", "gitdir: ../nowhere\n", "gitdir: /\n", "\0\xff\n", "gitdir: " + "x" * 9000])
def test_git_file_that_leads_nowhere(tmp_path: Path, content: str) -> None:
    """One sentence that names the file."""
    (tmp_path / ".git").write_bytes(content.encode("latin-1"))
    with pytest.raises(NotReadable, match=r"\.git does not lead to a git repository"):
        find_repository(tmp_path)
    assert head_commit(tmp_path) == ""


@pytest.mark.parametrize(
    "head",
    [
        "",
        "ref: refs/heads/main",
        "ref: ../../secret",
        "ref: refs/heads/../../../secret",
        "ref: HEAD",
        "ref:",
        "ref: refs/heads/loop",
        "0123",
        "g" * 40,
        "\xff\xfe",
    ],
)
def test_head_that_leads_to_no_commit(repository: Any, head: str) -> None:
    """No commit yet, or a damaged or malicious HEAD; nothing outside is read."""
    git_dir = repository.root / ".git"
    (git_dir / "refs/heads/loop").write_text("ref: refs/heads/loop\n")
    for secret in (git_dir / "secret", repository.root / "secret", repository.root.parent / "secret"):
        secret.write_text("a" * 40 + "\n")
    (git_dir / "HEAD").write_bytes(head.encode("latin-1"))
    assert head_commit(repository.root) == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_in_place_of_a_file_does_not_block(repository: Any) -> None:
    """Design 8: the repository is untrusted; a named pipe would be read for ever."""
    repository.commit({"a.py": "1\n"})
    os.mkfifo(repository.root / ".git" / "shallow")
    (repository.root / ".git" / "HEAD").unlink()
    os.mkfifo(repository.root / ".git" / "HEAD")
    assert head_commit(repository.root) == ""


def test_reftable_is_refused_in_one_sentence(repository: Any) -> None:
    """As git writes `HEAD` and the folder for that format."""
    repository.commit({"a.py": "1\n"})
    (repository.root / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (repository.root / ".git" / "reftable").mkdir()
    found = find_repository(repository.root)
    assert found is not None
    with pytest.raises(NotReadable, match="reftable"):
        resolve_head(found)
    assert head_commit(repository.root) == ""


def test_bare_repository_is_told_from_a_work_tree(repository: Any, new_repository: Callable[..., Any]) -> None:
    """A bare repository has no files to look at."""
    sha = repository.commit({"a.py": "1\n"})
    repository.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = repository.root.parent / "bare.git"
    assert is_bare_repository(bare)
    assert is_bare_repository(repository.root / ".git")
    assert not is_bare_repository(repository.root)
    assert not is_bare_repository(repository.root.parent)
    assert head_commit(bare) == sha


def test_shallow_file_with_rubbish_gives_commit_ids_only(repository: Any) -> None:
    """Design 8: nothing but commit ids gets into the view repository."""
    repository.commit({"a.py": "1\n"})
    (repository.root / ".git" / "shallow").write_bytes(b"a" * 40 + b"\n\xff../x\n[core]\n" + b"b" * 40)
    found = find_repository(repository.root)
    assert found is not None
    assert shallow_boundary(found) == {"a" * 40, "b" * 40}

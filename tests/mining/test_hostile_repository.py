"""A repository with hostile configuration executes nothing.

Every trap is a program that leaves a mark when it is run. Each is first shown to work, by the plain git call it
lies in wait for; then the history is read, and no mark may be left.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cbvtool.errors import InputError
from cbvtool.mining import Changes, head_commit, open_versions, read_changes, read_churn, read_tags
from cbvtool.mining.patches import read_patches
from tests.mining.test_kept import Kept

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the traps are shell scripts")


def read_versions(root: Path) -> None:
    """Every call of git that the comparison of versions makes."""
    with open_versions(root) as versions:
        assert len(versions.main_line()) == 2
        commits = [versions.commit_of(name) for name in ("HEAD~1", "main")]
        assert versions.references()
        assert all(versions.time_of(commit) for commit in commits)
        versions.moved(*commits)
        for commit in commits:
            versions.text_of(commit, "keep.py")
            folder, _ = versions.lay_out(commit, largest=1000)
            assert (folder / "keep.py").exists()


def hunks(root: Path, changes: Changes) -> list[int] | str:
    """How many each commit of `b.py` has, or that contents are not there."""
    try:
        return [len(patch.hunks) for patch in read_patches(root, changes, changes.paths.index("b.py")).patches]
    except InputError as error:
        return "cannot be read" if "cannot be read" in str(error) else str(error)


@dataclass(frozen=True)
class Trap:
    """How to lay one trap, and the plain git call that it catches.

    config      lines for `.git/config`; {trap} is the program
    attributes  line for `.gitattributes` and `.git/info/attributes`
    hook        name of a hook that the program becomes
    provoke     arguments of the git call that runs the program
    missing     a file content is taken away, so that git would want to fetch it
    signed      the last commit bears a signature
    terminal    the call writes to a terminal
    inner       lines for the configuration of a submodule
    """

    config: str = ""
    attributes: str = ""
    hook: str = ""
    provoke: tuple[str, ...] = ("status",)
    missing: bool = False
    signed: bool = False
    terminal: bool = False
    inner: str = ""


LAZY_FETCH = """
[core]
    repositoryformatversion = 1
[extensions]
    partialClone = origin
[remote "origin"]
    url = {url}
    fetch = +refs/heads/*:refs/remotes/origin/*
    promisor = true
    partialclonefilter = blob:none
[protocol "ext"]
    allow = always
"""

TRAPS = {
    "file system monitor": Trap("[core]\n fsmonitor = {trap}"),
    "signature checker": Trap(
        '[log]\n showSignature = true\n[gpg]\n program = {trap}\n[gpg "openpgp"]\n program = {trap}',
        provoke=("log",),
        signed=True,
    ),
    "external diff": Trap("[diff]\n external = {trap}", provoke=("diff", "HEAD~1")),
    "diff driver": Trap('[diff "d"]\n command = {trap}', "* diff=d", provoke=("diff", "HEAD~1")),
    "text conversion": Trap('[diff "d"]\n textconv = {trap}', "* diff=d", provoke=("log", "-p")),
    "text conversion, cached": Trap(
        '[diff "d"]\n textconv = {trap}\n cachetextconv = true', "* diff=d", provoke=("show",)
    ),
    "clean filter": Trap('[filter "f"]\n clean = {trap}\n required = true', "* filter=f", provoke=("add", "new.py")),
    "smudge filter": Trap('[filter "f"]\n smudge = {trap}', "* filter=f", provoke=("checkout", "-f", "HEAD~1")),
    "filter process": Trap('[filter "f"]\n process = {trap}', "* filter=f", provoke=("checkout", "-f", "HEAD~1")),
    "hook on checkout": Trap(hook="post-checkout", provoke=("checkout", "HEAD~1")),
    "hook on commit": Trap(hook="pre-commit", provoke=("commit", "--allow-empty", "-m", "m")),
    "hook on index change": Trap(hook="post-index-change", provoke=("add", "new.py")),
    "hooks elsewhere": Trap("[core]\n hooksPath = {folder}", provoke=("checkout", "HEAD~1")),
    "lazy fetch by a helper": Trap(
        LAZY_FETCH.replace("{url}", "ext::{trap}"), provoke=("log", "-p", "-M"), missing=True
    ),
    "lazy fetch by ssh": Trap(
        LAZY_FETCH.replace("{url}", "ssh://nowhere.invalid/x") + "[core]\n sshCommand = {trap}",
        provoke=("log", "-p", "-M"),
        missing=True,
    ),
    "pager": Trap("[core]\n pager = {trap}", provoke=("--paginate", "log"), terminal=True),
    "pager of one command": Trap("[pager]\n log = {trap}", provoke=("log",), terminal=True),
    "alias": Trap("[alias]\n history = !{trap}", provoke=("history",)),
    "included configuration": Trap("[include]\n path = {include}"),
    "conditionally included": Trap('[includeIf "gitdir:**"]\n path = {include}'),
    "submodule": Trap("[submodule]\n recurse = true", inner="[core]\n fsmonitor = {trap}"),
}
# Cannot be made to work without a person or a network; laid all the same in the test with all traps at once.
UNPROVOKED = """
[core]
    editor = {trap}
    askPass = {trap}
    gitProxy = {trap}
    alternateRefsCommand = {trap}
[credential]
    helper = !{trap}
[sequence]
    editor = {trap}
[uploadpack]
    packObjectsHook = {trap}
[trailer "t"]
    command = {trap}
    ifExists = add
[core]
    worktree = {elsewhere}
"""


class Lair:
    """Where the program, its marks and a file to include lie."""

    def __init__(self, folder: Path) -> None:
        self.marks = folder / "marks"
        self.marks.mkdir(parents=True)
        self.trap = folder / "trap"
        self.trap.write_text(f'#!/bin/sh\ntouch "{self.marks}/$$"\nexit 0\n')
        self.trap.chmod(0o755)
        self.include = folder / "included"
        self.include.write_text(f"[core]\n fsmonitor = {self.trap}\n")
        hooks = folder / "hooks"
        hooks.mkdir()
        for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
            shutil.copy(self.trap, hooks / name)
        self.places = {
            "trap": str(self.trap),
            "include": str(self.include),
            "folder": str(hooks),
            "elsewhere": str(folder),
        }

    def sprung(self) -> bool:
        return any(self.marks.iterdir())

    def reset(self) -> None:
        for mark in self.marks.iterdir():
            mark.unlink()

    def fill(self, config: str) -> str:
        for name, value in self.places.items():
            config = config.replace("{" + name + "}", value)
        return config


@pytest.fixture
def lair(tmp_path: Path) -> Lair:
    return Lair(tmp_path / "lair")


def subject(new_repository: Callable[..., Any], text: Callable[[str], str], name: str, *traps: Trap) -> Any:
    """Two commits with a rename that is not exact, so that reading it wants file contents."""
    repository = new_repository(name)
    attributes = "\n".join(trap.attributes for trap in traps if trap.attributes)
    files = {".gitattributes": attributes + "\n"} if attributes else {}
    repository.commit({"a.py": text("a"), "keep.py": text("k"), **files})
    repository.rename("a.py", "b.py")
    if any(trap.inner for trap in traps):
        new_repository(f"{name}/inner").commit({"inner.py": text("i")})
    sha = repository.commit({"b.py": text("a") + "more\n"})
    if any(trap.signed for trap in traps):
        sign(repository, sha)
    return repository


def sign(repository: Any, sha: str) -> None:
    """Replace the last commit by one that bears a signature."""
    body = subprocess.run(["git", "cat-file", "commit", sha], cwd=repository.root, capture_output=True, check=True)
    head, message = body.stdout.split(b"\n\n", 1)
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----\n\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repository.root,
        input=head + signature + message,
        capture_output=True,
        check=True,
    )
    repository.git("update-ref", "HEAD", made.stdout.decode().strip())


def lay(repository: Any, lair: Lair, trap: Trap) -> None:
    """Lay the trap, after the honest work is done."""
    git_dir = repository.root / ".git"
    if trap.inner:
        with (repository.root / "inner" / ".git" / "config").open("a") as config:
            config.write("\n" + lair.fill(trap.inner) + "\n")
    with (git_dir / "config").open("a") as config:
        config.write("\n" + lair.fill(trap.config) + "\n")
    if trap.attributes:
        (git_dir / "info").mkdir(exist_ok=True)
        with (git_dir / "info" / "attributes").open("a") as attributes:
            attributes.write(trap.attributes + "\n")
    if trap.hook:
        (git_dir / "hooks").mkdir(exist_ok=True)
        shutil.copy(lair.trap, git_dir / "hooks" / trap.hook)
    if trap.missing:
        blob = (
            subprocess.run(
                ["git", "-c", "extensions.partialClone=", "hash-object", str(repository.root / "b.py")],
                capture_output=True,
                check=True,
                cwd="/",
            )
            .stdout.decode()
            .strip()
        )
        (git_dir / "objects" / blob[:2] / blob[2:]).unlink()


def spring(root: Path, trap: Trap) -> str:
    """The plain git call, in a copy, since it may change something."""
    (root / "new.py").write_text("new = 1\n")
    identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    screen, terminal = os.openpty() if trap.terminal else (-1, subprocess.DEVNULL)
    done = subprocess.run(
        ["git", *trap.provoke],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.PIPE,
        env=os.environ | identity,
        check=False,
        timeout=60,
    )
    if trap.terminal:
        os.close(terminal)
        os.close(screen)
    return done.stderr.decode()


@pytest.mark.parametrize("name", TRAPS)
def test_trap_is_not_sprung(
    name: str, new_repository: Callable[..., Any], text: Callable[[str], str], lair: Lair, tmp_path: Path
) -> None:
    """The trap works on a plain git call, and not on the reading of the history."""
    trap = TRAPS[name]
    repository = subject(new_repository, text, "subject", trap)
    head = repository.git("rev-parse", "HEAD")
    repository.git("-c", "user.name=x", "-c", "user.email=x", "tag", "-m", "a tag", "v1")
    memory = Kept()
    repository.git("update-ref", "HEAD", "HEAD~1")
    read_changes(repository.root, keeper=memory)  # so that the next reading asks for new commits alone
    repository.git("update-ref", "HEAD", head)
    lay(repository, lair, trap)
    shutil.copytree(repository.root, tmp_path / "copy", symlinks=True)
    said = spring(tmp_path / "copy", trap)
    assert lair.sprung(), f"the trap does not work, so the test shows nothing; git said: {said}"
    lair.reset()

    changes = read_changes(repository.root)
    churn = read_churn(repository.root, changes)
    tags = read_tags(repository.root)
    read_versions(repository.root)
    again = read_changes(repository.root, keeper=memory)
    patched = hunks(repository.root, changes)

    assert not lair.sprung()
    assert tags == {"v1": head}
    assert again.sha == changes.sha
    assert patched == ("cannot be read" if trap.missing else [1, 1])
    assert len(churn.added) == len(changes.touch_path)
    assert trap.missing or churn.lines.sum() > 0
    assert head_commit(repository.root) == changes.head == head
    assert len(changes.sha) == 2
    assert "b.py" in changes.paths
    assert not lair.sprung()


def test_all_traps_at_once_from_inside(
    new_repository: Callable[..., Any], text: Callable[[str], str], lair: Lair
) -> None:
    """A fresh process whose working folder is the hostile repository, so that also the import is caught."""
    repository = subject(new_repository, text, "subject", *TRAPS.values())
    for trap in TRAPS.values():
        lay(repository, lair, Trap(trap.config, trap.attributes, trap.hook, inner=trap.inner))
    lay(repository, lair, Trap(UNPROVOKED))
    lay(repository, lair, Trap(missing=True))
    for name in ("git", "sh", "ssh", "gpg", "sitecustomize.py", "git.py"):
        shutil.copy(lair.trap, repository.root / name)
    code = (
        "from pathlib import Path; from cbvtool.mining import *; c = read_changes(Path('.'));"
        "assert len(c.sha) == 2, c.notes; read_churn(Path('.'), c);"
        "assert head_commit(Path('.')) == c.head; print(*c.paths)"
    )
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=repository.root,
        env=os.environ | {"PYTHONPATH": source},
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert "b.py" in done.stdout.split()
    assert not lair.sprung()


def test_git_file_that_leads_to_a_hostile_place(
    new_repository: Callable[..., Any], text: Callable[[str], str], lair: Lair, tmp_path: Path
) -> None:
    """A `.git` file may point anywhere (work trees and submodules need it): what lies there is not run either."""
    hostile = subject(new_repository, text, "hostile")
    lay(hostile, lair, TRAPS["file system monitor"])
    outer = tmp_path / "outer"
    outer.mkdir()
    (outer / ".git").write_text(f"gitdir: {hostile.root / '.git'}\n")
    spring(outer, Trap())
    assert lair.sprung()
    lair.reset()

    assert len(read_changes(outer).sha) == 2
    assert not lair.sprung()


def test_work_tree_of_the_configuration_is_not_followed(
    new_repository: Callable[..., Any], text: Callable[[str], str], tmp_path: Path
) -> None:
    """core.worktree leads plain git elsewhere; here the work tree is where `.git` lies."""
    repository = subject(new_repository, text, "subject")
    (tmp_path / "elsewhere").mkdir()
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    assert repository.git("rev-parse", "--show-toplevel") == str(tmp_path / "elsewhere")

    assert set(read_changes(repository.root).paths) == {"b.py", "keep.py"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_repository_of_another_owner_is_read(new_repository: Callable[..., Any], text: Callable[[str], str]) -> None:
    """FACTS "Git": plain git refuses it for its dubious ownership; objects are read as data all the same."""
    repository = subject(new_repository, text, "subject")
    for place in (repository.root, *repository.root.rglob("*")):
        os.chown(place, 12345, 12345, follow_symlinks=False)
    refused = subprocess.run(["git", "log"], cwd=repository.root, capture_output=True, check=False)
    assert b"dubious ownership" in refused.stderr

    assert len(read_changes(repository.root).sha) == 2


def test_surroundings_do_not_lead_elsewhere(
    new_repository: Callable[..., Any],
    text: Callable[[str], str],
    lair: Lair,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Run from a git hook, say, variables name another repository, and bring configuration with them."""
    repository, other = subject(new_repository, text, "subject"), new_repository("other")
    other.commit({"other.py": "1\n", ".mailmap": "Eve <eve@x> <ann@example.org>\n"})
    other.git("config", "mailmap.file", str(other.root / ".mailmap"))
    expected = read_changes(repository.root)
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_COMMON_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.root / ".git" / "objects"))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_GRAFT_FILE", str(tmp_path / "shallow"))
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    monkeypatch.setenv("GIT_SHALLOW_FILE", str(tmp_path / "shallow"))
    (tmp_path / "shallow").write_text(f"{expected.head}\n")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(lair.trap))
    monkeypatch.setenv("GIT_PAGER", str(lair.trap))
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_NAMESPACE", "n")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(lair.trap))
    monkeypatch.setenv("GIT_CONFIG_KEY_1", "mailmap.file")
    monkeypatch.setenv("GIT_CONFIG_VALUE_1", str(other.root / ".mailmap"))

    changes = read_changes(repository.root)

    assert (changes.sha, changes.paths, changes.authors) == (expected.sha, expected.paths, expected.authors)
    assert changes.touch_commit.tolist() == expected.touch_commit.tolist()
    assert not changes.shallow
    assert not lair.sprung()

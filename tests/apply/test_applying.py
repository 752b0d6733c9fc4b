"""A plan carried out on a repository: the branch, the patch, the report, and what is refused before it is written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import jsonschema
import pytest

from cbvtool.apply import applying, trial
from cbvtool.apply.carry import Result, carry_out
from cbvtool.apply.python.modules import ModuleTree
from cbvtool.apply.sandbox import Sandbox
from cbvtool.cli import DONE, FAILED, FINDINGS, main
from cbvtool.errors import InputError
from cbvtool.plan import Create, Group, Move, Operation, Rename
from cbvtool.plan.document import Document, Plan, write_document
from tests.test_project import committed, git

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "applied.schema.json").read_text())
FILES = {
    "pkg/__init__.py": "from .a import f\n",
    "pkg/a.py": "def f():\n    return 1\n",
    "pkg/b.py": "from . import a\n\nx = a.f()\n",
    "pkg/low.py": "import pkg.b\n\ny = pkg.b.x\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/c.py": "from pkg.b import x\n",
    "pkg/sub/page.html": "<p>\n",
    "pyproject.toml": '[project.scripts]\nrun = "pkg.a:f"\n',
    "run.sh": "echo\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "subject"
    committed(folder, FILES, executable="run.sh")
    return folder


@pytest.fixture
def subject(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "subject")
    return tmp_path / "subject"


def plan(subject: Path, *operations: Operation, commit: str = "") -> str:
    file = subject.parent / "plan.cbv"
    groups = tuple(Group(str(number), (operation,)) for number, operation in enumerate(operations))
    write_document(Document(subject, "subject", commit, (Plan("Plan 1", groups),)), file)
    return str(file)


def said(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def state(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


GOOD = (Create("plan:1", "pkg", "core", "package"), Move(("pkg/a.py",), "plan:1"), Rename("pkg/sub", "parts"))


def test_a_branch_with_one_commit_for_each_task(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: one commit for each task, each byte-compiling; but for one reference and objects nothing is touched."""
    before = state(subject)
    assert main(["plan", "apply", plan(subject, *GOOD), "--to", "new", "--jobs", "1", "--format", "json"]) == DONE
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA, cls=jsonschema.Draft202012Validator)
    after = state(subject)
    added = sorted(path for path in after if path not in before)
    assert {path: content for path, content in after.items() if path in before} == before
    assert [path for path in added if not path.startswith(".git/objects/")] == [".git/refs/heads/new"]
    assert report["proof"]["holds"]
    assert report["commit"] == said(subject, "rev-parse", "new").strip()
    commits = said(subject, "log", "--reverse", "--format=%s", "main..new").splitlines()
    assert commits == [task["title"] for task in report["done"] if task["commit"]]
    assert len(commits) == 2
    said(subject, "fsck", "--strict")
    said(subject, "checkout", "-q", "new")
    assert (subject / "pkg/__init__.py").read_text() == "from .core.a import f\n"
    assert (subject / "pkg/b.py").read_text() == "from .core import a\n\nx = a.f()\n"
    assert (subject / "pkg/core/__init__.py").read_text() == ""
    assert (subject / "pkg/parts/page.html").is_file()
    assert os.access(subject / "run.sh", os.X_OK)
    assert [(line["file"], line["line"]) for line in report["by_hand"]] == [("pyproject.toml", 2)]
    subprocess.run(["python3", "-B", "-c", "import pkg.parts.c, pkg.low"], cwd=subject, check=True)


OLD_NAMES = """
import pkg.a, pkg.sub.c
import pkg.core.a, pkg.parts, pkg.parts.c
from pkg.sub import hello
from pkg.sub.c import x
assert pkg.a is pkg.core.a and pkg.sub.c is pkg.parts.c
assert hello is pkg.parts.hello is pkg.sub.hello and pkg.sub._quiet == 2 and x == 1
"""


def test_modules_stay_under_their_old_names(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: --forward keeps what code elsewhere imports; the proof knows these modules, and nothing here uses them."""
    (subject / "pkg/sub/__init__.py").write_text("def hello(): pass\n\n_quiet = 2\n")
    git(subject, "commit", "-q", "-a", "-m", "second")
    file = plan(subject, *GOOD)
    assert main(["plan", "apply", file, "--to", "new", "--jobs", "1", "--forward", "--format", "json"]) == DONE
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert [(one["path"], one["target"]) for one in report["forwards"]] == [
        ("pkg/a.py", "pkg/core/a.py"),
        ("pkg/sub/__init__.py", "pkg/parts/__init__.py"),
        ("pkg/sub/c.py", "pkg/parts/c.py"),
    ]
    assert said(subject, "log", "-1", "--format=%s", "new").strip() == "Leave modules under their old names"
    said(subject, "checkout", "-q", "new")
    subprocess.run(["python3", "-B", "-c", OLD_NAMES], cwd=subject, check=True)


def test_a_name_that_is_taken_again_leads_nowhere(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: of a chain of renames only the first name can be left."""
    chain = (Rename("pkg/b.py", "c.py"), Rename("pkg/a.py", "b.py"))
    arguments = ["plan", "apply", plan(subject, *chain), "--to", "new", "--jobs", "1", "--forward"]
    assert main([*arguments, "--tests", "python3 -c 'import pkg.a; pkg.a.f()'"]) == DONE
    out = capsys.readouterr().out
    assert "Left under their old names (1 module):\n  pkg/a.py leads to pkg/b.py\n" in out
    assert "Of 7 modules that could be imported, 7 still can." in out


def test_a_patch_that_git_applies(subject: Path) -> None:
    """NEW-4: FILE.patch is one diff for `git apply`; only it is written."""
    before, patch = state(subject), subject.parent / "plan.patch"
    assert main(["plan", "apply", plan(subject, *GOOD), "--to", str(patch), "--jobs", "1"]) == DONE
    assert state(subject) == before
    said(subject, "apply", str(patch))
    assert (subject / "pkg/core/a.py").read_text() == FILES["pkg/a.py"]


def test_swapped_modules(subject: Path) -> None:
    """NEW-4: two modules that swap their names; one has another name between the two commits."""
    swap = (Rename("pkg/a.py", "b.py"), Rename("pkg/b.py", "a.py"))
    assert main(["plan", "apply", plan(subject, *swap), "--to", "new", "--jobs", "1"]) == DONE
    said(subject, "checkout", "-q", "new")
    assert (subject / "pkg/b.py").read_text() == FILES["pkg/a.py"]
    assert (subject / "pkg/a.py").read_text() == "from . import b as a\n\nx = a.f()\n"
    subprocess.run(["python3", "-B", "-c", "import pkg.low; assert pkg.low.y == 1"], cwd=subject, check=True)


def test_tests_are_run_on_consent_alone(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: the import of each module in a fresh interpreter, and the project's own tests."""
    command = "echo they ran; python3 -c 'import pkg.core.a' && exit 3"
    assert main(["plan", "apply", plan(subject, *GOOD), "--jobs", "1"]) == DONE
    assert "could be imported" not in capsys.readouterr().out
    assert main(["plan", "apply", plan(subject, *GOOD), "--jobs", "1", "--tests", command]) == FINDINGS
    out = capsys.readouterr().out
    assert "  | they ran\n" in out
    assert "Of 6 modules that could be imported, 6 still can." in out
    assert "ended with status 3" in out
    after = out.partition("Without the plan they end with status 1. ")[2]
    assert after.startswith("Compare what fails: the same, or more?\n  | ")
    assert "ModuleNotFoundError" in after


@pytest.fixture
def scratch(subject: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for everything that is made for a while."""
    folder = subject.parent / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def _stopped(subject: Path, scratch: Path, capsys: pytest.CaptureFixture[str], tests: str) -> str:
    """What is said of a plan that is stopped once its tests were run: no branch, and nothing left behind."""
    arguments = ["plan", "apply", plan(subject, *GOOD), "--to", "new", "--jobs", "1", "--tests", tests]
    assert main([*arguments, "--tests-timeout", "1"]) == FINDINGS
    out = capsys.readouterr().out
    assert out.endswith("Nothing was written.\n")
    assert "new" not in said(subject, "branch")
    assert list(scratch.iterdir()) == []
    return out


@pytest.mark.parametrize(
    ("tests", "why"),
    [("sleep 60", "did not end in time"), ("test ! -e pkg/core", "The tests pass without the plan, and fail with it")],
    ids=["hang", "fail"],
)
def test_tests_that_speak_against_the_result_stop_the_plan(
    subject: Path, scratch: Path, capsys: pytest.CaptureFixture[str], tests: str, why: str
) -> None:
    """NEW-4: no branch where the tests hang, or fail by the plan; the scratch clone is gone."""
    assert why in _stopped(subject, scratch, capsys, tests)


def _commit(subject: Path) -> None:
    git(subject, "commit", "-q", "--allow-empty", "-m", "more")


def _edit(subject: Path) -> None:
    (subject / "run.sh").write_text("echo changed\n")


@pytest.mark.parametrize(
    ("change", "why"), [(_commit, "is not checked out any more"), (_edit, "were changed meanwhile")]
)
def test_a_subject_that_changes_meanwhile_stops_the_plan(
    subject: Path,
    scratch: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    why: str,
) -> None:
    """NEW-4: no branch where somebody committed or edited while the tests ran; the scratch clone is gone."""
    run = trial.run_tests

    def run_and_change(folder: Path, command: str, known: ModuleTree, seconds: float) -> trial.Tests:
        change(subject)
        return run(folder, command, known, seconds)

    monkeypatch.setattr(applying, "run_tests", run_and_change)
    assert why in _stopped(subject, scratch, capsys, "true")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Sandbox(network=True, files=True), ""),
        (Sandbox(network=True, files=False), "can write to all files that you can write to; on Linux"),
        (Sandbox(network=False, files=True), "can use the network; on Linux"),
        (Sandbox(network=False, files=False), "can use the network and write to all files"),
    ],
)
def test_what_the_sandbox_lacks_is_said_before_anything_is_run(
    subject: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, kind: Sandbox, words: str
) -> None:
    """NEW-4: one sentence on standard error; none where nothing is missing, or where nothing is to be run."""

    def refuse(*_: object) -> NoReturn:
        raise InputError("Here it begins.")

    monkeypatch.setattr("cbvtool.apply.sandbox.sandbox", lambda: kind)
    monkeypatch.setattr(applying, "apply_plan", refuse)
    file = plan(subject, *GOOD)
    for tests, expected in (["--tests", "true"], words), ([], ""):
        assert main(["plan", "apply", file, *tests]) == FAILED
        before, _, _ = capsys.readouterr().err.partition("cbvtool: Here it begins.")
        assert (expected in before) if expected else not before


def test_each_commit_byte_compiles(subject: Path) -> None:
    """NEW-4: whoever checks out a commit in the middle of the plan has code that compiles, and imports that work."""
    assert main(["plan", "apply", plan(subject, *GOOD), "--to", "new", "--jobs", "1"]) == DONE
    commits = said(subject, "rev-list", "--reverse", "main..new").split()
    assert len(commits) == 2
    for commit in commits:
        said(subject, "checkout", "-q", commit)
        modules = "pkg.parts.c" if (subject / "pkg/parts").is_dir() else "pkg.sub.c"
        subprocess.run(["python3", "-B", "-c", f"import pkg.low, {modules}"], cwd=subject, check=True)


def test_a_chain_of_moves(subject: Path) -> None:
    """NEW-4: one module takes the name that another gave up."""
    chain = (Rename("pkg/b.py", "c.py"), Rename("pkg/a.py", "b.py"))
    assert main(["plan", "apply", plan(subject, *chain), "--to", "new", "--jobs", "1"]) == DONE
    said(subject, "checkout", "-q", "new")
    assert (subject / "pkg/b.py").read_text() == FILES["pkg/a.py"]
    subprocess.run(["python3", "-B", "-c", "import pkg.low; assert pkg.low.y == 1"], cwd=subject, check=True)


def test_a_branch_that_cannot_be_written(
    subject: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEW-4: a read-only checkout is told before anything is worked out; a patch is still possible."""
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "objects")
    assert main(["plan", "apply", plan(subject, *GOOD), "--to", "new", "--jobs", "1"]) == FAILED
    assert "cannot be written to: write a patch instead" in capsys.readouterr().err


def test_no_branch_where_the_subject_only_seems_to_be(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4, NEW-20: a subject that was moved is named, and nothing is written until the plan says where it is."""
    (subject.parent / "plans").mkdir()
    file = Path(plan(subject, *GOOD)).rename(subject.parent / "plans" / "plan.cbv")
    before = state(subject)
    assert main(["plan", "apply", str(file), "--to", "new", "--jobs", "1"]) == FAILED
    assert f"is now at {subject}: save the plan to remember that." in capsys.readouterr().err
    assert state(subject) == before


KEYWORD = Rename("pkg/b.py", "class.py")


def test_what_cannot_be_done_stops_the_plan_or_is_left_out(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: exit status 1; with --keep-going what cannot be, and what builds on it, is left out with its reason."""
    before = state(subject)
    file = plan(subject, *GOOD, KEYWORD)
    assert main(["plan", "apply", file, "--to", "new", "--jobs", "1"]) == FINDINGS
    assert "no import could name it" in capsys.readouterr().out
    assert state(subject) == before
    assert main(["plan", "apply", file, "--to", "new", "--jobs", "1", "--keep-going", "--format", "json"]) == FINDINGS
    report = json.loads(capsys.readouterr().out)
    assert [left["reason"] for left in report["left_out"]] == [
        "pkg/b.py cannot be called class: no import could name it."
    ]
    assert report["proof"]["holds"]
    assert said(subject, "rev-parse", "new").strip() == report["commit"]


def test_nothing_is_written_where_every_task_is_left_out(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "apply", plan(subject, KEYWORD), "--to", "new", "--jobs", "1", "--keep-going"]) == FINDINGS
    assert "Stopped: None of the tasks can be carried out." in capsys.readouterr().out
    assert "new" not in said(subject, "branch")


def test_what_builds_on_a_task_left_out_is_left_out(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: --keep-going leaves out, too, what takes a name that another task was to give up."""
    bad = (KEYWORD, Rename("pkg/a.py", "b.py"), Rename("pkg/sub", "parts"))
    file = plan(subject, *bad)
    assert main(["plan", "apply", file, "--jobs", "1", "--keep-going", "--format", "json"]) == FINDINGS
    report = json.loads(capsys.readouterr().out)
    assert [task["title"] for task in report["done"]] == ["Rename pkg/sub to parts"]
    assert [left["reason"] for left in report["left_out"]] == [
        "pkg/b.py cannot be called class: no import could name it.",
        "pkg/a.py cannot become pkg/b.py: that name is taken by pkg/b.py.",
    ]
    assert report["proof"]["holds"]
    main(["plan", "apply", file, "--jobs", "1", "--keep-going"])
    assert "The import graph is the one of the tasks that are carried out: " in capsys.readouterr().out


def test_a_result_that_is_not_as_planned_is_not_written(
    subject: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEW-4: the proof can fail: an import that the rewriting lost is named, and nothing is written."""

    def lost(*arguments: Any, **named: Any) -> Result:
        result = carry_out(*arguments, **named)
        contents = result.carried[-1].moved.tree.contents
        assert isinstance(contents, dict)
        contents["pkg/b.py"] = b"x = 1\n"
        return result

    monkeypatch.setattr("cbvtool.apply.applying.carry_out", lost)
    assert main(["plan", "apply", plan(subject, GOOD[0], GOOD[1]), "--to", "new", "--jobs", "1"]) == FINDINGS
    assert "pkg/b.py does not import pkg/core/a.py; nothing was written." in capsys.readouterr().out
    assert "new" not in said(subject, "branch")


def test_two_files_for_one_place_are_told_by_their_own_names(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: said before anything is written, and not of the name that one of them would have on the way."""
    (subject / "pkg/sub/b.py").write_text("")
    git(subject, "add", ".")
    git(subject, "commit", "-q", "-m", "second")
    steps = (Move(("pkg/b.py",), "pkg/sub"), Rename("pkg/low.py", "high.py"))
    assert main(["plan", "apply", plan(subject, *steps), "--to", "new", "--jobs", "1"]) == FINDINGS
    assert "pkg/b.py cannot become pkg/sub/b.py: that name is taken by pkg/sub/b.py." in capsys.readouterr().out


@pytest.mark.parametrize(("moving", "stops"), [("pkg/sub/page.js", False), ("pkg/sub/page.c", True)])
def test_files_of_other_languages(subject: Path, capsys: pytest.CaptureFixture[str], moving: str, stops: bool) -> None:
    """NEW-4: a file of a language that is not rewritten, and that something depends on, moves by hand."""
    (subject / "pkg/sub/page.js").write_text('import { f } from "./used.js";\nf();\n')
    (subject / "pkg/sub/used.js").write_text("export function f() {}\n")
    (subject / "pkg/sub/page.c").write_text('#include "used.h"\nint main(void) { return f(); }\n')
    (subject / "pkg/sub/used.h").write_text("int f(void);\n")
    (subject / "pkg/other").mkdir()
    (subject / "pkg/other/__init__.py").write_text("")
    git(subject, "add", ".")
    git(subject, "commit", "-q", "-m", "second")
    steps = plan(subject, Move((moving,), "pkg/other"))
    assert main(["plan", "apply", steps, "--to", "new", "--jobs", "1"]) == (FINDINGS if stops else DONE)
    assert ("that is not done in its language" in capsys.readouterr().out) == stops


def test_a_circular_import_is_predicted(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: circular imports are predicted before anything is written."""
    (subject / "pkg/sub/__init__.py").write_text("from pkg import f\n")
    git(subject, "commit", "-q", "-a", "-m", "second")
    assert (
        main(["plan", "apply", plan(subject, Move(("pkg/a.py",), "pkg/sub")), "--to", "new", "--jobs", "1"]) == FINDINGS
    )
    assert "The import of pkg would fail" in capsys.readouterr().out


def _dirty(subject: Path) -> None:
    (subject / "pkg/a.py").write_text("x = 1\n")


def _branch(subject: Path) -> None:
    git(subject, "branch", "new")


def _submodule(subject: Path) -> None:
    git(subject, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    git(subject, "commit", "-q", "-m", "second")


def _no_git(subject: Path) -> None:
    shutil.rmtree(subject / ".git")


@pytest.mark.parametrize(
    ("change", "reason"),
    [(_dirty, "differ from commit"), (_branch, "a branch 'new' already"), (_submodule, "submodule"), (_no_git, "git")],
)
def test_bad_input_is_said_before(
    subject: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Path], None], reason: str
) -> None:
    """NEW-4: a dirty work tree, a name that exists, submodules, no repository: exit status 2, nothing written."""
    change(subject)
    before = state(subject)
    assert main(["plan", "apply", plan(subject, *GOOD), "--to", "new", "--jobs", "1"]) == FAILED
    assert reason in capsys.readouterr().err
    assert state(subject) == before


def test_a_plan_for_another_commit(subject: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NEW-4: and one that names what is not there."""
    assert main(["plan", "apply", plan(subject, *GOOD, commit="1" * 40)]) == FAILED
    assert "was made on commit 1111111" in capsys.readouterr().err
    assert main(["plan", "apply", plan(subject, Rename("pkg/gone.py", "x.py")), "--jobs", "1"]) == FAILED
    assert "does not fit commit" in capsys.readouterr().err
    for name in ("a..b", "-x", "HEAD", ""):
        assert main(["plan", "apply", plan(subject, *GOOD), f"--to={name}", "--jobs", "1"]) == FAILED


def test_nothing_of_the_repository_runs(subject: Path) -> None:
    """NEW-4, SEC: no hook, no filter and no configuration of the subject has a say."""
    mark = subject.parent / "ran"
    for hook in ("pre-commit", "post-commit", "reference-transaction", "post-checkout", "commit-msg"):
        (subject / ".git/hooks").mkdir(exist_ok=True)
        (subject / ".git/hooks" / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (subject / ".git/hooks" / hook).chmod(0o755)
    with (subject / ".git/config").open("a") as config:
        config.write(
            f'[filter "x"]\n\tclean = touch {mark}; cat\n\tsmudge = touch {mark}; cat\n'
            f"[core]\n\tfsmonitor = touch {mark}\n"
        )
    (subject / ".git/info").mkdir(exist_ok=True)
    (subject / ".git/info/attributes").write_text("* filter=x\n")
    assert main(["plan", "apply", plan(subject, *GOOD), "--to", "new", "--jobs", "1"]) == DONE
    assert not mark.exists()

"""Opening folders, graph files and documents."""

import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cbvtool
from cbvtool import mining
from cbvtool.errors import Cancelled, InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.mining.changes import Changes
from cbvtool.plan import History, Move
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.history import Group
from cbvtool.progress import Progress, silent
from cbvtool.project import Project, open_document, open_project
from tests.graph.compare import difference

posix = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links and names that Windows does not have")


def git(folder: Path, *arguments: str, date: str = "2024-01-01T00:00:00Z") -> None:
    who = {
        f"GIT_{role}_{part}": f"ann{'@x.org' if part == 'EMAIL' else ''}"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **who, **dates}, check=True, capture_output=True)


def committed(folder: Path, files: Mapping[str, str], executable: str = "") -> None:
    """Write files (path -> text) into a folder, and make it a repository with one commit on `main`."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if executable:
        (folder / executable).chmod(0o755)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A package of three modules with two commits."""
    folder = tmp_path / "shop"
    (folder / "core").mkdir(parents=True)
    (folder / "core" / "__init__.py").write_text("")
    (folder / "core" / "order.py").write_text("class Order:\n    pass\n")
    (folder / "main.py").write_text("from core import order\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    (folder / "main.py").write_text("from core import order\n\nprint(order)\n")
    git(folder, "commit", "-q", "-a", "-m", "second", date="2024-02-01T00:00:00Z")
    return folder


def test_a_folder_is_analysed_with_its_history(shop: Path) -> None:
    """Graph and changes, and what the history says about files is recorded in the graph."""
    opened = open_project(shop)
    assert (opened.kind, opened.path, opened.name) == ("folder", shop, "shop")
    assert opened.changes is not None
    assert opened.commit == opened.changes.head == opened.changes.sha[-1]
    graph = opened.graph
    assert graph.ids[graph.edges.target[0]] == "core/order.py"
    recorded = {name: graph.values[name][graph.key_of["main.py"]] for name in ("commits", "authors")}
    assert recorded == {"commits": 2, "authors": 1}
    assert graph.values["commits"][graph.key_of["core/order.py"]] == 1


def test_history_can_be_left_out(shop: Path) -> None:
    """--no-history; the commit is known all the same, documents name it."""
    opened = open_project(shop, history=False)
    assert opened.changes is None
    assert opened.commit == open_project(shop).commit
    assert "commits" not in opened.graph.values


def test_a_folder_without_git_works_and_says_so(tmp_path: Path) -> None:
    """A folder without git works and says so."""
    (tmp_path / "a.py").write_text("x = 1\n")
    opened = open_project(tmp_path)
    assert opened.changes is not None
    assert "not in a git repository" in opened.changes.notes[0]
    assert (opened.commit, opened.history) == ("", None)


@pytest.mark.parametrize("name", ["graph.json", "graph.json.gz", "graph"])
def test_a_graph_file_says_the_same_as_the_folder(shop: Path, tmp_path: Path, name: str) -> None:
    """Nothing is lost on the way, history included."""
    folder, file = open_project(shop), tmp_path / name
    write_graph(folder.graph, file, folder.history)
    opened = open_project(file)
    assert (opened.kind, opened.path, opened.name, opened.commit) == ("graph", file, "shop", folder.commit)
    assert difference(folder.graph, opened.graph) == []
    assert folder.changes is not None
    assert opened.changes is not None
    assert opened.changes.to_dict() == folder.changes.to_dict()


def test_a_path_may_be_relative(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`cbvtool open .` is the folder by its name."""
    monkeypatch.chdir(shop)
    assert open_project(".").path == shop
    assert open_project(".").name == "shop"


# -- bad input ---------------------------------------------------------------------------------------------------


def bare(path: Path) -> None:
    git(path.parent, "init", "-q", "--bare", path.name)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_text("import os\n"), "is a file and no saved graph: open the folder that it lies in"),
        (lambda path: path.write_bytes(b"\x7fELF\0\0"), "is a file and no saved graph"),
        (lambda path: path.write_text('{"format"'), "cannot be read as a graph: it is cut off"),
        (Path.mkdir, "holds no file"),
        (bare, "is a bare git repository, without files: clone it and open the clone"),
        pytest.param(lambda path: path.symlink_to(path), "cannot be opened: Too many levels", marks=posix),
        pytest.param(os.mkfifo, "is neither a folder nor a file", marks=posix),
    ],
    ids=["missing", "source file", "binary file", "cut off graph", "empty", "bare", "link to itself", "pipe"],
)
def test_bad_input_is_one_sentence(tmp_path: Path, make, reason: str) -> None:
    """One sentence naming the thing and the reason."""
    path = tmp_path / "subject"
    make(path)
    with pytest.raises(InputError) as caught:
        open_project(path)
    assert reason in str(caught.value)
    assert "subject" in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_what_no_path_can_be_is_one_sentence(path: str) -> None:
    """A path that the system refuses."""
    with pytest.raises(InputError, match="cannot be opened: "):
        open_project(path)


def test_a_repository_without_commits_works(tmp_path: Path) -> None:
    """A repository without commits opens, and says that it has no history."""
    (tmp_path / "a.py").write_text("x = 1\n")
    git(tmp_path, "init", "-q")
    opened = open_project(tmp_path)
    assert opened.changes is not None
    assert "no commits" in opened.changes.notes[0]


def test_a_shallow_clone_works_and_says_so(shop: Path, tmp_path: Path) -> None:
    """A shallow clone opens, and its history is marked."""
    git(tmp_path, "clone", "-q", "--depth", "1", shop.as_uri(), "clone")
    opened = open_project(tmp_path / "clone")
    assert opened.changes is not None
    assert opened.changes.shallow
    assert (tmp_path / "graph.json").exists() is False
    write_graph(opened.graph, tmp_path / "graph.json", opened.history)
    again = open_project(tmp_path / "graph.json")
    assert again.changes is not None
    assert again.changes.shallow


# -- documents ---------------------------------------------------------------------------------------------------


def document_of(opened: Project) -> Document:
    return Document(opened.path, opened.name, opened.commit, (Plan.of(History(opened.graph)),))


def test_a_document_opens_its_subject(shop: Path, tmp_path: Path) -> None:
    """A document holds the subject's path and commit; both may move together."""
    write_document(document_of(open_project(shop)), tmp_path / "plan.cbv")
    document, opened = open_document(tmp_path / "plan.cbv")
    assert (document.name, opened.path) == ("shop", shop)
    (tmp_path / "elsewhere").mkdir()
    shutil.move(shop, tmp_path / "elsewhere" / "shop")
    shutil.move(tmp_path / "plan.cbv", tmp_path / "elsewhere" / "plan.cbv")
    document, opened = open_document(tmp_path / "elsewhere" / "plan.cbv")
    assert (document.name, opened.path) == ("shop", tmp_path / "elsewhere" / "shop")


def test_a_document_is_no_subject(shop: Path, tmp_path: Path) -> None:
    """`cbvtool analyze plan.cbv` says what it needs instead."""
    write_document(document_of(open_project(shop)), tmp_path / "plan.cbv")
    with pytest.raises(InputError, match="is a document with a plan: name the folder or the graph file"):
        open_project(tmp_path / "plan.cbv")


def test_a_subject_that_was_moved_is_found_and_said(shop: Path, tmp_path: Path) -> None:
    """NEW-20: beside the document, by its name and what the plan names; the document stays as it is."""
    before = open_project(shop)
    history = History(before.graph).do(Group("Move", (Move(("main.py",), "core"),)))
    file = tmp_path / "plans" / "plan.cbv"
    file.parent.mkdir()
    write_document(replace(document_of(before), plans=(Plan.of(history),)), file)
    written = file.read_bytes()
    moved = Path(shutil.move(shop, file.parent / "shop"))
    told: list[str] = []
    document, opened = open_document(file, note=told.append)
    assert (document.subject, opened.path) == (moved, moved)
    assert told == [f"shop is now at {moved}: save the plan to remember that."]
    assert file.read_bytes() == written


def test_a_subject_that_was_moved_is_named_with_its_document(shop: Path, tmp_path: Path) -> None:
    """One sentence that names the document and what it is about."""
    write_document(document_of(open_project(shop)), tmp_path / "plan.cbv")
    shop.rename(tmp_path / "market")
    with pytest.raises(InputError) as caught:
        open_document(tmp_path / "plan.cbv")
    plan = tmp_path / "plan.cbv"
    assert str(caught.value) == (
        f"{plan} is about {shop}, which is not there: was it moved or renamed? `cbvtool open {plan}` asks where it is."
    )


# -- progress, cancelling, threads ---------------------------------------------------------------------------------


def test_progress_is_told_on_the_calling_thread_alone(shop: Path) -> None:
    """Design 8: a window or a terminal need not expect calls from other threads."""
    threads = set()
    said = set()

    def note(what: str, done: int, total: int) -> None:
        threads.add(threading.current_thread())
        said.add(what)

    open_project(shop, progress=note)
    assert threads == {threading.current_thread()}
    assert said


@pytest.mark.parametrize("error", [Cancelled, KeyboardInterrupt])
def test_cancelling_the_analysis_stops_the_history(
    shop: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """What progress raises stops both; no thread is left."""
    stopped = threading.Event()
    monkeypatch.setattr(mining, "read_changes", endless(stopped))

    def cancel(what: str, done: int, total: int) -> None:
        raise error

    with pytest.raises(error):
        open_project(shop, progress=cancel)
    assert stopped.is_set()


def test_cancelling_the_history_stops_it(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history that takes long can be cancelled once the sources are read."""
    stopped = threading.Event()
    monkeypatch.setattr(mining, "read_changes", endless(stopped))

    def cancel(what: str, done: int, total: int) -> None:
        if what == "Waiting for git":
            raise Cancelled

    with pytest.raises(Cancelled):
        open_project(shop, progress=cancel)
    assert stopped.is_set()


def test_a_failing_analysis_stops_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for the history of a folder that cannot be analysed."""
    stopped = threading.Event()
    monkeypatch.setattr(mining, "read_changes", endless(stopped))
    with pytest.raises(InputError, match="holds no file"):
        open_project(tmp_path)
    assert stopped.is_set()


@pytest.mark.parametrize("error", [InputError("It is odd"), MemoryError(), RecursionError("too deep"), OSError()])
def test_a_history_that_fails_costs_a_note(shop: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """A history that fails in any way costs a note, never the picture."""

    def fail(root: Path, *, progress: Progress = silent, processes: mining.Processes, **_more: object) -> Changes:
        raise error

    monkeypatch.setattr(mining, "read_changes", fail)
    project = open_project(shop)
    assert len(project.graph) == 6
    assert project.commit
    assert project.changes is not None
    assert project.changes.sha == ()
    assert "could not be read" in project.changes.notes[0]
    assert type(error).__name__ in project.changes.notes[0]


def test_a_thread_that_cannot_be_started_costs_a_note(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine at its limits."""
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "history":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    project = open_project(shop)
    assert project.changes is not None
    assert "can't start new thread" in project.changes.notes[0]


def test_nobody_waits_for_a_history_that_hangs(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git may hang where no signal reaches it; then its thread is left behind."""
    over = threading.Event()

    def hang(root: Path, *, progress: Progress = silent, processes: mining.Processes, **_more: object) -> Changes:
        over.wait()
        return Changes.none("Too late.")

    def cancel(what: str, done: int, total: int) -> None:
        if what == "reading history":
            raise Cancelled

    monkeypatch.setattr(mining, "read_changes", hang)
    try:
        with pytest.raises(Cancelled):
            open_project(shop, progress=cancel)
        assert [thread for thread in threading.enumerate() if thread.name == "history" and thread.daemon]
    finally:
        over.set()


def endless(stopped: threading.Event):
    """A history that goes on until it is told to stop."""

    def read(root: Path, *, progress: Progress = silent, processes: mining.Processes, **_more: object) -> Changes:
        try:
            while True:
                progress("Waiting for git", 0, 0)
                time.sleep(0.001)
        finally:
            stopped.set()

    return read


# -- the library ---------------------------------------------------------------------------------------------------


def run_script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(text))
    source = str(Path(cbvtool.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
        check=False,
    )


def test_analyze_is_the_front_door(shop: Path) -> None:
    """`import cbvtool; g = cbvtool.analyze("path")`."""
    graph = cbvtool.analyze(str(shop))
    assert difference(graph, open_project(shop).graph) == []
    assert np.isfinite(graph.values["commits"]).any()


def test_importing_the_package_is_light(tmp_path: Path) -> None:
    """Workers and plugins import the package: it must not bring NumPy, Qt or VTK along."""
    done = run_script(
        tmp_path,
        """
        import sys
        import cbvtool
        loaded = {name.partition(".")[0] for name in sys.modules}
        assert not loaded & {"numpy", "scipy", "networkx", "git", "qtpy", "PyQt5", "vtkmodules", "msgspec"}, loaded
        assert callable(cbvtool.analyze)
        """,
    )
    assert done.returncode == 0, done.stderr


def test_a_plain_script_needs_no_main_guard(shop: Path, tmp_path: Path) -> None:
    """Worker processes must not run the user's script again."""
    for number in range(40):
        (shop / f"m{number}.py").write_text("import core\n" * 50)
    done = run_script(
        tmp_path,
        f"""
        print("once")
        import cbvtool
        g = cbvtool.analyze({str(shop)!r}, jobs=2)
        print(len(g.edges))
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "once\n41\n"


def test_nothing_in_the_working_directory_is_run(shop: Path, tmp_path: Path) -> None:
    """Design 8: standing in an untrusted repository, no module of it is imported, not even by a worker process."""
    for name in ("multiprocessing", "pickle", "numpy", "msgspec", "git", "signal", "sitecustomize"):
        (shop / f"{name}.py").write_text("import pathlib; pathlib.Path('ran').touch(); raise SystemExit(3)\n")
    for number in range(40):
        (shop / f"m{number}.py").write_text("import core\n")
    (tmp_path / "script.py").write_text(
        f"import os\nos.chdir({str(shop)!r})\nimport cbvtool\nprint(len(cbvtool.analyze('.', jobs=2).edges))\n"
    )
    source = str(Path(cbvtool.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    for command in ([str(tmp_path / "script.py")], ["-m", "cbvtool", "analyze", ".", "--jobs", "2"]):
        done = subprocess.run(
            [sys.executable, *command], cwd=shop, capture_output=True, text=True, env=environment, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert not (shop / "ran").exists()


def test_a_saved_graph_can_be_analysed_again(shop: Path, tmp_path: Path) -> None:
    """The library reads what the command line wrote."""
    write_graph(cbvtool.analyze(shop), tmp_path / "graph.json")
    assert difference(cbvtool.analyze(tmp_path / "graph.json"), read_graph(tmp_path / "graph.json")[0]) == []


def test_unknown_names_of_the_package_are_refused() -> None:
    """A lazy attribute must not hide a misspelling."""
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        cbvtool.analyse  # noqa: B018


def test_module_and_metadata_agree_on_the_version() -> None:
    """One version, wherever it is asked for."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert f'version = "{cbvtool.__version__}"' in text

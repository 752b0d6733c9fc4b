"""Issue 2 item 4 and issue 3 item 5: reading in worker processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import LANGUAGES
from cbvtool.analysis.pool import INLINE_BYTES, Task, read_all
from cbvtool.analysis.workers import interrupts_held_back
from cbvtool.errors import Cancelled
from cbvtool.graph import Graph

READER = LANGUAGES[0].reader

# A reader whose process ends at the word `die`; at the word `stumble`, only the first time.
DEADLY = """
import os, signal
from cbvtool.analysis.facts import FileFacts

def read_facts(data):
    word, _, mark = data.decode().partition(" ")
    if word == "die":
        os._exit(9)
    if word == "stumble" and not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(9)
    return FileFacts(len(data), 0, 0, 0, (), (), False)
"""


def tasks_of(folder: Path, texts: list[str], reader: str = READER) -> list[Task]:
    tasks = []
    for i, text in enumerate(texts):
        path = folder / f"f{i}.py"
        path.write_text(text)
        tasks.append(Task(str(path), reader, len(text)))
    return tasks


def described(graph: Graph) -> tuple[object, ...]:
    """All of a graph, comparable."""
    edges = graph.edges
    columns = [graph.kinds, graph.parent, graph.file, graph.line, graph.end_line, *graph.values.values()]
    columns += [edges.source, edges.target, edges.weight, edges.confidence, edges.when, edges.site_ptr, edges.site_line]
    return (graph.ids, graph.names, graph.files, graph.report, [column.tobytes() for column in columns])


def test_processes_find_the_same() -> None:
    """Issue 3 item 5: the same graph from one process and from two, to the last byte."""
    folder = Path(__file__).parents[2] / "src"
    assert described(analyze(folder, jobs=1)) == described(analyze(folder, jobs=2))


def test_results_stand_in_the_order_of_tasks(tmp_path: Path) -> None:
    """Issue 3 item 5: largest first is the order of work, not of results."""
    tasks = tasks_of(tmp_path, ["x = 1\n" * (i * 37 % 101) for i in range(101)])
    results = read_all(tasks, jobs=2)
    assert [result.lines for result in results if not isinstance(result, str)] == [i * 37 % 101 for i in range(101)]


def test_small_folders_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 2 item 4: processes only where they pay; both sides of the border."""
    import cbvtool.analysis.workers as workers

    def no_pool(count: int) -> None:
        raise AssertionError("a pool was started")

    monkeypatch.setattr(workers, "worker_pool", no_pool)
    monkeypatch.setattr("cbvtool.analysis.pool._processors", lambda: 2)
    tasks = tasks_of(tmp_path, ["x = 1\n"] * 20)
    assert len(read_all(tasks)) == 20
    with pytest.raises(AssertionError, match="a pool was started"):
        read_all([task._replace(size=INLINE_BYTES) for task in tasks])


@pytest.fixture
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "deadly_reader.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "deadly_reader"


def test_a_dying_worker_costs_one_file(tmp_path: Path, deadly: str) -> None:
    """Issue 3, bad input: a killed worker loses its chunk at most, which is retried, then reported."""
    folder = tmp_path / "files"
    folder.mkdir()
    texts = ["fine"] * 60
    texts[7] = texts[41] = "die"
    seen: list[tuple[int, int]] = []
    results = read_all(
        tasks_of(folder, texts, deadly), jobs=2, progress=lambda what, done, total: seen.append((done, total))
    )
    for text, result in zip(texts, results, strict=True):
        if text == "die":
            assert isinstance(result, str)
            assert "process" in result
        else:
            assert isinstance(result, FileFacts)
    assert seen[-1] == (60, 60)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_worker_that_died_by_accident_costs_nothing(tmp_path: Path, deadly: str) -> None:
    """Issue 3, bad input: what was lost is tried again."""
    folder = tmp_path / "files"
    folder.mkdir()
    texts = ["fine"] * 30
    texts[11] = f"stumble {tmp_path / 'mark'}"
    assert all(isinstance(result, FileFacts) for result in read_all(tasks_of(folder, texts, deadly), jobs=2))
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_cancel(tmp_path: Path, jobs: int) -> None:
    """Issue 2 item 8: what progress raises stops the work; no process and no thread is left."""
    tasks = tasks_of(tmp_path, ["x = 1\n" * 1000] * 100)

    def stop(what: str, done: int, total: int) -> None:
        if done:
            raise Cancelled

    before = threading.enumerate()
    with pytest.raises(Cancelled):
        read_all(tasks, jobs, stop)
    assert multiprocessing.active_children() == []
    assert threading.enumerate() == before


def test_progress_counts_files(tmp_path: Path) -> None:
    """Issue 2 item 8: progress says how many files are done, of how many."""
    for jobs in (1, 2):
        seen: list[tuple[str, int, int]] = []
        read_all(tasks_of(tmp_path, ["x = 1\n"] * 30), jobs, lambda *call: seen.append(call))  # noqa: B023 - called at once
        assert seen[-1] == ("Reading sources", 30, 30)
        assert all(what == "Reading sources" and 0 <= done <= total == 30 for what, done, total in seen)


def test_workers_import_little() -> None:
    """DESIGN 2: worker processes load no Qt, no VTK, no Numba, no NetworkX, no NumPy."""
    code = """
        import sys
        import cbvtool.analysis.pool, cbvtool.analysis.workers
        import cbvtool.analysis.python
        print(*sorted({name.partition(".")[0] for name in sys.modules}))
    """
    output = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    heavy = {"PyQt5", "PySide6", "qtpy", "vtkmodules", "pyvista", "numba", "networkx", "numpy", "scipy", "git"}
    assert not heavy & set(output.stdout.split())
    assert "tree_sitter" in output.stdout.split()


def test_a_script_without_a_guard(tmp_path: Path) -> None:
    """Issue 2 item 10: `cbvtool.analyze` works in a script that has no `if __name__ == "__main__"`."""
    folder = tmp_path / "files"
    folder.mkdir()
    tasks_of(folder, ["x = 1\n"] * 30)
    script = tmp_path / "script.py"
    script.write_text(f"from cbvtool.analysis import analyze\nprint(len(analyze({str(folder)!r}, jobs=2)))\n")
    output = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert output.stdout == "31\n"
    assert output.stderr == ""


def test_facts_are_small_when_sent() -> None:
    """Issue 3 item 5: compact results: what a worker sends is a fraction of what it read."""
    from cbvtool.analysis.python import read_facts

    files = sorted((Path(__file__).parents[2] / "src").rglob("*.py"))
    data = [path.read_bytes() for path in files]
    facts = [read_facts(text) for text in data]
    assert pickle.loads(pickle.dumps(facts)) == facts
    assert len(pickle.dumps(facts)) < sum(map(len, data)) / 5


@pytest.mark.skipif(sys.platform == "win32", reason="signals to oneself are another thing there")
def test_ctrl_c_waits_until_the_workers_are_started() -> None:
    """A pool that is interrupted while it starts cannot be closed; it is not lost, whichever thread gets it."""
    handler = signal.getsignal(signal.SIGINT)
    reached = []

    def interrupted() -> None:
        with another_thread() as never:
            with interrupts_held_back():
                os.kill(os.getpid(), signal.SIGINT)  # the other thread may take it: this one has it blocked
                never.wait(0.05)
                reached.append("the end")
            reached.append("behind it")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert reached == ["the end"]
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@contextmanager
def another_thread() -> Iterator[threading.Event]:
    """A second thread that waits and has no signal blocked."""
    never, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        yield never
    finally:
        done.set()
        thread.join()

"""Reading in worker processes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, crew
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import LANGUAGES
from cbvtool.analysis.pool import HARMLESS_BYTES, INLINE_BYTES, ReadTask, read_all
from cbvtool.analysis.workers import interrupts_held_back
from cbvtool.errors import Cancelled
from cbvtool.graph import Graph

READER = LANGUAGES[0].reader

# A reader that obeys the first word of its file; the second is a file that says whether it did so before.
OBEDIENT = """
import os, resource, signal
from cbvtool.analysis.facts import FileFacts

def read_facts(data, name=""):
    word, _, mark = data.decode().partition(" ")
    first = not os.path.exists(mark)
    if word != "fine" and mark:
        open(mark, "a").close()
    if word == "exit":
        os._exit(9)
    if word == "killed" or (word == "stumble" and first):
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "abort":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.abort()
    if word == "greedy":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, resource.RLIM_INFINITY))
        bytearray(1 << 40)
    if word == "fault":
        raise KeyError("a mistake in the reader")
    if word == "deep":
        return read_facts(data, name)
    return FileFacts(len(data))
"""


def tasks_of(folder: Path, texts: list[str], reader: str = READER) -> list[ReadTask]:
    tasks = []
    for i, text in enumerate(texts):
        path = folder / f"f{i}.py"
        path.write_text(text)
        tasks.append(ReadTask(str(path), reader, len(text)))
    return tasks


def read(tasks: list[ReadTask], *arguments: object, **options: object) -> list[FileFacts | str]:
    """What was found for each task, in their order."""
    outcomes = dict(read_all(tasks, *arguments, **options))
    return [outcomes[row].facts for row in range(len(tasks))]


def described(graph: Graph) -> tuple[object, ...]:
    """All of a graph, comparable."""
    edges = graph.edges
    columns = [graph.kinds, graph.parent, graph.file, graph.line, graph.end_line, *graph.values.values()]
    columns += [edges.source, edges.target, edges.weight, edges.confidence, edges.when, edges.site_ptr, edges.site_line]
    return (graph.ids, graph.names, graph.files, graph.report, [column.tobytes() for column in columns])


def test_processes_find_the_same() -> None:
    """The same graph from one process and from two, to the last byte."""
    folder = Path(__file__).parents[2] / "src" / "cbvtool" / "analysis" / "languages" / "python"
    assert described(analyze(folder, jobs=1)) == described(analyze(folder, jobs=2))


def test_results_belong_to_their_tasks(tmp_path: Path) -> None:
    """Largest first is the order of work; every result says which task it is of."""
    tasks = tasks_of(tmp_path, ["x = 1\n" * (i * 37 % 101) for i in range(101)])
    assert [found.lines for found in read(tasks, jobs=2)] == [i * 37 % 101 for i in range(101)]


def test_small_folders_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes only where they pay, or a file may cost much; both sides of both borders."""
    monkeypatch.setattr(crew, "lone_process", no_process)
    monkeypatch.setattr("cbvtool.analysis.pool._processors", lambda: 2)
    tasks = tasks_of(tmp_path, ["x = 1\n"] * 20)
    assert len(read(tasks)) == 20
    read([task._replace(size=INLINE_BYTES // 20) for task in tasks])
    for size in (INLINE_BYTES // 20 + 1, HARMLESS_BYTES + 1):
        with pytest.raises(AssertionError, match="a process was started"):
            read([task._replace(size=size) for task in tasks])


def no_process(target: object) -> None:
    raise AssertionError("a process was started")


@pytest.fixture
def obedient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "of_tests").mkdir()
    (tmp_path / "of_tests" / "obedient.py").write_text(OBEDIENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "of_tests.obedient"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends when its work has")
posix = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals to oneself are another thing there")


@posix
@pytest.mark.parametrize("word", ["exit", "killed", "abort"])
def test_a_dying_worker_costs_one_file(folder: Path, obedient: str, word: str) -> None:
    """A killed worker loses its chunk at most, which is retried once, then reported."""
    texts = ["fine"] * 60
    texts[7] = texts[41] = word
    seen: list[tuple[int, int]] = []
    results = read(
        tasks_of(folder, texts, obedient), jobs=2, progress=lambda what, done, total: seen.append((done, total))
    )
    for text, result in zip(texts, results, strict=True):
        if text == "fine":
            assert isinstance(result, FileFacts)
        else:
            assert result == "was given up: the process that read it ended again and again"
    assert seen[-1] == (60, 60)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@posix
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_reader_costs_one_file(folder: Path, obedient: str, jobs: int) -> None:
    """A mistake in a reader, or a file that overflows its stack, is told and harms no other."""
    results = read(tasks_of(folder, ["fine", "fault", "deep", "fine"], obedient), jobs)
    assert isinstance(results[0], FileFacts)
    assert results[1:3] == ["makes its reader fail (KeyError)", "makes its reader fail (RecursionError)"]
    assert isinstance(results[3], FileFacts)


@posix
def test_too_little_memory_costs_one_file(folder: Path, obedient: str) -> None:
    """A worker that may not have as much memory as a file takes goes on with the next."""
    results = read(tasks_of(folder, ["greedy", *["fine"] * 9], obedient), jobs=2)
    assert results[0] == "takes more than 1.5 GB of memory"
    assert all(isinstance(result, FileFacts) for result in results[1:])


@posix
def test_a_worker_that_died_by_accident_costs_nothing(tmp_path: Path, folder: Path, obedient: str) -> None:
    """What was lost is tried again."""
    texts = ["fine"] * 30
    texts[11] = f"stumble {tmp_path / 'mark'}"
    assert all(isinstance(result, FileFacts) for result in read(tasks_of(folder, texts, obedient), jobs=2))
    assert (tmp_path / "mark").exists()


@posix
@pytest.mark.parametrize("when", ["started", "dead at once"])
def test_where_no_process_starts_one_does_the_work(
    folder: Path, obedient: str, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """No process to be had is one sentence, not a failure."""

    def poor(target: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    if when == "started":
        monkeypatch.setattr(crew, "lone_process", poor)
    else:
        monkeypatch.setattr(crew, "_serve", sys.exit)  # each worker ends before it reads anything
    said: list[str] = []
    results = read(tasks_of(folder, ["fine"] * 30, obedient), jobs=2, note=said.append)
    assert all(isinstance(result, FileFacts) for result in results)
    (sentence,) = said
    assert sentence.startswith("Processes that read could not be started")
    assert sentence.endswith(": the files were read in one.")


# -- executors of others -----------------------------------------------------------------------------------------


class Distant(ThreadPoolExecutor):
    """Reads what it is given, elsewhere: no file is there. At the words `lost`, work comes to nothing."""

    def __init__(self, loses: Callable[[ReadTask], bool] = lambda task: False, stops: bool = False) -> None:
        super().__init__(2)
        self.loses, self.stops, self.given = loses, stops, list[list[ReadTask]]()

    def submit(self, function: Callable[..., object], tasks: list[ReadTask]) -> Future[object]:
        self.given.append(tasks)
        if any(map(self.loses, tasks)):
            lost: Future[object] = Future()
            lost.set_exception(BrokenExecutor() if self.stops else RuntimeError("a worker is gone"))
            return lost
        return super().submit(function, [task._replace(path=f"/not/here/{Path(task.path).name}") for task in tasks])


def test_an_executor_of_others_is_given_the_content(folder: Path) -> None:
    """Any `concurrent.futures.Executor`, wherever it may be; a file that is gone is told."""
    tasks = tasks_of(folder, ["x = 1\n" * i for i in range(30)])
    (folder / "f3.py").unlink()
    with Distant() as executor:
        results = read(tasks, executor=executor)
    assert results[3] == "cannot be read: No such file or directory"
    assert [found.lines for found in results if isinstance(found, FileFacts)] == [i for i in range(30) if i != 3]


def test_what_an_executor_loses_is_tried_once_more(folder: Path) -> None:
    """A chunk is tried again, file by file; only what is lost twice is given up."""
    tasks = tasks_of(folder, ["x = 1\n"] * 1000)
    with Distant(lambda task: task.path.endswith("f17.py")) as executor:
        results = read(tasks, executor=executor)
    assert [row for row, found in enumerate(results) if isinstance(found, str)] == [17]
    assert len([chunk for chunk in executor.given if tasks[17].path in {task.path for task in chunk}]) == 2


def test_an_executor_that_breaks_is_done_without(folder: Path) -> None:
    """What it did not read is read here, and one sentence says so."""
    tasks = tasks_of(folder, ["x = 1\n"] * 1000)
    said: list[str] = []
    with Distant(lambda task: task.path.endswith("f17.py"), stops=True) as executor:
        results = read(tasks, executor=executor, note=said.append)
    assert len(executor.given) < 100
    assert all(isinstance(found, FileFacts) for found in results)
    assert said == ["The executor that was to read the files stopped working: the rest was read without it."]


def test_cancelling_an_executor_of_others(folder: Path) -> None:
    """What progress raises ends our work on it, and nothing of somebody else's."""

    def stop(what: str, done: int, total: int) -> None:
        if done:
            raise Cancelled

    with Distant() as executor:
        with pytest.raises(Cancelled):
            read(tasks_of(folder, ["x = 1\n"] * 600), progress=stop, executor=executor)
        assert executor.submit(len, []).result() == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_cancel(tmp_path: Path, jobs: int) -> None:
    """What progress raises stops the work; no process and no thread is left."""
    tasks = tasks_of(tmp_path, ["x = 1\n" * 1000] * 100)

    def stop(what: str, done: int, total: int) -> None:
        if done:
            raise Cancelled

    before = threading.enumerate()
    with pytest.raises(Cancelled):
        read(tasks, jobs, stop)
    assert multiprocessing.active_children() == []
    assert threading.enumerate() == before


def test_progress_counts_files(tmp_path: Path) -> None:
    """Progress says how many files are done, of how many."""
    for jobs in (1, 2):
        seen: list[tuple[str, int, int]] = []
        read(tasks_of(tmp_path, ["x = 1\n"] * 30), jobs, lambda *call: seen.append(call))  # noqa: B023 - called at once
        assert seen[-1] == ("Reading sources", 30, 30)
        assert all(what == "Reading sources" and 0 <= done <= total == 30 for what, done, total in seen)


def test_workers_import_little() -> None:
    """Design 2: worker processes load no Qt, no VTK, no Numba, no NetworkX, no NumPy."""
    code = """
        import sys
        import cbvtool.analysis.pool, cbvtool.analysis.workers
        import cbvtool.analysis.languages.python.reader
        print(*sorted({name.partition(".")[0] for name in sys.modules}))
    """
    output = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    heavy = {"PyQt5", "PySide6", "qtpy", "vtkmodules", "pyvista", "numba", "networkx", "numpy", "scipy", "git"}
    assert not heavy & set(output.stdout.split())
    assert "tree_sitter" in output.stdout.split()


def test_a_script_without_a_guard(tmp_path: Path) -> None:
    """`cbvtool.analyze` works in a script that has no `if __name__ == "__main__"`."""
    folder = tmp_path / "files"
    folder.mkdir()
    tasks_of(folder, ["x = 1\n"] * 30)
    script = tmp_path / "script.py"
    script.write_text(f"from cbvtool.analysis import analyze\nprint(len(analyze({str(folder)!r}, jobs=2)))\n")
    output = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert output.stdout == "31\n"
    assert output.stderr == ""


def test_facts_are_small_when_sent() -> None:
    """Compact results: what a worker sends, every use of a name included, is about what it read."""
    from cbvtool.analysis.languages.python.reader import read_facts

    files = sorted((Path(__file__).parents[2] / "src").rglob("*.py"))[::4]
    data = [path.read_bytes() for path in files]
    facts = [read_facts(text) for text in data]
    assert pickle.loads(pickle.dumps(facts)) == facts
    assert len(pickle.dumps(facts)) < sum(map(len, data)) * 1.5


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


_ORPHAN = """
from cbvtool.analysis.crew import Crew
crew = Crew(1)
crew.add(eval, ["__import__('os').getpid()", %r], 1000)
while True:
    for found in crew.found(1):
        print(found.result, flush=True)
"""
_PATIENT = "__import__('time').sleep(1000)"
_STUBBORN = "__import__('re').match('(a|aa)*b', 'a' * 100)"  # no other thread of the worker runs meanwhile


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a way to kill a process for sure")
@pytest.mark.parametrize("work", [_PATIENT, pytest.param(_STUBBORN, marks=linux)])
def test_workers_end_with_a_parent_that_is_killed(work: str) -> None:
    """Nobody is left behind, whatever happens to the program, and whatever the worker is at."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    program = subprocess.Popen(
        [sys.executable, "-c", _ORPHAN % work],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert program.stdout is not None
    worker = int(program.stdout.readline())
    os.kill(worker, 0)  # it is there
    time.sleep(0.2)  # it is at its work
    program.kill()
    program.wait()
    program.stdout.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _is_there(worker):
        time.sleep(0.05)
    assert not _is_there(worker)


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or ") Z" not in stat.read_text()  # ended, but nobody has asked how

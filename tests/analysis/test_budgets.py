"""What a file or a resolver may cost is enforced from outside; Cancel and Ctrl-C wait for nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, cost, pool
from cbvtool.analysis import attended as attended_module
from cbvtool.analysis.attended import TooMuch, attended
from cbvtool.analysis.crew import Crew, CrewResult
from cbvtool.analysis.limits import NoResult
from cbvtool.analysis.pool import ReadTask, read_all
from cbvtool.errors import Cancelled

HANG = "re.match('(a|aa)*b', 'a' * 100)"  # one call that never ends, in which no other thread of a process runs
GREED = "bytearray(10**10)"
# A reader that obeys its file.
READER = f"""
import os, re, signal, time
from cbvtool.analysis.facts import FileFacts

def read_facts(data, name=""):
    text = data.decode()
    if text == "hang":
        {HANG}
    if text == "sleep":
        time.sleep(1000)
    if text == "greed":
        {GREED}
    if text == "leak":
        kept = []
        while True:
            kept.append(b"x" * 100_000_000)
    if text == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    return FileFacts(len(data))
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are another thing there")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "of_tests").mkdir()
    (tmp_path / "of_tests" / "obeys.py").write_text(READER)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "of_tests.obeys"


def tasks_of(folder: Path, reader: str, texts: list[str]) -> list[ReadTask]:
    folder.mkdir()
    for i, text in enumerate(texts):
        (folder / f"f{i}").write_text(text)
    return [ReadTask(str(folder / f"f{i}"), reader, len(text)) for i, text in enumerate(texts)]


TOO_LONG = "takes more than 2 seconds to be read"
TOO_MUCH = "takes more than 1.5 GB of memory"
GIVEN_UP = "was given up: the process that read it ended again and again"


@posix
@pytest.mark.parametrize(
    ("seconds", "reasons"),
    [
        (2.0, {3: ("hang", TOO_LONG), 30: ("crash", GIVEN_UP), 31: ("hang", TOO_LONG)}),
        # To fill that much memory takes a slow machine more than two seconds.
        (100.0, {4: ("greed", TOO_MUCH), 17: ("leak", TOO_MUCH), 30: ("crash", GIVEN_UP)}),
    ],
    ids=["time", "memory"],
)
def test_a_hostile_file_costs_itself_alone(
    tmp_path: Path, reader: str, seconds: float, reasons: dict[int, tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever takes too long or too much, or crashes, is told with its reason; all others are read, each once."""
    monkeypatch.setattr(pool, "FILE_SECONDS", seconds)
    texts = ["fine"] * 40
    for row, (text, _) in reasons.items():
        texts[row] = text
    rows = list(read_all(tasks_of(tmp_path / "files", reader, texts), jobs=2))
    assert sorted(row for row, _ in rows) == list(range(40))
    for row, outcome in rows:
        if row in reasons:
            assert outcome.facts == reasons[row][1]
        else:
            assert not isinstance(outcome.facts, str)
    # What holds for the content is remembered by it; what may have been an accident is not.
    assert all(bool(dict(rows)[row].digest) == (text != "crash") for row, (text, _) in reasons.items())
    assert multiprocessing.active_children() == []


@posix
@pytest.mark.parametrize("text", ["hang", "sleep"])
def test_cancel_waits_for_no_file(tmp_path: Path, reader: str, text: str) -> None:
    """What `progress` raises ends the workers at once: a file that hangs is never waited for."""
    tasks = tasks_of(tmp_path / "files", reader, [text] * 4)
    begun: list[float] = []

    def stop(what: str, done: int, total: int) -> None:
        begun.append(time.monotonic())
        if len(begun) > 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        list(read_all(tasks, 2, stop))
    assert multiprocessing.active_children() == []


_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from cbvtool.analysis.pool import ReadTask, read_all
tasks = [ReadTask(path, "of_tests.obeys", 4) for path in sys.argv[2:]]
def tell(*state):
    print("reading", flush=True)
try:
    list(read_all(tasks, 2, tell))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@posix
@pytest.mark.parametrize("to", ["program", "all"])
def test_ctrl_c_waits_for_no_file(tmp_path: Path, reader: str, to: str) -> None:
    """Ctrl-C reaches the program alone, or its workers, too; either way all of them end."""
    paths = [task.path for task in tasks_of(tmp_path / "files", reader, ["hang"] * 4)]
    program = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(tmp_path), *paths],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert program.stdout is not None
    for _ in range(10):  # a second: the workers are at it
        assert program.stdout.readline() == "reading\n"
    if to == "program":
        program.send_signal(signal.SIGINT)
    else:
        os.killpg(program.pid, signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (out.splitlines()[-1], err, program.returncode) == ("interrupted", "", 0)
    with pytest.raises(ProcessLookupError):
        os.killpg(program.pid, 0)  # nobody is left in its group


@pytest.fixture
def crew() -> Iterator[Crew]:
    made = Crew(1)
    yield made
    made.close()


def all_of(crew: Crew) -> list[CrewResult]:
    found: list[CrewResult] = []
    while crew.busy:
        found += crew.found(1)
    return found


@posix
def test_a_crew_reports_each_item_once(crew: Crew) -> None:
    """A job keeps what it found before the item that ends its worker, and goes on behind it."""
    kill = "__import__('os').kill(__import__('os').getpid(), 9)"
    crew.add(eval, ["1", kill, "2", f"__import__('re').{HANG[3:]}", "3"], 0.5, "a")
    crew.add(eval, ["4", "1 / 0", "5"], 0.5, "b")
    found = {(one.tag, one.row): one.result for one in all_of(crew)}
    assert found.pop(("a", 1)) == NoResult("", False)
    assert found.pop(("a", 3)) == NoResult("takes more than 0 seconds", True)
    assert isinstance(found.pop(("b", 1)), ZeroDivisionError)
    assert found == {("a", 0): 1, ("a", 2): 2, ("a", 4): 3, ("b", 0): 4, ("b", 2): 5}


def test_a_crew_takes_what_it_cannot_send(crew: Crew) -> None:
    """A result that cannot be sent is a fault of its item."""
    crew.add(eval, ["lambda: 1", "2"], 5)
    first, second = all_of(crew)
    assert isinstance(first.result, RuntimeError)
    assert second.result == 2


def test_what_a_process_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from Linux itself as from the library that asks any system."""
    of_library = cost._from_psutil(os.getpid())
    assert of_library is not None
    assert of_library.memory > 1_000_000
    if sys.platform == "linux":
        own = cost._from_linux(os.getpid())
        assert own.seconds == pytest.approx(of_library.seconds, abs=2)
        assert own.memory == pytest.approx(of_library.memory, rel=0.2)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert cost.cost_of(ended.pid) is None


# -- work on a thread ------------------------------------------------------------------------------------------------


def forever() -> None:
    while True:
        try:
            sum(range(100))
        except Exception:
            continue


def nothing() -> None:
    pass


def test_what_takes_too_long_is_stopped() -> None:
    """Any Python code stops; no thread is left."""
    before = threading.enumerate()
    with pytest.raises(TooMuch, match="takes more than 0 seconds"):
        attended(forever, nothing, 0.2)
    assert threading.enumerate() == before


def test_what_takes_too_much_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cbvtool.analysis.attended.MEMORY", 50_000_000)

    def leak() -> None:
        kept = []
        while True:
            kept.append(b"x" * 1_000_000)
            time.sleep(0.01)

    with pytest.raises(TooMuch, match="of memory"):
        attended(leak, nothing, 1000)


def test_what_the_caller_raises_stops_the_work() -> None:
    """Cancel, whatever the work is at."""

    def stop() -> None:
        raise Cancelled

    before = threading.enumerate()
    with pytest.raises(Cancelled):
        attended(forever, stop, 1000)
    assert threading.enumerate() == before


_DEAF = """
import threading
from cbvtool.analysis import attended
attended._GRACE = 0.1

def stop(): raise RuntimeError("stopped")

try:
    attended.attended(threading.Event().wait, stop, 1000)
except RuntimeError as error:
    print(error, flush=True)
"""


def test_work_that_cannot_be_stopped_does_not_keep_the_program() -> None:
    """Work in one long call of C hears nothing: it is left to itself, and ends with the program."""
    source = str(Path(attended_module.__file__).parents[2])
    program = subprocess.run(
        [sys.executable, "-c", _DEAF],
        env=os.environ | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (program.returncode, program.stdout, program.stderr) == (0, "stopped\n", "")


def test_results_and_errors_come_through() -> None:
    assert attended(lambda: 7, nothing, 10) == 7
    with pytest.raises(ZeroDivisionError):
        attended(lambda: 1 // 0, nothing, 10)


# -- declarations that lead nowhere ----------------------------------------------------------------------------------

CHAINS = {
    "a.ts": ("class C{n} extends C{m} {{ f{n}() {{ this.f{m}(); }} }}\n", ""),
    "a.go": ("type T{n} struct {{ *T{m} }}\n", "package a\n"),
    "lib.rs": ("pub use self::a{n} as a{m};\n", ""),
}


@pytest.mark.parametrize("name", CHAINS)
def test_long_chains_are_followed_a_part_of_the_way(tmp_path: Path, name: str) -> None:
    """1,500 classes, one below the other, or as many aliases: no relation of others is lost with them."""
    pattern, before = CHAINS[name]
    (tmp_path / name).write_text(before + "".join(pattern.format(n=i, m=i + 1) for i in range(1_500)))
    graph = analyze(tmp_path)
    assert not [note for note in graph.report.notes if "missing" in note]


def test_long_chains_of_exports(tmp_path: Path) -> None:
    """1,000 files in a ring pass on what the next one exports; a relation beside them stays."""
    for i in range(1_000):
        text = f"export * from './m{(i + 1) % 1_000}.js';\nexport * from './m{i * 7 % 1_000}.js';\n"
        (tmp_path / f"m{i}.js").write_text(text)
    (tmp_path / "a.js").write_text("import {f} from './b.js';\nimport {x} from './m0.js';\nx(f());\n")
    (tmp_path / "b.js").write_text("export function f() {}\n")
    graph = analyze(tmp_path)
    assert not [note for note in graph.report.notes if "missing" in note]
    calls = [i for i in range(len(graph.edges)) if graph.edges.kind_names[graph.edges.kind[i]] == "call"]
    assert [graph.ids[graph.edges.target[i]] for i in calls] == ["b.js::f"]

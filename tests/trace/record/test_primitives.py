"""What the recorder writes of each way to wait, to release, to read and to write, in each Python (TR-1, ST-1, ST-2)."""

from __future__ import annotations

import numpy as np
import pytest

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import FLOW, correspondences
from cbvtool.trace.waits.totals import longest_waits
from tests.trace.record.subjects import VERSIONS, recorded

# Each case is a thread of that name, which waits; the main thread lets it go on a little later.
PROGRAM = """
import asyncio, concurrent.futures, os, queue, socket, threading, time
from concurrent.futures import ThreadPoolExecutor

def case(name, waits, releases, before=lambda: None):
    before()
    thread = threading.Thread(target=waits, name=name)
    thread.start()
    time.sleep(0.03)
    releases()
    thread.join()

lock, again = threading.Lock(), threading.RLock()
def take_lock():
    with lock: pass
def take_again():
    with again:
        with again: pass
def leave_again():
    again.release()
    again.release()
case("lock", take_lock, lock.release, lock.acquire)
case("reentrant", take_again, leave_again, lambda: (again.acquire(), again.acquire()))

plain, owned, ready = threading.Condition(threading.Lock()), threading.Condition(), []
def wait_plain():
    with plain: plain.wait()
def notify_plain():
    with plain: plain.notify()
def wait_owned():
    with owned: owned.wait_for(lambda: ready)
def notify_owned():
    with owned:
        ready.append(1)
        owned.notify_all()
case("condition", wait_plain, notify_plain)
case("condition with a question", wait_owned, notify_owned)

few, bounded, event, late = threading.Semaphore(0), threading.BoundedSemaphore(1), threading.Event(), threading.Event()
def take_bounded():
    with bounded: pass
case("semaphore", few.acquire, few.release)
case("bounded semaphore", take_bounded, bounded.release, bounded.acquire)
case("event", event.wait, event.set)
case("time-out", lambda: late.wait(0.01), lambda: None)
few.acquire(False)
lock.acquire(False), lock.release()

barrier = threading.Barrier(2)
case("barrier", barrier.wait, barrier.wait)

jobs, small, simple = queue.Queue(), queue.Queue(1), queue.SimpleQueue()
case("queue", jobs.get, lambda: jobs.put(1))
case("queue tasks", jobs.join, jobs.task_done)
case("full queue", lambda: small.put(2), small.get, lambda: small.put(1))
case("simple queue", simple.get, lambda: simple.put(1))

worker = threading.Thread(target=lambda: late.wait(0.05), name="worker")
worker.start()
case("join", worker.join, lambda: None)

future, other = concurrent.futures.Future(), concurrent.futures.Future()
case("future", future.result, lambda: future.set_result(1))
case("futures", lambda: concurrent.futures.wait([other]), lambda: other.set_result(1))
with ThreadPoolExecutor(1, thread_name_prefix="pool") as pool:
    pool.submit(int).result()
    time.sleep(0.03)
    pool.submit(int).result()

case("sleep", lambda: time.sleep(0.02), lambda: None)

async def idle():
    started.append((asyncio.get_running_loop(), asyncio.Event()))
    await started[0][1].wait()
started = []
def call_soon():
    loop, over = started[0]
    loop.call_soon_threadsafe(over.set)
case("asyncio", lambda: asyncio.run(idle()), call_soon)

inside, outside = os.pipe()
def slow_write():
    os.write(outside, b"x" * 200_000)
def slow_print():
    with open(outside, "wb", 0) as file: file.write(b"x" * 200_000)
def read_all():
    left = 200_000
    while left: left -= len(os.read(inside, left))
case("descriptor", slow_write, read_all)
case("file", slow_print, read_all)
os.close(inside)

one, two = socket.socketpair()
case("socket", lambda: one.recv(3), lambda: two.send(b"abc"))
server, client = socket.create_server(("127.0.0.1", 0)), socket.socket()
case("accept", lambda: server.accept()[0].close(), lambda: client.connect(server.getsockname()))
for each in (one, two, server, client): each.close()

never = threading.Event()
threading.Thread(target=never.wait, name="never", daemon=True).start()
locked = threading.Lock()
locked.acquire()
def stuck():
    with locked: pass
threading.Thread(target=stuck, name="stuck", daemon=True).start()
time.sleep(0.02)
"""

# Case: kind of the object that it waits for longest, the function that waits and the one that releases.
NOBODY, NEVER = "nobody", "never ends"
WAITS = {
    "lock": ("lock", "take_lock", "case"),
    "reentrant": ("reentrant lock", "take_again", "leave_again"),
    "condition": ("condition", "Condition.wait", "Condition.notify"),
    "condition with a question": ("condition", "Condition.wait", "Condition.notify_all"),
    "semaphore": ("semaphore", "Semaphore.acquire", "Semaphore.release"),
    "bounded semaphore": ("semaphore", "Semaphore.acquire", "BoundedSemaphore.release"),
    "event": ("event", "Event.wait", "Event.set"),
    "time-out": ("event", "Event.wait", NOBODY),
    "barrier": ("barrier", "Barrier.wait", "Barrier.wait"),
    "queue": ("queue", "Queue.get", "Queue.put"),
    "queue tasks": ("queue tasks", "Queue.join", "Queue.task_done"),
    "full queue": ("queue room", "Queue.put", "Queue.get"),
    "simple queue": ("queue", "Thread.run", "<lambda>"),
    "join": ("thread", "Thread.join", "Thread._bootstrap"),
    "future": ("future", "Future.result", "Future.set_result"),
    "futures": ("event", "Event.wait", "Event.set"),
    "pool_0": ("queue", "_worker", "ThreadPoolExecutor.submit"),
    "sleep": ("timer", "<lambda>", NOBODY),
    "asyncio": ("selector", "EpollSelector.select", "BaseEventLoop.call_soon_threadsafe"),
    "accept": ("socket", "socket.accept", NOBODY),
    "never": ("event", "Condition.wait", NEVER),
    "stuck": ("lock", "stuck", NEVER),
}
LIBRARY = ("logging", "events.py", "mixins.py", "weakref", "base_events.py")  # locks of asyncio itself
# Case: kind of the object, the function that reads or writes it, and whether it writes.
TRANSFERS = {
    "descriptor": ("file", "slow_write", True),
    "file": ("file", "slow_print", True),
    "socket": ("socket", "<lambda>", False),
}


@pytest.fixture(scope="module", params=VERSIONS)
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The recording of the program."""
    trace, done = recorded(tmp_path_factory.mktemp("primitives"), PROGRAM, request.param)
    assert done.status == 0
    return trace


def test_each_wait_has_its_object_and_its_release(trace: Trace) -> None:
    waits = longest_waits(trace, correspondences(trace), None)
    found: dict[str, tuple[str, str, str]] = {}
    for at, thread in enumerate(waits.thread.tolist()):  # the longest first
        name = trace.threads.name[thread]
        ended = function(trace, int(waits.release[at])) if waits.release[at] >= 0 else NOBODY
        row = kind(trace, int(waits.object[at])), function(trace, int(waits.call[at])), ended
        found.setdefault(name, row if not waits.open[at] else (*row[:2], NEVER))
    assert {case: found.get(case) for case in WAITS} == WAITS


def test_each_object_is_named(trace: Trace) -> None:
    """By the line that made it; threads by their names."""
    objects, waits = trace.table("objects"), trace.table("waits")
    of = [trace.threads.name[row] for row in trace.thread_of(waits["call"].astype(np.int64)).tolist()]
    rows = waits["object"][np.isin(of, list(WAITS))]
    named = {(kind(trace, row), trace.strings[int(objects["name"][row])]) for row in rows.tolist()}
    own = {"lock", "reentrant lock", "condition", "semaphore", "barrier", "queue", "queue room", "selector"}
    lines = [name for what, name in named if what in own and not name.startswith(LIBRARY)]
    assert len(lines) >= 12
    assert {name.partition(":")[0] for name in lines} == {"program.py"}
    assert {("thread", "worker"), ("timer", "sleep")} <= named


def test_reads_and_writes_have_their_file(trace: Trace) -> None:
    io = trace.table("io")
    found: dict[str, tuple[str, str, bool]] = {}
    for at in np.argsort(io["start"] - io["end"], kind="stable").tolist():
        call = int(io["call"][at])
        thread = trace.threads.name[int(trace.thread_of(np.array([call]))[0])]
        row = kind(trace, int(io["object"][at])), function(trace, call), bool(io["write"][at])
        found.setdefault(thread, row)
    assert {case: found.get(case) for case in TRANSFERS} == TRANSFERS


def test_a_condition_gives_its_lock_back_while_it_waits(trace: Trace) -> None:
    """ST-2: its call releases the lock at the start of the wait; a try is no wait, taking a lock again is none."""
    waits, releases = trace.table("waits"), trace.table("releases")
    kinds = np.array([kind(trace, row) for row in range(len(trace.table("objects")))])
    conditions = waits["call"][kinds[waits["object"]] == "condition"]
    at = np.isin(releases["call"], conditions)
    assert set(kinds[releases["object"][at]].tolist()) == {"lock", "reentrant lock"}
    assert set(releases["time"][at].tolist()) == set(waits["start"][np.isin(waits["call"], conditions)].tolist())
    again = [function(trace, row) for row in waits["call"][kinds[waits["object"]] == "reentrant lock"].tolist()]
    assert again.count("take_again") == 1
    assert [function(trace, row) for row in releases["call"].tolist()].count("leave_again") == 1


def test_threads_are_linked_to_what_started_them(trace: Trace) -> None:
    links = trace.table("links")
    spawned = [at for at, row in enumerate(links["kind"].tolist()) if trace.strings[row] == "spawn"]
    started = trace.thread_of(links["target"][spawned].astype(np.int64))
    assert set(WAITS) <= {trace.threads.name[row] for row in started.tolist()}
    assert FLOW not in correspondences(trace).kind


def function(trace: Trace, call: int) -> str:
    """The qualified name of a call's function, without the functions around it; of a module's code "<module>"."""
    return str(trace.functions.name[trace.calls.function[call]]).rpartition("<locals>.")[2]


def kind(trace: Trace, thing: int) -> str:
    """The kind of an object."""
    return trace.strings[int(trace.table("objects")["kind"][thing])]

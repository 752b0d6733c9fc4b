"""Traces of threads whose schedule is known: a small simulation writes down which release ended which wait.

Locks are handed over in the order of asking; a thread that is woken goes on 1 to 20 microseconds later. Conditions,
semaphores, waits for all or any of several events, re-entrant locks and time-outs are mixed.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.table import Table
from cbvtool.trace.model.trace import Trace

US = 1000  # ns
Op = tuple[str, tuple[int, ...], int, bool]  # what, objects, ns (of work, or until a time-out; 0 = none), all
KINDS = ("mutex", "condition", "semaphore", "event")


@dataclass
class Waiting:
    """A wait under way: of which thread, for what, since when."""

    thread: int
    objects: tuple[int, ...]
    start: int
    all: bool
    mutex: int = -1
    begun: int = -1  # the release of the mutex when the wait begins
    got: dict[int, int] = field(default_factory=dict)  # release of each object so far
    over: bool = False


@dataclass
class Schedule:
    """truth: of each wait, by (call, object), the row of the release that ended it, -1 = none; a release is a row."""

    trace: Trace
    truth: dict[tuple[int, int], int]


class Simulation:
    """Threads that run the operations of their programs until the time is over."""

    def __init__(self, chance: random.Random, objects: list[str]) -> None:
        self.chance = chance
        self.kinds = objects
        self.queue: list[tuple[int, int, Callable[[], None]]] = []
        self.ticks = 0
        self.owner: dict[int, int] = {}
        self.depth: dict[int, int] = {}
        self.line: dict[int, deque[Waiting]] = {n: deque() for n in range(len(objects))}
        self.count: dict[int, int] = {}
        self.waits: list[tuple[int, tuple[int, ...], int, int, bool, dict[int, int], int]] = []
        self.releases: list[tuple[int, int, int, int]] = []  # thread, object, time, the wait whose call it is (-1)

    def at(self, time: int, what: Callable[[], None]) -> None:
        self.ticks += 1
        heapq.heappush(self.queue, (time, self.ticks, what))

    def run(self, programs: list[Iterator[Op]]) -> None:
        """Run them all to their ends."""
        for thread, program in enumerate(programs):
            self.at(self.chance.randrange(100 * US), lambda t=thread, p=program: self.step(t, p))  # type: ignore[misc] # bound now
        while self.queue:
            self.now, _, what = heapq.heappop(self.queue)
            what()

    def step(self, thread: int, program: Iterator[Op]) -> None:
        """The next operation of a thread."""
        op = next(program, None)
        if op is None:
            return
        what, objects, length, all_of = op
        go = lambda: self.step(thread, program)  # noqa: E731 - said once
        if what == "run":
            self.at(self.now + length, go)
        elif what == "release":
            self.release(thread, objects[0])
            self.at(self.now + US, go)
        else:
            self.wait(thread, objects, length, all_of, go)

    def release(self, thread: int, thing: int) -> None:
        """Unlock, signal, post or set; whoever waits longest goes on, of events everybody."""
        row = len(self.releases)
        self.releases.append((thread, thing, self.now, -1))
        kind = self.kinds[thing]
        if kind == "mutex":
            self.depth[thing] -= 1
            if self.depth[thing]:
                return
            del self.owner[thing]
            self.hand_over(thing, row)
        elif kind == "semaphore" and not self.line[thing]:
            self.count[thing] = self.count.get(thing, 0) + 1
        elif kind == "event":
            for waiting in list(self.line[thing]):
                self.satisfy(waiting, thing, row)
        elif self.line[thing]:
            self.satisfy(self.line[thing][0], thing, row)

    def hand_over(self, mutex: int, row: int) -> None:
        if self.line[mutex]:
            waiting = self.line[mutex][0]
            self.owner[mutex], self.depth[mutex] = waiting.thread, 1
            self.satisfy(waiting, mutex, row)

    def satisfy(self, waiting: Waiting, thing: int, row: int) -> None:
        """A release reaches a wait."""
        waiting.got[thing] = row
        if waiting.all and len(waiting.got) < len(waiting.objects):
            return  # it stays in line: what another release makes free once more counts from then on
        self.line[thing].remove(waiting)
        if self.kinds[thing] == "condition":  # it needs its mutex again
            if waiting.mutex in self.owner:
                self.line[waiting.mutex].append(waiting)
                return
            self.owner[waiting.mutex], self.depth[waiting.mutex] = waiting.thread, 1
        self.finish(waiting)

    def finish(self, waiting: Waiting) -> None:
        """The thread wakes up a moment later."""
        waiting.over = True
        for thing in waiting.objects:
            if waiting in self.line[thing]:
                self.line[thing].remove(waiting)
        delay = self.chance.randrange(US, 20 * US)
        self.at(self.now + delay, lambda: self.woken(waiting))

    def woken(self, waiting: Waiting) -> None:
        objects, number = waiting.objects, len(self.waits)
        self.waits.append((waiting.thread, objects, waiting.start, self.now, waiting.all, waiting.got, waiting.mutex))
        if waiting.mutex >= 0:  # the release of the mutex at the start belongs to this call
            self.releases[waiting.begun] = (waiting.thread, waiting.mutex, waiting.start, number)
        self.resume[waiting.thread]()

    def wait(self, thread: int, objects: tuple[int, ...], limit: int, all_of: bool, go: Callable[[], None]) -> None:
        """Lock, wait for a condition (objects: condition, mutex), a semaphore, or all or any of some events."""
        self.resume = getattr(self, "resume", {})
        self.resume[thread] = go
        thing = objects[0]
        kind = self.kinds[thing]
        if kind == "mutex" and self.owner.get(thing, thread) == thread:
            self.owner[thing] = thread
            self.depth[thing] = self.depth.get(thing, 0) + 1 if thing in self.depth else 1
            self.waits.append((thread, objects, self.now, self.now + 50, False, {}, -1))
            self.at(self.now + US, go)
            return
        if kind == "semaphore" and self.count.get(thing, 0):
            self.count[thing] -= 1
            self.waits.append((thread, objects, self.now, self.now + 50, False, {}, -1))
            self.at(self.now + US, go)
            return
        waiting = Waiting(thread, objects[:1] if kind == "condition" else objects, self.now, all_of)
        if kind == "condition":
            waiting.mutex = objects[1]
        for one in waiting.objects:
            self.line[one].append(waiting)
        if waiting.mutex >= 0:
            self.releases.append((thread, waiting.mutex, self.now, -1))
            row = waiting.begun = len(self.releases) - 1
            del self.owner[waiting.mutex]
            self.depth[waiting.mutex] = 0
            self.hand_over(waiting.mutex, row)
        if limit:
            self.at(self.now + limit, lambda: self.time_out(waiting))

    def time_out(self, waiting: Waiting) -> None:
        """Give up, if nothing has come."""
        if waiting.over or waiting.got:
            return
        self.finish(waiting)


def programs(chance: random.Random, objects: dict[str, list[int]], threads: int, steps: int) -> list[Iterator[Op]]:
    """What each thread does: work, and now and then something with the objects, by kind."""

    def work() -> Op:
        return ("run", (), chance.randrange(5 * US, 400 * US), False)

    def program() -> Iterator[Op]:
        for _ in range(steps):
            yield work()
            what = chance.choice(("lock", "lock", "nested", "signal", "post", "take", "set", "all", "any"))
            mutex, thing = chance.choice(objects["mutex"]), chance.choice(objects["semaphore"])
            if what in ("lock", "nested"):
                yield ("wait", (mutex,), 0, False)
                yield work()
                if what == "nested":
                    yield ("wait", (mutex,), 0, False)
                    yield work()
                    yield ("release", (mutex,), 0, False)
                    yield work()
                yield ("release", (mutex,), 0, False)
            elif what == "signal":
                yield ("release", (chance.choice(objects["event"]),), 0, False)
            elif what == "post":
                yield ("release", (thing,), 0, False)
            elif what == "take":
                yield ("wait", (thing,), 3000 * US, False)
            elif what == "set":
                yield ("release", (chance.choice(objects["event"]),), 0, False)
            else:
                some = tuple(chance.sample(objects["event"], chance.choice((2, 3))))
                yield ("wait", some, 0 if what == "any" else 8000 * US, what == "all")

    def monitor(condition: int, mutex: int, signals: bool) -> Iterator[Op]:
        for _ in range(steps):
            yield work()
            yield ("wait", (mutex,), 0, False)
            if signals:
                yield work()
                yield ("release", (condition,), 0, False)
                yield work()
                yield ("release", (mutex,), 0, False)
            else:
                yield ("wait", (condition, mutex), 0, False)
                yield work()
                yield ("release", (mutex,), 0, False)

    pairs = list(zip(objects["condition"], objects["monitor"], strict=True))
    made = [program() for _ in range(threads - 4 * len(pairs))]
    for condition, mutex in pairs:
        made += [monitor(condition, mutex, signals) for signals in (True, True, False, False)]
    return made


def schedule(seed: int, threads: int = 40, steps: int = 120, wrapped: int = 0) -> Schedule:
    """A trace of threads, and which release ended which wait. Waits that never end are not in it.

    wrapped  every call that waits or releases lies below 0 to `wrapped` others
    """
    chance = random.Random(seed)
    kinds = ["mutex"] * 8 + ["semaphore"] * 4 + ["event"] * 8 + ["condition"] * 2 + ["mutex"] * 2
    names = {"mutex": [*range(8)], "semaphore": [*range(8, 12)], "event": [*range(12, 20)], "condition": [20, 21]}
    names["monitor"] = [22, 23]
    ran = Simulation(chance, kinds)
    ran.run(programs(chance, names, threads, steps))

    builder = TraceBuilder("test", Budget("The trace"))
    function = {what: builder.function(what) for what in ("wait", "release")}
    rows = [builder.thread(1, number) for number in range(threads)]
    spans = sorted(
        [(thread, start, end, "wait", number) for number, (thread, _, start, end, *_) in enumerate(ran.waits)]
        + [
            (thread, time, time + 100, "release", number)
            for number, (thread, _, time, call) in enumerate(ran.releases)
            if call < 0
        ]
    )
    numbers = {}
    for thread, start, end, what, number in spans:
        for level in range(number % (wrapped + 1)):
            builder.span(rows[thread], builder.function(f"wrapper {level}"), start, end)
        numbers[what, number] = builder.span(rows[thread], function[what], start, end)
    built = builder.build()
    release_call = [
        built.row[numbers["wait", call] if call >= 0 else numbers["release", row]]
        for row, (_, _, _, call) in enumerate(ran.releases)
    ]
    columns: dict[str, list[int]] = {name: [] for name in ("call", "object", "start", "end", "all")}
    truth = {}
    for number, (_, objects, start, end, all_of, got, _) in enumerate(ran.waits):
        call = int(built.row[numbers["wait", number]])
        for thing in objects:
            for name, value in zip(columns, (call, thing, start, end, all_of), strict=True):
                columns[name].append(value)
            truth[call, thing] = got.get(thing, -1)
    tables = {
        "objects": Table(
            {
                "process": np.zeros(len(kinds), np.int64),
                "id": np.arange(len(kinds)),
                "kind": np.array([builder.pool.number(kind) for kind in kinds], np.uint32),
                "name": np.zeros(len(kinds), np.uint32),
            }
        ),
        "waits": Table(
            {
                "call": np.array(columns["call"], np.uint32),
                "object": np.array(columns["object"], np.uint32),
                "start": np.array(columns["start"], np.int64),
                "end": np.array(columns["end"], np.int64),
                "all": np.array(columns["all"], np.bool_),
            }
        ),
        "releases": Table(
            {
                "call": np.array(release_call, np.uint32),
                "object": np.array([thing for _, thing, _, _ in ran.releases], np.uint32),
                "time": np.array([time for _, _, time, _ in ran.releases], np.int64),
            }
        ),
    }
    return Schedule(builder.trace(built, tables), truth)

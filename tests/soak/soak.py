"""The real program under random real events: soak.py [SUBJECT] [--trace RECORDING] [--minutes 20] [--seed N].

Starts the window on the subject (the sample project unless one is named) in a process and an X server of its own, with
a window manager, and lets a seeded generator move, click, drag, wheel, type and press every shortcut. Meanwhile and
afterwards it watches that the process lives, answers events, says nothing on stderr and in its log, that its memory
and the number of its threads do not grow, and that it ends with status 0 when its window is closed. Prints a line a
minute and a summary; exit status 1, with the seed and the last events, when something was wrong.

How much memory a window needs depends on what it shows: two views of a large screen take more than a small one. Growth
is therefore judged at rest: now and then, not counted in the minutes, the window goes back to the state in which it was
when its subject was read (window.py, `Rest`), and is measured there. What it takes meanwhile is told as well.

With a recording (`--trace weather`: the sample program weather, recorded now), three views of it are open all the time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(HOME / "src")]

import cbvtool.view.window.main_window  # noqa: E402, F401 - the path is set above; its places have commands, too
from cbvtool.view.commands.commands import COMMANDS, Command  # noqa: E402 - the path is set above
from cbvtool.view.window.sample import make_sample, sample_script  # noqa: E402

SCREEN = (1920, 1200)
ANSWERS_WITHIN = 10.0  # seconds
SLOW = 0.5  # seconds: which event made that
STARTS_WITHIN = 180.0
RESTS_WITHIN = 60.0
CALM_WITHIN = 60.0  # for threads to end, and for the window to close
GROWTH = 0.10  # of the median of the last quarter over that of the second
SAMPLED_EVERY = 2.0  # seconds
REST_EVERY = 40.0  # seconds
FEWEST_RESTS = 12  # for a word about memory
REMEMBERED = 40  # events
OWN_FRAME = re.compile(r'cbvtool/(\S+\.py)", line (\d+)')
SHOWN_FRAMES = 4

# Native dialogs about files, what starts other programs, what ends the program or goes to another subject.
LEFT_OUT = {
    "open_folder",
    "open_file",
    "open_sample",
    "save",
    "save_as",
    "export_tasks",
    "export_view",
    "save_picture",
    "quit",
    "open_editor",
    "hierarchy_table",
}
KEYS = {
    "Esc": "Escape",
    "Del": "Delete",
    "Enter": "KP_Enter",
    "Return": "Return",
    "Space": "space",
    "+": "plus",
    "-": "minus",
    "=": "equal",
    "?": "question",
    ",": "comma",
    ".": "period",
    "PgUp": "Prior",
    "PgDown": "Next",
}
NAMED = {"Left", "Right", "Up", "Down", "Home", "End", "Tab"}
TYPED = (
    "a",
    "test",
    "order shop",
    "/^_/",
    "/(/",
    "kind:class",
    "kind:",
    "path:src/ kind:file",
    "sloc > 10",
    "nl3 > 20%",
    "sloc >",
    "complexity / sloc > 0.3",
    "1/0",
    "not",
    "((",
    "not kind:file and (fan_in >= 2 or authors == 1)",
    "?",
    "commits > 1 and",
    "äöü ß",
    "zzzzqqq",
    "sloc > 1e999",
    "-1",
    "kind:function name:get",
    "a" * 200,
)
TRACE_KEYS = (
    "/",
    "g",
    "m",
    "n",
    "p",
    "f",
    "F",
    "[",
    "]",
    "s",
    "Return",
    "Up",
    "Down",
    "Left",
    "Right",
    "plus",
    "minus",
)
TRACE_ANSWERS = ("read", "120ms..1.5s", "0.1..0.2", "5..1", "1e999..x", "", "a note", "a" * 300)
DONE_FROM_PALETTE = ("Fit view", "Switch between light", "Show one level more", "View from above", "Undo", "nothing so")


def xdotool_key(text: str) -> str:
    """A key as Qt writes it ("Ctrl+Shift+F") as xdotool wants it ("ctrl+shift+f")."""
    *modifiers, key = text[:-1].split("+") if len(text) > 1 and text.endswith("+") else text.split("+")
    key = "+" if text.endswith("+") else key
    named = key in NAMED or (key[:1] == "F" and key[1:].isdigit())
    name = key if named else KEYS.get(key, key.lower())
    return "+".join([modifier.lower() for modifier in modifiers if modifier] + [name])


def growth(samples: Sequence[float]) -> float | None:
    """By what share the median of the last quarter exceeds that of the second; the first is the warm-up.

    None where there are too few samples to say.
    """
    if len(samples) < FEWEST_RESTS:
        return None
    quarter = len(samples) // 4
    return statistics.median(samples[-quarter:]) / statistics.median(samples[quarter : 2 * quarter]) - 1


def pressable(commands: Iterable[Command] = COMMANDS) -> list[tuple[str, str]]:
    """(name, key for xdotool) of every shortcut that is pressed."""
    return [(c.name, xdotool_key(key)) for c in commands if c.name not in LEFT_OUT for key in c.keys]


class Trouble(Exception):
    """Something was wrong: one sentence."""


@dataclass
class Program:
    """The program that is watched, from outside.

    folder   with the files that window.py writes, and its stderr
    """

    process: subprocess.Popen[bytes]
    folder: Path
    rss: list[float] = field(default_factory=list)  # MiB, whatever it showed
    rests: list[tuple[float, int, int]] = field(default_factory=list)  # MiB, objects and widgets at rest

    def _read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(errors="replace").strip() if path.exists() else ""

    @property
    def beat(self) -> dict[str, Any]:
        """What the heart told last; empty before its first beat."""
        text = self._read("beat")
        return json.loads(text) if text else {}

    @property
    def threads(self) -> int:
        """How many there are now."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def where(self) -> str:
        """Where Python's threads are now, after the names of all."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        names = sorted(task.joinpath("comm").read_text().strip() for task in tasks)
        self.process.send_signal(signal.SIGUSR1)
        time.sleep(1)
        return f"{', '.join(names)}\n{self._said()}"

    def sample(self) -> None:
        """Note how much memory it takes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        self.rss.append(pages * os.sysconf("SC_PAGESIZE") / 2**20)

    def rest(self) -> None:
        """Let it go back to its first state, and note what it takes there. Raises Trouble."""
        self.process.send_signal(signal.SIGUSR2)
        told = len(self.rests)
        wait_for(lambda: len(self.beat["rests"]) > told, RESTS_WITHIN, "the window does not come to rest", self)
        self.rests = self.beat["rests"]

    def pauses(self) -> str:
        """How often it did not answer for a second, and where it was then, innermost first."""
        traces = self._read("slow").split("Timeout")[1:]
        places = [[":".join(frame) for frame in OWN_FRAME.findall(trace)] for trace in traces]
        where = Counter(" < ".join(frames[:SHOWN_FRAMES]) or "Qt" for frames in places)
        return "\n  ".join([f"{len(traces)} pauses over a second", *(f"{n} x {at}" for at, n in where.most_common())])

    def check(self) -> None:
        """Raises Trouble if it has ended, complained, or does not answer."""
        if (status := self.process.poll()) is not None:
            raise Trouble(f"the program ended by itself, status {status}: {self._said() or 'without a word'}")
        if said := self._said():
            raise Trouble(f"the program complained: {said}")
        path = self.folder / "beat"
        silent = time.time() - path.stat().st_mtime if path.exists() else 0.0
        if max(silent, self.beat.get("gap", 0.0)) > ANSWERS_WITHIN:
            raise Trouble(f"no answer for {max(silent, self.beat.get('gap', 0.0)):.0f} s: {self.where()}")

    def _said(self) -> str:
        return "\n".join(filter(None, (self._read("stderr"), self._read("log"))))


class Tester:
    """Seeded random events on a window. `events` are the last ones."""

    def __init__(self, window: int, seed: int, environment: dict[str, str], traced: bool = False) -> None:
        self.window, self.count = window, 0
        self.events: deque[str] = deque(maxlen=REMEMBERED)
        self._random = random.Random(seed)
        self._environment = environment
        self._keys = pressable()
        self._size = (1440, 900)
        self._acts: list[tuple[int, Callable[[], None]]] = [
            (14, self._move),
            (14, self._click),
            (6, self._double_click),
            (14, self._drag),
            (10, self._wheel),
            (5, self._context_menu),
            (30, self._press_shortcut),
            (5, self._search),
            (3, self._filter),
            (2, self._lasso),
            (2, self._palette),
            (3, self._resize),
            (6, self._undo),
            (2, self._preset),
            (3, self._tabs),
            *([(25, self._in_trace)] if traced else []),
        ]

    def xdotool(self, *arguments: object) -> str:
        """Run it; what it prints. Windows that are gone meanwhile are no fault."""
        done = subprocess.run(
            ["xdotool", *map(str, arguments)], env=self._environment, capture_output=True, text=True, timeout=60
        )
        return done.stdout.strip()

    def act(self) -> None:
        """One more thing to do; whatever dialog is there is closed before."""
        self.count += 1
        if self.xdotool("getactivewindow") != str(self.window):
            self._answer()
        weights = [weight for weight, _act in self._acts]
        self._random.choices(self._acts, weights)[0][1]()
        time.sleep(self._random.expovariate(1 / 0.06))

    def _note(self, what: str) -> None:
        self.events.append(what)

    def _answer(self) -> None:
        """A dialog, menu or floating panel has the keyboard: do something there, then leave it."""
        self._note("dialog: keys and Escape")
        for _ in range(self._random.randrange(3)):
            self.xdotool("key", self._random.choice(("Tab", "Down", "Up", "space")))
        for _ in range(20):
            self.xdotool("key", "Escape")
            self.xdotool("windowactivate", self.window)
            deadline = time.monotonic() + 1
            while time.monotonic() < deadline:
                if self.xdotool("getactivewindow") == str(self.window):
                    return
                time.sleep(0.02)

    def _place(self) -> tuple[int, int]:
        """Somewhere in the window, below the menus; mostly in its middle, where the picture is."""
        if self._random.random() < 0.7:
            x, y = (self._random.gauss(0.45, 0.15), self._random.gauss(0.45, 0.2))
        else:
            x, y = self._random.random(), self._random.random()
        width, height = self._size
        return round(min(max(x, 0), 0.999) * width), 34 + round(min(max(y, 0), 0.999) * (height - 34))

    def _at(self, place: tuple[int, int]) -> tuple[object, ...]:
        return "mousemove", "--window", self.window, *place

    def _held(self) -> tuple[str, ...]:
        return self._random.choice(((), (), (), ("ctrl",), ("shift",), ("ctrl", "shift")))

    def _with(self, held: Sequence[str], *arguments: object) -> None:
        down = [part for name in held for part in ("keydown", name)]
        up = [part for name in held for part in ("keyup", name)]
        self.xdotool(*down, *arguments, *up)

    # -- what is done --------------------------------------------------------------------------------------------

    def _move(self) -> None:
        places = [self._place() for _ in range(self._random.randint(1, 6))]
        self._note(f"move {places}")
        for place in places:
            self.xdotool(*self._at(place), "sleep", round(self._random.random() * 0.2, 2))

    def _click(self) -> None:
        place, held = self._place(), self._held()
        self._note(f"click {place} {held}")
        self._with(held, *self._at(place), "click", 1)

    def _double_click(self) -> None:
        place = self._place()
        self._note(f"double click {place}")
        self.xdotool(*self._at(place), "click", "--repeat", 2, "--delay", 40, 1)

    def _drag(self) -> None:
        start, end = self._place(), self._place()
        button, held = self._random.choice((1, 1, 1, 2, 3)), self._held()
        cancelled = self._random.random() < 0.2
        self._note(f"drag {start} {end} button {button} {held}{' cancelled' if cancelled else ''}")
        moves: list[object] = []
        for step in range(1, 7):
            on = [round(a + (b - a) * step / 6) for a, b in zip(start, end, strict=True)]
            moves += [*self._at((on[0], on[1])), "sleep", 0.02]
        moves += ["key", "Escape"] if cancelled else []
        self._with(held, *self._at(start), "mousedown", button, *moves, "mouseup", button)

    def _wheel(self) -> None:
        place, notches = self._place(), self._random.randint(1, 8)
        button, held = self._random.choice((4, 5)), self._random.choice(((), (), ("ctrl",), ("shift",)))
        self._note(f"wheel {place} button {button} x {notches} {held}")
        self._with(held, *self._at(place), "click", "--repeat", notches, "--delay", 15, button)

    def _context_menu(self) -> None:
        place, down = self._place(), self._random.randint(0, 25)
        self._note(f"context menu {place}, {down} down")
        self.xdotool(*self._at(place), "click", 3, "sleep", 0.2)
        if down:  # the pointer may lie on a row
            self.xdotool(
                "key", "--repeat", down, "--delay", 5, "Down", "key", self._random.choice(("Return", "Escape"))
            )
        self.xdotool("sleep", 0.1, "key", "Escape")

    def _press_shortcut(self) -> None:
        name, key = self._random.choice(self._keys)
        self._note(f"{name} ({key})")
        if self._random.random() < 0.5:  # keys of the picture work while it has the focus
            self.xdotool(*self._at((round(self._size[0] * 0.45), round(self._size[1] * 0.8))), "click", 1)
        self.xdotool("key", key)

    def _in_trace(self) -> None:
        """Mouse and keys in the views of the trace, which lie in the lower part of the window."""
        width, height = self._size
        place = round(width * self._random.uniform(0.2, 0.95)), round(height * self._random.uniform(0.45, 0.95))
        key, act = self._random.choice(TRACE_KEYS), self._random.choice(("click", "wheel", "pull", "key", "key"))
        self._note(f"in the trace: {act} at {place}, {key}")
        match act:
            case "click":
                self.xdotool(*self._at(place), "click", "--repeat", self._random.randint(1, 2), "--delay", 40, 1)
            case "wheel":
                button = self._random.choice((4, 4, 5))
                self.xdotool(*self._at(place), "click", "--repeat", self._random.randint(1, 8), "--delay", 15, button)
            case "pull":
                end = place[0] + self._random.randint(-200, 200), place[1] + self._random.randint(-150, 150)
                cancel = ("key", "Escape") if self._random.random() < 0.3 else ()
                moved = (*self._at(end), "sleep", 0.05, *cancel, "mouseup", 1)
                self._with(self._held(), *self._at(place), "mousedown", 1, "sleep", 0.05, *moved)
            case _:
                self.xdotool(*self._at(place), "click", 1, "key", key, "sleep", 0.1)
                if key in {"/", "g", "m"} and self.xdotool("getactivewindow") != str(self.window):
                    self.xdotool("type", "--delay", 1, self._random.choice(TRACE_ANSWERS), "key", "Return")

    def _search(self) -> None:
        text, after = self._random.choice(TYPED), self._random.choice(("Return", "Down", "Escape", "ctrl+Return", ""))
        self._note(f"search {text[:20]!r} {after}")
        self.xdotool("key", "ctrl+f", "type", "--delay", self._random.choice((1, 20)), text)
        if after:
            self.xdotool("sleep", round(self._random.random() * 0.3, 2), "key", after)

    def _filter(self) -> None:
        self._note("filter, and perhaps no more")
        self.xdotool("key", "ctrl+f", "type", "--delay", 1, self._random.choice(("sloc > 5", "kind:file", "a")))
        self.xdotool("sleep", 0.3, "key", "ctrl+shift+f", "sleep", 0.3)
        if self._random.random() < 0.7:
            self._press_picture("shift+r")

    def _press_picture(self, key: str) -> None:
        self.xdotool("key", "Escape", "key", "Escape", "key", key)

    def _lasso(self) -> None:
        self._note("lasso")
        self._press_picture("shift+l")
        corners = [self._place() for _ in range(5)]
        moves = [part for corner in corners for part in (*self._at(corner), "sleep", 0.03)]
        self.xdotool(*self._at(corners[0]), "mousedown", 1, *moves, "mouseup", 1)

    def _palette(self) -> None:
        text = self._random.choice(DONE_FROM_PALETTE)
        self._note(f"palette {text!r}")
        self.xdotool("key", "ctrl+shift+p", "sleep", 0.4, "type", "--delay", 1, text)
        self.xdotool("key", self._random.choice(("Return", "Escape")), "sleep", 0.1, "key", "Escape")

    def _resize(self) -> None:
        width = self._random.randint(700, SCREEN[0] - 40)
        height = self._random.randint(500, SCREEN[1] - 60)
        x, y = self._random.randint(0, SCREEN[0] - 20 - width), self._random.randint(24, SCREEN[1] - 20 - height)
        self._note(f"window {width} x {height} at {x}, {y}")
        self.xdotool("windowsize", self.window, width, height, "windowmove", self.window, x, y, "sleep", 0.1)
        self.measure()

    def measure(self) -> None:
        """Ask how large the window is: it may not be as small as it was told."""
        lines = self.xdotool("getwindowgeometry", "--shell", self.window).splitlines()
        if told := dict(line.split("=") for line in lines):
            self._size = (int(told["WIDTH"]), int(told["HEIGHT"]))

    def _undo(self) -> None:
        key, times = self._random.choice(("ctrl+z", "ctrl+z", "ctrl+y")), self._random.randint(1, 6)
        self._note(f"{key} x {times}")
        self.xdotool("key", "--repeat", times, "--delay", 20, key)

    def _preset(self) -> None:
        key = str(self._random.randint(1, 9))
        self._note(f"preset {key}, theme")
        self._press_picture(key)
        self.xdotool("key", "ctrl+t")

    def _tabs(self) -> None:
        """Along the tabs of the docks on the right, and those below."""
        width, height = self._size
        place = self._random.choice(
            (
                (round(width * self._random.uniform(0.78, 0.99)), 90),
                (round(width * self._random.uniform(0.05, 0.3)), round(height * 0.72)),
            )
        )
        self._note(f"tab {place}")
        self.xdotool(*self._at(place), "click", 1, "sleep", 0.1, "key", self._random.choice(("Tab", "Down", "Right")))

    # -- the end -------------------------------------------------------------------------------------------------

    def calm(self) -> None:
        """Let go of everything, and leave whatever is in progress."""
        for button in (1, 2, 3):
            self.xdotool("mouseup", button)
        for name in ("ctrl", "shift", "alt"):
            self.xdotool("keyup", name)
        self._answer()
        self.xdotool("key", "--repeat", 4, "--delay", 50, "Escape", *self._at((5, self._size[1] - 5)))

    def close(self, process: subprocess.Popen[bytes]) -> None:
        """Close the window as a user does; the unsaved plan is not saved. Raises Trouble if it stays."""
        deadline, tabs = time.monotonic() + CALM_WITHIN, 0
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise Trouble("the window does not close")
            if self.xdotool("getactivewindow") == str(self.window):
                self.xdotool("key", "alt+F4")
            else:  # Save, Discard and Cancel, in the order of the desktop
                tabs = tabs % 2 + 1
                self.xdotool("key", "--repeat", tabs, "Tab", "key", "space")
            for _ in range(20):
                if process.poll() is not None:
                    return
                time.sleep(0.1)


def wait_for(condition: Callable[[], bool], seconds: float, what: str, program: Program) -> None:
    """Raises Trouble when it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        program.check()
        if time.monotonic() > deadline:
            raise Trouble(f"{what} within {seconds:.0f} s")
        time.sleep(0.1)


def watch(
    program: Program,
    seed: int,
    seconds: float,
    environment: dict[str, str],
    say: Callable[[str], None],
    *,
    traced: bool = False,
) -> str:
    """Let the events loose for that long; the summary. Raises Trouble, with the last events."""
    wait_for(lambda: program.beat.get("window", 0) != 0, STARTS_WITHIN, "the window shows nothing", program)
    wait_for(lambda: not program.beat["busy"], STARTS_WITHIN, "the subject is not read", program)
    time.sleep(min(2.0, seconds))
    threads = program.threads
    tester = Tester(int(program.beat["window"]), seed, environment, traced)
    slowest = ""
    start = rested = sampled = told = time.monotonic()
    at_rest = 0.0  # seconds
    try:
        while (now := time.monotonic()) < start + seconds + at_rest:
            if now - rested >= REST_EVERY:
                tester.calm()
                program.rest()
                tester.measure()
                rested = time.monotonic()
                at_rest += rested - now
            gap = program.beat["gap"]
            tester.act()
            program.check()
            if program.beat["gap"] > max(gap, SLOW):
                slowest = f", after {tester.events[-1]}"
            if now - sampled >= SAMPLED_EVERY:
                sampled = now
                program.sample()
            if now - told >= 60:
                told = now
                say(f"{(now - start - at_rest) / 60:4.0f} min  {_state(tester, program)}{slowest}")
        tester.calm()
        idle_by = time.monotonic() + CALM_WITHIN
        while program.threads > threads:
            program.check()
            if time.monotonic() > idle_by:
                raise Trouble(f"{program.threads} threads do not get {threads}: {program.where()}")
            time.sleep(0.1)
        course = f"{_course([rest[0] for rest in program.rests])} at rest, {_course(program.rss)} meanwhile"
        more = growth([rest[0] for rest in program.rests])
        if more is not None and more > GROWTH:
            raise Trouble(f"memory grew by {more:.0%}: {course}")
        summary = f"{_state(tester, program)}{slowest}, memory {course}{_more_things(program.rests)}"
        summary += f"\npauses longer than 0.1, 0.2, 0.5, 1 s: {program.beat['pauses']}\n{program.pauses()}"
        tester.close(program.process)
        if (status := program.process.wait()) != 0:
            raise Trouble(f"closed with status {status}: {program._said()}")
        if said := program._said():
            raise Trouble(f"the program complained while it closed: {said}")
    except Trouble as trouble:
        raise Trouble("\n  ".join([str(trouble), "the last events:", *tester.events])) from None
    return summary


def _state(tester: Tester, program: Program) -> str:
    rest = f" ({program.rests[-1][0]:,.0f} at rest)" if program.rests else ""
    return (
        f"{tester.count:,} events, {program.rss[-1] if program.rss else 0:,.0f} MiB{rest}, {program.threads} threads, "
        f"longest gap {program.beat['gap']:.2f} s"
    )


def _more_things(rests: Sequence[tuple[float, int, int]]) -> str:
    if not rests:
        return ""
    (_, objects, widgets), (_, objects_now, widgets_now) = rests[0], rests[-1]
    return f"; objects {objects:,} > {objects_now:,}, widgets {widgets:,} > {widgets_now:,} from first to last rest"


def _course(rss: Sequence[float]) -> str:
    quarter = max(len(rss) // 4, 1)
    medians = [statistics.median(rss[at : at + quarter]) for at in range(0, 4 * quarter, quarter) if rss[at:]]
    return " > ".join(f"{median:,.0f}" for median in medians) + " MiB"


def recorded_weather(folder: Path) -> tuple[Path, Path]:
    """The sample program with threads, and a recording of it, made now in a folder."""
    sample, recording = HOME / "sample_projects" / "weather", folder / "run"
    record = [sys.executable, "-m", "cbvtool", "trace", "record", "-o", str(recording), "--"]
    path = {**os.environ, "PYTHONPATH": str(HOME / "src")}
    subprocess.run(
        [*record, sys.executable, "-m", "weather", "charts"],
        cwd=sample,
        env=path,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return sample, recording


def soak(
    subject: Path,
    seconds: float,
    seed: int,
    plant: str = "",
    say: Callable[[str], None] = print,
    trace: Path | None = None,
) -> str:
    """All of it, on a screen of its own; the summary. Raises Trouble.

    plant   a fault of window.py, to see that it is noticed
    trace   a recording whose views are open all the time
    """
    read, write = os.pipe()
    with tempfile.TemporaryDirectory(prefix="cbvtool-soak-") as name:
        folder = Path(name)
        running: list[subprocess.Popen[bytes]] = []
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            size = f"{SCREEN[0]}x{SCREEN[1]}x24"
            running.append(
                subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", size], pass_fds=[write], **quiet)
            )
            os.close(write)
            with os.fdopen(read) as told:
                display = f":{told.readline().strip()}"
            home = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
            environment = (
                os.environ
                | home
                | {
                    "DISPLAY": display,
                    "HOME": name,
                    "XDG_RUNTIME_DIR": name,
                    "PYTHONPATH": str(HOME / "src"),
                    "OPENBLAS_NUM_THREADS": "1",  # a library that is loaded late would bring threads for good
                }
            )
            environment.pop("QT_QPA_PLATFORM", None)
            environment.pop("WAYLAND_DISPLAY", None)
            running.append(subprocess.Popen(["openbox"], env=environment, **quiet))
            settings = folder / "config" / "cbvtool" / "cbvtool.ini"
            settings.parent.mkdir(parents=True)
            settings.write_text('[General]\neditor="true {file}"\n')  # context menus offer it
            command = [sys.executable, str(Path(__file__).with_name("window.py")), name, str(subject)]
            command += ["--plant", plant] if plant else []
            command += ["--trace", str(trace)] if trace else []
            with (folder / "stderr").open("wb") as stderr:
                process = subprocess.Popen(command, env=environment, stdout=stderr, stderr=stderr)
            running.append(process)
            return watch(Program(process, folder), seed, seconds, environment, say, traced=trace is not None)
        finally:
            for process in reversed(running):
                if process.poll() is None:
                    process.kill()
                process.wait()


def main() -> int:
    """Exit status: 0 when nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subject", nargs="?", type=Path)
    parser.add_argument("--trace", metavar="RECORDING", help="views of it are open; `weather`: of the sample program")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    subject, trace = chosen.subject, Path(chosen.trace) if chosen.trace else None
    scratch = tempfile.TemporaryDirectory(prefix="cbvtool-recorded-")
    if chosen.trace == "weather":
        sample, trace = recorded_weather(Path(scratch.name))
        subject = subject or sample
    if subject is None:
        script = sample_script()
        assert script is not None
        subject = make_sample(HOME / "out", script)
    print(f"soak of {subject.name}, {chosen.minutes:g} minutes, seed {chosen.seed}", flush=True)
    try:
        summary = soak(subject, chosen.minutes * 60, chosen.seed, "", lambda line: print(line, flush=True), trace)
    except Trouble as trouble:
        print(f"FAILED, seed {chosen.seed}: {trouble}")
        return 1
    finally:
        scratch.cleanup()
    print(f"nothing wrong in {chosen.minutes:g} minutes, seed {chosen.seed}: {summary}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Pictures for a review: the real window under Xvfb with subjects from small to huge, in many states and sizes.

Called by make_pictures.py --subjects. What is on the screen is taken, with menus and dialogs. Subjects are folders or
graph files, from small to huge; where there are fewer than `ROUNDS` wants, the last one stands for the others.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from photographer import Photographer

SMALL, LARGE = (1280, 800), (2560, 1440)  # logical pixels
SCREEN = "5120x2880x24"
Shots = Callable[["Photographer"], None]


def start_and_search(hand: Photographer) -> None:
    """Before anything is open, and what one sees first of a small subject."""
    hand.take("01-first-picture")
    hand.type("ses")
    hand.take("02-search-list")
    hand.type("")
    hand.take("03-search-examples")
    hand.window.searching.clear()
    hand.look("dark")
    hand.do("preset_2")
    hand.take("04-hot-spots-dark")
    for name, command in (("05-palette", "palette"), ("06-shortcuts", "shortcuts"), ("07-settings", "settings")):
        hand.take_dialog(name, command)


def questions(hand: Photographer) -> None:
    """Panels at the bottom that answer questions, in a narrow window."""
    ends = busiest(hand)
    hand.session.select(ends[:1])
    hand.do("impact")
    hand.settle(1.0)
    hand.take("08-impact")
    hand.session.select(ends)
    hand.do("path")
    hand.settle(1.0)
    hand.take("09-paths")
    hand.do("escape")
    hand.look("dark")
    hand.do("matrix")
    hand.settle(1.0)
    hand.take("10-matrix-dark")
    hand.session.select(ends[:1])
    hand.do("relations")
    hand.take("11-relations-dark")
    hand.look("light")
    hand.take_menu("12-context-menu", hand.session.graph.ids[ends[0]])


def panels(hand: Photographer) -> None:
    """Panels at the side, and presets."""
    hand.show_panel("style")
    hand.do("preset_4")
    hand.take("13-look-ownership")
    hand.window.session.set_view(only="kind:file and sloc > 300")
    hand.take("14-filter-chip")
    hand.window.searching.end_filter()
    hand.look("dark")
    hand.do("preset_7")
    hand.show_panel("plan")
    hand.do("source")
    hand.take("15-empty-panels-dark")


def at_double(hand: Photographer) -> None:
    """Twice the pixels."""
    hand.do("preset_5")
    hand.take("16-age-2x")
    hand.look("dark")
    hand.session.select(busiest(hand)[:1])
    hand.do("of_selection")
    hand.take("17-selection-dark-2x")


def huge(hand: Photographer) -> None:
    """The largest subjects."""
    hand.take(f"18-{hand.session.graph.name}")
    hand.resize(*LARGE)
    hand.look("dark")
    hand.do("preset_6")
    hand.take(f"19-{hand.session.graph.name}-thesis-dark")
    hand.do("preset_3")
    hand.settle(5.0)
    hand.take(f"20-{hand.session.graph.name}-unused-dark")


# (pixel ratio, size of the window, what is done), one for each subject from small to huge
ROUNDS: tuple[tuple[int, tuple[int, int], Shots], ...] = (
    (1, SMALL, start_and_search),
    (1, SMALL, questions),
    (1, (1440, 900), panels),
    (2, SMALL, at_double),
    (1, SMALL, huge),
)


def busiest(hand: Photographer) -> tuple[int, int]:
    """The two nodes of the picture with the most relations, not counting what holds them."""
    scene = hand.session.scene()
    inside = [int(key) for key in scene.tree.key[scene.tree.leaf]]
    count = dict.fromkeys(inside, 0)
    for ends in (scene.lifted.source, scene.lifted.target):
        for item, number in zip(ends.tolist(), scene.lifted.count.tolist(), strict=True):
            key = int(scene.tree.key[item])
            count[key] = count.get(key, 0) + number
    first, second, *_ = sorted(inside, key=lambda key: -count[key])
    return first, second


def review(out: Path, subjects: Sequence[Path]) -> None:
    """Take all pictures; each round in a process of its own, since the pixel ratio is fixed at the start."""
    with x_server() as display:
        for number in range(max(len(ROUNDS), len(subjects))):
            ratio = ROUNDS[min(number, len(ROUNDS) - 1)][0]
            subject = subjects[min(number, len(subjects) - 1)]
            environment = {**os.environ, "DISPLAY": display, "QT_SCALE_FACTOR": str(ratio), "QT_FONT_DPI": "96"}
            command = [sys.executable, __file__, str(out), str(subject.resolve()), str(number)]
            subprocess.run(command, env=environment, check=True)


@contextmanager
def x_server() -> Iterator[str]:
    """The name of a display of our own."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", SCREEN, "-noreset", "-nolisten", "tcp"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            yield f":{answer.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def main(arguments: list[str]) -> int:
    """One round: FOLDER SUBJECT NUMBER."""
    from photographer import Photographer  # not before the environment is set

    out, subject, number = Path(arguments[0]), Path(arguments[1]), int(arguments[2])
    _, size, shots = ROUNDS[min(number, len(ROUNDS) - 1)]
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": f"{scratch}/{name.lower()}" for name in ("CONFIG", "DATA")}
        hand = Photographer(out, Path(scratch) / "settings.ini", screen=True)
        hand.resize(*size)
        if number == 0:
            hand.take("00-start")
        hand.open(subject)
        hand.resize(*size)
        shots(hand)
        hand.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Pictures of public repositories before and after a change of the drawing, beside each other.

    reading_pictures.py take OUT SUBJECT...     pictures of each subject (a folder with its history) in several states
    reading_pictures.py pair BEFORE AFTER OUT   those of the same name beside each other

What takes them is the package that Python finds: run it once with PYTHONPATH=<other checkout>/src for the state before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

SIZES = ((960, 640), (1440, 900))
GAP = 12  # px between two pictures
HEADING = 26  # px above each
Act = Callable[[Any], object]  # what is done with a session


def _heaviest(session: Any) -> int:
    """The key of the innermost segment with the most relations."""
    import numpy as np

    scene = session.scene()
    ends = np.concatenate((scene.lifted.source, scene.lifted.target))
    count = np.bincount(ends, np.tile(scene.lifted.count, 2), len(scene.tree)) * scene.tree.leaf
    return int(scene.tree.key[int(count.argmax())])


def _filtered(session: Any) -> None:
    from dataclasses import replace

    session.set_view(filter=replace(session.view.filter, cycles=True))


def _affected(session: Any) -> None:
    from cbvtool.asking.impact import impact
    from cbvtool.asking.steps import steps

    graph, key = session.graph, _heaviest(session)
    session.set_view(impact=impact(graph, steps(graph), (key,)))


def _selected(session: Any) -> None:
    session.select((_heaviest(session),))


STATES: dict[str, Act] = {
    "first": lambda session: None,
    "cycles": _filtered,
    "larger": lambda session: session.set_view(only="kind:file sloc > 300"),
    "affected": _affected,
    "selected": _selected,
}


def take(out: Path, subjects: Sequence[Path]) -> None:
    """Every subject in every state, each in two sizes and both themes."""
    from cbvtool.drawing.emphasis import emphasis
    from cbvtool.drawing.offscreen import PictureOptions, picture, save
    from cbvtool.geometry.scene.scene import in_theme
    from cbvtool.project import open_project
    from cbvtool.session import Session

    out.mkdir(parents=True, exist_ok=True)
    for subject in subjects:
        session = Session()
        session.open(open_project(subject, jobs=2))
        for state, act in STATES.items():
            plain = session.view
            act(session)
            scene = session.scene()
            lit = emphasis(scene, -1, -1, frozenset(), session.view.selected)
            for number, theme in enumerate(("light", "dark")):
                size = SIZES[(number + (state != "first")) % 2]
                image = picture(in_theme(scene, theme), PictureOptions(size, title=subject.name), emphasis=lit)
                save(image, out / f"{subject.name}-{state}-{theme}.png")
            session.select(())
            session.set_view(filter=plain.filter, only=plain.only, impact=None)
            print(subject.name, state, len(scene.curves), flush=True)


def pair(before: Path, after: Path, out: Path) -> None:
    """Each picture of `after` at the right of that of the same name in `before`."""
    out.mkdir(parents=True, exist_ok=True)
    for new in sorted(after.glob("*.png")):
        old = before / new.name
        if not old.exists():
            continue
        both = [Image.open(path).convert("RGB") for path in (old, new)]
        wide, tall = both[0].size
        joined = Image.new("RGB", (2 * wide + GAP, tall + HEADING), "white")
        pen = ImageDraw.Draw(joined)
        for number, (image, what) in enumerate(zip(both, ("before", "after"), strict=True)):
            joined.paste(image, (number * (wide + GAP), HEADING))
            pen.text((number * (wide + GAP) + 8, 6), what, fill="black")
        joined.quantize(256, dither=Image.Dither.NONE).save(out / new.name, optimize=True)


def main(arguments: list[str]) -> int:
    """`take` or `pair`, with folders."""
    if len(arguments) >= 3 and arguments[0] == "take":
        take(Path(arguments[1]), [Path(subject) for subject in arguments[2:]])
    elif len(arguments) == 4 and arguments[0] == "pair":
        pair(*(Path(folder) for folder in arguments[1:]))
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

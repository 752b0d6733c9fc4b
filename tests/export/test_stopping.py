"""Cancel stops the export of a drawing on its way, and leaves no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import Cancelled
from cbvtool.export.files import write_drawing
from cbvtool.progress import stoppable
from tests.geometry.scenes import random_scene

LEAVES, RELATIONS = 600, 900


@pytest.mark.parametrize(("suffix", "least"), [(".svg", 7), (".pdf", 7), (".html", 1)])
def test_a_drawing_can_be_cancelled_on_its_way(tmp_path: Path, suffix: str, least: int) -> None:
    """It asks every few hundred segments, relations and words; at each of these places it stops at once."""
    scene, file = random_scene(LEAVES, RELATIONS), tmp_path / f"picture{suffix}"
    asked = 0

    def count() -> None:
        nonlocal asked
        asked += 1

    with stoppable(count):
        write_drawing(scene, file)
    assert file.exists()
    assert asked >= least
    file.unlink()
    for last in (1, asked // 2, asked):
        left = last

        def stop() -> None:
            nonlocal left
            left -= 1
            if left <= 0:
                raise Cancelled

        with stoppable(stop), pytest.raises(Cancelled):
            write_drawing(scene, file)
        assert left == 0
        assert not list(tmp_path.iterdir())

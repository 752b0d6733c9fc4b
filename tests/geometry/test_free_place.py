"""Cards that stand beside the ring, so that they cover no relation (CBV-12)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.overlay.free_place import free_place

_TURN = np.linspace(0, 2 * np.pi, 72, endpoint=False)


def ring(x: float, y: float, wide: float, high: float) -> np.ndarray:
    return np.stack((x + wide * np.sin(_TURN), y + high * np.cos(_TURN)), axis=1)[None]


@given(st.integers(60, 400), st.integers(60, 300), st.floats(0, 900), st.floats(0, 600), st.integers(20, 260))
def test_a_card_covers_neither_ring_nor_legends(wide: int, high: int, x: float, y: float, w: int) -> None:
    """No pixel of the card lies in the ellipse or on a legend, and it lies in the picture."""
    legend = (0.0, 500.0, 160.0, 600.0)
    place = free_place((w, 80), (x, y), (900, 600), ring(450, 300, wide, high), [legend])
    if place is None:
        assert wide + w > 300 or high + 80 > 200, "there is room"
        return
    left, top = place
    assert left >= 0
    assert top >= 0
    assert left + w <= 900
    assert top + 80 <= 600
    assert left >= 160 or top + 80 <= 500
    across, down = np.meshgrid(np.arange(left, left + w), np.arange(top, top + 80))
    inside = ((across - 450) / wide) ** 2 + ((down - 300) / high) ** 2
    assert inside.min() > 0.98


def test_the_nearest_side_is_taken_and_no_room_is_said() -> None:
    """A pointer on the right gets its card on the right; a ring that fills the picture leaves no place."""
    right = free_place((100, 60), (600, 300), (900, 600), ring(450, 300, 200, 200))
    left = free_place((100, 60), (300, 300), (900, 600), ring(450, 300, 200, 200))
    assert right is not None
    assert left is not None
    assert right[0] > 600
    assert left[0] + 100 < 300
    assert free_place((100, 60), (450, 300), (900, 600), ring(450, 300, 900, 900)) is None

"""The interface that bundling needs: any tree in preorder that is laid out on a circle."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

IntColumn = npt.NDArray[np.int32]
FloatColumn = npt.NDArray[np.float64]


class Tree(Protocol):
    """v items in preorder, item 0 the root."""

    @property
    def parent(self) -> IntColumn:
        """int32[v]: item of the parent, -1 for the root."""

    @property
    def level(self) -> IntColumn:
        """int32[v]: distance from the root."""

    @property
    def end(self) -> IntColumn:
        """int32[v]: one past the last item below each item."""

    @property
    def leaf(self) -> npt.NDArray[np.bool_]:
        """bool[v]: whether no item is below the item."""

    @property
    def rings(self) -> int:
        """The largest level, at least 1."""

    @property
    def chain(self) -> IntColumn:
        """int32[v, rings + 1]: each item, its parent, the parent of that, ..., padded with -1."""

    @property
    def represent(self) -> IntColumn:
        """int32[n]: the item that stands for each node key, -1 = none."""


class Circle(Protocol):
    """Places of the items of a tree around a circle, in radians clockwise from 12 o'clock."""

    @property
    def a0(self) -> FloatColumn:
        """float64[v]: angle at which each item begins."""

    @property
    def a1(self) -> FloatColumn:
        """float64[v]: angle at which each item ends."""

    @property
    def band0(self) -> float:
        """Radius of the circle on which curves begin and end."""

    @property
    def key_angle(self) -> FloatColumn:
        """float64[n]: angle of each node key, NaN = it has none."""

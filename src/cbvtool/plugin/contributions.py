"""What plugins contribute besides metrics and views: overlays of the 3D view, and commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.plugin.requests import Request
from cbvtool.plugin.view import ViewContext


@dataclass(frozen=True, eq=False)
class OverlayColumn:
    """One value for each node: offered wherever metrics are chosen while the overlay lies over the 3D view.

    name, label, unit  as of a metric
    values             float64[n] by node key, combined upward; NaN = not measured
    """

    name: str
    label: str
    unit: str
    values: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OverlayRelations:
    """e relations that are drawn in the colours of their kinds while the overlay lies over the 3D view.

    source, target  int32[e]  keys of nodes
    kind    int64[e]    row of `kinds`; at most one relation for each source, target and kind
    weight  float64[e]  what makes them thicker
    kinds   names, for people
    quiet   those of them that are not shown until asked for
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    kinds: tuple[str, ...]
    quiet: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, eq=False)
class OverlayContent:
    """What an overlay adds to the 3D view."""

    columns: tuple[OverlayColumn, ...] = ()
    relations: OverlayRelations | None = None


@dataclass(frozen=True)
class PluginOverlay:
    """Columns by node key. `of(context)` is fast; what is slow belongs to a need of a view."""

    name: str
    label: str
    of: Callable[[ViewContext], OverlayContent]


@dataclass(frozen=True)
class PluginCommand:
    """A command of the palette.

    keys  a shortcut as "Ctrl+Alt+T", "" = none
    run   what it asks of the host, given what the views are given
    """

    name: str
    label: str
    run: Callable[[ViewContext], tuple[Request, ...]]
    keys: str = ""

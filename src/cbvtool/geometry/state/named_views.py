"""Views that the user has named, as a document stores them (CBV-11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from cbvtool.geometry.camera import Camera
from cbvtool.words import one_line

LONGEST_NAME = 60  # characters
_CAMERA = tuple(entry.name for entry in fields(Camera))


@dataclass(frozen=True)
class Viewpoint:
    """Camera of a named view.

    `fitted`: only the direction is kept; the distance is such that the whole disc is seen.
    """

    camera: Camera = field(default_factory=Camera)
    fitted: bool = True


@dataclass(frozen=True)
class NamedView:
    """Place, style and filters as plain JSON data, which names nodes by their ids; and the camera."""

    name: str
    view: Mapping[str, Any]
    viewpoint: Viewpoint = field(default_factory=Viewpoint)


def clean_name(name: str) -> str:
    """The name as one line, cut to a maximum length, without blanks around it; empty = no name."""
    return " ".join(one_line(name).split())[:LONGEST_NAME].rstrip()


def with_view(views: Sequence[NamedView], fresh: NamedView) -> tuple[NamedView, ...]:
    """The views with `fresh` added, or in place of the view of the same name."""
    if fresh.name in (view.name for view in views):
        return tuple(fresh if view.name == fresh.name else view for view in views)
    return (*views, fresh)


def distinct(views: Iterable[NamedView]) -> tuple[NamedView, ...]:
    """The views with clean names, made unique by numbers; a view without a name is left out."""
    taken: dict[str, NamedView] = {}
    for view in views:
        if not (label := clean_name(view.name)):
            continue
        name, number = label, 1
        while name in taken:
            number += 1
            name = f"{label[: LONGEST_NAME - 6]} {number}"
        taken[name] = replace(view, name=name)
    return tuple(taken.values())


def as_data(views: Iterable[NamedView]) -> list[dict[str, Any]]:
    """The views as JSON data for a document."""
    return [
        {
            "name": view.name,
            "view": dict(view.view),
            "camera": {name: getattr(view.viewpoint.camera, name) for name in _CAMERA}
            | {"center": [*view.viewpoint.camera.center]},
            "fitted": view.viewpoint.fitted,
        }
        for view in views
    ]


def of_data(data: object) -> tuple[NamedView, ...]:
    """The views that `as_data` wrote; damaged views are left out, damaged values become defaults."""
    rows = data if isinstance(data, list) else []
    return distinct(
        NamedView(row["name"], row["view"], Viewpoint(_camera(row.get("camera")), row.get("fitted") is not False))
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("name"), str) and isinstance(row.get("view"), dict)
    )


def _camera(data: object) -> Camera:
    if not isinstance(data, dict):
        return Camera()
    center = data.get("center")
    numbers = (name for name in _CAMERA if name != "center")
    found: dict[str, Any] = {name: data[name] for name in numbers if _is_number(data.get(name))}
    if isinstance(center, list) and len(center) == 2 and all(map(_is_number, center)):
        found["center"] = tuple(float(min(max(value, -2.0), 2.0)) for value in center)
    if not 1 <= found.get("fov", 30.0) <= 120:
        del found["fov"]
    return Camera(**found)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

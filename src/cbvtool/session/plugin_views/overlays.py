"""Overlays of plugins as metrics and relations of the 3D view."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cbvtool.errors import Cancelled, error_text
from cbvtool.metrics.metric import Column, Metric, Subject
from cbvtool.plugin.contributions import OverlayColumn, OverlayRelations, PluginOverlay
from cbvtool.plugin.view import ViewContext

Report = Callable[[str], None]


def overlay_metrics(overlay: PluginOverlay, context: Callable[[], ViewContext], report: Report) -> dict[str, Metric]:
    """A metric for each column of an overlay, by `NAME.COLUMN`. They are computed of what is open then.

    A fault is reported, and its columns are not measured.
    """
    found = dict[str, Metric]()
    for column in _columns(overlay, context, report):
        name = f"{overlay.name}.{column.name}"
        compute = partial(_values, overlay, column.name, context, report)
        found[name] = Metric(name, column.label, column.unit, "neither", "recompute", compute, momentary=True)
    return found


def _values(
    overlay: PluginOverlay, name: str, context: Callable[[], ViewContext], report: Report, subject: Subject
) -> Column:
    """float64[n]; nodes that the overlay does not know are not measured."""
    values = np.full(len(subject.graph), np.nan)
    for column in _columns(overlay, context, report):
        if column.name == name:
            known = np.asarray(column.values[: len(values)], np.float64)
            values[: len(known)] = known
    return values


def overlay_relations(
    overlay: PluginOverlay, context: Callable[[], ViewContext], report: Report
) -> OverlayRelations | None:
    """The relations that an overlay adds; None where it has none, or a fault, which is reported."""
    try:
        found = overlay.of(context()).relations
        if found is None:
            return None
        sizes = {len(each) for each in (found.source, found.target, found.kind, found.weight)}
        if sizes != {len(found)} or not all(isinstance(kind, str) for kind in found.kinds):
            raise TypeError("relations of an overlay have columns of one length, and names of kinds")
        if len(found) and not 0 <= int(found.kind.min()) <= int(found.kind.max()) < len(found.kinds):
            raise ValueError("a relation of an overlay has a kind that there is not")
    except Cancelled:
        raise
    except Exception as error:
        report(f"raised {error_text(error)}")
        return None
    return found if len(found) else None


def _columns(overlay: PluginOverlay, context: Callable[[], ViewContext], report: Report) -> tuple[OverlayColumn, ...]:
    try:
        columns = tuple(overlay.of(context()).columns)
        for column in columns:
            if not isinstance(column, OverlayColumn) or np.ndim(column.values) != 1:
                raise TypeError("a column of an overlay is an OverlayColumn with one value for each node")
    except Cancelled:
        raise
    except Exception as error:
        report(f"raised {error_text(error)}")
        return ()
    return columns

"""ViewFusion with odd traces and extreme windows (VF-1 to VF-6): it draws, and tells of no fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cbvtool.api import EventKind, Plot, Range, ViewEvent, Viewport, ViewTable
from cbvtool.plots.filling import fill
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewSurroundings, own_inputs
from plugins.viewfusion.view import ViewFusionView
from tests.plugin_views.test_tracevis_attacked import ODD

SIZES = (Viewport(900.0, 500.0), Viewport(1.0, 1.0), Viewport(300.0, 90.0, 2.0))


@pytest.mark.parametrize("name", list(ODD))
def test_odd_traces_are_drawn(name: str) -> None:
    """At any size, brushed either way, at windows far outside of the run."""
    trace, said = ODD[name](), list[str]()
    instance = ViewInstance(ViewFusionView(), own_inputs((trace,)), ViewSurroundings(), said.append)
    instance.settle()
    for sight in SIZES:
        for part in ("fusion", "overview", "files", "threads"):
            drawn = instance.draw(part, sight)
            assert isinstance(drawn, Plot | ViewTable), drawn
            if isinstance(drawn, Plot):
                fill(drawn, sight)
        for kind, key in ((EventKind.HOVER, ""), (EventKind.TAP, "Ctrl"), (EventKind.HOVER, "")):
            instance.on(ViewEvent(kind, "fusion", "calls", 3.0, 40.0, sight.width / 2, sight.height / 2, key=key))
            drawn = instance.draw("fusion", sight)
            assert isinstance(drawn, Plot), drawn
    for window in ((-1e300, 1e300), (0.0, 0.0), (5.0, 5.0 + 1e-9)):
        instance.on(ViewEvent(EventKind.RANGE, "fusion", "calls", range=Range(window, (0.0, 1.0))))
        assert isinstance(instance.draw("fusion", SIZES[0]), Plot)
    instance.look_at(replace(instance.focus, window=(10**18, 10**18 + 1)))
    assert isinstance(instance.draw("fusion", SIZES[0]), Plot)
    assert not said

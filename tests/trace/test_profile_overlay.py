"""Profiles over the code (CBV-12): counts, times and pairs as the profiler measured them; no window of time."""

from __future__ import annotations

import cProfile
import pstats
import sys
from pathlib import Path

import numpy as np
import pytest

from cbvtool.metrics.run_time import CALLS, COVERAGE, SELF_TIME, TOTAL_TIME
from cbvtool.progress import silent
from cbvtool.project import Project, open_project
from cbvtool.session import Session
from cbvtool.session.traces.files import imported
from cbvtool.session.traces.rows import function_rows, lost_functions
from cbvtool.session.traces.words import facts, sentences, title
from cbvtool.trace.overlay.run_time import RunTime
from tests.trace.handmade import imported as handmade
from tests.trace.shop_run import shop_run

CODE = """
import time

class Shop:
    def sell(self, n):
        return sum(price(i) for i in range(n))

def price(i):
    return odd(i) + 1

def odd(n):
    return n and even(n - 1)

def even(n):
    return n and odd(n - 1)

def main():
    shop = Shop()
    for n in range(3):
        shop.sell(n)
    return sorted([3, 1], key=price)

def never():
    pass
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, and what cProfile measured of it."""
    made = tmp_path_factory.mktemp("profiled")
    (made / "code").mkdir()
    (made / "code" / "shop_code.py").write_text(CODE)
    sys.path.insert(0, str(made / "code"))
    try:
        import shop_code  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    profiler = cProfile.Profile()
    profiler.runcall(shop_code.main)
    profiler.dump_stats(made / "run.pstats")
    return made


@pytest.fixture
def session(folder: Path) -> Session:
    session = Session()
    session.open(open_project(folder / "code", history=False))
    session.traces.add(imported(folder / "run.pstats", silent))
    session.traces.settle()
    return session


def made(session: Session) -> RunTime:
    assert session.traces.found is not None
    assert session.traces.found.run_time is not None
    return session.traces.found.run_time


def key(session: Session, name: str) -> int:
    return session.graph.key_of[f"shop_code.py::{name}"]


def test_counts_and_times_are_those_of_the_profiler(session: Session, folder: Path) -> None:
    import pstats

    found, stats = made(session), pstats.Stats(str(folder / "run.pstats")).stats  # type: ignore[attr-defined]
    for (file, _, name), (_, calls, own, total, _) in stats.items():
        if not file.endswith("shop_code.py") or name.startswith("<"):
            continue
        row = key(session, "Shop.sell" if name == "sell" else name)
        if name == "sell":
            continue  # a generator expression counts there, too
        assert found.calls[row] == calls
        assert found.self_time[row] == pytest.approx(own * 1e9, abs=1)
        assert found.total_time[row] == pytest.approx(total * 1e9, abs=1)
    assert found.calls[key(session, "price")] == 0 + 1 + 2 + 2


def test_pairs_are_relations(session: Session) -> None:
    """Those that the profiler saw, with their counts; a call through a library is not known."""
    found, ids = made(session), session.graph.ids
    pairs = {
        (ids[a].rpartition("::")[2], ids[b].rpartition("::")[2]): int(n)
        for a, b, n in zip(found.caller, found.callee, found.count, strict=True)
    }
    assert pairs["main", "Shop.sell"] == 3
    assert pairs["price", "odd"] == 5
    assert ("main", "price") not in pairs
    assert "run-time call" in session.graph.edges.kind_names


def test_the_time_of_a_container_is_within_the_whole(session: Session, folder: Path) -> None:
    """At least what `main` took; what `sum` and `sorted` call back may count again, up to all that was measured."""
    found, graph = made(session), session.graph
    main, file = found.total_time[key(session, "main")], graph.key_of["shop_code.py"]
    whole = pstats.Stats(str(folder / "run.pstats")).total_tt * 1e9  # type: ignore[attr-defined] # of pstats
    assert main <= found.subtree_time[file] <= whole + 1
    below = graph.parent >= 0
    for one in np.flatnonzero(below):
        assert found.subtree_time[graph.parent[one]] >= found.total_time[one]


def test_metrics_of_a_profile(session: Session) -> None:
    values = session.scene().values
    assert values[CALLS][key(session, "main")] == 1
    assert values[CALLS][key(session, "never")] == 0
    assert values[SELF_TIME][key(session, "odd")] > 0
    assert values[TOTAL_TIME][key(session, "main")] > 0
    assert values[COVERAGE][key(session, "never")] == 0


def test_a_profile_in_words(session: Session) -> None:
    profile = session.traces.profile
    assert profile is not None
    assert title(profile.profile, "run.pstats") == "run.pstats"
    assert "functions · calls, primitive calls, time" in facts(profile.profile)
    assert any("on which path" in sentence for sentence in sentences(profile.profile))
    found = session.traces.found
    assert found is not None
    assert found.map is not None
    lost, _ = lost_functions(profile.profile, found.map)
    assert any("sorted" in each.name for each in lost)
    rows = function_rows(made(session), session.graph)
    assert len(rows.key) == 5  # main, sell, price, odd, even


def test_what_is_not_measured_has_no_value(folder: Path, tmp_path: Path) -> None:
    """Stacks without times: samples stand for them, with their name. Missing is not 0."""
    stacks = tmp_path / "run.folded"
    stacks.write_text("shop_code.main;shop_code.price 7\nshop_code.main 2\n")
    session = Session()
    session.open(open_project(folder / "code", history=False))
    session.traces.add(imported(stacks, silent))
    session.traces.settle()
    found = made(session)
    assert (found.sampled, found.unit, found.counts) == (True, "samples", "sample")
    metrics = session.scene().values.metrics
    assert metrics[SELF_TIME].show(7) == "7 samples"
    assert "samples" in metrics[SELF_TIME].label
    assert found.self_time[key(session, "price")] == 7
    assert found.self_time[key(session, "main")] == 2


def test_traces_and_profiles_are_chosen_and_closed_side_by_side(shop: Project, folder: Path) -> None:
    session = Session()
    session.open(shop)
    traces = session.traces
    traces.add(imported(folder / "run.pstats", silent))
    assert traces.profile is not None
    traces.add(handmade(shop_run(session.graph)))
    assert traces.current is not None
    assert traces.profile is None
    traces.settle()
    traces.look_at(type(traces.focus)(1))
    assert traces.current is None
    assert traces.profile is not None
    assert traces.is_wanted
    traces.settle()
    assert traces.found is not None
    assert traces.found.profile is traces.profiles[0].profile
    assert len(traces.files) == 2
    traces.close()
    assert traces.current is not None
    traces.settle()
    traces.close()
    assert not traces.has_calls
    assert CALLS not in session.metrics

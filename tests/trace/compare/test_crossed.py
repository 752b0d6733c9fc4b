"""TD-14: old and new code on old and new input, which of the two caused a deviation."""

from __future__ import annotations

import itertools

import pytest

from cbvtool.trace.compare.runs.crossed import OriginKind, origins
from cbvtool.trace.compare.runs.deviations import compared
from cbvtool.trace.compare.runs.paths import call_paths, crossed_paths
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.profile import Profile
from tests.trace.compare.test_runs import run
from tests.trace.handmade import builder


def counted(calls: int, root: str = "/src", extra: str = "") -> Profile:
    """A run in which `main` calls `leaf` so often, and something else once; its source lies in `root`."""
    made = builder()
    thread = made.thread(1, 1)
    made.begin(thread, made.function("main", "m", f"{root}/m.py", 1), 0)
    for number, name in enumerate([*(["leaf"] * calls), *([extra] if extra else []), "other"]):
        made.span(thread, made.function(name, "m", f"{root}/m.py", 5), 10 * number + 1, 10 * number + 2)
    made.end(thread, 10_000)
    return folded(made.trace(made.build()))


def expected(old: int, both: int, code: int, input_: int) -> OriginKind:
    """The definition: which single change already changes the number in the direction in which both do."""
    more = both > old
    by_code, by_input = ((value > old if more else value < old) for value in (code, input_))
    return "both" if by_code and by_input else "code" if by_code else "input" if by_input else "together"


@pytest.mark.parametrize("calls", [each for each in itertools.product((0, 2, 5), repeat=4) if each[0] != each[1]])
def test_the_origin_of_a_changed_number_of_calls(calls: tuple[int, int, int, int]) -> None:
    """TD-14: beside the definition, all cases of none, fewer and more calls; each run has its source elsewhere."""
    old, both, code, input_ = (counted(each, f"/place{number}/src") for number, each in enumerate(calls))
    paths = crossed_paths([old], [both], [code], [input_])
    found = compared(paths.both)
    (one,) = (each for each in found.deviations if each.function == "leaf")
    origin = origins([one], paths)[0]
    assert origin.kind == expected(*calls)
    assert (origin.new_code, origin.new_input) == (calls[2], calls[3])
    alone = compared(call_paths([old], [both]))
    assert [each.function for each in alone.deviations] == [each.function for each in found.deviations]


def test_a_function_that_only_crossed_runs_call_has_one_id() -> None:
    """TD-14: `rare` runs on the new input alone, in both versions."""
    old, code = counted(1, "/a/src"), counted(1, "/b/src")
    both, input_ = counted(1, "/c/src", "rare"), counted(1, "/d/src", "rare")
    paths = crossed_paths([old], [both], [code], [input_])
    found = compared(paths.both).deviations
    assert [(one.kind, one.function) for one in found] == [("appeared", "rare")]
    assert [one.kind for one in origins(found, paths)] == ["input"]


def test_the_origin_of_a_slower_function() -> None:
    """TD-13, TD-14: the new code is slower by a fifth on either input, which makes another function be called more."""
    old, both, code, input_ = (
        [run(seed + n, slow, extra) for n in range(10)]
        for seed, slow, extra in ((0, 1.0, 0), (100, 1.2, 5), (200, 1.2, 0), (300, 1.0, 5))
    )
    paths = crossed_paths(old, both, code, input_)
    found = compared(paths.both).deviations
    told = {(one.kind, one.function): each.kind for one, each in zip(found, origins(found, paths), strict=True)}
    assert told["slower", "leaf_5"] == "code"
    assert told["more-calls", "leaf_3"] == "input"

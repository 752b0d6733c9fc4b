"""Every limit of a budget stops the work, with one sentence that names the work and the limit; sentences are short."""

from __future__ import annotations

from typing import Any

import pytest

from cbvtool import budget
from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import Cancelled, InputError


def test_within_its_limits_work_goes_on() -> None:
    spending = Budget("The walk", seconds=1000, count=10, size=100)
    for _ in range(10):
        spending.spend(1, 10)
    assert (spending.spent_count, spending.spent_size) == (10, 100)
    Budget("Anything").spend(10**9, 10**15)


@pytest.mark.parametrize(
    ("limits", "spent", "says"),
    [
        ({"count": 1000}, (1001, 0), "The walk was stopped: more than 1,000 files."),
        ({"size": 5_000_000}, (1, 5_000_001), "The walk was stopped: more than 5 MB."),
        ({"size": 2000}, (1, 2001), "The walk was stopped: more than 2,000 bytes."),
    ],
)
def test_a_limit_stops_the_work(limits: dict[str, Any], spent: tuple[int, int], says: str) -> None:
    with pytest.raises(OverBudget) as caught:
        Budget("The walk", things="files", **limits).spend(*spent)
    assert str(caught.value) == says
    assert isinstance(caught.value, InputError)


def test_time_stops_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: now[0])
    spending = Budget("The walk", seconds=20)
    now[0] += 19
    spending.spend()
    assert spending.left == 1
    now[0] += 2
    assert spending.left == 0
    with pytest.raises(OverBudget, match=r"^The walk was stopped: it took longer than 20 seconds\.$"):
        spending.spend()


def test_cancel_is_asked_each_time() -> None:
    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        Budget("The walk", cancel=cancel).spend()


def test_a_message_does_not_repeat_thousands_of_letters() -> None:
    """Audit L3: a path of 5,000 letters."""
    said = str(InputError(f"There is no folder '/{'a/' * 2500}last'."))
    assert len(said) < 400
    assert said.startswith("There is no folder '/a/a/")
    assert said.endswith("a/last'.")
    many = str(InputError("word " * 5000 + "the end."))
    assert len(many) == 2000
    assert many.endswith("the end.")
    path = f"{'folder/' * 40}file.py is too large."
    assert str(InputError(path)) == path

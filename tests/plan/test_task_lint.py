"""The lint of task lists finds what it looks for, and looks at every list that a test makes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cbvtool.graph import Graph
from cbvtool.plan import Group, History, Move, Split
from cbvtool.plan.primitives import AddEdge
from cbvtool.plan.sites.site import Site
from cbvtool.plan.tasks import TaskList, task_list, tasks
from tests.plan.task_lint import faults


@pytest.fixture
def history(shop: Graph) -> History:
    return History(shop, (Group("", (Move(("ui/billing.py",), "core"), Split("db", "ui", "core"))),))


@pytest.mark.parametrize(
    ("sites", "fault"),
    [
        ((Site("core/x.py", 9, "call", "must"),), ""),
        ((Site("core/x.py", 9, "inherit", "must"),), "is under a wrong class: import stand there"),
        ((Site("core/x.py", 9, "import", "must"), Site("core/x.py", 9, "import", "must", cause=1)), "is listed twice"),
        ((Site("core/x.py", 9, "import", "check"),), "is to be checked, nobody says why"),
        ((Site("core/x.py", 9, "add-import", "must"),), "is a line to add, or one that is there, not both"),
        ((Site("core/x.py", None, "call", "must", after=3),), "is a line to add, or one that is there, not both"),
    ],
)
def test_a_site_with_a_fault_is_told(history: History, sites: tuple[Site, ...], fault: str) -> None:
    """No site under a wrong class, no duplicate."""
    found = task_list(history)
    broken = TaskList((replace(found.tasks[0], sites=sites, steps=()), *found.tasks[1:]), _listing=found._listing)
    told = [sentence for sentence in faults(broken, history) if "leave something out" not in sentence]
    told = [sentence for sentence in told if "no step of" not in sentence and "another graph" not in sentence]
    assert (fault in told[0]) if fault else not told


def test_a_task_with_a_fault_is_told(history: History) -> None:
    """No step without a place, none that ends at a folder, keys unique."""
    found = task_list(history)
    assert faults(found, history) == []
    first, second = found.tasks
    at_folder = replace(second, primitives=(AddEdge("db/store.py", "core", "import"),))

    def told(*tasks: object) -> str:
        return "\n".join(faults(TaskList(tasks, _listing=found._listing), history))  # type: ignore[arg-type] # made up

    assert "it works on no place" in told(replace(first, places=()), second)
    assert "ends at a folder" in told(first, at_folder)
    assert f"the key {first.key} is there twice" in told(first, replace(second, key=first.key))
    assert "the numbers are not 1, 2, 3, ..." in told(replace(first, number=4), second)
    assert "the steps lead to another graph" in told(first)
    assert "leave something out" in told(replace(first, steps=()), second)


def test_every_list_of_a_test_is_looked_through(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that makes a list with a fault fails."""
    twice = (Site("core/x.py", 9, "inherit", "must", cause=0),)
    monkeypatch.setattr("cbvtool.plan.tasks.find_sites", lambda *_: twice)
    with pytest.raises(AssertionError, match=r"the task list has faults:\n.*wrong class"):
        tasks(history)

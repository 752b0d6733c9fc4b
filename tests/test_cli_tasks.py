"""`cbvtool tasks`: which plan, expanded or not, in which form; the JSON is what its schema says (NEW-9)."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.plan import Create, Group, History, Move, Remove, Rename, Split
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.export import TRACKER_COLUMNS
from cbvtool.plan.listing.annotations import Annotation, annotated
from cbvtool.plan.tasks import task_list
from cbvtool.project import open_project

Capture = pytest.CaptureFixture[str]
SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "tasks.schema.json").read_text())


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packages with a rule between them and weights of their own."""
    folder = tmp_path_factory.mktemp("subject") / "shop"
    for package in ("core", "web"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text("")
    (folder / "core" / "order.py").write_text("class Order:\n    def total(self):\n        return 1\n")
    price = "from core.order import Order\n\n\ndef price():\n    return Order().total()\n"
    (folder / "core" / "price.py").write_text(price)
    (folder / "web" / "page.py").write_text("from core.price import price\n\nprint(price())\n")
    (folder / "cbvtool.toml").write_text(
        '[rules]\ndeny = [{from = "core", to = "web"}]\n[effort]\nmove = 100\nround_to = 1\ncoffee = 5\n'
    )
    return folder


@pytest.fixture(scope="module")
def plan(subject: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two plans: a move that breaks the rule, with notes; and everything else."""
    file = tmp_path_factory.mktemp("plan") / "plan.cbv"
    graph = open_project(subject, cache=False).graph
    first = History(graph, (Group("move", (Move(("core/order.py",), "web"),)),))
    (task,) = task_list(first).tasks
    noted = annotated({}, task, note="Ask Eve,\n=first", assignee="@ann")
    noted = {**noted, "move-0123456789": Annotation(note="gone", title="Move gone.py")}
    more = (
        Create("plan:1", "", "api", "package"),
        Split("web", "core", "plan:1"),
        Rename("core/order.py", "orders.py"),
        Remove(("core/price.py::price",)),
    )
    second = History(graph, (Group("all", more),))
    assert not second.refusals
    plans = (Plan.of(first, "First", noted), Plan.of(second, "Second"))
    write_document(Document(subject, "shop", plans=plans), file)
    return file


def written(capture: Capture, *arguments: str | Path) -> str:
    assert main(["tasks", *map(str, arguments), "--no-cache"]) == DONE
    return capture.readouterr().out


def as_data(capture: Capture, *arguments: str | Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(written(capture, *arguments, "--format", "json"))
    jsonschema.validate(data, SCHEMA, cls=jsonschema.Draft202012Validator)
    return data


def test_json_is_what_its_schema_says(plan: Path, capsys: Capture) -> None:
    """Version 2: sites as objects, stable keys, notes, rules; all of it in the schema, and nothing besides."""
    data = as_data(capsys, plan)
    (task,) = data["tasks"]
    assert (data["version"], data["plan"], task["number"], task["kind"]) == (2, "First", 1, "move")
    assert (task["note"], task["assignee"], task["done"]) == ("Ask Eve,\n=first", "@ann", False)
    assert task["broken"] == ["core/price.py uses web/order.py: core must not use web"]
    assert task["dependants"] == ["core/price.py"]
    assert {"file": "core/price.py", "line": 1, "certainty": "must"}.items() <= task["sites"][0].items()
    assert task["minutes"] >= 100  # as the repository weighs a move
    assert "move 100" in data["estimate"]
    assert data["overtaken"][0]["key"] == "move-0123456789"
    for broken in (
        {**data, "checks": []},
        {**data, "tasks": [{**task, "sites": [["core/price.py", 1]]}]},
        {**data, "tasks": [{**task, "sites": [{**task["sites"][0], "line": None}]}]},
        {**data, "tasks": [{key: value for key, value in task.items() if key != "key"}]},
        {**data, "tasks": [{**task, "surplus": 1}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_another_plan_expanded(plan: Path, capsys: Capture) -> None:
    """--plan and --expanded: every step with its task, in an order in which the code builds."""
    data = as_data(capsys, plan, "--plan", "Second", "--expanded")
    assert [task["title"] for task in data["tasks"]] == [
        "Create package api",
        "Rename core/order.py to orders.py",
        "Invert the dependency of web on core through api/core_interface.py (callback or interface)",
        "Remove core/price.py::price",
    ]
    assert {step["task"] for step in data["steps"]} == {task["key"] for task in data["tasks"]}
    assert [step["number"] for step in data["steps"]] == list(range(1, len(data["steps"]) + 1))
    assert "Let web/page.py use api/core_interface.py instead of core/price.py" in [s["title"] for s in data["steps"]]
    text = written(capsys, plan, "--plan", "Second", "--expanded")
    assert f"- **4 tasks** in **{len(data['steps'])} steps**" in text
    assert f"\n## {len(data['steps'])}. " in text
    table = written(capsys, plan, "--plan", "Second", "--expanded", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["title"] for row in rows] == [step["title"] for step in data["steps"]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Secnd", "The document has no plan 'Secnd': did you mean 'Second'?"),
        ("first", "The document has no plan 'first': did you mean 'First'?"),
        ("x", "The document has no plan 'x': it has 'First', 'Second'."),
    ],
)
def test_a_plan_that_is_not_there(plan: Path, capsys: Capture, name: str, said: str) -> None:
    """One sentence, with what was probably meant."""
    assert main(["tasks", str(plan), "--plan", name]) == FAILED
    assert capsys.readouterr().err == f"cbvtool: {said}\n"


def test_issues_for_a_tracker(plan: Path, capsys: Capture, tmp_path: Path) -> None:
    """One issue for each task that is not done: title, description in Markdown, labels, assignee, estimate."""
    text = written(capsys, plan, "--format", "tracker")
    (issue,) = csv.DictReader(io.StringIO(text))
    assert tuple(issue) == TRACKER_COLUMNS
    assert issue["title"] == "Move order.py from core to web"
    assert issue["labels"] == "restructuring,move"
    assert issue["assignee"] == "'@ann"  # no formula in a spreadsheet
    assert issue["estimate"].endswith("m")
    assert "- [ ] Move `core/order.py` to `web/order.py`" in issue["description"]
    assert "> **Breaks a rule:** `core/price.py` uses `web/order.py`" in issue["description"]
    assert "> Ask Eve," in issue["description"]
    text_of_steps = written(capsys, plan, "--plan", "Second", "--expanded", "--format", "tracker")
    assert len(list(csv.DictReader(io.StringIO(text_of_steps)))) > 4
    for _ in range(2):  # what was written before is replaced
        written(capsys, plan, "--format", "tracker", "-o", tmp_path / "issues.csv")
    assert (tmp_path / "issues.csv").read_text() == text


def test_settings_that_are_not_understood_are_told(plan: Path, subject: Path, capsys: Capture) -> None:
    """An unknown weight is ignored with a sentence; a wrong one costs the rules and weights, not the list."""
    assert main(["tasks", str(plan), "--no-cache"]) == DONE
    assert "effort.coffee is not known here and is ignored." in capsys.readouterr().err
    settings = subject / "cbvtool.toml"
    text = settings.read_text()
    try:
        settings.write_text("[effort]\nmove = -1\n")
        assert main(["tasks", str(plan), "--no-cache"]) == DONE
        said = capsys.readouterr()
        assert "effort.move must be a number of minutes from 0 to 10000, not -1." in said.err
        assert "Move `order.py`" in said.out
    finally:
        settings.write_text(text)

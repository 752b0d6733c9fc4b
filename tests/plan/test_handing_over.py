"""A plan handed over: issues of three trackers, a checklist, and rules that hold once it is done (NEW-9, NEW-15)."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.plan import Group, History, Move
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.export import About
from cbvtool.plan.handing_over import trackers
from cbvtool.plan.handing_over.kept_rules import to_archunit, to_dependency_cruiser, to_import_linter
from cbvtool.plan.listing.annotations import annotated
from cbvtool.plan.tasks import TaskList, task_list
from cbvtool.project import open_project
from cbvtool.rules.contracts.checking import check_contracts
from cbvtool.rules.contracts.contract_file import read_contracts

ABOUT = About("shop", "Plan *1*", "abc")
MOVE = Group("move", (Move(("app/web/fmt.py",), "app/core"),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`core` uses `web`, for `fmt.py` lies there, and `web` uses `core`."""
    root = tmp_path_factory.mktemp("handed") / "shop"
    files = {
        "app/__init__.py": "",
        "app/core/__init__.py": "",
        "app/core/order.py": "from app.web import fmt\n\nprint(fmt)\n",
        "app/web/__init__.py": "",
        "app/web/fmt.py": "X = 1\n",
        "app/web/page.py": "from app.core import order\n\nprint(order)\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def history(folder: Path) -> History:
    return History(open_project(folder, history=False, cache=False).graph, (MOVE,))


@pytest.fixture(scope="module")
def listed(history: History) -> TaskList:
    """One task, with a note and an assignee."""
    (task,) = task_list(history).tasks
    noted = annotated({}, task, note="/close\n{code}", assignee="@ann")
    return task_list(history, annotations=noted)


def test_issues_of_github_are_what_its_interface_takes(listed: TaskList) -> None:
    (issue,) = json.loads(trackers.to_github(listed, ABOUT))
    assert set(issue) == {"title", "body", "labels", "assignees"}
    assert issue["title"] == listed.tasks[0].title
    assert (issue["labels"], issue["assignees"]) == (["restructuring", "move"], ["ann"])
    assert "app/core/order.py" in issue["body"]


def test_only_our_own_lines_are_orders_for_gitlab(listed: TaskList) -> None:
    """A note that begins with / is text: it stands in a quotation."""
    head, (title, description) = csv.reader(io.StringIO(trackers.to_gitlab(listed, ABOUT)))
    assert (head, title) == (["title", "description"], listed.tasks[0].title)
    orders = [line for line in description.splitlines() if line.startswith("/")]
    assert orders == ["/label ~restructuring ~move", f"/estimate {listed.tasks[0].minutes}m", "/assign @ann"]


def test_issues_of_jira_have_its_markup_and_seconds(listed: TaskList) -> None:
    head, row = csv.reader(io.StringIO(trackers.to_jira(listed, ABOUT)))
    assert head == list(trackers.JIRA_COLUMNS)
    assert row[-1] == str(60 * listed.tasks[0].minutes)
    assert row[3:6] == ["restructuring", "move", "ann"]
    assert not re.search(r"(?<!\\)[{}\[\]|!]", row[2])
    assert "Plan \\*1\\*" in row[2]


def test_a_checklist_has_a_box_for_each_task(listed: TaskList) -> None:
    text = trackers.to_checklist(listed, ABOUT)
    assert len(re.findall(r"^- \[ \] 1\. ", text, re.MULTILINE)) == 1
    assert "Plan \\*1\\*" in text
    assert "- [ ] The tests pass" in text
    assert "- [ ]" in trackers.to_checklist(listed, ABOUT, expanded=True)
    assert "Nothing to do" in trackers.to_checklist(TaskList(()), ABOUT)


def test_import_linter_finds_the_contracts_broken_before_and_kept_after(
    folder: Path, history: History, tmp_path: Path
) -> None:
    """On the code as it is, and on what somebody has made of it by hand, analysed anew."""
    kept = to_import_linter(history, ABOUT)
    assert kept.notes == ()
    file = tmp_path / ".importlinter"
    file.write_text(kept.text)
    contracts = read_contracts(file)
    assert [contract.name for contract in contracts.contracts] == ["app/core no longer uses app/web"]
    assert len(check_contracts(history.base, contracts).broken) == 1
    done = tmp_path / "shop"
    shutil.copytree(folder, done)
    (done / "app/web/fmt.py").rename(done / "app/core/fmt.py")
    (done / "app/core/order.py").write_text("from app.core import fmt\n\nprint(fmt)\n")
    assert check_contracts(open_project(done, history=False, cache=False).graph, contracts).broken == ()


def test_dependency_cruiser_and_archunit_name_the_same(tmp_path: Path) -> None:
    """Folders by expressions, and packages of Java."""
    root = tmp_path / "shop"
    files = {
        "src/core/a.js": "import '../web/fmt.js';\n",
        "src/web/fmt.js": "export const x = 1;\n",
        "src/web/b.js": "import '../core/a.js';\n",
        "src/main/java/org/shop/core/A.java": "package org.shop.core;\nimport org.shop.web.Fmt;\nclass A { Fmt f; }\n",
        "src/main/java/org/shop/web/Fmt.java": "package org.shop.web;\npublic class Fmt {}\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    java = "src/main/java/org/shop"
    steps = (Move(("src/web/fmt.js",), "src/core"), Move((f"{java}/web/Fmt.java",), f"{java}/core"))
    graph = open_project(root, history=False, cache=False).graph
    history = History(graph, (Group("move", steps),))
    assert not history.refusals
    (rule,) = json.loads(to_dependency_cruiser(history, ABOUT).text)["forbidden"]
    assert (rule["from"], rule["to"]) == ({"path": "^src/core/"}, {"path": "^src/web/"})
    text = to_archunit(history, ABOUT).text
    assert 'noClasses().that().resideInAPackage("org.shop.core..")' in text
    assert 'dependOnClassesThat().resideInAPackage("org.shop.web..");' in text
    assert '@AnalyzeClasses(packages = {"org"})' in text


def test_the_command_writes_each_form(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it wrote once it replaces; where nothing ends it says so."""
    file = tmp_path / "plan.cbv"
    plans = (Plan.of(History(open_project(folder, cache=False).graph, (MOVE,))), Plan("Nothing"))
    write_document(Document(folder, "shop", plans=plans), file)
    for form, name in {
        "github": "i.json",
        "gitlab": "i.csv",
        "jira": "j.csv",
        "checklist": "c.md",
        "import-linter": ".importlinter",
    }.items():
        for _ in range(2):
            arguments = ["tasks", str(file), "--format", form, "-o", str(tmp_path / name), "--no-cache"]
            assert main(arguments) == DONE
        assert (tmp_path / name).stat().st_size
    capsys.readouterr()
    for more, reason in (
        (["--format", "archunit"], "ends no dependency between folders"),
        (["--format", "import-linter", "--plan", "Nothing"], "ends no dependency between folders"),
        (["--format", "import-linter", "--expanded"], "leave --expanded out"),
    ):
        assert main(["tasks", str(file), *more, "--no-cache"]) == FAILED
        assert reason in capsys.readouterr().err

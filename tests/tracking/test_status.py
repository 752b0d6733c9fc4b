"""`cbvtool tasks --status`: marks, the commits that did it, new violations, in every form (NEW-3, DND-9)."""

from __future__ import annotations

import copy
import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from cbvtool.cli import DONE, FAILED, FINDINGS, main
from cbvtool.plan import Group
from cbvtool.plan.document import Document, Plan, write_document
from tests.tracking.subject import commit_all
from tests.tracking.tables import SHOP

Capture = pytest.CaptureFixture[str]
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/task-status.schema.json").read_text())
RULES = '[rules]\ndeny = [{from = "shop/core", to = "shop/ui"}]\n'


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], Path]:
    """(a document about the shop of the tables, the commits, a cache); a rule is broken at the last commit."""
    folder = tmp_path_factory.mktemp("followed")
    start = copy.deepcopy(SHOP.start)
    start.others["cbvtool.toml"] = RULES
    actions = [action for _, action in SHOP.rows[:16]]
    broken = [*actions, lambda s: setattr(s.modules["price"], "uses", [("menu", "show")])]
    ids = commit_all(folder / "subject", start, broken)
    plan = Plan("Plan 1", tuple(Group("step", (operation,)) for operation in SHOP.plan))
    write_document(Document(folder / "subject", "shop", ids[0], (plan,)), folder / "plan.cbv")
    return folder / "plan.cbv", ids, folder / "cache"


def said(capture: Capture, followed: tuple[Path, list[str], Path], *more: str, status: int = FINDINGS) -> str:
    arguments = ["tasks", str(followed[0]), "--status", "--jobs", "1", "--cache", str(followed[2]), *more]
    assert main(arguments) == status
    return capture.readouterr().out


def test_json_names_marks_commits_and_new_violations(followed: tuple[Path, list[str], Path], capsys: Capture) -> None:
    """The last marks, since which commit each holds, how many were left at every commit."""
    _, ids, _ = followed
    found = json.loads(said(capsys, followed, "--format", "json"))
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert (found["commit"], found["at"], found["left_out"]) == (ids[0], ids[-1], [])
    task = {task["title"]: task for task in found["tasks"]}
    bill = task["Move billing.py from shop/ui to shop/core"]
    assert (bill["status"], bill["commit"]) == ("done", ids[5])  # done before, too, and reverted
    tax = task["Move tax.py from shop/core to shop/storage"]
    assert (tax["status"], tax["commit"]) == ("overtaken", ids[16])
    assert "shop/fiscal.py" in tax["reason"]
    assert task["Remove shop/ui/menu.py"]["commit"] is None
    assert [row["commit"] for row in found["commits"]] == ids
    assert [row["done"] for row in found["commits"]] == [0, *(m.count("d") for m, _ in SHOP.rows[:16]), 6]
    assert [(rule["source"], rule["target"]) for rule in found["broken"]] == [
        ("shop/core/prices.py", "shop/ui/menu.py")
    ]


def test_other_forms_say_the_same(followed: tuple[Path, list[str], Path], capsys: Capture) -> None:
    """Markdown for people, CSV for spreadsheets; at an earlier commit, too."""
    text = said(capsys, followed)
    assert "6 done, 1 overtaken of 10 tasks" in text
    assert "New violations of rules since then (1)" in text
    rows = list(csv.DictReader(io.StringIO(said(capsys, followed, "--format", "csv", "--at", followed[1][10]))))
    assert [row["status"] for row in rows].count("done") == 4
    assert [(row["sites done"], row["sites"]) for row in rows if row["status"] == "partly"] == [("1", "3")]


def test_a_finished_plan_ends_with_0(followed: tuple[Path, list[str], Path], capsys: Capture) -> None:
    """Exit status: 0 = all is done. Of another commit than the document names, the plan has nothing to do there."""
    document, ids, _ = followed
    first = Plan("First", (Group("step", (SHOP.plan[1],)),))
    write_document(Document(document.parent / "subject", "shop", ids[0], (first,)), document.parent / "one.cbv")
    assert said(capsys, (document.parent / "one.cbv", *followed[1:]), "--at", ids[2], status=DONE)
    text = said(capsys, (document.parent / "one.cbv", *followed[1:]), "--at", ids[4])
    assert "1 open" in text


def test_what_cannot_be_is_said(followed: tuple[Path, list[str], Path], capsys: Capture) -> None:
    """One sentence for a commit that is not there, a plan without one, options that do not go together."""
    document, _, _ = followed
    for words in (["--status", "--at", "nowhere"], ["--at", "HEAD"], ["--status", "--expanded"]):
        assert main(["tasks", str(document), *words]) == FAILED
        assert "Traceback" not in capsys.readouterr().err
    write_document(Document(document.parent / "subject", "shop"), document.parent / "none.cbv")
    assert main(["tasks", str(document.parent / "none.cbv"), "--status"]) == FAILED
    assert "commit" in capsys.readouterr().err

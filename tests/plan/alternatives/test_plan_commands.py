"""`cbvtool plan compare`, `plan merge` (also as git's driver), `plan rebase`; plans of a session (NEW-3, NEW-6)."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from cbvtool.assessment.comparing import with_work
from cbvtool.assessment.judged import Asked, judged
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.rows import as_data
from cbvtool.cli import DONE, FAILED, FINDINGS, main
from cbvtool.errors import InputError
from cbvtool.plan import Group, Move, Operation, Remove, Rename
from cbvtool.plan.document import Document, Plan, read_document, write_document
from cbvtool.plan.tasks import task_list
from cbvtool.project import open_project
from cbvtool.rules import read_rules
from cbvtool.session import Session

Capture = pytest.CaptureFixture[str]
SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schemas/plan-compare.schema.json").read_text())
CODE = {
    "core/__init__.py": "",
    "core/order.py": "from web import page\n\n\ndef order():\n    return page.show()\n",
    "core/price.py": "def price():\n    return 1\n",
    "web/__init__.py": "",
    "web/page.py": "from core import price\n\n\ndef show():\n    return price.price()\n",
    "cbvtool.toml": '[rules]\ndeny = [{from = "core", to = "web"}]\n',
}
MOVE, RENAME, REMOVE = Move(("core/order.py",), "web"), Rename("core/price.py", "costs.py"), Remove(("core/order.py",))


def steps(*operations: Operation) -> tuple[Group, ...]:
    return tuple(Group(f"{operation.row.label} it", (operation,)) for operation in operations)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=False, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for name, text in CODE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    return folder


def commit(folder: Path) -> str:
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "change")
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def document(subject: Path, tmp_path: Path) -> Path:
    plans = (Plan("First", steps(MOVE, RENAME)), Plan("Second", steps(REMOVE, RENAME)))
    write_document(Document(subject, "shop", git(subject, "rev-parse", "HEAD").strip(), plans), tmp_path / "p.cbv")
    return tmp_path / "p.cbv"


def test_figures_equal_those_worked_out_from_nothing(document: Path, subject: Path, capsys: Capture) -> None:
    """Both plans and the code as it is: each figure is that of the same graph judged alone."""
    assert main(["plan", "compare", str(document), "First", "Second", "--no-cache", "--format", "json"]) == DONE
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "more": 1}, SCHEMA)
    for side, plan in zip(("first", "second"), read_document(document).plans, strict=True):
        project = open_project(subject, cache=False)
        history = plan.history(project.graph)
        listed = task_list(history, project.changes, project.code, weights=project.weights)
        rules = read_rules(subject)
        asked = Asked(project.graph, history.graph, project.changes, rules, ModuleChoice(), project.graph.root)
        alone = with_work(judged(asked).plan(), listed)
        assert found[side]["figures"] == as_data(alone.after)
        reach = {"propagation_cost", "ccd", "nccd", "feedback"}  # told where files depend on each other otherwise
        before = as_data(alone.before)
        assert all(found["as_is"][name] == before[name] for name in before.keys() - reach)
        assert found[side]["figures"]["effort_minutes"] == sum(task.minutes for task in listed.tasks)
        assert [task["key"] for task in found[side]["tasks"]] == [task.key for task in listed.tasks]
    assert found["as_is"]["broken_rules"] == 1
    assert found["first"]["figures"]["broken_rules"] == 0
    titles = {task["key"]: task["title"] for side in ("first", "second") for task in found[side]["tasks"]}
    assert [titles[key] for key in found["only_first"]] == ["Move order.py from core to web"]
    assert [titles[key] for key in found["only_second"]] == ["Remove core/order.py"]
    assert ["costs.py" in titles[key] for key in found["both"]] == [True]


def test_a_plan_and_the_code_as_it_is(document: Path, tmp_path: Path, capsys: Capture) -> None:
    """As a table for people; written twice to one file, which is replaced."""
    report = tmp_path / "both.txt"
    for _ in range(2):
        assert main(["plan", "compare", str(document), "First", "as-is", "--no-cache", "-o", str(report)]) == DONE
    text = report.read_text()
    assert text.startswith("Plans compared: First and as-is of shop, commit ")
    assert [line.split() for line in text.splitlines() if line.startswith("broken rules")] == [
        ["broken", "rules", "1", "0", "1", "−"]
    ]
    assert "Only in First (2 tasks" in text
    assert main(["plan", "compare", str(document), "Frist", "as-is"]) == FAILED
    assert "did you mean 'First'?" in capsys.readouterr().err


def test_git_merges_documents(document: Path, subject: Path) -> None:
    """The driver as docs/cli.md sets it up: in a repository, in a folder of it; a conflict leaves ours, and says so."""
    (subject / "plans").mkdir()
    file = subject / "plans" / "p.cbv"
    base = replace(read_document(document), subject=subject)
    write_document(base, file)
    (subject / ".gitattributes").write_text("*.cbv merge=cbvtool\n")
    driver = f"{sys.executable} -m cbvtool plan merge %O %A %B --place %P"
    git(subject, "config", "merge.cbvtool.driver", driver)
    commit(subject)

    def change(branch: str, *more: Operation) -> Document:
        git(subject, "checkout", "-q", "-b", branch, "main")
        first = replace(base.plans[0], done=(*base.plans[0].done, *steps(*more)))
        made = replace(read_document(file), plans=(first, base.plans[1]))
        write_document(made, file)
        commit(subject)
        return made

    ours = change("ours", Rename("web/page.py", "pages.py"))
    theirs = change("theirs", Remove(("core/__init__.py",)))
    change("clash", Rename("web/page.py", "site.py"))
    git(subject, "checkout", "-q", "ours")
    said = git(subject, "merge", "--no-edit", "theirs")
    found = read_document(file)
    assert found.plans[0].done == (*ours.plans[0].done, theirs.plans[0].done[-1]), said
    assert found.subject == subject
    assert json.loads(file.read_text())["subject"]["path"] == ".."
    before = file.read_bytes()
    said = git(subject, "merge", "--no-edit", "clash")
    assert "both are about page.py" in said
    assert "CONFLICT" in said
    assert file.read_bytes() == before


def test_merge_writes_nothing_where_there_is_a_conflict(document: Path, tmp_path: Path, capsys: Capture) -> None:
    """Exit status 1, no file; 2 for what is no document; an empty base is none; -o and standard output."""
    read = read_document(document)
    ours, theirs, to = (tmp_path / name for name in ("ours.cbv", "theirs.cbv", "both.cbv"))
    for file, name in ((ours, "a.py"), (theirs, "b.py")):
        more = steps(Rename("web/page.py", name))
        write_document(replace(read, plans=(replace(read.plans[0], done=(*read.plans[0].done, *more)),)), file)
    assert main(["plan", "merge", str(document), str(ours), str(theirs), "-o", str(to)]) == FINDINGS
    assert "Nothing was merged: 1 conflict." in capsys.readouterr().err
    assert not to.exists()
    (tmp_path / "empty").touch()
    assert main(["plan", "merge", str(tmp_path / "empty"), str(ours), str(theirs), "-o", str(to)]) == DONE
    assert [plan.name for plan in read_document(to).plans] == ["First", "First 2"]
    assert main(["plan", "merge", str(tmp_path / "empty"), str(ours), str(theirs), "-o", "-"]) == DONE
    assert capsys.readouterr().out == to.read_text()
    theirs.write_text("{")
    content = ours.read_bytes()
    assert main(["plan", "merge", str(document), str(ours), str(theirs)]) == FAILED
    assert ours.read_bytes() == content


def test_a_plan_keeps_its_commit_until_it_is_put_on_another(document: Path, subject: Path, capsys: Capture) -> None:
    """Saving it after the code went on keeps it; `plan rebase` changes it, if all steps fit."""
    first = read_document(document).plans[0].commit
    (subject / "more.py").write_text("")
    second = commit(subject)
    session = Session()
    session.open(open_project(subject, cache=False), read_document(document), document)
    session.save(document)
    assert [plan.commit for plan in read_document(document).plans] == [first, first]
    session.plan_choice.new("Fresh")
    assert session.move([session.graph.key_of["more.py"]], session.graph.key_of["core"]) is None
    (subject / "again.py").write_text("")
    third = commit(subject)
    session.deepen(open_project(subject, cache=False))
    session.save(document)
    assert [plan.commit for plan in read_document(document).plans] == [first, second, first]
    assert main(["plan", "rebase", str(document), "--plan", "First", "--no-cache"]) == DONE
    assert [plan.commit for plan in read_document(document).plans] == [third, second, first]
    git(subject, "rm", "-q", "core/order.py")
    commit(subject)
    content = document.read_bytes()
    capsys.readouterr()
    assert main(["plan", "rebase", str(document), "--plan", "First", "--no-cache"]) == FINDINGS
    assert "core/order.py is not there." in capsys.readouterr().err
    assert document.read_bytes() == content
    assert main(["plan", "rebase", str(document), "--plan", "First", "--no-cache", "--force"]) == DONE


def test_a_session_goes_from_plan_to_plan(document: Path, subject: Path) -> None:
    """New, branch, rename, delete and back, copy; each plan has its own steps; what is unsaved is known."""
    session = Session()
    session.open(open_project(subject, cache=False), read_document(document), document)
    choice = session.plan_choice
    choice.switch("Second")
    assert "core/order.py" not in session.graph.key_of
    assert not session.unsaved
    choice.branch("Third")
    assert session.unsaved
    session.undo()
    assert [plan.done for plan in choice.plans.plans] == [steps(MOVE, RENAME), steps(REMOVE, RENAME), steps(REMOVE)]
    found = choice.copying([0], "First")()
    assert found.copied == steps(REMOVE)
    choice.copied("First", found)
    assert choice.plans.plans[0].done == steps(MOVE, RENAME, REMOVE)
    choice.rename("Third", "Last")
    again = choice.delete("Last")
    assert (choice.plans.names, session.plan_name) == (["First", "Second"], "Second")
    again()
    assert (choice.plans.names, session.plan_name) == (["First", "Second", "Last"], "Last")
    assert session.history is not None
    assert session.history.done == steps(REMOVE)
    with pytest.raises(InputError, match="another plan"):
        choice.copying([0], "Last")
    session.save(document)
    assert not session.unsaved
    assert read_document(document).plan.name == "Last"

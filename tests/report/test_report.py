"""Reports: what got worse and what it would take, on one page that everybody can read (NEW-8, NEW-15)."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from cbvtool.cli import DONE, FAILED, main
from cbvtool.errors import Cancelled, InputError
from cbvtool.plan import Create, Group, History, Move
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.tasks import task_list
from cbvtool.project import Project, open_project
from cbvtool.report.fact_sheet import fact_sheets
from cbvtool.report.gathered import Gathered, gather
from cbvtool.report.markup import element, table
from cbvtool.report.page import page
from cbvtool.report.sheet_pages import sheets
from cbvtool.report.sparkline import points, sparkline
from cbvtool.report.trend import commit_of_report
from tests.report.reading import ReadPage
from tests.test_project import git

HOSTILE = "x<img src=q onerror=alert(1)>&'\".py" if sys.platform != "win32" else "x&amp;'.py"
_BRANCHES = "".join(f"    if a == {number}:\n        return {number}\n" for number in range(70))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four commits. Since the first: a cycle of packages, a broken rule and a leap of complexity; one cycle is gone."""
    root = tmp_path_factory.mktemp("reported") / "shop"
    files = {
        "core/__init__.py": "",
        "core/order.py": "def order(a):\n    if a:\n        return 1\n    return 2\n",
        "core/a.py": "from core import b\n\nprint(b)\n",
        "core/b.py": "from core import a\n\nprint(a)\n",
        "web/__init__.py": "",
        "web/page.py": "from core.order import order\n\nprint(order)\n",
        f"web/{HOSTILE}": "import core.order\n\n\ndef show(a):\n    return a or core.order\n",
        "cbvtool.toml": '[rules]\nlayers = ["web", "core"]\n',
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q")

    def commit(day: str) -> None:
        git(root, "add", "-A", date=day)
        git(root, "commit", "-q", "-m", "on", date=day)

    commit("2024-01-01T00:00:00Z")
    (root / "core" / "b.py").write_text("print(1)\n")
    commit("2024-02-01T00:00:00Z")
    (root / "core" / "order.py").write_text(
        "from web.page import order as page\n\nprint(page)\n\n\n" + files["core/order.py"]
    )
    commit("2024-03-01T00:00:00Z")
    (root / "web" / HOSTILE).write_text(f"import core.order\n\n\ndef show(a):\n{_BRANCHES}    return core.order\n")
    commit("2024-04-01T00:00:00Z")
    return root


@pytest.fixture(scope="module")
def project(folder: Path) -> Project:
    return open_project(folder, cache=False)


@pytest.fixture(scope="module")
def document(project: Project) -> Document:
    """A plan that mends the broken rule, with a note on its task."""
    steps = (Create("plan:1", "", "api", "package"), Move(("core/order.py",), "web"))
    plans = (Plan.of(History(project.graph, (Group("all", steps),))),)
    view = {"notes": {"core": "Ask <Eve>"}, "named": [{"name": "Old & new", "view": {}}]}
    return Document(project.path, "shop", project.commit, plans, view=view)


@pytest.fixture(scope="module")
def told(project: Project, document: Document) -> Gathered:
    """Since the first commit."""
    return gather(project, document, since="HEAD~3", day="2024-05-01", cache=False)


@pytest.fixture(scope="module")
def read(told: Gathered) -> ReadPage:
    return ReadPage(page(told))


def test_the_first_screen_answers_the_question(told: Gathered, read: ReadPage) -> None:
    """What got worse since then, and what would it take? In a sentence, and line by line with places and effort."""
    assert [words.partition(", since")[0] for words, _ in told.worse] == [
        "Cycle between core and web",
        "Rule broken by core/order.py using web/page.py: core must not use web, which is a higher layer",
        f"Complexity of web/{HOSTILE} from 2 to 71",
    ]
    assert read.texts["answer"].startswith("Since 2024-01-01, 3 things got worse and 1 got better. Mending the cycles")
    head, *rows = read.tables["worse-now"]
    assert head == ["What got worse", "What to do", "Lines", "Files", "Effort"]
    assert len(rows) == 3
    cycle = told.worse[0][1]
    assert rows[0][2:4] == [str(cycle.sites), str(cycle.files)]
    assert cycle.sites == 1
    assert rows[2][4] == "not estimated"
    assert "Gone: cycle between core/a.py and core/b.py" in read.texts["better"]


def test_every_reader_can_read_it(read: ReadPage) -> None:
    """Landmarks, headings in order, heads of tables, words for pictures; nothing is loaded, no name becomes markup."""
    assert read.faults == []
    assert not any(tag == "img" and "onerror" in given for tag, given in read.elements)
    assert any(HOSTILE in row[0] for row in read.tables["worse-now"])


def test_figures_then_and_now(told: Gathered, read: ReadPage) -> None:
    """Each with a sign and a word, so that no colour is needed."""
    assert told.trend is not None
    rows = {row[0]: row[1:] for row in read.tables["figures"][1:]}
    assert rows["Broken rules"] == ["0", "1", "+1", "▲ worse"]
    assert rows["Files"] == ["8", "8", "", ""]
    for figure in told.trend.figures(told.trend.found.graph.root):
        if figure.label in rows:
            assert tuple(rows[figure.label][:2]) == figure.texts


def test_the_plan_has_its_figures_and_tasks(
    told: Gathered, project: Project, document: Document, read: ReadPage
) -> None:
    """The same as the task list itself."""
    found = task_list(
        document.plan.history(project.graph), project.changes, project.code, rules=told.rules, circles=True
    )
    rows = read.tables["tasks"][1:]
    assert len(rows) == len(found.tasks) == 2
    assert {row[4] for row in rows} == {f"{task.minutes} min" for task in found.tasks}
    figures = {row[0]: row[1:4] for row in read.tables["judgement"][1:]}
    assert figures["Broken rules"] == ["1", "0", "+ better"]


def test_notes_and_saved_views_are_told(read: ReadPage) -> None:
    assert read.tables["notes"] == [["About", "Note"], ["core", "Ask <Eve>"]]
    assert read.texts["views"] == "Old & new"


def test_the_same_report_gives_the_same_bytes(told: Gathered) -> None:
    assert page(told) == page(told)


def test_nothing_to_compare_with(project: Project, tmp_path: Path) -> None:
    """Without a day, and for a saved graph: the findings of today stand on the first screen."""
    one = gather(project, since=None, day="2024-05-01", cache=False)
    read = ReadPage(page(one))
    assert read.faults == []
    assert "worse" not in read.texts["answer"]
    assert "Nothing is compared" in " ".join(read.texts.values()) or "figures" not in read.tables


def test_an_earlier_report_is_a_day_to_compare_with(told: Gathered, tmp_path: Path) -> None:
    """It says which commit it is about; another page does not."""
    file = tmp_path / "report.html"
    file.write_bytes(page(told))
    assert commit_of_report(file) == told.project.commit
    file.write_bytes(b"<!doctype html><p>cbvtool")
    with pytest.raises(InputError, match="does not say which commit"):
        commit_of_report(file)


def test_what_is_cancelled_stops(project: Project) -> None:
    """At its next word about how far it is."""

    def progress(what: str, done: int, total: int) -> None:
        if what == "Reading versions":
            raise Cancelled

    with pytest.raises(Cancelled):
        gather(project, since="HEAD~3", progress=progress, cache=False)


def test_the_command_writes_the_page(
    folder: Path, document: Document, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a folder or document, since a day, a commit or an earlier report."""
    plan, out = tmp_path / "plan.cbv", tmp_path / "out.html"
    write_document(document, plan)
    assert main(["report", str(plan), "-o", str(out), "--since", "2024-01-15", "--no-cache", "--limit", "1"]) == DONE
    first = ReadPage(out.read_bytes())
    assert first.faults == []
    assert first.texts["answer"].startswith("Since 2024-01-01, 3 things")
    assert all(len(rows) <= 2 for name, rows in first.tables.items() if name in ("found", "spots", "cuts"))
    assert main(["report", str(folder), "-o", str(out), "--since", str(out), "--no-cache"]) == DONE
    assert ReadPage(out.read_bytes()).texts["answer"] == "Since 2024-04-01, nothing got worse and nothing got better."
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-o", "out.txt"], "ends neither in .html nor in .pdf"),
        (["-o", "out.html", "--since", "v99"], "There is no commit, branch or tag 'v99'"),
        (["-o", "out.html", "--since", ""], "--since is empty"),
        (["-o", "out.html", "--preset", "pretty"], "There is no preset 'pretty'"),
    ],
)
def test_wrong_usage_is_one_sentence(
    folder: Path,
    tmp_path: Path,
    arguments: list[str],
    reason: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(folder), *arguments, "--no-cache"]) == FAILED
    said = capsys.readouterr().err
    assert reason in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_fact_sheets_tell_of_the_project_and_its_folders(told: Gathered) -> None:
    """One page each, dated, with figures then and now, hot spots, neighbours, cycles and rules (NEW-15)."""
    whole, *folders = fact_sheets(told, 5)
    assert (whole.name, sorted(sheet.name for sheet in folders)) == ("shop", ["core", "web"])
    assert fact_sheets(told, 1)[1:] == folders[:1]
    core = next(sheet for sheet in folders if sheet.name == "core")
    assert (core.uses, core.users) == ((("web", 1),), (("web", 3),))
    assert core.broken == (("core must not use web, which is a higher layer", 1),)
    assert len(core.cycles) == 1
    figures = {figure.name: figure for figure in core.figures}
    assert (figures["violations"].before, figures["violations"].after) == (0, 1)
    assert len(core.series) == 4
    content = sheets(told)
    assert content == sheets(told)
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) == 3
    assert f"cbvtool-commit: {told.project.commit}".encode() in content


def test_the_last_fact_sheets_are_a_day_to_compare_with(told: Gathered, folder: Path, tmp_path: Path) -> None:
    """The trend against the last ones; page and sheets in one go."""
    last, out = tmp_path / "last.pdf", tmp_path / "out.html"
    last.write_bytes(sheets(told))
    arguments = ["report", str(folder), "-o", str(out), "--sheets", str(last), "--since", str(last), "--no-cache"]
    assert main(arguments) == DONE
    assert ReadPage(out.read_bytes()).texts["answer"].startswith("Since 2024-04-01, nothing got worse")
    assert main([*arguments[:3], str(last), *arguments[4:]]) == FAILED


def test_names_are_text() -> None:
    """In content and in attributes; a control character shows as its escape."""
    made = element("p", "<b>&\x07", title='"><script>')
    assert made == '<p title="&#34;&gt;&lt;script&gt;">&lt;b&gt;&amp;\\x07</p>'
    assert '<th scope="col" class="number">N</th>' in table("c", ["#N"], [[1]])


def test_a_sparkline_stands_on_zero_and_has_gaps() -> None:
    nan = float("nan")
    assert points([0.0, 10.0, nan, 5.0], 106, 16, 3) == [[(3, 13), (36.3, 3)], [(103, 8)]]
    assert "Points: 1 to 3" in sparkline([1, nan, 3], "Points")
    assert sparkline([nan], "Points") == "–"

"""NEW-6: two versions are counted once, by content: window, `diff`, report, evolution say the same (F1, P12)."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path

import pytest

from cbvtool.cli import main
from cbvtool.evolution.reading import read_evolution
from cbvtool.geometry.overlay.answer_legends import plan_rows
from cbvtool.geometry.scene.planned import SORT_OF
from cbvtool.mining import Processes, open_versions, read_changes
from cbvtool.progress import silent
from cbvtool.project import Project, open_project
from cbvtool.report.gathered import gather
from cbvtool.report.trend_section import trend_section
from cbvtool.session import Session
from cbvtool.versions import analysed, version_pair
from cbvtool.versions.tally import Tallies, Tally
from cbvtool.view.panels.versions.comparing_versions import version_compared
from tests.mining.conftest import Repository

_BODY = "".join(f"def part_{number}():\n    return {number}\n\n\n" for number in range(8))
FIRST = {
    "same.py": "def same():\n    return 1\n",
    "measure.py": "def smaller(a, b):\n    if a < b:\n        return a\n    return b\n",
    "conf.cfg": "timeout = 10\n",
    "shop/cart.py": f"# cart\n{_BODY}",
    "shop/stock.py": f"# stock\n{_BODY}",
    "shop/stay.py": "class Stay:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n",
    "tools/run.py": f"# run\n{_BODY}",
    "tools/tool.sh": "echo 1\n",
    "lib/base.py": "def base():\n    return 3\n",
    "data.txt": "some data\n",
    "ends.py": "def ends():\n    return 4\n",
    "gone.py": "from shop import stay\n\n\ndef gone():\n    return stay\n",
    "pkg/a.py": f"# a\n{_BODY}",
    "pkg/b.py": f"# b\n{_BODY}",
}
# Written by hand from `edited`.
FILES = Tally(
    added=2,  # fresh.py, lib/copy.py
    removed=2,  # gone.py, data.txt, which is a link now
    moved=4,  # shop/cart.py, shop/stock.py, pkg/a.py, pkg/b.py
    renamed=2,  # shop/stock.py, tools/run.py
    changed=5,  # measure.py, conf.cfg, shop/stock.py, shop/stay.py, ends.py
)
DEFINITIONS = Tally(
    added=2,  # fresh, base in the copy
    removed=1,  # gone
    changed=3,  # smaller, part_3 of stock, Stay.two
)


def edited(made: Repository) -> None:
    """Edits of all kinds, of which only those of contents, places and names count."""
    for old, new in {"shop/cart.py": "shop/sale/cart.py", "tools/run.py": "tools/go.py", "pkg": "src/pkg"}.items():
        (made.root / new).parent.mkdir(parents=True, exist_ok=True)
        made.git("mv", old, new)
    (made.root / "attic").mkdir()
    made.git("mv", "shop/stock.py", "attic/store.py")
    (made.root / "tools/tool.sh").chmod(0o755)
    (made.root / "data.txt").unlink()
    os.symlink("conf.cfg", made.root / "data.txt")
    made.write(
        {
            "measure.py": FIRST["measure.py"].replace("a < b", "a > b"),
            "conf.cfg": "timeout = 99\n",
            "attic/store.py": FIRST["shop/stock.py"].replace("return 3", "return 9"),
            "shop/stay.py": FIRST["shop/stay.py"].replace("return 2", "return 8"),
            "lib/copy.py": FIRST["lib/base.py"],
            "ends.py": FIRST["ends.py"].replace("\n", "\r\n"),
            "fresh.py": "from lib import base\nfrom shop import stay\n\n\ndef fresh():\n    return base, stay\n",
            "gone.py": None,
        }
    )


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    """A repository with two commits, the tags v1 and v2."""
    repository = Repository(tmp_path / "subject")
    repository.commit(FIRST)
    repository.git("tag", "v1")
    edited(repository)
    repository.commit()
    repository.git("tag", "v2")
    return repository


def in_window(folder: Path, name: str) -> list[str]:
    """The rows of the card, of a session that compares with a version."""
    project = open_project(folder, cache=False, jobs=1)
    session = Session()
    session.open(project)
    found = version_compared(folder, project.graph, name, Processes(), progress=silent)
    assert session.versions.show(found) is None
    scene = session.scene()
    assert scene.plan is not None
    assert scene.plan.told is not None
    return [text for sign, text in plan_rows(scene, scene.plan) if sign in SORT_OF or "relations" in text]


def told(project: Project, name: str) -> Tallies:
    """What the window's comparison with a version counts."""
    found = version_compared(project.path, project.graph, name, Processes(), progress=silent).told
    assert found is not None
    return found.tallies


def test_window_diff_report_and_evolution_count_the_same(made: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """P12, F1: one function counts; edits that keep size and measures are changes, a changed mode is none."""
    ask = ["diff", "v1", "v2", str(made.root), "--no-cache", "--jobs", "1"]
    assert main([*ask, "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["counts"]["files"] == FILES._asdict()
    assert said["counts"]["definitions"] == DEFINITIONS._asdict()
    assert len(said["relations"]["added"]) > len(said["relations"]["removed"]) > 0
    nodes = said["nodes"]
    assert [one["id"] for one in nodes["changed"] if one["before"].keys() & {"contents"}] == [
        "attic/store.py",
        "conf.cfg",
        "ends.py",
        "measure.py",
        "shop/stay.py",
    ]
    assert {"from": "shop/stock.py", "to": "attic/store.py"} in nodes["moved"]
    assert {"from": "shop/stock.py", "to": "attic/store.py"} in nodes["renamed"]
    assert {"from": "pkg", "to": "src/pkg"} in nodes["moved"]

    assert main(ask) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"files        {FILES.words}" in lines
    assert f"definitions  {DEFINITIONS.words}" in lines
    assert "  ~ measure.py::smaller: another text, measures as before" in lines

    assert main([*ask, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert sum(row["metric"] == "contents" for row in rows) == FILES.changed
    assert {row["id"] for row in rows if row["metric"] == "text"} == {
        "measure.py::smaller",
        "attic/store.py::part_3",
        "shop/stay.py::Stay.two",
    }

    assert in_window(made.root, "v1") == [
        "4 files moved",
        "2 files renamed",
        "2 files, 2 definitions added",
        "2 files, 1 definition removed",
        "5 files, 3 definitions changed",
        f"{len(said['relations']['added'])} relations added",
        f"{len(said['relations']['removed'])} relations removed",
    ]

    changes = read_changes(made.root)
    assert changes is not None
    read = read_evolution(made.root, changes, cache=False, jobs=1)
    assert (read.differs.files, read.differs.definitions) == (FILES, DEFINITIONS)
    assert main(["evolution", str(made.root), "--no-cache", "--jobs", "1"]) == 0
    assert f"From the first of these commits to the last: {read.differs.words}." in capsys.readouterr().out

    project = open_project(made.root, cache=False, jobs=1)
    gathered = gather(project, since="v1", cache=False, jobs=1)
    assert f"{read.differs.words}." in re.sub("<[^>]*>", "\n", trend_section(gathered))


def test_what_is_not_committed_counts_as_if_it_were(made: Repository) -> None:
    """A dirty work tree: edits, untracked files, moves and links count as those of a commit, staged or not."""
    made.git("reset", "-q", "--soft", "v1")
    made.git("reset", "-q", "v1")
    project = open_project(made.root, cache=False, jobs=1)
    found = told(project, "v1")
    assert (found.files, found.definitions) == (FILES._replace(changed=4), DEFINITIONS), "ends of lines are git's here"
    assert made.git("rev-parse", "HEAD") == made.git("rev-parse", "v1")


def test_a_work_tree_with_other_ends_of_lines_is_the_same(made: Repository) -> None:
    """What git checks out with CRLF differs from no commit."""
    text = (made.root / "measure.py").read_bytes()
    (made.root / "measure.py").write_bytes(text.replace(b"\n", b"\r\n"))
    found = told(open_project(made.root, cache=False, jobs=1), "v2")
    assert (found.files, found.definitions) == (Tally(), Tally())


def test_an_edit_taken_back_is_no_change(made: Repository) -> None:
    """The work tree is what counts, not its commit: what has the content of the older version again is as it was."""
    (made.root / "measure.py").write_text(FIRST["measure.py"])
    (made.root / "conf.cfg").write_text(FIRST["conf.cfg"])
    found = told(open_project(made.root, cache=False, jobs=1), "v1")
    assert found.files == FILES._replace(changed=FILES.changed - 2)
    assert found.definitions == DEFINITIONS._replace(changed=DEFINITIONS.changed - 1)


def test_a_folder_of_the_repository_counts_its_own(made: Repository) -> None:
    """Paths are those below the folder; what came from elsewhere is added, what went elsewhere is removed."""
    with open_versions(made.root / "shop") as versions:
        pair = version_pair(versions, *(analysed(versions, name, cache=False, jobs=1) for name in ("v1", "v2")))
    assert pair.difference().nodes.tallies.files == Tally(added=0, removed=1, moved=1, renamed=0, changed=1)
    found = told(open_project(made.root / "shop", cache=False, jobs=1), "v1")
    assert found == pair.difference().nodes.tallies


def test_a_plan_is_not_in_the_comparison(made: Repository) -> None:
    """P12: a plan in the document does not count: the window compares the code as it is."""
    project = open_project(made.root, cache=False, jobs=1)
    session = Session()
    session.open(project)
    key = session.graph.key_of
    assert session.move([key["same.py"]], key["lib"]) is None
    found = version_compared(made.root, project.graph, "v1", Processes(), progress=silent)
    assert session.versions.show(found) is None
    assert found.told is not None
    assert found.told.tallies.files == FILES
    assert "same.py" in session.graph.key_of

"""NEW-8: a report agrees with itself: tiles, lists and picture tell of the same code, rules and cycles (P4, A6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cbvtool.geometry.overlay.labels import rough_width
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import BEING_MEASURED
from cbvtool.metrics.run_time import run_time_metrics
from cbvtool.plan import History
from cbvtool.plan.document import Document, Plan
from cbvtool.project import open_project
from cbvtool.report.gathered import Gathered, gather
from cbvtool.report.lists import cycles_section
from cbvtool.report.page import page
from cbvtool.report.picture_section import picture_section
from cbvtool.report.trend_section import trend_section
from cbvtool.rules import violations
from tests.mining.conftest import Repository
from tests.report.reading import ReadPage

RULES = '[rules]\nlayers = ["web", "core"]\n'
OTHER_RULES = '[rules]\nlayers = ["web", "core"]\ndeny = [{from = "web", to = "gone"}]\n'


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    """Three packages in a cycle over different files, and two files of one package that use each other."""
    repository = Repository(tmp_path / "subject")
    repository.commit({"core/__init__.py": "", "web/__init__.py": "", "gone/__init__.py": ""})
    repository.git("tag", "begin")
    repository.commit(
        {
            "gone/__init__.py": None,
            "core/a.py": "from web import one\n\nprint(one)\n",
            "core/b.py": "def b():\n    return 1\n",
            "web/one.py": "def one():\n    return 1\n",
            "web/two.py": "from base import low\n\nprint(low)\n",
            "base/__init__.py": "",
            "base/low.py": "def low():\n    return 1\n",
            "base/high.py": "from core import b\n\nprint(b)\n",
            "core/x.py": "from core import y\n\nprint(y)\n",
            "core/y.py": "from core import x\n\nprint(x)\n",
        }
    )
    return repository


def gathered(made: Repository, **how: Any) -> Gathered:
    return gather(open_project(made.root, cache=False, jobs=1), cache=False, jobs=1, **how)


def tiles(one: Gathered) -> dict[str, str]:
    """What each tile says today."""
    text = ReadPage(page(one, rough_width)).texts["tiles"]
    assert one.trend is not None
    figures = one.trend.figures(one.trend.found.graph.root)
    found = {figure.label: figure.texts[1] for figure in figures if figure.label in ("Cycles", "Broken rules")}
    assert all(f"{label}{figure}" in text for label, figure in found.items())
    return found


@pytest.mark.parametrize("committed", [True, False])
def test_broken_rules_of_tile_and_list_are_one_number(made: Repository, committed: bool) -> None:
    """A6: the rules of the code base as opened judge both, also where nobody has committed them yet."""
    made.write({"cbvtool.toml": RULES})
    if committed:
        made.commit()
    one = gathered(made, since="begin")
    listed = ReadPage(page(one, rough_width)).tables["broken"]
    pairs = sum(int(row[1]) for row in listed[1:])
    assert pairs == len(violations(one.graph, one.rules)) == 1
    assert tiles(one)["Broken rules"] == f"{pairs}"
    assert [row[2] for row in listed[1:]] == ["1"], "new since then"
    assert any("Broken" in what or "Rule broken" in what for what, _ in one.worse)


def test_code_that_is_not_committed_counts_in_tiles_and_lists(made: Repository) -> None:
    """P4: all of a report is about the code as it is, and says where that is no commit."""
    made.commit({"cbvtool.toml": RULES})
    made.write({"core/b.py": "from web import one\n\n\ndef b():\n    return one\n"})
    one = gathered(made, since="begin")
    assert tiles(one)["Broken rules"] == f"{len(one.broken)}" == "2"
    assert "What is not committed yet counts with the last one." in trend_section(one)


def test_rules_that_the_older_version_did_not_have_are_told(made: Repository) -> None:
    """What a rule names is not there any more, or was not then: told in a sentence, no error."""
    made.commit({"cbvtool.toml": OTHER_RULES})
    one = gathered(made, since="begin")
    text = trend_section(one)
    assert "were others: all versions are judged by the rules of today." in text
    made.commit({"cbvtool.toml": RULES.replace("core", "base")})
    one = gathered(made, since="begin")
    assert "names base, which is not there." in trend_section(one)


def test_cycles_of_tile_and_list_are_one_number(made: Repository) -> None:
    """P4: a cycle of packages that no two files form, and one of files inside a package."""
    one = gathered(made, since="begin")
    listed = ReadPage(page(one, rough_width)).tables["cuts"]
    assert [row[1] for row in listed[1:]] == ["3 packages", "2 files"]
    assert tiles(one)["Cycles"] == f"{one.cycle_count}" == "2"
    few = gathered(made, since="begin", limit=1)
    assert "1 cycle more" in cycles_section(few)


def test_the_picture_has_a_style_of_its_own(made: Repository) -> None:
    """P4: with *Calls and times* on in the window, the report shows hot spots, and nothing that is being measured."""
    project = open_project(made.root, cache=False, jobs=1)
    metrics = {**METRICS, **run_time_metrics(None, None)}
    assert any(metric.missing == BEING_MEASURED for metric in metrics.values())
    for height, color in (("self_time", "calls"), ("no_such_metric", "complexity")):
        view = {"mapping": {"height": height, "color": color}}
        plans = (Plan.of(History(project.graph)),)
        document = Document(project.path, "subject", project.commit, plans, view=view)
        one = gather(project, document, metrics=metrics, cache=False, jobs=1)
        mapping = one.scene.state.mapping
        assert (mapping.height, mapping.color) == ("hot_spots", "complexity")
        assert not any(metric.missing == BEING_MEASURED for metric in one.scene.values.metrics.values())
        assert "eing measured" not in picture_section(one, rough_width)
    kept = {"mapping": {"height": "sloc", "color": "fan_in"}}
    document = Document(project.path, "subject", project.commit, (Plan.of(History(project.graph)),), view=kept)
    mapping = gather(project, document, metrics=metrics, cache=False, jobs=1).scene.state.mapping
    assert (mapping.height, mapping.color) == ("sloc", "fan_in"), "a style that can be shown is that of the document"

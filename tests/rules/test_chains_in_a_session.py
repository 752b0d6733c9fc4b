"""Rules over chains are judged where nobody waits for them (NEW-5)."""

from __future__ import annotations

from pathlib import Path

from cbvtool.plan import Move
from cbvtool.project import open_project
from cbvtool.rules import read_rules
from cbvtool.session import Session

RULES = """\
[[rules.rule]]
kind = "forbidden"
from = "ui"
to = "db"
over = "chains"
"""


def opened(folder: Path) -> Session:
    """A window's session of a project in which `ui` uses `db` over `core`."""
    for path, text in {
        "ui/page.py": "import core.logic\n",
        "core/logic.py": "import db.store\n",
        "db/store.py": "X = 1\n",
        "other/rest.py": "Y = 1\n",
        "cbvtool.toml": RULES,
    }.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    session = Session()
    session.patient = False
    session.rules = read_rules(folder)
    session.open(open_project(folder, history=False))
    return session


def marked(session: Session) -> int:
    """How many relations the picture marks."""
    violating = session.scene().violating
    return 0 if violating is None else int(violating.sum())


def test_the_picture_marks_chains_once_somebody_has_found_them(tmp_path: Path) -> None:
    """Until then nothing is looked for; another step of the plan asks for it anew; a late answer is no answer."""
    session = opened(tmp_path)
    assert marked(session) == 0
    judging = session.judging_rules()
    assert judging is not None
    session.rules_judged(judging())
    assert marked(session) == 2
    assert len(session.violations()[0]) == 1
    assert session.judging_rules() is None
    session.do(Move(("core/logic.py",), "other"))
    late = session.judging_rules()
    assert late is not None
    found = late()
    session.do(Move(("db/store.py",), "other"))
    session.rules_judged(found)
    assert marked(session) == 0
    again = session.judging_rules()
    assert again is not None
    session.rules_judged(again())
    assert marked(session) == 0
    assert session.violations()[0] == []


def test_a_patient_session_finds_chains_itself(tmp_path: Path) -> None:
    """The command line and programs wait for the picture."""
    session = opened(tmp_path)
    session.patient = True
    assert marked(session) == 2

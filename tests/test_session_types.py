"""What mypy sees of the calls that a view makes on a session: a wrong field, type or part is an error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

from cbvtool.geometry.state.view_state import ViewState
from cbvtool.session.view_changes import ViewChanges

ROOT = Path(__file__).parents[1]
# mypy reads these and skips what they import: it needs seconds then, in place of a minute.
READ = (
    *(f"session/{name}.py" for name in ("change", "session", "state", "viewing", "view_changes")),
    "geometry/state/view_state.py",
)
HEAD = """from cbvtool.geometry.state.view_state import Drag, Mapping
from cbvtool.session.change import Change
from cbvtool.session.session import Session

def planted(session: Session, name: str, what: Change) -> None:
"""


def test_the_changes_are_the_fields_of_the_view_state() -> None:
    """A field that is added to one and not to the other, or has another type there, is seen here."""
    assert get_type_hints(ViewChanges) == get_type_hints(ViewState)
    assert not ViewChanges.__required_keys__


LINES = {  # line of a program: the kind of error that mypy reports in it
    "session.set_view(hovered=1, theme='dark', drag=Drag((1,)), mapping=Mapping(), since=None)": "",
    "session.subscribe(lambda part: None if part is Change.VIEW else session.set_view())": "",
    "session.set_view(hoverd=1)": "call-arg",
    "session.set_view(beta='0.8')": "arg-type",
    "session.set_view(drag=3)": "arg-type",
    "session.set_view(selected=[1])": "arg-type",
    "session.set_view(**{name: 1})": "arg-type",
    "print(what == 'view')": "comparison-overlap",
    "print(what in ('view', 'plan'))": "comparison-overlap",
    "print(Change.PLANS)": "attr-defined",
    "session.subscribe(lambda part: print(part.upper()))": "attr-defined",
}


def test_mypy_sees_a_wrong_field_type_or_part(tmp_path: Path) -> None:
    """Each of these lines, which the program would only fail at when it comes there, if at all."""
    (tmp_path / "planted.py").write_text(HEAD + "".join(f"    {line}\n" for line in LINES))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict-equality",
            "--follow-imports=skip",
            "--config-file=",
            f"--cache-dir={tmp_path / 'cache'}",
            "planted.py",
            *(str(ROOT / "src" / "cbvtool" / path) for path in READ),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert not done.stderr
    said = re.findall(r"(?m)^planted\.py:(\d+): error: .*\[(.+)\]$", done.stdout)
    first = HEAD.count("\n") + 1
    found = {line: {kind for row, kind in said if int(row) == number} for number, line in enumerate(LINES, first)}
    assert found == {line: {kind} - {""} for line, kind in LINES.items()}, done.stdout

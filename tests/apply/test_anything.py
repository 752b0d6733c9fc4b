"""Random plans of all operations are carried out and hold, or are refused whole; and the judge of that can tell."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from cbvtool.apply.applying import Applied
from tests.apply.test_links import FILES, LINKS
from tests.apply.tried import repository
from tests.judges import apply_anything

SUBJECT: dict[str, str | bytes] = {
    **FILES,
    "pkg/old/__init__.py": "",
    "pkg/old/unused.py": "z = 1\n",
    "src/main/java/b/Two.java": "package b;\n\nimport a.One;\n\npublic class Two {\n    One one;\n}\n",
    "web/use.ts": 'import "./one";\n',
    "web/data.json": "{}\n",
}


@pytest.fixture
def subject(tmp_path: Path) -> Path:
    return repository(tmp_path / "subject", SUBJECT, LINKS)


def outcome(capsys: pytest.CaptureFixture[str]) -> list[int]:
    """Carried out, refused, in part, errors, written although refused, wrong."""
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| subject |"))
    return [int(cell) for cell in row.split("|")[3:-1]]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_random_plans(subject: Path, capsys: pytest.CaptureFixture[str], seed: int) -> None:
    """A1 of plans.md: no internal error, nothing written although refused, nothing that does not hold."""
    assert apply_anything.main(["--count", "20", "--seed", str(seed), str(subject)]) == 0
    carried, refused, in_part, *faults = outcome(capsys)
    assert min(carried, refused, in_part) > 0
    assert faults == [0, 0, 0]


def _fail(*_asked: object) -> NoReturn:
    raise KeyError("pkg/old")


def _write(*asked: object) -> Applied:
    (asked[0].subject / "left.txt").write_text("")  # type: ignore[attr-defined]  # a document
    return Applied("", "", "", stopped="Something is not possible.")


def _say_nothing(*_asked: object) -> Applied:
    return Applied("", "", "", stopped="KeyError: 'plan:1'")


@pytest.mark.parametrize(
    ("does", "expected"),
    [(_fail, [0, 0, 0, 1, 0, 1]), (_write, [0, 1, 0, 0, 1, 1]), (_say_nothing, [0, 1, 0, 0, 0, 1])],
)
def test_the_judge_can_tell(
    subject: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    does: object,
    expected: list[int],
) -> None:
    """An internal error, something that is written, a reason that is no sentence."""
    monkeypatch.setattr(apply_anything, "apply_plan", does)
    assert apply_anything.main(["--count", "1", "--plain", str(subject)]) == 1
    assert outcome(capsys) == expected

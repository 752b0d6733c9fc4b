"""A machine without openbox or xdotool skips the tests with real mouse and keys; CI fails them."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.gui.conftest import give_up, lacking


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("missing", ["xdotool", "openbox"])
def test_a_missing_program_is_named(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in {"xdotool", "openbox"} - {missing}:
        (tmp_path / program).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing in lacking()
    (tmp_path / missing).touch(0o755)
    assert not lacking()


@pytest.mark.parametrize(("value", "outcome"), [("true", Failed), ("", Skipped)])
def test_ci_fails_where_others_skip(value: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(outcome, match="no openbox"):
        give_up("no openbox")

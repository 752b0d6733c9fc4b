"""The soak notices what it is there for: each fault is planted once (`pytest -m soak`, `make soak`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cbvtool.view.commands.commands import COMMANDS
from cbvtool.view.window.sample import make_sample, sample_script
from tests.soak import soak


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Path:
    script = sample_script()
    assert script is not None
    return make_sample(tmp_path_factory.mktemp("sample"), script)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes minutes in earnest takes seconds."""
    for program in ("Xvfb", "xdotool", "openbox"):
        if shutil.which(program) is None:
            pytest.skip(f"the Debian package of {program} is not installed")
    monkeypatch.setattr(soak, "ANSWERS_WITHIN", 6.0)
    monkeypatch.setattr(soak, "CALM_WITHIN", 6.0)
    monkeypatch.setattr(soak, "SAMPLED_EVERY", 0.0)
    monkeypatch.setattr(soak, "REST_EVERY", 1.0)
    monkeypatch.setattr(soak, "FEWEST_RESTS", 4)


@pytest.mark.soak
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("exception", "ValueError: planted"),
        ("hang", "no answer for (.|\n)*in _hang"),
        ("leak", "memory grew by"),
        ("thread", "threads do not get"),
        ("stderr", "complained: planted"),
        ("death", "ended by itself, status 3"),
    ],
)
def test_a_fault_is_noticed(subject: Path, fault: str, words: str) -> None:
    with pytest.raises(soak.Trouble, match=words):
        soak.soak(subject, 12, seed=1, plant=fault)


@pytest.mark.soak
@pytest.mark.usefixtures("quick")
def test_without_a_fault_there_is_none(subject: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "GROWTH", 1.0)  # all of it is the warm-up
    assert "events" in soak.soak(subject, 5, seed=1)


@pytest.mark.soak
@pytest.mark.usefixtures("quick")
def test_the_last_events_are_told(subject: Path) -> None:
    with pytest.raises(soak.Trouble, match=r"the last events:\n  .+\n  .+"):
        soak.soak(subject, 8, seed=1, plant="thread")


@pytest.mark.parametrize(
    ("qt", "xdotool"),
    [
        ("Ctrl+Shift+F", "ctrl+shift+f"),
        ("?", "question"),
        ("+", "plus"),
        ("Ctrl++", "ctrl+plus"),
        ("-", "minus"),
        ("Esc", "Escape"),
        ("Alt+Return", "alt+Return"),
        ("F5", "F5"),
        ("F", "f"),
        ("Ctrl+,", "ctrl+comma"),
    ],
)
def test_keys_are_translated(qt: str, xdotool: str) -> None:
    assert soak.xdotool_key(qt) == xdotool


def test_all_shortcuts_are_pressed_but_those_left_out() -> None:
    """Whoever adds a command need not tell the soak; who removes one that is left out must."""
    left_out = {command.name for command in COMMANDS} - {name for name, _key in soak.pressable()}
    assert left_out - {command.name for command in COMMANDS if not command.keys} <= soak.LEFT_OUT
    assert {command.name for command in COMMANDS} >= soak.LEFT_OUT


def test_growth_is_that_after_the_warm_up() -> None:
    quarter = soak.FEWEST_RESTS // 4
    assert soak.growth([100.0] * (soak.FEWEST_RESTS - 1)) is None
    assert soak.growth([float(at) for at in range(quarter)] + [200.0] * 3 * quarter) == 0
    assert soak.growth([100.0] * 2 * quarter + [150.0] * quarter + [120.0] * quarter) == pytest.approx(0.2)

"""The estimate of effort: a formula that is printed, with weights that a repository may state (NEW-9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.plan import effort
from cbvtool.plan.effort import USUAL, parse_weights, read_weights


def test_weights_come_from_the_settings(tmp_path: Path) -> None:
    assert read_weights(tmp_path) is USUAL
    (tmp_path / "cbvtool.toml").write_text("[effort]\nmove = 7\npull_out = 20.5\nsite = 0\nround_to = 10\n")
    weights = read_weights(tmp_path)
    assert (weights.by_kind["move"], weights.by_kind["pull out"], weights.by_kind["merge"]) == (7, 20.5, 30)
    assert effort.minutes("move", 1, 1, 99, 1, weights) == 20  # 7 + 3 + 0.5 = 10.5
    assert "move 7" in weights.explanation
    assert "rounded up to 10." in weights.explanation
    assert weights.notes == ()
    (note,) = parse_weights("[effort]\nlunch = 60").notes
    assert note == "cbvtool.toml: effort.lunch is not known here and is ignored."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[effort]\nmove = '5'", "effort.move must be a number of minutes from 0 to 10000, not '5'."),
        ("[effort]\nfile = -1", "effort.file must be a number of minutes from 0 to 10000, not -1."),
        ("[effort]\nsite = nan", "effort.site must be a number of minutes from 0 to 10000, not nan."),
        ("[effort]\nsite = true", "effort.site must be a number of minutes from 0 to 10000, not True."),
        ("[effort]\nround_to = 0", "effort.round_to must be more than 0, not 0."),
        ("effort = 3", "effort must be a section, [effort]."),
    ],
)
def test_a_wrong_weight_is_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_weights(text)
    assert str(caught.value) == f"cbvtool.toml: {reason}"


def test_every_kind_has_a_weight_and_a_row_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")
    for kind, minutes in effort.BY_KIND.items():
        assert f"| `{kind.replace(' ', '_')}` | {minutes:g} |" in page
    for part in ("item", "file", "site", "check", "round_to"):
        assert f"| `{part}` | {getattr(USUAL, part):g} |" in page

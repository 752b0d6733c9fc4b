"""NEW-17: teams and leavers from `cbvtool.toml` and from tables, which anybody may have written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.history.roster import Member, PeopleSettings, parse_people, read_people, roster, with_table
from tests.history.histories import history

CHANGES = history(
    [[0]] * 3,
    ["a.py"],
    authors=[0, 1, 2],
    people=("ada@x.org", "bob@y.org", "cyd@y.org"),
    names=("Ada L", "Bob", "Cyd"),
)


def test_teams_and_leavers_are_found_by_address_name_and_pattern(tmp_path: Path) -> None:
    """Upper and lower case are alike; a name says more than a pattern, and a table more than the settings."""
    settings = parse_people(
        'people.hide_names = true\npeople.quiet_days = 90\npeople.leavers = ["BOB"]\n'
        '[people.teams]\nCore = ["ADA@x.org"]\nRest = ["cyd", "*"]\n'
    )
    found = roster(CHANGES, settings)
    assert (settings.hide_names, found.quiet_days, found.is_known) == (True, 90, True)
    assert [found.teams[team] for team in found.team.tolist()] == ["Core", "Rest", "Rest"]
    assert found.left.tolist() == [False, True, False]
    table = tmp_path / "people.csv"
    table.write_text("author;team;left\nAda L;Docs;yes\n*@y.org;Other;\n")
    found = roster(CHANGES, with_table(settings, table))
    assert [found.teams[team] for team in found.team.tolist()] == ["Docs", "Other", "Rest"]
    assert found.left.tolist() == [True, True, False]


def test_nothing_is_known_without_settings(tmp_path: Path) -> None:
    """No file, or one without the section, says nothing; names of the settings that nobody knows are told."""
    assert read_people(tmp_path) == PeopleSettings()
    (tmp_path / "cbvtool.toml").write_text("[people]\nhiden_names = true\n")
    said = read_people(tmp_path)
    assert len(said.notes) == 1
    assert "people.hiden_names" in said.notes[0]
    assert not roster(CHANGES, said).is_known
    assert roster(history([], [], people=()), PeopleSettings(members=(Member("*", "All"),))).team.tolist() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("people = 3", "people must be a section"),
        ("people.hide_names = 1", "hide_names must be true or false"),
        ("people.quiet_days = 0", "quiet_days must be a number of days"),
        ("people.quiet_days = true", "quiet_days must be a number of days"),
        ("people.leavers = 'ada'", "people.leavers must be a list"),
        ("people.leavers = [1]", "must list mail addresses or names, not 1"),
        ("people.teams = []", "people.teams must be a section"),
        ("people.teams.Core = ['']", "people.teams.Core must list"),
        (f"people.leavers = ['{'x' * 500}']", "must list mail addresses"),
        (f"people.leavers = [{', '.join(repr(f'*{i}') for i in range(201))}]", "more than 200 people with a"),
    ],
)
def test_wrong_settings_are_told_in_a_sentence(text: str, said: str) -> None:
    """What anybody may have written is refused, naming file and key."""
    with pytest.raises(InputError, match=r"cbvtool\.toml") as error:
        parse_people(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no row"),
        ("author,team,left\n", "holds no row"),
        ("ada@x.org,Core,maybe\n", "line 1"),
        (",Core,no\n", "line 1"),
        ("ada,Core,no,more\n", "line 1"),
        (f"{'x' * 500},Core\n", "line 1"),
        ('"ada,Core\n', "not CSV"),
        ("\0\0", "people.csv"),
        ("\n".join(f"*{i},Core" for i in range(201)), "more than 200 people with a"),
        ("a,b\n" * 100_001, "more than 100,000 rows"),
    ],
)
def test_wrong_tables_are_told_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    """A table is untrusted input: wrong, huge or cut off, it costs a sentence that names the file."""
    table = tmp_path / "people.csv"
    table.write_text(text)
    with pytest.raises(InputError, match=r"people\.csv") as error:
        with_table(PeopleSettings(), table)
    assert said in str(error.value)


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A missing file and a folder are no tables."""
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError):
            with_table(PeopleSettings(), path)

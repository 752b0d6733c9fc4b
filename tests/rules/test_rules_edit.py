"""Rules written into `cbvtool.toml` (NEW-5): what somebody wrote there stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.rules import parse_rules
from cbvtool.rules.rule_kinds import ForbiddenRule, IgnoredRelation, InterfaceRule, Rule, RuleTerms
from cbvtool.rules.rule_tables import rule_of
from cbvtool.rules.rules_edit import RulePlace, places_of, rule_at, with_rule, without_rule
from tests.rules.test_rule_kinds import tables

FILE = """\
# What we promise.
[analysis]
exclude = ["docs/"]   # not ours

[rules]
layers = ["ui", "core"]  # highest first
deny = [
    {from = "a", to = "b"},  # the first
    {from = "c", to = "d"},
]
cycles = "forbid"

[[rules.rule]]  # the oldest
kind = "protected"
modules = "db"   # all of it
note = "keep me"

[other]
x = 1
"""
RULE = ForbiddenRule(("x",), ("y", "z"), RuleTerms("n", "r", ignore=(IgnoredRelation("x/a", "y/b", "old"),)))


def test_a_rule_is_added_below_the_others() -> None:
    """NEW-5: nothing else of the file changes."""
    text = with_rule(FILE, RULE)
    assert parse_rules(text).stated == (*parse_rules(FILE).stated, RULE)
    assert [line for line in text.splitlines() if line not in FILE.splitlines()] == [
        "[[rules.rule]]",
        'kind = "forbidden"',
        'name = "n"',
        'reason = "r"',
        'from = "x"',
        'to = ["y", "z"]',
        "ignore = [",
        '    {from = "x/a", to = "y/b", reason = "old"},',
    ]
    assert [line for line in FILE.splitlines() if line not in text.splitlines()] == []


@pytest.mark.parametrize(
    "text", ["", "# only this\n", "[rules]\n", "[analysis]\nexclude = []\n", "[rules]\nrule = []\n"]
)
def test_the_first_rule(text: str) -> None:
    """NEW-11: of a file that has none, or of no file."""
    written = with_rule(text, RULE)
    assert parse_rules(written).stated == (RULE,)
    assert text.strip() in written or text == "[rules]\nrule = []\n"


def test_a_rule_is_changed_where_it_stands() -> None:
    """NEW-5: with its comments and unknown keys; an old form becomes a table."""
    places = places_of(parse_rules(FILE))
    assert places == [("layers", 0), ("deny", 0), ("deny", 1), ("cycles", 0), ("rule", 0)]
    other = InterfaceRule(("db",), ("db/api",))
    text = with_rule(FILE, other, places[-1])
    assert parse_rules(text).stated == (other,)
    assert '# the oldest\nkind = "interface"\nmodules = "db"   # all of it\nnote = "keep me"\n' in text
    first = rule_at(parse_rules(FILE), places[1])
    assert first == ForbiddenRule(("a",), ("b",))
    assert first is not None
    moved = parse_rules(with_rule(FILE, first, places[1]))
    assert [deny.user for deny in moved.deny] == ["c"]
    assert moved.stated[-1] == first


@pytest.mark.parametrize("row", range(5))
def test_a_rule_is_removed(row: int) -> None:
    """NEW-5: that one, and no other."""
    before = parse_rules(FILE)
    place = places_of(before)[row]
    after = parse_rules(without_rule(FILE, place))
    left = [rule_at(before, each) for each in places_of(before) if each != place]
    assert [rule_at(after, each) for each in places_of(after)] == left
    assert "# What we promise." in without_rule(FILE, place)


def test_what_cannot_be_read_is_not_changed() -> None:
    """NEW-5: one sentence."""
    with pytest.raises(InputError, match="not valid TOML"):
        with_rule("[rules", RULE)
    with pytest.raises(InputError, match="must lie inside"):
        with_rule("", ForbiddenRule(("../x",), ("y",)))


@given(st.lists(tables(), max_size=3), st.data())
def test_any_rules_are_written_changed_and_removed(written: list[dict[str, object]], data: st.DataObject) -> None:
    """NEW-5: whatever they say."""
    rules: list[Rule] = [rule_of(table | {"name": str(row)}, "rule", "f")[0] for row, table in enumerate(written)]
    text = FILE
    for rule in rules:
        text = with_rule(text, rule)
    known = list(parse_rules(FILE).stated) + rules
    assert list(parse_rules(text).stated) == known
    row = data.draw(st.integers(0, len(known) - 1))
    text = with_rule(text, RULE, RulePlace("rule", row))
    assert list(parse_rules(text).stated) == [*known[:row], RULE, *known[row + 1 :]]
    text = without_rule(text, RulePlace("rule", row))
    assert list(parse_rules(text).stated) == known[:row] + known[row + 1 :]
    assert 'exclude = ["docs/"]   # not ours' in text

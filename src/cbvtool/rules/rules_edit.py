"""Writes rules into the text of `cbvtool.toml`; comments, unknown keys and layout do not change."""

from __future__ import annotations

from typing import Any, NamedTuple

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from cbvtool.config import FILE_NAME
from cbvtool.errors import InputError
from cbvtool.rules.rule_kinds import ForbiddenRule, LayersRule, Rule
from cbvtool.rules.rule_tables import EVERY_KEY, rule_of, table_of
from cbvtool.rules.rules_file import Rules, parse_rules


class RulePlace(NamedTuple):
    """Position of a rule in the file: its key (`layers`, `deny`, `cycles`, `rule`), and its index in a list."""

    key: str
    row: int = 0


def places_of(rules: Rules) -> list[RulePlace]:
    """Positions of all rules, in the order of the file's keys."""
    found = [RulePlace("layers")] if rules.layers else []
    found += [RulePlace("deny", row) for row in range(len(rules.deny))]
    found += [RulePlace("cycles")] if rules.forbid_cycles else []
    return found + [RulePlace("rule", row) for row in range(len(rules.stated))]


def rule_at(rules: Rules, place: RulePlace) -> Rule | None:
    """The rule at a position, in the form of rules with a table; None for `cycles`, which has no such form."""
    if place.key == "rule":
        return rules.stated[place.row]
    if place.key == "layers":
        return LayersRule(tuple((layer,) for layer in rules.layers))
    if place.key == "deny":
        return ForbiddenRule((rules.deny[place.row].user,), (rules.deny[place.row].used,))
    return None


def with_rule(text: str, rule: Rule, place: RulePlace | None = None) -> str:
    """The file's text with one more rule, or with `rule` instead of the one at `place`.

    Raises InputError if the text cannot be read, or the change would not have the right effect.
    """
    before = parse_rules(text)
    table = table_of(rule_of(table_of(rule), "rule", FILE_NAME)[0])
    content = _read(text)
    if place is not None and place.key == "rule":
        _replace(_section(content)["rule"][place.row], table)
        stated = (*before.stated[: place.row], rule, *before.stated[place.row + 1 :])
    else:
        if place is not None:
            _remove(content, place)
        _append(_section(content), table)
        stated = (*before.stated, rule)
    return _checked(content, stated, place)


def without_rule(text: str, place: RulePlace) -> str:
    """The file's text without the rule at `place`. Raises InputError."""
    before = parse_rules(text)
    content = _read(text)
    _remove(content, place)
    row = place.row if place.key == "rule" else len(before.stated)
    return _checked(content, before.stated[:row] + before.stated[row + 1 :], place)


def _read(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, RecursionError) as error:
        raise InputError(f"{FILE_NAME} cannot be changed here: {str(error).rstrip('.')}.") from None


def _section(content: tomlkit.TOMLDocument) -> Any:
    if "rules" not in content:
        if content.as_string().strip():
            content.add(tomlkit.nl())
        content.add("rules", tomlkit.table(is_super_table=True))
    return content["rules"]


def _append(section: Any, table: dict[str, Any]) -> None:
    if "rule" not in section:
        section.append("rule", tomlkit.aot())
    rules = section["rule"]
    if isinstance(rules, AoT):
        rules.append(_replace(tomlkit.table(), table))
    else:  # an array of inline tables, written by hand
        made = tomlkit.inline_table()
        made.update(table)
        rules.append(made)


def _replace(there: Any, table: dict[str, Any]) -> Any:
    """Set the values of a table; keys that do not belong to rules stay, and so do unchanged values."""
    for key in EVERY_KEY:
        if key in there and key not in table:
            del there[key]
    for key, value in table.items():
        if key not in there or _plain(there[key]) != value:
            there[key] = _ignored(value) if key == "ignore" and isinstance(there, Table) else value
    return there


def _ignored(entries: list[dict[str, str]]) -> Any:
    """Entries, one on each line."""
    array = tomlkit.array()
    for entry in entries:
        made = tomlkit.inline_table()
        made.update(entry)
        array.append(made)
    return array.multiline(True)


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


def _remove(content: tomlkit.TOMLDocument, place: RulePlace) -> None:
    section = _section(content)
    if place.key in ("layers", "cycles"):
        del section[place.key]
    else:
        del section[place.key][place.row]
        if not len(section[place.key]):
            del section[place.key]


def _checked(content: tomlkit.TOMLDocument, stated: tuple[Rule, ...], place: RulePlace | None) -> str:
    text = content.as_string()
    if parse_rules(text).stated != stated:
        raise InputError(f"{FILE_NAME} is written in a way that cannot be changed here: edit it by hand.")
    return text

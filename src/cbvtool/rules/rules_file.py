"""The rules file: section `[rules]` of `cbvtool.toml` in the root of a repository.

The repository is untrusted: the file is data. Only keys described in `docs/rules.md` are read, and nothing in it can
refer to a place outside the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cbvtool.config import FILE_NAME, leads_out, list_of, own_text, section_of, shown, unknown_keys
from cbvtool.errors import InputError
from cbvtool.rules.rule_kinds import Rule
from cbvtool.rules.rule_tables import MOST, rule_of

_KNOWN = ("layers", "deny", "cycles", "run_time_calls", "rule")
_CYCLES = ("forbid", "allow")


@dataclass(frozen=True)
class Deny:
    """Nothing at or below node `user` may use anything at or below node `used`."""

    user: str
    used: str


@dataclass(frozen=True)
class Rules:
    """The rules of a code base. `layers` and `deny` refer to nodes by id, stated rules by patterns.

    layers          highest first: a layer must not use one before it
    deny            forbidden relations
    forbid_cycles   whether files must not depend on each other in a cycle
    notes           one sentence for each unknown key, which is ignored
    run_time_calls  whether layers, `deny` and stated rules also apply to calls at run time
    stated          rules with tables of their own, of all kinds
    """

    layers: tuple[str, ...] = ()
    deny: tuple[Deny, ...] = ()
    forbid_cycles: bool = False
    notes: tuple[str, ...] = ()
    run_time_calls: bool = False
    stated: tuple[Rule, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any rule."""
        return bool(self.layers or self.deny or self.forbid_cycles or self.stated)

    @property
    def has_chains(self) -> bool:
        """Whether a rule applies to chains, which take up to seconds to find."""
        return any(rule.terms.chains for rule in self.stated)

    def without_chains(self) -> Rules:
        """The rules that can be checked at once, without chains."""
        return replace(self, stated=tuple(rule for rule in self.stated if not rule.terms.chains))


def read_rules(root: Path) -> Rules:
    """The rules of the repository at `root`; empty if it has no rules file.

    Raises InputError, naming the file and the key, for a file that cannot be read or has an invalid value.
    """
    text = own_text(root)
    return Rules() if text is None else parse_rules(text, str(root / FILE_NAME))


def parse_rules(text: str, name: str = FILE_NAME) -> Rules:
    """The rules in the text of a rules file; `name` is the file's name in messages. Raises InputError."""
    section = section_of(text, "rules", name)
    layers = tuple(_node(entry, f"rules.layers[{i}]", name) for i, entry in enumerate(_list(section, "layers", name)))
    if len(set(layers)) != len(layers):
        twice = next(layer for layer in layers if layers.count(layer) > 1)
        raise InputError(f"{name}: rules.layers names {twice!r} twice.")
    deny = tuple(_deny(entry, f"rules.deny[{i}]", name) for i, entry in enumerate(_list(section, "deny", name)))
    cycles = section.get("cycles", "allow")
    if cycles not in _CYCLES:
        raise InputError(f'{name}: rules.cycles must be "forbid" or "allow", not {shown(cycles)}.')
    run_time_calls = section.get("run_time_calls", False)
    if not isinstance(run_time_calls, bool):
        raise InputError(f"{name}: rules.run_time_calls must be true or false, not {shown(run_time_calls)}.")
    notes = unknown_keys(section, _KNOWN, "rules", name)
    for i, entry in enumerate(_list(section, "deny", name)):
        notes += unknown_keys(entry, ("from", "to"), f"rules.deny[{i}]", name)
    tables = _list(section, "rule", name)
    if len(tables) > MOST:
        raise InputError(f"{name}: rules.rule has more than {MOST} rules.")
    stated = [rule_of(table, f"rules.rule[{i}]", name) for i, table in enumerate(tables)]
    names = [rule.terms.name for rule, _ in stated if rule.terms.name]
    if same := next((each for each in names if names.count(each) > 1), None):
        raise InputError(f"{name}: two rules have the name {shown(same)}.")
    notes += [note for _, said in stated for note in said]
    return Rules(layers, deny, cycles == "forbid", tuple(notes), run_time_calls, tuple(rule for rule, _ in stated))


def _list(section: Mapping[str, Any], key: str, name: str) -> list[Any]:
    return list_of(section.get(key, []), f"rules.{key}", name)


def _deny(entry: Any, where: str, name: str) -> Deny:
    if not isinstance(entry, dict):
        raise InputError(f'{name}: {where} must be a table such as {{from = "a", to = "b"}}, not {shown(entry)}.')
    for key in ("from", "to"):
        if key not in entry:
            raise InputError(f"{name}: {where} lacks {key!r}.")
    return Deny(_node(entry["from"], f"{where}.from", name), _node(entry["to"], f"{where}.to", name))


def _node(value: Any, where: str, name: str) -> str:
    """The id of a node: a path below the root, a class or function in it, or a node created by a plan."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{name}: {where} must be the path of a file or folder, not {shown(value)}.")
    if leads_out(value.partition("::")[0]):
        raise InputError(f"{name}: {where} must lie inside the repository, {shown(value)} does not.")
    if not (node := value.removeprefix("./").rstrip("/")):
        raise InputError(f"{name}: {where} must name something inside the repository, not all of it.")
    return node

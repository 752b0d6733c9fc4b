"""Rules as tables of `cbvtool.toml`, `[[rules.rule]]`, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cbvtool.config import leads_out, list_of, shown, unknown_keys
from cbvtool.errors import InputError
from cbvtool.matching import PatternError
from cbvtool.rules.node_patterns import EXPRESSION, pattern_of
from cbvtool.rules.rule_kinds import (
    AcyclicRule,
    AllowedRule,
    ForbiddenRule,
    IgnoredRelation,
    IndependenceRule,
    InterfaceRule,
    LayersRule,
    Names,
    ProtectedRule,
    Rule,
    RuleTerms,
)

MOST = 500  # rules of a file
MOST_NAMES = 200  # most names in one rule, and most entries of `ignore`
LONGEST_TEXT = 2_000  # characters of a name or reason
_TERMS = ("kind", "name", "reason", "over", "relations", "type_checking", "ignore")
_KEYS = {
    "layers": ("layers",),
    "forbidden": ("from", "to"),
    "allowed": ("from", "to", "external"),
    "independence": ("modules",),
    "acyclic": ("within",),
    "protected": ("modules", "users"),
    "interface": ("modules", "public"),
}
KINDS = tuple(_KEYS)
EVERY_KEY = frozenset(_TERMS).union(*_KEYS.values())  # keys of rules of all kinds
_DIRECT = ("acyclic", "protected", "interface", "allowed")  # kinds for direct relations only


def rule_of(table: Any, where: str, name: str) -> tuple[Rule, list[str]]:
    """(the rule in a table at the key `where` of the file `name`, a sentence for each unknown key).

    Raises InputError, naming the file and the key.
    """
    if not isinstance(table, dict):
        raise InputError(f'{name}: {where} must be a table such as {{kind = "forbidden", ...}}, not {shown(table)}.')
    kind = table.get("kind")
    if kind not in _KEYS:
        raise InputError(f"{name}: {where}.kind must be one of {', '.join(KINDS)}, not {shown(kind)}.")
    return _made(kind, table, where, name), unknown_keys(table, (*_TERMS, *_KEYS[kind]), where, name)


def _made(kind: str, table: Mapping[str, Any], where: str, name: str) -> Rule:
    terms = _terms(kind, table, where, name)

    def names(key: str, *, needed: bool = True) -> Names:
        if key not in table:
            if needed:
                raise InputError(f"{name}: {where} lacks {key!r}.")
            return ()
        found = names_of(table[key], f"{where}.{key}", name)
        if needed and not found:
            raise InputError(f"{name}: {where}.{key} is empty.")
        return found

    match kind:
        case "layers":
            if "layers" not in table:
                raise InputError(f"{name}: {where} lacks 'layers'.")
            listed = _some(list_of(table["layers"], f"{where}.layers", name), f"{where}.layers", name)
            layers = tuple(names_of(each, f"{where}.layers[{i}]", name) for i, each in enumerate(listed))
            flat = [layer for each in layers for layer in each]
            if twice := next((layer for layer in flat if flat.count(layer) > 1), None):
                raise InputError(f"{name}: {where}.layers names {twice!r} twice.")
            return LayersRule(layers, terms)
        case "forbidden":
            return ForbiddenRule(names("from"), names("to"), terms)
        case "allowed":
            external = _bool(table, "external", False, where, name)
            return AllowedRule(names("from"), names("to", needed=False), external, terms)
        case "independence":
            return IndependenceRule(names("modules"), terms)
        case "acyclic":
            return AcyclicRule(names("within", needed=False), terms)
        case "protected":
            return ProtectedRule(names("modules"), names("users", needed=False), terms)
        case _:
            return InterfaceRule(names("modules"), names("public", needed=False), terms)


def _terms(kind: str, table: Mapping[str, Any], where: str, name: str) -> RuleTerms:
    over = _one_of(table, "over", ("direct", "chains"), where, name)
    if over == "chains" and kind in _DIRECT:
        raise InputError(f'{name}: {where}.over cannot be "chains": the kind {kind} is about direct relations.')
    ignore = _some(list_of(table.get("ignore", []), f"{where}.ignore", name), f"{where}.ignore", name)
    return RuleTerms(
        _text(table, "name", where, name),
        _text(table, "reason", where, name),
        over == "chains",
        _one_of(table, "relations", ("any", "imports"), where, name) == "imports",
        _bool(table, "type_checking", kind != "acyclic", where, name),
        tuple(_ignored(each, f"{where}.ignore[{i}]", name) for i, each in enumerate(ignore)),
    )


def _ignored(table: Any, where: str, name: str) -> IgnoredRelation:
    if not isinstance(table, dict) or not {"from", "to"} <= table.keys():
        raise InputError(f'{name}: {where} must be a table such as {{from = "a", to = "b"}}, not {shown(table)}.')
    user, used = (name_of(table[key], f"{where}.{key}", name) for key in ("from", "to"))
    return IgnoredRelation(user, used, _text(table, "reason", where, name))


def names_of(value: Any, where: str, name: str) -> Names:
    """One name of nodes, or a list of them."""
    if isinstance(value, str):
        return (name_of(value, where, name),)
    if not isinstance(value, list):
        raise InputError(f"{name}: {where} must be a name of nodes or a list of them, not {shown(value)}.")
    return tuple(name_of(each, f"{where}[{i}]", name) for i, each in enumerate(_some(value, where, name)))


def name_of(value: Any, where: str, name: str) -> str:
    """A name of nodes: an id, a glob or an expression; see `node_patterns`. Raises InputError."""
    if not isinstance(value, str) or not value:
        raise InputError(
            f"{name}: {where} must be the path of a file or folder, a glob or {EXPRESSION}..., not {shown(value)}."
        )
    if not value.startswith(EXPRESSION):
        if leads_out(value.partition("::")[0]):
            raise InputError(f"{name}: {where} must lie inside the repository, {shown(value)} does not.")
        if not (value := value.removeprefix("./").rstrip("/")):
            raise InputError(f"{name}: {where} must name something inside the repository, not all of it.")
    try:
        pattern_of(value)
    except PatternError as error:
        raise InputError(f"{name}: {where}, {shown(value)}, cannot be read: {error}.") from None
    return value


def _some(values: list[Any], where: str, name: str) -> list[Any]:
    if len(values) > MOST_NAMES:
        raise InputError(f"{name}: {where} has more than {MOST_NAMES} entries.")
    return values


def _text(table: Mapping[str, Any], key: str, where: str, name: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise InputError(f"{name}: {where}.{key} must be a text of at most {LONGEST_TEXT:,} characters.")
    return value


def _bool(table: Mapping[str, Any], key: str, otherwise: bool, where: str, name: str) -> bool:
    value = table.get(key, otherwise)
    if not isinstance(value, bool):
        raise InputError(f"{name}: {where}.{key} must be true or false, not {shown(value)}.")
    return value


def _one_of(table: Mapping[str, Any], key: str, words: tuple[str, ...], where: str, name: str) -> str:
    value = table.get(key, words[0])
    said = " or ".join(f'"{word}"' for word in words)
    if value not in words:
        raise InputError(f"{name}: {where}.{key} must be {said}, not {shown(value)}.")
    return str(value)


def table_of(rule: Rule) -> dict[str, Any]:
    """The table for a rule, without default values; `rule_of` reads it."""
    terms = rule.terms
    table: dict[str, Any] = {"kind": rule.KIND}
    table |= {key: text for key, text in (("name", terms.name), ("reason", terms.reason)) if text}
    table |= _CONTENT[type(rule)](rule)
    if terms.chains:
        table["over"] = "chains"
    if terms.imports_only:
        table["relations"] = "imports"
    if terms.type_checking != (rule.KIND != "acyclic"):
        table["type_checking"] = terms.type_checking
    if terms.ignore:
        table["ignore"] = [
            {"from": each.user, "to": each.used} | ({"reason": each.reason} if each.reason else {})
            for each in terms.ignore
        ]
    return table


def _short(names: Names) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)


_CONTENT: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    LayersRule: lambda rule: {"layers": [_short(names) for names in rule.layers]},
    ForbiddenRule: lambda rule: {"from": _short(rule.users), "to": _short(rule.used)},
    AllowedRule: lambda rule: (
        {"from": _short(rule.users), "to": _short(rule.used)} | ({"external": True} if rule.external else {})
    ),
    IndependenceRule: lambda rule: {"modules": list(rule.modules)},
    AcyclicRule: lambda rule: {"within": _short(rule.within)} if rule.within else {},
    ProtectedRule: lambda rule: (
        {"modules": _short(rule.modules)} | ({"users": _short(rule.users)} if rule.users else {})
    ),
    InterfaceRule: lambda rule: {"modules": _short(rule.modules), "public": _short(rule.public)},
}

"""The kinds of rules in `cbvtool.toml`, one type each. Rules refer to nodes by patterns (`node_patterns`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

Names = tuple[str, ...]


@dataclass(frozen=True)
class IgnoredRelation:
    """Relations that a rule ignores: from nodes matching `user` to nodes matching `used`."""

    user: str
    used: str
    reason: str = ""


@dataclass(frozen=True)
class RuleTerms:
    """Fields that rules of all kinds have.

    name           identity of the rule, also in baselines; empty = its text
    reason         why it exists
    chains         whether it also applies to chains through other files; otherwise only to direct relations
    imports_only   whether only imports (includes, COPYs) count; otherwise any dependency
    type_checking  whether imports only for a type checker count
    ignore         relations that are ignored
    """

    name: str = ""
    reason: str = ""
    chains: bool = False
    imports_only: bool = False
    type_checking: bool = True
    ignore: tuple[IgnoredRelation, ...] = ()


@dataclass(frozen=True)
class LayersRule:
    """A layer may use the layers after it, never one before it.

    layers   highest first; several names in one entry are layers side by side, which must not use each other
    """

    KIND: ClassVar[str] = "layers"
    layers: tuple[Names, ...]
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class ForbiddenRule:
    """Nodes matching `users` must not use nodes matching `used`; a node in both may use the latter."""

    KIND: ClassVar[str] = "forbidden"
    users: Names
    used: Names
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class AllowedRule:
    """Nodes matching `users` may use themselves and nodes matching `used`, and nothing else of the project.

    external   whether external packages must be listed in `used`, too
    """

    KIND: ClassVar[str] = "allowed"
    users: Names
    used: Names
    external: bool = False
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class IndependenceRule:
    """None of the `modules` may use another one. Each of the topmost nodes that a pattern matches is a module."""

    KIND: ClassVar[str] = "independence"
    modules: Names
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class AcyclicRule:
    """Siblings in one folder must not depend on each other in a cycle.

    within   the folders; empty = all folders
    """

    KIND: ClassVar[str] = "acyclic"
    within: Names = ()
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class ProtectedRule:
    """Only the `modules` themselves and `users` may use the `modules`."""

    KIND: ClassVar[str] = "protected"
    modules: Names
    users: Names = ()
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class InterfaceRule:
    """Code outside the `modules` may use only their `public` parts. Each module counts as outside of the others."""

    KIND: ClassVar[str] = "interface"
    modules: Names
    public: Names
    terms: RuleTerms = field(default_factory=RuleTerms)


Rule = LayersRule | ForbiddenRule | AllowedRule | IndependenceRule | AcyclicRule | ProtectedRule | InterfaceRule


def listed(names: Names) -> str:
    """Names as a list in a sentence."""
    return ", ".join(names)


def words_of(rule: Rule) -> str:
    """The rule in one sentence, without a full stop."""
    match rule:
        case LayersRule():
            return "layers, highest first: " + " > ".join(" | ".join(names) for names in rule.layers)
        case ForbiddenRule():
            return f"{listed(rule.users)} must not use {listed(rule.used)}"
        case AllowedRule():
            what = f"only {listed(rule.used)}" if rule.used else "nothing"
            return f"{listed(rule.users)} may use {what} beside itself"
        case IndependenceRule():
            return f"independent of one another: {listed(rule.modules)}"
        case AcyclicRule():
            return f"no cycles side by side in {listed(rule.within) if rule.within else 'any folder'}"
        case ProtectedRule():
            return (
                f"only {listed(rule.users)} may use {listed(rule.modules)}"
                if rule.users
                else (f"nothing outside may use {listed(rule.modules)}")
            )
        case InterfaceRule():
            public = f"only {listed(rule.public)}" if rule.public else "nothing"
            return f"of {listed(rule.modules)}, {public} may be used from outside"


def key_of(rule: Rule) -> str:
    """The identity of the rule: its name, or its text."""
    return rule.terms.name or words_of(rule)


def named_in(rule: Rule) -> Names:
    """Every pattern in the rule, except those in `ignore`."""
    match rule:
        case LayersRule():
            return tuple(name for names in rule.layers for name in names)
        case ForbiddenRule() | AllowedRule():
            return (*rule.users, *rule.used)
        case IndependenceRule():
            return rule.modules
        case AcyclicRule():
            return rule.within
        case ProtectedRule():
            return (*rule.modules, *rule.users)
        case InterfaceRule():
            return (*rule.modules, *rule.public)

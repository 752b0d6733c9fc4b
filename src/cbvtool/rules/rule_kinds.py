"""The kinds of rules that `cbvtool.toml` can state, one type each. Nodes are named by patterns (`node_patterns`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

Names = tuple[str, ...]


@dataclass(frozen=True)
class IgnoredRelation:
    """Relations that a rule leaves out: from what `user` names to what `used` names."""

    user: str
    used: str
    reason: str = ""


@dataclass(frozen=True)
class RuleTerms:
    """What rules of all kinds can say.

    name           what the rule is called, and known by in baselines; empty = by what it says
    reason         why it is there
    chains         whether it holds over other files, too; else for direct relations alone
    imports_only   whether imports (includes, COPYs) alone count; else any dependency
    type_checking  whether imports for a type checker alone count
    ignore         relations that are left out
    """

    name: str = ""
    reason: str = ""
    chains: bool = False
    imports_only: bool = False
    type_checking: bool = True
    ignore: tuple[IgnoredRelation, ...] = ()


@dataclass(frozen=True)
class LayersRule:
    """A layer may use those after it, never one before it.

    layers   highest first; several names in one place are layers side by side, which must not use one another
    """

    KIND: ClassVar[str] = "layers"
    layers: tuple[Names, ...]
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class ForbiddenRule:
    """What `users` name must not use what `used` names; what lies in both is free to use the latter."""

    KIND: ClassVar[str] = "forbidden"
    users: Names
    used: Names
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class AllowedRule:
    """What `users` name may use itself and what `used` names, and nothing else of the project.

    external   whether packages outside must be named in `used`, too
    """

    KIND: ClassVar[str] = "allowed"
    users: Names
    used: Names
    external: bool = False
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class IndependenceRule:
    """None of the `modules` may use another. A pattern stands for each of the topmost nodes that it names."""

    KIND: ClassVar[str] = "independence"
    modules: Names
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class AcyclicRule:
    """What lies side by side in one folder must not depend on one another in a circle.

    within   the folders; empty = all of them
    """

    KIND: ClassVar[str] = "acyclic"
    within: Names = ()
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class ProtectedRule:
    """The `modules` may be used by themselves and by `users` alone."""

    KIND: ClassVar[str] = "protected"
    modules: Names
    users: Names = ()
    terms: RuleTerms = field(default_factory=RuleTerms)


@dataclass(frozen=True)
class InterfaceRule:
    """Of the `modules`, what lies outside may use the `public` part alone. Each module is outside of the others."""

    KIND: ClassVar[str] = "interface"
    modules: Names
    public: Names
    terms: RuleTerms = field(default_factory=RuleTerms)


Rule = LayersRule | ForbiddenRule | AllowedRule | IndependenceRule | AcyclicRule | ProtectedRule | InterfaceRule


def listed(names: Names) -> str:
    """Names in a sentence."""
    return ", ".join(names)


def words_of(rule: Rule) -> str:
    """What a rule says, in one sentence without a full stop."""
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
    """What the rule is known by: its name, or what it says."""
    return rule.terms.name or words_of(rule)


def named_in(rule: Rule) -> Names:
    """Every pattern of nodes that the rule is about, without what it ignores."""
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

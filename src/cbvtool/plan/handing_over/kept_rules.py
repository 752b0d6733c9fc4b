"""What a plan ends, as rules of import-linter, dependency-cruiser and ArchUnit that hold once it is done."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from cbvtool.plan.export import About
from cbvtool.plan.handing_over.ended import EndedDependency, ended_dependencies, rules_of, with_places
from cbvtool.plan.history import History
from cbvtool.plan.place import place
from cbvtool.rules.contracts.writing import written_contracts
from cbvtool.words import as_utf8, one_line

_JAVASCRIPT = frozenset({"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"})
_JAVA_ROOTS = ("java", "kotlin", "src")  # folders below which packages begin, the innermost first
_NAME = re.compile(r"[a-z_][A-Za-z0-9_]*", re.ASCII)


class KeptRules(NamedTuple):
    """The text of a file; empty if no rule could be written. `notes`: a sentence for each that could not."""

    text: str
    notes: tuple[str, ...] = ()


def to_import_linter(history: History, about: About) -> KeptRules:
    """An `.importlinter` file."""
    target = history.graph
    found = [one for one in ended_dependencies(history.base, target) if "py" in one.suffixes]
    written = written_contracts(with_places(target), rules_of(target, found))
    return KeptRules(f"{_heading(about, '#')}{written.text}" if written.text else "", written.notes)


def to_dependency_cruiser(history: History, about: About) -> KeptRules:
    """A configuration as JSON."""
    target = history.graph
    found = [one for one in ended_dependencies(history.base, target) if one.suffixes & _JAVASCRIPT]
    rules = [
        {
            "name": re.sub(r"[^a-z0-9]+", "-", f"{user} not to {used}".lower()).strip("-"),
            "comment": f"{one_line(about.plan)}: {one_line(user)} no longer uses {one_line(used)}.",
            "severity": "error",
            "from": {"path": f"^{re.escape(user)}/"},
            "to": {"path": f"^{re.escape(used)}/"},
        }
        for user, used in ((place(target, one.user), place(target, one.used)) for one in found)
    ]
    return KeptRules(json.dumps({"forbidden": rules}, indent=2, ensure_ascii=True) + "\n" if rules else "")


def to_archunit(history: History, about: About) -> KeptRules:
    """A test class in Java."""
    target, rules, notes = history.graph, list[str](), list[str]()
    roots = set[str]()
    for number, one in enumerate(_of_java(history), 1):
        ends = [place(target, key) for key in (one.user, one.used)]
        packages = [_package(path) for path in ends]
        if None in packages:
            notes.append(f"{ends[0]} no longer uses {ends[1]}: that is not written, for one is no package of Java.")
            continue
        user, used = (str(package) for package in packages)
        roots.update(package.partition(".")[0] for package in (user, used))
        rules.append(
            f"    @ArchTest\n    static final ArchRule rule{number} = noClasses().that().resideInAPackage("
            f'"{user}..")\n        .should().dependOnClassesThat().resideInAPackage("{used}..");\n'
        )
    if not rules:
        return KeptRules("", tuple(notes))
    analysed = ", ".join(f'"{root}"' for root in sorted(roots))
    head = (
        "import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;\n\n"
        "import com.tngtech.archunit.junit.AnalyzeClasses;\nimport com.tngtech.archunit.junit.ArchTest;\n"
        "import com.tngtech.archunit.lang.ArchRule;\n\n"
        f"@AnalyzeClasses(packages = {{{analysed}}})\nclass PlanRulesTest {{\n"
    )
    return KeptRules(as_utf8(f"{_heading(about, '//')}{head}" + "\n".join(rules) + "}\n"), tuple(notes))


FORMS: Mapping[str, Callable[[History, About], KeptRules]] = {
    "archunit": to_archunit,
    "import-linter": to_import_linter,
    "dependency-cruiser": to_dependency_cruiser,
}


def _of_java(history: History) -> list[EndedDependency]:
    return [one for one in ended_dependencies(history.base, history.graph) if one.suffixes & {"java", "kt"}]


def _heading(about: About, mark: str) -> str:
    # A backslash and a `u` would begin a letter in Java, in a comment, too.
    said = f"Holds once “{one_line(about.plan)}” for {one_line(about.subject)} is done.".replace("\\", "/")
    return f"{mark} {said}\n"


def _package(path: str) -> str | None:
    """The package of Java that a folder is; None = it is none."""
    parts = path.split("/")
    for root in _JAVA_ROOTS:
        if root in parts:
            parts = parts[len(parts) - parts[::-1].index(root) :]
            break
    return ".".join(parts) if parts and all(map(_NAME.fullmatch, parts)) else None

"""One version of a code base, or a plan without its task list, assessed as a whole: for commands and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cbvtool.assessment.figures import Figures
from cbvtool.assessment.judged import Asked, judged
from cbvtool.assessment.modules import ModuleChoice, heading
from cbvtool.assessment.rows import as_data, first_words
from cbvtool.graph import Graph
from cbvtool.mining.changes import Changes
from cbvtool.rules import Rules


@dataclass(frozen=True)
class AssessedVersion:
    """The figures of a version.

    modules  what counts as a module, in words
    """

    modules: str
    figures: Figures

    @property
    def line(self) -> str:
        """The figures that stand first, in a line: `tangle 3, broken rules 19 (packages of src/flask)`."""
        return f"{first_words(self.figures)} (modules: {self.modules})"

    @property
    def as_data(self) -> Mapping[str, Any]:
        """The same for programs."""
        return {"modules": self.modules, **as_data(self.figures)}


def assessed_version(
    base: Graph, graph: Graph, changes: Changes | None, rules: Rules, modules: ModuleChoice
) -> AssessedVersion:
    """Assess `graph`, to which a plan has led from `base`; the same graph for the code as it is."""
    found = judged(Asked(base, graph, changes, rules, modules, base.root))
    return AssessedVersion(heading(base, modules, base.root), found.planned.figures)

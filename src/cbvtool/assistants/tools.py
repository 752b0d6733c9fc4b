"""The tools that an assistant is offered: what each is asked, and the plain data that it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from cbvtool.assistants import judgements, nodes, relations
from cbvtool.assistants.judgements import AskCheck, AskFindings, AskHotSpots
from cbvtool.assistants.nodes import AskNodes, AskOverview
from cbvtool.assistants.pages import Answer
from cbvtool.assistants.plan_tasks import AskTasks, PlanTasks
from cbvtool.assistants.relations import AskImpact, AskPath, AskRelations
from cbvtool.assistants.snapshot import CodeSnapshot, LiveCodeBase
from cbvtool.errors import InputError
from cbvtool.words import one_line

_MOST_CHANGED = 50  # files that each answer names
_LONGEST_ARGUMENTS = 1_000_000  # characters


@dataclass(frozen=True)
class AssistantTool:
    """One question: `asked` is the type of its arguments, `answer` what answers it."""

    name: str
    title: str
    description: str
    asked: type[msgspec.Struct]
    answer: Callable[[CodeSnapshot, Any], Answer]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, an object without references."""
        schema = msgspec.json.schema(self.asked)
        return {"type": "object", **schema["$defs"][self.asked.__name__]}


class AssistantTools:
    """The tools on one code base. Any thread may call them."""

    def __init__(self, code: LiveCodeBase, *, cache: Any = True) -> None:
        self._code = code
        plans = PlanTasks(cache)
        self.by_name: Mapping[str, AssistantTool] = {tool.name: tool for tool in _tools(plans)}

    def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer, after the subject, its commit and the files that differ from it. Raises InputError."""
        tool = self.by_name.get(name)
        if tool is None:
            raise InputError(f"There is no tool {one_line(name)!r}; there are {', '.join(self.by_name)}.")
        asked = _converted(tool, arguments)
        now = self._code.now()
        return {**_moment(now), **tool.answer(now, asked)}


def _converted(tool: AssistantTool, arguments: Mapping[str, Any]) -> Any:
    for name, value in arguments.items():
        if isinstance(value, str) and "\0" in value:
            raise InputError(f"{tool.name}: {one_line(name)} holds a NUL character.")
    try:
        return msgspec.convert(dict(arguments), tool.asked)
    except msgspec.ValidationError as error:
        raise InputError(f"{tool.name}: {one_line(str(error))}.") from None


def _moment(now: CodeSnapshot) -> Answer:
    """What the answer is about."""
    changed = now.changed
    told: Answer = {"subject": now.graph.name, "commit": now.project.commit}
    if changed is not None:
        told["changed_since_commit"] = list(changed[:_MOST_CHANGED])
        told["changed_total"] = len(changed)
    return told


def _tools(plans: PlanTasks) -> tuple[AssistantTool, ...]:
    return (
        AssistantTool(
            "overview",
            "Overview",
            "How large the code base is: nodes and relations by kind, languages, largest folders, what was not read.",
            AskOverview,
            nodes.overview,
        ),
        AssistantTool(
            "find",
            "Find nodes",
            "Find files, classes, functions by words, /regular expression/, kind:, path: and metrics "
            "(kind:function and complexity > 20). Answers ids and places (file:line).",
            AskNodes,
            nodes.find_nodes,
        ),
        AssistantTool(
            "relations",
            "Dependencies and users",
            "What a node uses, or who uses it, as relations with kind, confidence (exact, resolved, guess) and places. "
            "Call it before you edit something.",
            AskRelations,
            relations.relations,
        ),
        AssistantTool(
            "path",
            "Path",
            "The shortest chains of relations by which one node reaches another, with places.",
            AskPath,
            relations.path,
        ),
        AssistantTool(
            "impact",
            "Impact",
            "What depends, directly or not, on files or nodes; without any, on the files that differ from the commit. "
            "Tests among it are marked: run these again.",
            AskImpact,
            relations.impact_of,
        ),
        AssistantTool(
            "findings",
            "Findings",
            "What is worth a look: violations, cycles with their cheapest cuts, hot spots, large files, unused code.",
            AskFindings,
            judgements.findings,
        ),
        AssistantTool(
            "check",
            "Check rules",
            "Violations of the rules in the folder's cbvtool.toml, with the places that break them.",
            AskCheck,
            judgements.check,
        ),
        AssistantTool(
            "tasks",
            "Tasks of a plan",
            "The tasks of a plan (.cbv) with their marks: open, partly, done, overtaken, read off the code as it is "
            "now. With the key of one task: every place that must change for it, and those to check.",
            AskTasks,
            plans.tasks,
        ),
        AssistantTool(
            "hot_spots",
            "Hot spots",
            "The files with the most complexity times commits of the last six months.",
            AskHotSpots,
            judgements.hot_spots,
        ),
    )

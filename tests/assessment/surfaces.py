"""Every place that shows figures, read for one plan: each must tell the same under the same name.

A surface gives what it says as figure -> (as it is, as planned), in the words of `assessment.rows`; None = not told.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from cbvtool.assessment.comparing import with_work
from cbvtool.assessment.judged import judged
from cbvtool.assessment.rows import FIRST, rows
from cbvtool.assistants.judgements import AskCheck, check
from cbvtool.assistants.plan_tasks import AskTasks, PlanTasks
from cbvtool.assistants.snapshot import LiveCodeBase
from cbvtool.cli import main
from cbvtool.cli.output import DONE, FINDINGS
from cbvtool.graph import Graph
from cbvtool.plan import Create, Extract, Group, History, Merge, Move, Operation, Remove, Rename, Split, check_all
from cbvtool.plan.clashes import clash_of
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.plan.listing.annotations import NONE
from cbvtool.project import open_document
from cbvtool.rules import read_rules
from cbvtool.session import Session
from cbvtool.session.planning.figures import plan_figures
from cbvtool.session.planning.steps import list_of_tasks
from tests.report.reading import ReadPage

Said = Mapping[str, tuple[object, object]]
KEYS = {"tangle": "tangle", "places to change": "places_to_change", "broken rules": "broken_rules"}
COUNTS = {"modules in cycles": "modules_in_cycles", "crossings": "crossings"}


def random_plan(graph: Graph, chance: random.Random, steps: int) -> History:
    """That many steps of all kinds, none of which is refused or clashes."""
    history = History(graph)
    while len(history.done) < steps:
        now = history.graph
        step = _step(now, chance, f"plan:n{len(history.done)}")
        if check_all(step, now) is None and not any(clash_of(one, now) for one in step):
            history = history.do(Group(f"step {len(history.done) + 1}", step))
    return history


def _step(graph: Graph, chance: random.Random, new: str) -> tuple[Operation, ...]:
    there = graph.tree.order.tolist()[1:]
    tests = graph.values.get("test", np.zeros(len(graph)))
    code = [k for k in there if not any(tests[a] > 0 for a in (k, *graph.ancestors(k)))]
    files = [graph.ids[k] for k in code if graph.kind(k) == "file" and graph.children(k).size]
    folders = [graph.ids[k] for k in code if graph.kind(k) in ("folder", "package")]
    what = chance.choice(("move", "move", "package", "group", "remove", "rename", "merge", "split", "pull"))
    one, other = chance.sample(files, 2)
    folder = chance.choice(folders)
    if what == "move":
        return (Move((one,), folder),)
    if what == "package":
        return (Move((chance.choice(folders),), folder),)
    if what == "group":
        return Create(new, folder, new.removeprefix("plan:"), graph.kind(graph.key_of[folder])), Move((one, other), new)
    if what == "remove":
        return (Remove((one,)),)
    if what == "rename":
        stem, dot, ending = graph.names[graph.key_of[one]].rpartition(".")
        return (Rename(one, f"{stem}_anew{dot}{ending}"),)
    if what == "merge":
        return (Merge(one, other),)
    if what == "split":
        row = chance.randrange(len(graph.edges))
        user, used = graph.ids[int(graph.edges.source[row])], graph.ids[int(graph.edges.target[row])]
        return (Split(user, used, folder, "invert"),)
    return (Extract(one, other, folder),)


def document_of(folder: Path, history: History, file: Path) -> Path:
    """The plan as a document for a folder."""
    write_document(Document(folder, folder.name, "", (Plan.of(history, "Plan"),)), file)
    return file


class Surfaces:
    """What each surface says of the plan in a document; `cache` keeps what the analysis finds."""

    def __init__(self, document: Path, cache: Path, read: Callable[[], str]) -> None:
        self._document, self._cache, self._read = str(document), cache, read

    def all(self) -> dict[str, Said]:
        """Surface -> what it says."""
        surfaces = (self.panel, self.card, self.compare, self.tasks, self.check, self.findings, self.proposals)
        return {one.__name__: one() for one in (*surfaces, self.report, self.assistant)}

    def panel(self) -> Said:
        """The panel Plan; the message after a step reads the same rows."""
        session = self._session()
        assert session.history is not None
        figures = plan_figures(session.history, session.project, session.judging.asked)
        return {row.name: (row.before, row.after) for row in figures.rows}

    def card(self) -> Said:
        """The card of the drag that ended with the last step: after it, as before the drop."""
        session = self._session()
        history = session.history
        assert history is not None
        asked = session.judging.asked
        assert asked is not None
        before, last = history.undo(), history.done[-1].operations
        judgement = judged(replace(asked, planned=before.graph)).step(*last)
        assert judgement is not None
        work = [list_of_tasks(steps, session.project, NONE) for steps in (before.do(Group("", last)), before)]
        return {row.name: (None, row.after) for row in rows(with_work(judgement, *work))}

    def compare(self) -> Said:
        """`plan compare`: its table, and its JSON, which must say the same."""
        data = json.loads(self._run("plan", "compare", self._document, "Plan", "as-is", "--format", "json"))
        text = self._run("plan", "compare", self._document, "Plan", "as-is")
        said = {row["name"]: (row["as_is"], row["first"]) for row in data["figures"]}
        for name, (as_is, _planned) in said.items():
            line = next(line for line in text.splitlines() if line.startswith(f"{name} "))
            assert line.removeprefix(name).split()[:1] == as_is.split()[:1], (line, as_is)
        figures = data["first"]["figures"]
        assert all(said[name][1] == f"{figures[key]:,}" for name, key in KEYS.items() if figures[key] is not None)
        return said

    def tasks(self) -> Said:
        """`tasks`: its JSON, and the table at its head."""
        data = json.loads(self._run("tasks", self._document, "--format", "json"))["assessment"]
        text = self._run("tasks", self._document)
        said = _of_keys(data["before"], data["after"])
        for name in FIRST:
            assert f"| {name} | {said[name][0]} | {said[name][1]} |" in text, (name, text[:1000])
        return said

    def check(self) -> Said:
        """`check`: its JSON; the violations that it lists are as many as it counts."""
        data = json.loads(self._run("check", self._document, "--format", "json"))
        assert data["assessment"]["broken_rules"] == len(data["violations"])
        figures = {name: value for name, value in data["assessment"].items() if name != "places_to_change"}
        return _of_keys(None, figures)

    def findings(self) -> Said:
        """The largest cycle of modules, and the pairs of all broken rules."""
        data = json.loads(self._run("findings", self._document, "--format", "json"))["findings"]
        cycles = [one["figures"].get("modules", 0) for one in data if one["kind"] == "cycle"]
        pairs = sum(one["figures"]["pairs"] for one in data if one["kind"] == "violation")
        return {"tangle": (None, f"{max(cycles, default=0):,}"), "broken rules": (None, f"{pairs:,}")}

    def proposals(self) -> Said:
        """What every proposal says of the plan as it is before it is taken."""
        arguments = ("--kind", "move", "cycle", "--seconds", "2", "--format", "json")
        data = json.loads(self._run("proposals", self._document, *arguments))["proposals"]
        said = [_of_keys(None, one["before"]) for one in data]
        assert all(one == said[0] for one in said)
        return said[0] if said else {}

    def report(self) -> Said:
        """The table of the plan on the page."""
        page = Path(self._document).with_suffix(".html")
        self._run("report", self._document, "-o", str(page))
        table = ReadPage(page.read_bytes()).tables["judgement"]
        return {row[0][:1].lower() + row[0][1:]: (row[1], row[2]) for row in table[1:]}

    def assistant(self) -> Said:
        """The answers of the server for assistants."""
        now = LiveCodeBase(Path(self._document), {"cache": self._cache}).now()
        data = PlanTasks(self._cache).tasks(now, AskTasks())["assessment"]
        as_is = check(now, AskCheck())["assessment"]
        assert all(as_is[key] == data["before"][key] for key in KEYS.values() if key != "places_to_change")
        return _of_keys(data["before"], data["after"])

    def _session(self) -> Session:
        document, project = open_document(Path(self._document), cache=self._cache)
        session = Session()
        session.open(project, document)
        session.rules = read_rules(project.path)
        return session

    def _run(self, *arguments: str) -> str:
        status = main([*arguments, "--cache", str(self._cache)])
        assert status in (DONE, FINDINGS), arguments
        return self._read()


def _of_keys(before: Mapping[str, float | None] | None, after: Mapping[str, float | None]) -> Said:
    """The figures of a JSON that are counts, as texts."""
    said = {}
    for name, key in {**KEYS, **COUNTS}.items():
        if after.get(key) is not None:
            was = None if before is None or before.get(key) is None else f"{before[key]:,}"
            said[name] = was, f"{after[key]:,}"
    return said

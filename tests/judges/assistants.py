"""Judges the answers that assistants get: imports by those of grimp, a plan by the code's own tests; and times them.

    python -m tests.judges.assistants FLASK [CLONE ...]

Both are checkouts; copies are worked on. Of each the package that is called like its folder is asked about.

1. A client of the official SDK, over standard input and output, carries out a plan of five tasks on flask by the
   answers alone. Every task must be done by its edits, no rule newly broken, and as many tests must pass as before.
2. `relations` is asked for the imports of every module of each package; the answers are compared with grimp's.
3. Each tool is asked COUNT times about random nodes of each checkout, and about a plan of five random moves; the
   processor time of an answer is told.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import psutil
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from cbvtool.assistants.snapshot import LiveCodeBase
from cbvtool.assistants.tools import AssistantTools
from cbvtool.plan import Create, Group, History, Move, Rename
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.project import open_project
from tests.assistants.scripted_client import carry_out
from tests.judges.python_imports import edges_of_grimp

COUNT = 60
STEPS = (
    Create("plan:1", "src/flask", "support", "package"),
    Move(("src/flask/debughelpers.py",), "plan:1"),
    Rename("src/flask/logging.py", "app_logging.py"),
    Move(("src/flask/signals.py",), "src/flask/sansio"),
    Rename("src/flask/testing.py", "test_tools.py"),
)


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        copies = [Path(scratch) / Path(name).resolve().name for name in arguments]
        for name, copy in zip(arguments, copies, strict=True):
            subprocess.run(["git", "clone", "-q", name, copy], check=True)
        good = plan_on_flask(copies[0])
        for copy in copies:
            cache = Path(scratch) / "cache"
            random_plan(copy, cache)
            tools = AssistantTools(LiveCodeBase(copy, {"cache": cache}), cache=cache)
            good &= imports(tools, copy)
            times(tools, copy)
    return 0 if good else 1


def plan_on_flask(root: Path) -> bool:
    """Carry the plan out, and say what came of it."""
    project = open_project(root, cache=False)
    history = History(project.graph)
    for step in STEPS:
        history = history.do(Group("step", (step,)))
    assert not history.refusals, history.refusals
    write_document(Document(root, "flask", project.commit, (Plan.of(history),)), root / "plan.cbv")
    before = passed(root)

    async def run() -> list[str]:
        how = StdioServerParameters(command=sys.executable, args=["-m", "cbvtool", "mcp", str(root), "--no-cache"])
        async with Client(stdio_client(how)) as client:

            async def ask(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
                said = await client.call_tool(tool, dict(arguments))
                assert not said.is_error, said
                assert said.structured_content is not None
                return said.structured_content

            def wait(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
                return anyio.from_thread.run(ask, tool, arguments)

            broken = await ask("check", {})
            marks = await anyio.to_thread.run_sync(carry_out, wait, root, "plan.cbv", "src/")
            assert (await ask("check", {}))["total"] == broken["total"]
            return marks

    marks, after = anyio.run(run), passed(root)
    subprocess.run(["git", "-C", root, "checkout", "-q", "."], check=True)
    subprocess.run(["git", "-C", root, "clean", "-fdxq"], check=True)
    print(f"flask: marks {marks}; tests passed before {before}, after {after}")
    return set(marks) == {"done"} and before == after and before > 0


def passed(root: Path) -> int:
    """How many tests of the checkout pass, by a pytest as old as they need."""
    tool = root.parent / "pytest"
    if not tool.exists():
        fetch = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tool), "pytest<9"]
        subprocess.run(fetch, check=True, stderr=subprocess.DEVNULL)
    paths = os.pathsep.join([str(tool), str(root / "src")])
    more = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = {**os.environ, **more}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    said = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+) passed", said)
    return int(found[1]) if found else 0


def imports(tools: AssistantTools, root: Path) -> bool:
    """Compare the answers about imports with grimp's."""
    name = root.name
    folder = next(place for place in (root / "src" / name, root / name) if place.is_dir())
    modules, theirs = edges_of_grimp(name, folder.parent)
    before = f"{folder.parent.relative_to(root).as_posix()}/".removeprefix("./")
    ours = set()
    for module in sorted(modules):
        offset: int | None = 0
        while offset is not None:
            asked = {"node": before + module, "kinds": ["import"], "guesses": False, "limit": 200, "offset": offset}
            said = tools.call("relations", asked)
            ours |= {
                (
                    row["source"].removeprefix(before).partition("::")[0],
                    row["target"].removeprefix(before).partition("::")[0],
                )
                for row in said["relations"]
            }
            offset = said.get("next")
    expected = {(source, target) for source, target in theirs if source != target}
    ours = {edge for edge in ours if edge[1] in modules}
    both = len(ours & expected)
    print(f"{name}: {len(ours):,} imports answered, {len(expected):,} of grimp, {both:,} in both")
    return both >= 0.995 * max(len(ours), len(expected))


def random_plan(root: Path, cache: Path) -> None:
    """Write a plan of five moves of files to `plan.cbv`."""
    choose = random.Random(1)
    project = open_project(root, cache=cache)
    history, moved = History(project.graph), 0
    files = [file for file in project.graph.files if file.endswith(".py")]
    folders = sorted({file.rpartition("/")[0] for file in files if "/" in file})
    while moved < 5:
        after = history.do(Group("step", (Move((choose.choice(files),), choose.choice(folders)),)))
        if not after.refusals:
            history, moved = after, moved + 1
    write_document(Document(root, root.name, project.commit, (Plan.of(history),)), root / "plan.cbv")


def times(tools: AssistantTools, root: Path) -> None:
    """Print the processor time of answers."""
    choose = random.Random(1)
    graph = tools._code.now().graph
    ids = [node for node, key in graph.key_of.items() if graph.line[key]]
    files = [node for node in graph.files if node.endswith(".py")]
    asked: dict[str, Any] = {
        "overview": dict,
        "find": lambda: {"query": choose.choice(["solve", "kind:class and sloc > 100", "/^_?print.*/", "path:core"])},
        "relations": lambda: {"node": choose.choice(ids), "direction": choose.choice(["uses", "used_by"])},
        "path": lambda: {"source": choose.choice(files), "target": choose.choice(files), "most": 3},
        "impact": lambda: {"files": [choose.choice(files)]},
        "findings": dict,
        "check": dict,
        "tasks": lambda: {"document": "plan.cbv"},
        "hot_spots": dict,
    }
    memory = psutil.Process().memory_info().rss / 1e6
    print(f"{root.name}: {len(graph):,} nodes, {len(graph.edges):,} relations, {memory:,.0f} MB; ms of processor time")
    for tool, arguments in asked.items():
        spent = []
        for number in range(COUNT):
            began = time.process_time()
            try:
                json.dumps(tools.call(tool, arguments()))
            except Exception as error:
                if number == 0 or "Both ends" not in str(error):
                    print(f"  {tool}: {error}")
            spent.append((time.process_time() - began) * 1000)
        later = sorted(spent[1:])
        print(f"  {tool}: first {spent[0]:.1f}, median {median(later):.1f}, p95 {later[int(len(later) * 0.95)]:.1f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

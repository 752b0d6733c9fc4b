"""Judges the answers of `cbvtool mcp` beside those of another server of code graphs, CodeGraph: the same questions.

    python -m tests.judges.code_graph_servers [--stub PACKAGE] PYTHON_CLONE ... JAVA_FOLDER ...

Both are asked over standard input and output, by the same client of the official SDK.

- Python: which modules of the package does a module import? Every module of the package that is called like the clone,
  but for `__init__.py`, which CodeGraph does not tell apart; right is what grimp says. CodeGraph also names the module
  that a name comes from which a package passes on: that is not wrong. cbvtool: `relations`, page by page; CodeGraph:
  `codegraph_callees` of the file.
- Java: which other files call a method, whichever of those with that name in its class? QUESTIONS random methods that
  somebody calls, of sources that javac compiles (annotations of PACKAGE are made up); right is what javac says.
  cbvtool: `find`, then `relations`; CodeGraph: `codegraph_callers`.

CodeGraph comes from npm, without scripts of its installation, into out/judge-mcp. It works on a copy, without the
network and without writing elsewhere, where the system can do that. Times are of one call, by the clock and in
processor time of the server; memory is that of the server after its answers.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import anyio.from_thread
import psutil
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from cbvtool.apply.sandbox import sandbox
from tests.judges import java_classes
from tests.judges.python_imports import edges_of_grimp

ROOT = Path(__file__).parents[2]
TOOLS, CODEGRAPH = ROOT / "out" / "judge-mcp", "@colbymchenry/codegraph@1.6.1"
QUESTIONS = 200
HEADER = """\
| subject | server | questions | right of | wrong | ms by the clock: median, p95 | of the processor | MB | first s |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
Answers = Mapping[str, set[str]]  # question -> files
Ways = Mapping[str, Callable[["AskedServer", str], set[str]]]  # server -> how it is asked


@dataclass
class AskedServer:
    """A server that is running, and what its answers cost.

    ready   seconds from the start, with all that it prepares, to its first answer
    """

    name: str
    call: Callable[[str, Mapping[str, Any]], Any]
    process: psutil.Process
    ready: float = 0.0
    clock: list[float] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)

    def ask(self, tool: str, **arguments: object) -> Any:
        """The answer to one call."""
        began, before = time.monotonic(), self._processor()
        said = self.call(tool, arguments)
        self.clock.append((time.monotonic() - began) * 1000)
        self.spent.append((self._processor() - before) * 1000)
        return said

    def _processor(self) -> float:
        return sum(sum(one.cpu_times()[:2]) for one in self._all())

    def _all(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]

    def row(self, subject: str, right: Answers, also: Answers, found: Answers) -> str:
        """A row of the table, once all is asked; what is in `also` is not wrong."""
        hits = sum(len(files & right[question]) for question, files in found.items())
        wrong = sum(len(files - right[question] - also.get(question, set())) for question, files in found.items())
        clock, memory = sorted(self.clock), sum(one.memory_info().rss for one in self._all()) / 1e6
        slow = clock[int(len(clock) * 0.95)]
        return (
            f"| {subject} | {self.name} | {len(right):,} | {hits:,} of {sum(map(len, right.values())):,} | {wrong:,} "
            f"| {median(clock):.1f}, {slow:.1f} | {sum(self.spent) / len(self.spent):.1f} | {memory:,.0f} "
            f"| {self.ready:.1f} |"
        )


def started(stack: ExitStack, name: str, command: list[str], folder: Path, more: Mapping[str, str]) -> AskedServer:
    """A server that runs until the stack is closed."""
    how = StdioServerParameters(command=command[0], args=command[1:], env={**os.environ, **more}, cwd=folder)
    before = set(psutil.Process().children())
    portal = stack.enter_context(anyio.from_thread.start_blocking_portal())
    client = stack.enter_context(portal.wrap_async_context_manager(Client(stdio_client(how))))

    def call(tool: str, arguments: Mapping[str, Any]) -> Any:
        said = portal.call(client.call_tool, tool, dict(arguments))
        return said.structured_content or said.content[0].text

    (process,) = set(psutil.Process().children()) - before
    return AskedServer(name, call, process)


def cbvtool_server(stack: ExitStack, root: Path, scratch: Path) -> AskedServer:
    """Ours, with a cache of its own."""
    began = time.monotonic()
    more = {"XDG_CACHE_HOME": str(scratch / "cache")}
    server = started(stack, "cbvtool", [sys.executable, "-m", "cbvtool", "mcp", str(root)], root, more)
    server.call("overview", {})
    server.ready = time.monotonic() - began
    return server


def codegraph_server(stack: ExitStack, root: Path, scratch: Path) -> AskedServer:
    """CodeGraph, its graph made."""
    (binary,) = (TOOLS / "node_modules" / "@colbymchenry").glob("codegraph-*/bin/codegraph")
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    more = {
        "HOME": str(home),
        "CODEGRAPH_TELEMETRY": "0",
        "CODEGRAPH_NO_DAEMON": "1",
        "CODEGRAPH_MCP_TOOLS": "callers,callees,status",
    }
    began = time.monotonic()
    made = sandbox().around([str(binary), "init", str(root)], [root, home])
    subprocess.run(made, check=True, capture_output=True, cwd=root, env={**os.environ, **more})
    command = sandbox().around([str(binary), "serve", "--mcp"], [root, home])
    server = started(stack, CODEGRAPH.rpartition("/")[2].replace("@", " "), command, root, more)
    server.call("codegraph_status", {})
    server.ready = time.monotonic() - began
    return server


# -- questions -----------------------------------------------------------------------------------------------


def related(server: AskedServer, node: str, direction: str, kind: str) -> set[str]:
    """Files at the other ends of relations, by our server."""
    files, offset = set[str](), 0
    while True:
        asked = {"node": node, "direction": direction, "kinds": [kind], "guesses": False, "limit": 200}
        said = server.ask("relations", **asked, offset=offset)
        other = "target" if direction == "uses" else "source"
        files |= {row[other].partition("::")[0] for row in said["relations"]}
        if "next" not in said:
            return files
        offset = said["next"]


_ROW = re.compile(r"^- (?P<name>.*?) \((?P<kind>[\w ]+)\) - (?P<file>.+?):\d+(?: — (?P<via>.*))?$", re.MULTILINE)


def rows_of(text: str) -> Iterable[re.Match[str]]:
    """The rows of an answer of CodeGraph."""
    return _ROW.finditer(text)


def imports(root: Path) -> tuple[Answers, Answers, Ways]:
    """What grimp says, what packages pass on, and how each server is asked."""
    name = root.name
    folder = next(place for place in (root / "src" / name, root / name) if place.is_dir())
    modules, edges = edges_of_grimp(name, folder.parent)
    before = f"{folder.parent.relative_to(root).as_posix()}/".removeprefix("./")
    targets: dict[str, set[str]] = {before + module: set() for module in sorted(modules)}
    for source, target in edges:
        if source != target:
            targets[before + source].add(before + target)
    right = {module: files for module, files in targets.items() if not module.endswith("__init__.py")}

    def ours(server: AskedServer, module: str) -> set[str]:
        return related(server, module, "uses", "import") & targets.keys()

    def theirs(server: AskedServer, module: str) -> set[str]:
        said = server.ask("codegraph_callees", symbol=Path(module).name, file=module, limit=1_000)
        return {row["file"] for row in rows_of(said) if row["kind"] != "import"} & targets.keys() - {module}

    also = {module: passed_on(files, targets) for module, files in right.items()}
    return right, also, {"cbvtool": ours, "codegraph": theirs}


def passed_on(files: set[str], targets: Answers) -> set[str]:
    """What the packages among `files` import, and the packages among these, and so on."""
    found, waiting = set[str](), list(files)
    while waiting:
        file = waiting.pop()
        if file.endswith("__init__.py"):
            waiting += targets[file] - found
            found |= targets[file]
    return found


def calls(root: Path, stubs: list[str], scratch: Path) -> tuple[Answers, Answers, Ways]:
    """What javac says about random methods, and how each server is asked. A question is `FILE::CLASS.METHOD`."""
    jdk = java_classes.find_jdk()
    subject = java_classes.compiled(root, jdk, stubs, "", scratch)
    assert subject is not None, f"{root} cannot be compiled"
    _, rows = java_classes.names_of_javac(subject, jdk, scratch)
    file_of = {
        path.relative_to(root).with_suffix("").as_posix().replace("/", "."): path.relative_to(root).as_posix()
        for path in root.rglob("*.java")
    }
    known: dict[str, set[str]] = defaultdict(set)
    for caller, _line, owner, method, _parameters in rows:
        top = next((name for name in file_of if owner == name or owner.startswith(f"{name}.")), None)
        if top is not None and method != "<init>":
            inside = owner.removeprefix(top.rpartition(".")[0]).strip(".")
            known[f"{file_of[top]}::{inside}.{method}"].add(Path(caller).resolve().relative_to(root).as_posix())
    elsewhere = {asked: files - {asked.partition("::")[0]} for asked, files in known.items()}
    callable_ = sorted(asked for asked, files in elsewhere.items() if files)
    chosen = random.Random(1).sample(callable_, min(QUESTIONS, len(callable_)))
    right = {asked: elsewhere[asked] for asked in chosen}

    def ours(server: AskedServer, asked: str) -> set[str]:
        file, _, name = asked.partition("::")
        said = server.ask("find", query=f"kind:function path:{file} name:{name.rpartition('.')[2]}", limit=200)
        ids = [row["id"] for row in said["nodes"] if re.sub(r"#\d+", "", row["id"]) == asked]
        return {other for node in ids for other in related(server, node, "used_by", "call")} - {file}

    def theirs(server: AskedServer, asked: str) -> set[str]:
        file, _, name = asked.partition("::")
        said = server.ask("codegraph_callers", symbol=name.rpartition(".")[2], file=file, limit=1_000)
        return {row["file"] for row in rows_of(said) if "import" not in (row["via"] or "")} - {file}

    return right, {}, {"cbvtool": ours, "codegraph": theirs}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("subjects", nargs="+", type=Path)
    parser.add_argument("--stub", action="append", default=[], metavar="PACKAGE")
    chosen = parser.parse_args()
    TOOLS.mkdir(parents=True, exist_ok=True)
    (TOOLS / "package.json").write_text('{"private": true}\n')
    fetch = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", CODEGRAPH]
    subprocess.run(fetch, cwd=TOOLS, check=True)
    logging.disable(logging.WARNING)  # the SDK's, about tools that CodeGraph offers without listing them
    print(HEADER)
    for given in chosen.subjects:
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            root = scratch / given.resolve().name
            subprocess.run(["cp", "-r", given.resolve(), root], check=True)
            is_java = not (root / ".git").exists()
            right, also, ways = calls(root, chosen.stub, scratch) if is_java else imports(root)
            for server, way in zip((cbvtool_server, codegraph_server), ways.values(), strict=True):
                with ExitStack() as stack:
                    asked = server(stack, root, scratch)
                    found = {question: way(asked, question) for question in right}
                    print(asked.row(given.resolve().name, right, also, found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

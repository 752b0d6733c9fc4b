"""Judges rules that a plan hands over by the tools that they are for: broken before, kept once the plan is done.

    python -m tests.judges.handing_over

A small project in Python and one in JavaScript get a plan that moves a file; `cbvtool tasks` writes the rules, and
`lint-imports` and dependency-cruiser (from npm, into out/judge-js) judge the project before the plan and after somebody
has carried it out by hand. Prints a Markdown table; exit status 1 when a tool says anything else.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cbvtool.cli import DONE, main
from cbvtool.plan import Group, History, Move
from cbvtool.plan.document import Document, Plan, write_document
from cbvtool.project import open_project
from tests.judges.javascript_imports import TOOLS, install

PYTHON = {
    "app/__init__.py": "",
    "app/core/__init__.py": "",
    "app/core/order.py": "from app.web import fmt\n\nprint(fmt)\n",
    "app/web/__init__.py": "",
    "app/web/fmt.py": "X = 1\n",
    "app/web/page.py": "from app.core import order\n\nprint(order)\n",
}
JAVASCRIPT = {
    "src/core/a.js": "import '../web/fmt.js';\n",
    "src/web/fmt.js": "export const x = 1;\n",
    "src/web/b.js": "import '../core/a.js';\n",
}
HEADER = """\
| tool | before the plan | once it is done |
| --- | --- | --- |"""


def made(folder: Path, files: dict[str, str]) -> Path:
    """The project in a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def handed(folder: Path, moved: str, to: str, form: str, out: Path) -> None:
    """The rules that hold once `moved` lies in `to`."""
    history = History(open_project(folder, cache=False).graph, (Group("move", (Move((moved,), to),)),))
    plan = out.with_suffix(".cbv")
    write_document(Document(folder, folder.name, plans=(Plan.of(history),)), plan)
    assert main(["tasks", str(plan), "--format", form, "-o", str(out), "--no-cache"]) == DONE


def judged(*command: str | Path, folder: Path) -> str:
    """What the tool says."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    ran = subprocess.run(list(map(str, command)), cwd=folder, env=environment, check=False, capture_output=True)
    return "kept" if ran.returncode == 0 else "broken"


def python(scratch: Path) -> tuple[str, str]:
    """What import-linter says before and after."""
    folder, rules = made(scratch / "python", PYTHON), scratch / "contracts.ini"
    handed(folder, "app/web/fmt.py", "app/core", "import-linter", rules)
    tool = Path(sys.executable).parent / "lint-imports"
    before = judged(tool, "--config", rules, "--no-cache", folder=folder)
    (folder / "app/web/fmt.py").rename(folder / "app/core/fmt.py")
    (folder / "app/core/order.py").write_text("from app.core import fmt\n\nprint(fmt)\n")
    return before, judged(tool, "--config", rules, "--no-cache", folder=folder)


def javascript(scratch: Path) -> tuple[str, str]:
    """What dependency-cruiser says before and after."""
    folder, rules = made(scratch / "javascript", JAVASCRIPT), scratch / "cruiser.json"
    handed(folder, "src/web/fmt.js", "src/core", "dependency-cruiser", rules)
    command = ("node", TOOLS / "node_modules/dependency-cruiser/bin/dependency-cruise.mjs", "--config", rules, "src")
    before = judged(*command, folder=folder)
    (folder / "src/web/fmt.js").rename(folder / "src/core/fmt.js")
    (folder / "src/core/a.js").write_text("import './fmt.js';\n")
    return before, judged(*command, folder=folder)


def run() -> int:
    """Judge both."""
    print(HEADER)
    with tempfile.TemporaryDirectory() as name:
        found = {"import-linter": python(Path(name))}
        if install():
            found["dependency-cruiser"] = javascript(Path(name))
    for tool, said in found.items():
        print(f"| {tool} | {said[0]} | {said[1]} |")
    return int(any(said != ("broken", "kept") for said in found.values()))


if __name__ == "__main__":
    sys.exit(run())

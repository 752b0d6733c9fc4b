"""The story of a plan from findings to a branch, by cbvtool's own commands: `python -m tests.judges.plan_story CLONE`.

CLONE is a clone of https://github.com/encode/httpx, which is left as it is: all happens in a copy, in a folder that is
removed. Commands and what they say go to the output, as Markdown; `docs/a-plan-carried-out.md` shows parts of it. With
`--tests COMMAND` the branch is tested as `cbvtool plan apply --tests` does. The exit status is 0 only if the plan is
carried out in full, and tracking says so.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from cbvtool.assessment.modules import DEPTH
from cbvtool.project import open_project
from cbvtool.session import Session

HOME = Path(__file__).resolve().parents[2]
COMMIT = "ae1b9f66238f75ced3ced5e4485408435de10768"
WHO = {
    f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in (("NAME", "a"), ("EMAIL", "a@b"))
}
BY_TOPIC = (  # a new package, and the modules that go there
    ("_url", ("_urls.py", "_urlparse.py")),
    ("_body", ("_content.py", "_multipart.py", "_decoders.py")),
)
ALL_MESSAGES = (
    ("_url", ("_urls.py", "_urlparse.py")),
    ("_messages", ("_models.py", "_content.py", "_multipart.py", "_decoders.py", "_status_codes.py")),
)


class PlanStory:
    """Runs commands in a folder and tells what they say."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tell(self, heading: str) -> None:
        print(f"\n## {heading}\n")

    def run(self, *words: str, most: int = 60, wanted: tuple[int, ...] = (0,)) -> int:
        """Run `cbvtool` with these words, and print it with the first lines that it says."""
        print(f"    $ cbvtool {shlex.join(words)}")
        environment = {**os.environ, "PYTHONPATH": str(HOME / "src"), "XDG_CACHE_HOME": str(self._folder / "cache")}
        done = subprocess.run(
            [sys.executable, "-m", "cbvtool", *words], cwd=self._folder, env=environment, capture_output=True, text=True
        )
        lines = done.stdout.replace(f"{self._folder}/", "").splitlines()
        more = [f"... ({len(lines) - most:,} more lines)"] if len(lines) > most else []
        for line in [*lines[:most], *more]:
            print(f"    {line}".rstrip())
        print()
        if done.returncode not in wanted:
            raise SystemExit(f"It ended with status {done.returncode}: {done.stderr}")
        return done.returncode

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self._folder / "httpx", env={**os.environ, **WHO}, check=True)


def plan_two(subject: Path, file: Path) -> None:
    """Plan both alternatives as the window does, and save them; the second one is shown.

    Modules are what lies two levels below the root, without tests (menu Plan > Modules): the packages of httpx.
    """
    session = Session()
    session.open(open_project(subject, cache=False))
    for name, packages in (("By topic", BY_TOPIC), ("All messages", ALL_MESSAGES)):
        if session.plan_choice.plans.current.is_empty:
            session.plan_choice.rename("Plan 1", name)
        else:
            session.plan_choice.new(name)
        for package, modules in packages:
            graph = session.graph
            known = set(graph.ids)
            _must(session.create(graph.key_of["httpx"], package, "package"))
            made = next(node for node in session.graph.ids if node not in known)
            key_of = session.graph.key_of
            _must(session.move([key_of[f"httpx/{module}"] for module in modules], key_of[made]))
    session.set_view(modules=replace(session.view.modules, by=DEPTH, depth=2, tests=False), tests=False)
    session.save(file)


def _must(refused: str | None) -> None:
    if refused is not None:
        raise SystemExit(refused)


def main(arguments: list[str]) -> int:
    """Tell the story."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, help="clone of httpx")
    parser.add_argument("--tests", help="command that tests the changed code")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        story, subject, plan = PlanStory(folder), folder / "httpx", folder / "plan.cbv"
        subprocess.run(["git", "clone", "--quiet", str(chosen.clone.resolve()), str(subject)], check=True)
        story.git("checkout", "--quiet", "-B", "main", COMMIT)
        (subject / "cbvtool.toml").write_text((HOME / "docs/examples/httpx.toml").read_text())
        story.git("add", "cbvtool.toml")
        story.git("commit", "--quiet", "-m", "Rules")
        story.tell("Findings")
        story.run("findings", "httpx", most=16)
        story.tell("Two alternatives")
        plan_two(subject, plan)
        story.run("plan", "compare", "plan.cbv", "By topic", "All messages")
        story.tell("Rules")
        story.run("check", "plan.cbv", most=20, wanted=(0, 1))
        story.tell("Tasks")
        story.run("tasks", "plan.cbv", most=40)
        story.tell("Carried out")
        tests = ["--tests", chosen.tests] if chosen.tests else []
        story.run("plan", "apply", "plan.cbv", "--to", "restructured", *tests)
        story.tell("Is it done?")
        story.git("checkout", "--quiet", "restructured")
        return story.run("tasks", "plan.cbv", "--status", wanted=(0, 1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

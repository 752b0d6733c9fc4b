"""Judges following the work tree: after random edits the graph equals that of an analysis from nothing; and times it.

    python -m tests.judges.following [--steps N] [--compare N] [--minutes N] [--seed N] CLONE ...

Copies of the clones are worked on. Each step is one of: an edit inside a function, a definition that is renamed, added
or taken out, a new file, a deleted or renamed file, a checkout of an earlier commit and back. After each the open
project is analysed again as the window does it. After each of the steps (or every Nth, with --compare) the graph is
compared with that of an analysis without a cache. Prints processor time and wall time from the saved file to the graph.
With --minutes no step begins after that time, for each clone: what was done until then is told.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from cbvtool.analysis.live import LiveAnalysis
from cbvtool.graph.same import is_same
from cbvtool.project import Project, open_again, open_project

_DEFINITION = re.compile(r"^(\s*)(def|class) (\w+)", re.M)
_JAVA = re.compile(r"(public|private|protected)((?: static| final)*) ([\w<>\[\], ]+) (\w+)\(")
SUFFIXES = (".py", ".java")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--compare", type=int, default=1, metavar="N")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="other edits with another one (default 0)")
    options = parser.parse_args()
    wrong = 0
    for number, clone in enumerate(options.clones):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / clone.resolve().name
            subprocess.run(["git", "clone", "-q", str(clone), copy], check=True)
            choose = random.Random(number + options.seed)
            until = time.monotonic() + 60 * options.minutes
            wrong += judge(copy, Path(scratch) / "cache", options.steps, options.compare, until, choose)
    return int(wrong > 0)


def judge(root: Path, cache: Path, steps: int, every: int, until: float, choose: random.Random) -> int:
    """Carry out `steps` on `root` as long as it is not yet `until`; how many graphs differ."""
    live = LiveAnalysis()
    project = open_project(root, cache=cache, live=live)
    spent: dict[str, list[tuple[float, float]]] = defaultdict(list)
    compared, differ = Counter[str](), Counter[str]()
    for number in range(steps):
        if time.monotonic() > until:
            break
        what = step(root, choose, number)
        began, cpu = time.perf_counter(), processor()
        project = open_again(project, cache=cache, live=live)
        spent[what].append((time.perf_counter() - began, processor() - cpu))
        if number % every == 0:
            compared[what] += 1
            fresh = open_project(root, cache=False)
            if not same(project, fresh):
                differ[what] += 1
                print(f"{root.name}: step {number} ({what}) differs: {project.graph} and {fresh.graph}", flush=True)
    done = sum(map(len, spent.values()))
    print(
        f"{root.name}: {project.graph}; {done} steps, {compared.total()} compared, {differ.total()} differ; "
        "seconds wall (processor)"
    )
    for what, times in sorted(spent.items()):
        walls, cpus = (sorted(column) for column in zip(*times, strict=True))
        at = int(len(times) * 0.95)
        print(
            f"  {what}: {len(times)} times, {compared[what]} compared, {differ[what]} differ; "
            f"median {median(walls):.2f} ({median(cpus):.2f}), p95 {walls[at]:.2f} ({cpus[at]:.2f})",
            flush=True,
        )
    return differ.total()


def same(followed: Project, fresh: Project) -> bool:
    return followed.commit == fresh.commit and is_same(followed.graph, fresh.graph)


def processor() -> float:
    """Seconds of processor time of this process and those that it started and that have ended."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


def step(root: Path, choose: random.Random, number: int) -> str:
    """Change something; what it was."""
    if number % 25 == 24:
        return checkout(root, choose)
    files = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES and ".git" not in path.parts)
    file = choose.choice(files)
    kind = choose.choices(["inside", "definition", "added", "deleted", "renamed"], [10, 5, 2, 1, 1])[0]
    if kind == "added":
        (file.parent / f"added{number}{file.suffix}").write_bytes(file.read_bytes())
    elif kind == "deleted":
        file.unlink()
    elif kind == "renamed":
        file.rename(file.with_stem(f"{file.stem}{number}"))
    else:
        text = file.read_text(errors="surrogateescape")
        edited = (
            inside(text, choose, file.suffix) if kind == "inside" else definition(text, choose, number, file.suffix)
        )
        file.write_text(edited, errors="surrogateescape")
    return kind


def inside(text: str, choose: random.Random, suffix: str) -> str:
    """Take out, double or comment a line somewhere in a function."""
    lines = text.splitlines(keepends=True)
    rows = [row for row, line in enumerate(lines) if line.startswith("        ") and line.strip().endswith((")", ");"))]
    if not rows:
        return text + ("\n# more\n" if suffix == ".py" else "\n// more\n")
    row = choose.choice(rows)
    blank = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
    lines.insert(row, blank + ("# a remark\n" if suffix == ".py" else "// a remark\n"))
    if choose.random() < 0.5:
        lines.insert(row, lines[row + 1])
    return "".join(lines)


def definition(text: str, choose: random.Random, number: int, suffix: str) -> str:
    """Rename a definition, or add one."""
    found = list((_DEFINITION if suffix == ".py" else _JAVA).finditer(text))
    if not found or choose.random() < 0.3:
        return text + (f"\n\ndef added{number}():\n    pass\n" if suffix == ".py" else f"\nclass Added{number} {{ }}\n")
    one = choose.choice(found)
    end = one.end(3) if suffix == ".py" else one.end(4)
    return f"{text[:end]}{number}{text[end:]}"


def checkout(root: Path, choose: random.Random) -> str:
    """Check out a commit of the last 200, or what was there before."""
    subprocess.run(["git", "-C", root, "reset", "-q", "--hard"], check=True)
    subprocess.run(["git", "-C", root, "clean", "-fdq"], check=True)
    listed = subprocess.run(
        ["git", "-C", root, "rev-list", "-n", "200", "--all"], check=True, capture_output=True, text=True
    ).stdout.split()
    subprocess.run(["git", "-C", root, "checkout", "-q", choose.choice(listed)], check=True)
    return "checkout"


if __name__ == "__main__":
    sys.exit(main())

"""Write the table of tests into docs/specification.md: which test files name which requirement.

`make specification` runs it; with `--check` it ends with status 1 where the page is out of date, or where code or tests
name a requirement that the page does not have.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "specification.md"
HEADING = "## Tests that show them\n"
_ID = re.compile(r"\b(?:CBV|DND|TR|TV|ST|VF|TD|EX|OC|CF|NEW)-[1-9][0-9]?\b")
_ROW = re.compile(r"^\| ((?:CBV|DND|TR|TV|ST|VF|TD|EX|OC|CF|NEW)-[0-9]+) \| .* \| (done|partly|planned)", re.MULTILINE)


def requirements(page: str) -> dict[str, str]:
    """Requirement -> its status, in the order of the page."""
    return {found[1]: found[2] for found in _ROW.finditer(page)}


def named(folder: Path) -> dict[str, dict[str, int]]:
    """Requirement -> file below `folder` -> how often the file names it; our own Python files alone."""
    found: dict[str, dict[str, int]] = {}
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder.parent).as_posix()
        if path.startswith("tests/corpus/"):
            continue
        for name in _ID.findall(file.read_text(encoding="utf-8")):
            counts = found.setdefault(name, {})
            counts[path] = counts.get(path, 0) + 1
    return found


def _short(path: str) -> str:
    return f"`{path.removeprefix('tests/')}`"


def with_tests(page: str, tests: dict[str, dict[str, int]]) -> str:
    """The page with its last section made anew: one row for each requirement that a test names."""
    rows = []
    for name in requirements(page):
        if name in tests:
            files = sorted(tests[name], key=lambda path: (-tests[name][path], path))
            rows.append(f"| {name} | {', '.join(map(_short, files))} |")
    table = "\n".join(["| ID | files below `tests/` that name it, most often first |", "|---|---|", *rows])
    return page.partition(HEADING)[0].rstrip("\n") + f"\n\n{HEADING}\nMade by `make specification`.\n\n{table}\n"


def faults(page: str, source: dict[str, dict[str, int]], tests: dict[str, dict[str, int]]) -> list[str]:
    """What the page and the code disagree about, a sentence each."""
    known, rows = requirements(page), Counter(name for name, _ in _ROW.findall(page))
    found = [f"{name} has {count} rows in docs/specification.md." for name, count in rows.items() if count > 1]
    found += [
        f"{next(iter(files))} names {name}, which docs/specification.md does not have."
        for names in (source, tests)
        for name, files in names.items()
        if name not in known
    ]
    found += [
        f"{name} is said to be done, but no test names it."
        for name in known
        if known[name] == "done" and name not in tests
    ]
    found += [
        f"{name} is said to be planned, but {next(iter(tests[name]))} shows something of it."
        for name in known
        if known[name] == "planned" and name in tests
    ]
    if with_tests(page, tests) != page:
        found.append("The table of tests in docs/specification.md is out of date: run `make specification`.")
    return found


def main(arguments: list[str]) -> int:
    """Write the page, or check it."""
    page, source, tests = PAGE.read_text(encoding="utf-8"), named(ROOT / "src"), named(ROOT / "tests")
    if "--check" in arguments:
        wrong = faults(page, source, tests)
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return 1 if wrong else 0
    PAGE.write_text(with_tests(page, tests), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What jedi says about a renamed definition; runs in an interpreter that has jedi, and shares no code with cbvtool.

    python rename_child.py FOLDER < questions

A question is a line of JSON: {"path", "line", "column"} of the name in its definition, "old", and "changed", a list of
[path, line, column] (lines from 1, columns from 0, in characters) that were changed. Answers one line of JSON each:

    missed   places where jedi finds the definition, and that were not changed
    wrong    places that were changed, and where jedi finds something else of this tree
    agreed   how many places were changed, and are the definition for jedi, too
    unknown  how many were changed, and jedi does not know them
"""

from __future__ import annotations

import importlib
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

jedi: Any = importlib.import_module("jedi")  # the interpreter of the tests need not have it


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    project = jedi.Project(str(root), sys_path=[str(root / "src"), str(root), *sys.path[1:]])
    files = [path for path in sorted(root.rglob("*.py")) if ".git" not in path.parts]
    for line in sys.stdin:
        print(json.dumps(answer(project, root, files, json.loads(line))), flush=True)


def answer(project: Any, root: Path, files: list[Path], question: dict[str, Any]) -> dict[str, Any]:
    home = (question["path"], question["line"])
    changed = {tuple(place) for place in question["changed"]}
    missed, wrong, agreed, unknown = [], [], 0, 0
    seen = set()
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        if question["old"] not in text:
            continue
        script = jedi.Script(text, path=str(file), project=project)
        path = file.relative_to(root).as_posix()
        for row, column in names(text, question["old"]):
            place = (path, row, column)
            seen.add(place)
            found = definitions(script, row, column, root)
            if place in changed:
                if home in found:
                    agreed += 1
                elif found:
                    wrong.append([*place, sorted(found)])
                else:
                    unknown += 1
            elif home in found:
                missed.append([*place, sorted(found)])
    texts = len(changed - seen)
    return {"missed": missed, "wrong": wrong, "agreed": agreed, "unknown": unknown + texts}


def names(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Where the word is a token of the code."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and token.string == word:
                yield token.start
            elif token.type == tokenize.STRING and re.match(r"[rRbB]*[fF]", token.string):
                for match in re.finditer(rf"(?<!\w){word}(?!\w)", token.string):
                    if "\n" not in token.string:
                        yield token.start[0], token.start[1] + match.start()
    except (tokenize.TokenError, IndentationError):
        return


def definitions(script: Any, row: int, column: int, root: Path) -> set[tuple[str, int]]:
    """(path, line) of what the name there is, as far as it lies in the tree; `elsewhere` for other code."""
    found = set[tuple[str, int]]()
    try:
        names = script.goto(row, column, follow_imports=True)
    except Exception:  # jedi gives up in many ways
        return found
    for name in names:
        path = name.module_path
        if path is None or name.line is None:
            found.add(("elsewhere", 0))
            continue
        path = Path(path).resolve()
        found.add((path.relative_to(root).as_posix(), name.line) if path.is_relative_to(root) else ("elsewhere", 0))
    return found


if __name__ == "__main__":
    main()

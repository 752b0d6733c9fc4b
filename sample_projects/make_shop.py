"""Make the sample project: the sources in shop/ as a git repository with the history of shop.history.toml.

python sample_projects/make_shop.py FOLDER

The commits are the same ones, to the last bit, on every machine.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MAIN = "main"
ALL = sys.maxsize

Edit = tuple[str, str, str]  # path, before, after
Rename = tuple[str, str]  # from, to


@dataclass(frozen=True)
class State:
    """What has happened on one line of work: units there by path, edits and renames made."""

    units: dict[str, int] = field(default_factory=dict)
    edits: frozenset[Edit] = frozenset()
    renames: frozenset[Rename] = frozenset()

    def with_(self, other: State) -> State:
        """The state when what happened in `other` has happened too."""
        paths = self.units.keys() | other.units.keys()
        units = {path: max(self.units.get(path, 0), other.units.get(path, 0)) for path in paths}
        return State(units, self.edits | other.edits, self.renames | other.renames)


@dataclass(frozen=True)
class Commit:
    """One commit: rows of its parents in the list of commits, and the files as they are then."""

    author: str
    time: int
    message: str
    branch: str
    parents: tuple[int, ...]
    files: dict[str, str]


def commits() -> list[Commit]:
    """The history of the shop, oldest first.

    Raises ValueError when a step of the description does not fit the sources.
    """
    with (HERE / "shop.history.toml").open("rb") as file:
        description = tomllib.load(file)
    sources = _sources()
    steps = [_step(entry) for entry in description["commits"]]
    edits = [edit for entry in description["commits"] for edit in _edits(entry)]
    renames = frozenset[Rename]().union(*(step.renames for step in steps))
    made: list[Commit] = []
    tips: dict[str, tuple[int, State]] = {}
    for entry, step in zip(description["commits"], steps, strict=True):
        branch = entry.get("branch", MAIN)
        start = tips.get(branch) or tips.get(MAIN)
        parents, state = ((start[0],), start[1]) if start else ((), State())
        if "merge" in entry:
            parents, state = (*parents, tips[entry["merge"]][0]), state.with_(tips[entry["merge"]][1])
        state = state.with_(step)
        files = _files(sources, state, edits, renames - state.renames)
        if parents and files == made[parents[0]].files:
            raise ValueError(f"the step {entry['message']!r} changes nothing")
        time = int(entry["date"].timestamp())
        made.append(Commit(description["authors"][entry["author"]], time, entry["message"], branch, parents, files))
        tips[branch] = (len(made) - 1, state)
    if made[-1].files != sources:
        raise ValueError(f"the last step leaves other files: {_differing(made[-1].files, sources)}")
    return made


def make(folder: Path) -> None:
    """Make `folder` the repository, checked out. A repository that is there already is left as it is.

    Raises FileExistsError when the folder holds anything else.
    """
    if (folder / ".git").exists():
        return
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    # The user's own configuration (hooks, signing, line ends) must not change the result.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str, text: bytes | None = None) -> None:
        subprocess.run(
            ["git", *arguments], cwd=folder, input=text, check=True, env=environment, stdout=subprocess.DEVNULL
        )

    git("init", "--quiet", "--template=", f"--initial-branch={MAIN}")
    git("config", "core.autocrlf", "false")
    git("fast-import", "--quiet", text=b"".join(_stream(commits())))
    git("reset", "--quiet", "--hard")


def _sources() -> dict[str, str]:
    """Text of every file of the shop by its path."""
    root = HERE / "shop"
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(files)}


def _step(entry: dict[str, Any]) -> State:
    units = {path: ALL if count == -1 else count for path, count in entry.get("files", {}).items()}
    renames = [(before, after) for before, after in [entry["rename"]]] if "rename" in entry else []
    return State(units, frozenset(_edits(entry)), frozenset(renames))


def _edits(entry: dict[str, Any]) -> list[Edit]:
    return [(path, before, after) for path, before, after in entry.get("edits", ())]


def _files(
    sources: dict[str, str], state: State, edits: list[Edit], later_renames: frozenset[Rename]
) -> dict[str, str]:
    """The files of one state. `edits`: those of all steps, oldest first; the ones not yet made are taken back."""
    result = {}
    for path, count in state.units.items():
        text = sources[path]
        for edit in reversed(edits):
            if edit[0] == path and edit not in state.edits:
                if edit[2] not in text:
                    raise ValueError(f"{path} does not contain {edit[2]!r}")
                text = text.replace(edit[2], edit[1])
        text = _first_units(text, count) if path.endswith(".py") else "".join(text.splitlines(True)[:count])
        for before, after in later_renames:
            path = before if path == after else path
            text = text.replace(_module(after), _module(before))
        result[path] = text
    return result


@cache
def _first_units(text: str, count: int) -> str:
    """The first `count` units of a Python file, with the imports that they need. A commit changes few of them."""
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    end = len(lines)
    for number, unit in enumerate(_units(tree)):
        if number == count:
            end = _first_line(unit) - 1
            break
    body = "".join(lines[:end]).rstrip() + "\n"
    return _without_unused_imports(body)


def _units(tree: ast.Module) -> Iterator[ast.stmt]:
    """Where units begin: a class begins with its first method, or is one unit without any."""
    imports = (ast.Import, ast.ImportFrom)
    for statement in tree.body[1:]:  # the first one is the docstring
        guard = isinstance(statement, ast.If) and all(isinstance(inner, imports) for inner in statement.body)
        if isinstance(statement, imports) or guard:
            continue
        methods = [inner for inner in getattr(statement, "body", []) if isinstance(inner, ast.FunctionDef)]
        if isinstance(statement, ast.ClassDef) and methods:
            yield statement
            yield from methods[1:]
        else:
            yield statement


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _without_unused_imports(text: str) -> str:
    """`text` without the imported names that nothing uses. Names listed in `__all__` are used."""
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            used |= set(ast.literal_eval(node.value))
    lines = text.splitlines(keepends=True)
    gone: set[int] = set()
    guards = [node for node in tree.body if isinstance(node, ast.If)]
    for node in [*tree.body, *(inner for guard in guards for inner in guard.body)]:
        if not isinstance(node, ast.Import | ast.ImportFrom) or getattr(node, "module", "") == "__future__":
            continue
        kept = [name for name in node.names if (name.asname or name.name).split(".")[0] in used]
        if len(kept) == len(node.names):
            continue
        indent = " " * node.col_offset
        node.names = kept
        lines[node.lineno - 1] = f"{indent}{ast.unparse(node)}\n" if kept else ""
        gone |= set() if kept else {node.lineno}
    for guard in guards:
        if all(inner.lineno in gone for inner in guard.body):
            # With the guard goes the blank line before it, and then the name that only it used.
            lines[guard.lineno - 2 : guard.lineno] = ["", ""]
            return _without_unused_imports("".join(lines))
    return _tidy("".join(lines))


def _tidy(text: str) -> str:
    """At most two blank lines in a row, one in the head, as a person would leave them."""
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _differing(some: dict[str, str], others: dict[str, str]) -> list[str]:
    return sorted(path for path in some.keys() | others.keys() if some.get(path) != others.get(path))


def _stream(history: list[Commit]) -> Iterator[bytes]:
    """The history in the form that `git fast-import` reads."""
    for row, commit in enumerate(history):
        message = commit.message.encode()
        yield f"commit refs/heads/{commit.branch}\nmark :{row + 1}\n".encode()
        for role in ("author", "committer"):
            yield f"{role} {commit.author} {commit.time} +0000\n".encode()
        yield b"data %d\n%s\n" % (len(message), message)
        for word, parent in zip(("from", "merge"), commit.parents, strict=False):
            yield f"{word} :{parent + 1}\n".encode()
        yield b"deleteall\n"
        for path, text in sorted(commit.files.items()):
            content = text.encode()
            yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"


def main(arguments: list[str]) -> int:
    """Make the repository that the command line asks for."""
    if len(arguments) != 1:
        print("usage: python sample_projects/make_shop.py FOLDER", file=sys.stderr)
        return 2
    try:
        make(Path(arguments[0]))
    except FileExistsError as error:
        print(f"{error}: name a folder that is new or empty.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""An operation is one row and the places that mypy names: none can be forgotten, and docs and tests follow the rows."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sys
import sysconfig
from dataclasses import MISSING, fields
from pathlib import Path
from subprocess import run
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from cbvtool.plan import effort
from cbvtool.plan.operations import KINDS, Node, Nodes, Operation, nodes_of
from cbvtool.plan.primitives import Primitive
from cbvtool.plan.task import Kind
from tests.plan.naive import Naive
from tests.plan.strategies import field_strategies

HERE = Path(__file__).parents[2]
SOURCE = HERE / "src" / "cbvtool"
DOCS = HERE / "docs"

SWAP = '''
@dataclass(frozen=True)
class Swap:
    """Let two nodes change places."""
ROW
    first: Node
    second: Node


Operation = Swap | '''
ROW = '\n    row: ClassVar = Row("swap", "Swap", "swap of", "move", 20)'

# What somebody who adds an operation has to write: the row, and what it means for each of these.
EVERY_PLACE = {
    ("alternatives/footprints.py", "_puts"),
    ("alternatives/footprints.py", "_renaming"),
    ("alternatives/footprints.py", "arrivals"),
    ("alternatives/footprints.py", "changed"),
    ("alternatives/footprints.py", "first_made_of"),
    ("alternatives/footprints.py", "keeps_ids"),
    ("alternatives/footprints.py", "puts_unnamed"),
    ("alternatives/footprints.py", "targets"),
    ("alternatives/footprints.py", "whole"),
    ("clashes.py", "_in_other_languages"),
    ("clashes.py", "_made_for_code"),
    ("clashes.py", "clash_of"),
    ("describe.py", "_object"),
    ("listing/keys.py", "_asked_for"),
    ("lower.py", "lower"),
    ("operations.py", "creation"),
    ("listing/task_words.py", "merge_behind"),
    ("listing/task_words.py", "pulled_for"),
    ("listing/task_words.py", "split_behind"),
    ("naming/refusals.py", "name_refusal"),
}
READS_THE_ROW = {
    ("describe.py", "describe"),
    ("describe.py", "label"),
    ("document.py", ""),
    ("document.py", "_step_as_data"),
    ("effort.py", ""),
}


@pytest.mark.long
def test_an_operation_without_one_of_its_parts_is_a_type_error(tmp_path: Path) -> None:
    """Planted in the union, mypy names each place that needs a change, and no other."""
    plan = tmp_path / "cbvtool" / "plan"
    shutil.copytree(SOURCE / "plan", plan)
    operations = plan / "operations.py"
    text = operations.read_text("utf-8")
    assert text.count("\nOperation = ") == 1
    for row, expected in ((ROW, EVERY_PLACE), ("", EVERY_PLACE | READS_THE_ROW)):
        operations.write_text(text.replace("\nOperation = ", SWAP.replace("\nROW", row)), "utf-8")
        assert _places_with_errors(plan) == expected


def _places_with_errors(plan: Path) -> set[tuple[str, str]]:
    """(file, function) of each error about `Swap`; the rooms around `plan` are not read: that is quick."""
    ended = run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file=",
            "--follow-imports=skip",
            "--ignore-missing-imports",
            "--explicit-package-bases",
            "--check-untyped-defs",
            "--cache-dir",
            str(plan.parents[1] / "cache"),
            str(plan),
        ],
        capture_output=True,
        text=True,
        cwd=plan.parents[1],
        check=False,
        env={"PATH": sysconfig.get_path("scripts"), "MYPYPATH": str(plan.parents[1])},
    )
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    found = re.findall(r"^cbvtool/plan/([\w/]+\.py):(\d+): error:.*Swap", ended.stdout, re.MULTILINE)
    return {(file, _function(plan / file, int(line))) for file, line in found}


def _function(file: Path, line: int) -> str:
    tree = ast.parse(file.read_text("utf-8"))
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else ""


def test_whoever_tells_kinds_apart_ends_with_assert_never() -> None:
    """No `match` on operations or primitives falls through, no `isinstance` picks an operation out."""
    operations = {kind.__name__ for kind in KINDS}
    kinds = operations | {kind.__name__ for kind in get_args(Primitive)}
    faults, told_apart = [], 0
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        if "cbvtool.plan" not in text:  # it names none of them: `imported` would be empty
            continue
        tree = ast.parse(text)
        imported = {
            name.asname or name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for name in node.names
            if (node.module or "").startswith("cbvtool.plan")
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Match) and _named(node.cases, kinds & imported):
                told_apart += 1
                last = node.cases[-1].body[-1]
                if "assert_never" not in ast.unparse(last):
                    faults.append(f"{path.name}:{node.lineno}: a match without assert_never")
            if not isinstance(node, ast.Call) or ast.unparse(node.func) != "isinstance":
                continue
            if _named(node.args[1:], operations & imported):
                faults.append(f"{path.name}:{node.lineno}: an operation is picked out")
    assert faults == []
    assert told_apart >= 10


def _named(nodes: list[Any], names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for node in nodes for part in ast.walk(node))


def test_every_kind_of_task_has_an_effort() -> None:
    """The rows and `relations` give all kinds of tasks, each once."""
    tasks = [kind.row.task for kind in KINDS]
    assert len(set(tasks)) == len(tasks)
    assert set(effort.BY_KIND) == set(get_args(Kind)) == {*tasks, "relations"}


def test_the_schema_says_the_same_as_the_rows() -> None:
    """docs/plan.schema.json: one alternative for each operation, with its fields."""
    schema = json.loads((DOCS / "plan.schema.json").read_text("utf-8"))
    written = {entry["properties"]["op"]["const"]: entry for entry in schema["$defs"]["operation"]["oneOf"]}
    assert written == {kind.row.op: _schema(kind) for kind in KINDS}


def _schema(kind: type[Operation]) -> dict[str, Any]:
    types = get_type_hints(kind, include_extras=True)
    members: dict[str, Any] = {"op": {"const": kind.row.op}}
    for field in fields(kind):
        of = types[field.name]
        if get_origin(of) is Literal:
            members[field.name] = {"enum": list(get_args(of))}
        else:
            members[field.name] = {
                Node: {"$ref": "#/$defs/node"},
                Nodes: {"$ref": "#/$defs/nodes"},
                str: {"type": "string"},
            }[of]
    return {"required": [field.name for field in fields(kind) if field.default is MISSING], "properties": members}


def test_the_page_of_the_format_lists_every_operation() -> None:
    """docs/plan-format.md: a row for each operation with its members in order."""
    page = (DOCS / "plan-format.md").read_text("utf-8")
    for kind in KINDS:
        members = ", ".join(f"`{field.name}`" for field in fields(kind))
        assert f"| `{kind.row.op}` | {members} |" in page


def test_the_tests_know_every_operation() -> None:
    """The naive interpreter and the random plans have each, so that the properties of plans are tried with it."""
    for kind in KINDS:
        assert callable(getattr(Naive, kind.__name__.lower()))
        assert set(field_strategies(kind, Node)) == {field.name for field in fields(kind)}


def test_nodes_of_an_operation() -> None:
    """Every id that an operation names, and none of its other texts."""
    for kind in KINDS:
        types = get_type_hints(kind, include_extras=True)
        values: dict[str, Any] = {
            name: ("one", "two") if of == Nodes else "three" if of == Node else "invert"
            for name, of in types.items()
            if name != "row"
        }
        expected = [
            node
            for name, of in types.items()
            if of in (Node, Nodes)
            for node in (("one", "two") if of == Nodes else ("three",))
        ]
        assert nodes_of(kind(**values)) == expected

"""What each command writes as JSON is what its schema in docs/schemas says, and nothing besides."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from cbvtool.cli import DONE, FINDINGS, main
from cbvtool.project import Project

SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text())
    for path in (Path(__file__).parents[1] / "docs" / "schemas").iterdir()
}
COMMANDS = {
    "query": ["query", "SHOP", "kind:file and commits > 0", "--metrics", "language,authors"],
    "impact": ["impact", "SHOP", "shop/domain/order.py"],
    "path": ["path", "SHOP", "shop/ui", "shop/domain"],
    "unused": ["unused", "SHOP", "--entry", "!tests/", "!main.py"],
    "findings": ["findings", "SHOP"],
    "check": ["check", "SHOP"],
    "coupling": ["coupling", "SHOP"],
    "people": ["people", "SHOP"],
    "diff": ["diff", "HEAD~3", "HEAD", "SHOP"],
    "history": ["history", "SHOP"],
    "hotspots": ["hotspots", "SHOP"],
}

OF_RUNS = {"runs-info", "runs-diff", "runs-explain", "runs-trend", "runs-similar", "runs-check"}


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_what_its_schema_says(shop: Project, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(shop.path) if word == "SHOP" else word for word in COMMANDS[name]]
    assert main([*arguments, "--format", "json"]) in (DONE, FINDINGS)
    said = json.loads(capsys.readouterr().out)
    schema = SCHEMAS[name]
    jsonschema.validate(said, schema, cls=jsonschema.Draft202012Validator)
    rows = said if isinstance(said, list) else next((value for value in said.values() if isinstance(value, list)), [0])
    assert rows  # an empty answer shows little
    broken = [{**row, "more": 1} for row in said] if isinstance(said, list) else {**said, "more": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema, cls=jsonschema.Draft202012Validator)


def test_each_command_with_json_has_a_schema() -> None:
    """The others are looked at by test_cli_compare_traces, test_cli_runs, apply/test_applying, tracking/test_status,
    plan/alternatives/test_plan_commands."""
    assert SCHEMAS.keys() == COMMANDS.keys() | {"applied", "compare-traces", "plan-compare", "task-status"} | OF_RUNS

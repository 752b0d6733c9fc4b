"""The official client of the Model Context Protocol lists and calls the tools (NEW-25)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import cbvtool
from cbvtool.assistants.server import server
from cbvtool.assistants.snapshot import LiveCodeBase
from cbvtool.assistants.tools import AssistantTools
from cbvtool.cli import FAILED, main

ARGUMENTS: dict[str, dict[str, Any]] = {
    "overview": {},
    "find": {"query": "Order"},
    "relations": {"node": "shop/core"},
    "path": {"source": "shop/web", "target": "shop/core"},
    "impact": {},
    "findings": {},
    "check": {},
    "tasks": {"document": "plan.cbv"},
    "hot_spots": {},
}


async def lists_and_calls(client: Client, root: Path) -> None:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == ARGUMENTS.keys()
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.validate(ARGUMENTS[tool.name], tool.input_schema)
        said = await client.call_tool(tool.name, ARGUMENTS[tool.name])
        assert not said.is_error, said
        assert json.loads(said.content[0].text) == said.structured_content
        assert said.structured_content is not None
        assert said.structured_content["commit"]
    refused = await client.call_tool("find", {"query": 1})
    assert refused.is_error
    refused = await client.call_tool("nothing", {})
    assert refused.is_error


def in_process(root: Path, use: Callable[[Client, Path], Awaitable[None]]) -> None:
    offered = server(AssistantTools(LiveCodeBase(root, {"jobs": 1, "cache": False}), cache=False))

    async def run() -> None:
        async with Client(offered) as client:
            await use(client, root)

    anyio.run(run)


def test_the_official_client_lists_and_calls_every_tool(root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    in_process(root, lists_and_calls)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before  # it only reads


def test_over_standard_input_and_output(root: Path, tmp_path: Path) -> None:
    """The command itself; it ends with its input."""
    environment = {**os.environ, "PYTHONPATH": str(Path(cbvtool.__file__).parents[1])}
    how = StdioServerParameters(
        command=sys.executable, args=["-m", "cbvtool", "mcp", str(root), "--no-cache", "--jobs", "1"], env=environment
    )

    async def run() -> None:
        with (tmp_path / "said").open("w") as said:
            async with Client(stdio_client(how, errlog=said)) as client:
                found = await client.call_tool("find", {"query": "Order"})
                assert found.structured_content is not None
                assert found.structured_content["nodes"][0]["id"] == "shop/core/order.py::Order"

    anyio.run(run)
    assert (tmp_path / "said").read_text().startswith("cbvtool: Answering questions about subject")


def test_only_this_command_loads_the_sdk() -> None:
    """NEW-25: the SDK is an extra."""
    code = "import sys, cbvtool.cli, cbvtool.assistants.tools; sys.exit('mcp' in sys.modules or 'anyio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_the_sdk_one_sentence(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "cbvtool.assistants.server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp", str(root)]) == FAILED
    assert "cbvtool[mcp]" in capsys.readouterr().err

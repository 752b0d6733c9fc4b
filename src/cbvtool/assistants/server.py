"""The tools as a server of the Model Context Protocol on standard input and output. Needs the extra `mcp`."""

from __future__ import annotations

import json
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

import cbvtool
from cbvtool.assistants.tools import AssistantTools
from cbvtool.errors import InputError, error_text

_INSTRUCTIONS = (
    "Exact answers about the structure of the code base that was opened, as it is when you ask. Ids are paths such as "
    "src/a.py::Class.method, and every tool takes them. Confidence: `exact` and `resolved` are sure, `guess` was found "
    "by name alone. Lists come in pages: where there is `next`, ask again with it as `offset`. Nothing is changed by "
    "any tool. To carry out a task of a plan: `tasks`, then the same with its key for the places; edit; `tasks` again "
    "says whether it is done, `check` whether a rule is broken."
)


def server(tools: AssistantTools) -> Server[Any]:
    """A server that offers the tools, none of which changes anything."""

    async def listed(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
                )
                for tool in tools.by_name.values()
            ]
        )

    async def called(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            answer = await anyio.to_thread.run_sync(tools.call, asked.name, asked.arguments or {})
        except InputError as error:
            return _refusal(str(error))
        except Exception as error:
            return _refusal(f"Something went wrong inside cbvtool: {error_text(error)}.")
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=True))
        return types.CallToolResult(content=[text], structured_content=answer)

    return Server(
        "cbvtool", version=cbvtool.__version__, instructions=_INSTRUCTIONS, on_list_tools=listed, on_call_tool=called
    )


def serve(tools: AssistantTools) -> None:
    """Answer on standard output what comes on standard input, until that ends."""
    anyio.run(_serve, tools)


async def _serve(tools: AssistantTools) -> None:
    offered = server(tools)
    async with stdio_server() as (incoming, outgoing):
        await offered.run(incoming, outgoing, offered.create_initialization_options())


def _refusal(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)

"""V8's CPU profile (`node --cpu-prof`, Chrome's developer tools): a tree of frames, and samples of its nodes in time.

Source: the type `Profiler.Profile` of the Chrome DevTools Protocol. Times are microseconds, lines count from 0.
"""

from __future__ import annotations

import re

import msgspec

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.stacks import StackSamples
from cbvtool.trace.readers.content import whole
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "v8-cpu-profile"
LABEL = "V8 CPU profile"

_HEAD = re.compile(rb'\s*\{\s*"(?:nodes|typeId|head)"\s*:')
_ROOT, _IDLE = "(root)", "(idle)"
_FILE = "file://"
_ESCAPED = re.compile(rb"%([0-9a-fA-F]{2})")
_MOST_LINE = 2**31 - 2
_MOST_TIME = 2**52  # microseconds
NO_NODE = "samples of nodes that are not in the tree"
BAD_TIME = "samples without a time of 64 bits"


class _CallFrame(msgspec.Struct):
    functionName: str = ""
    url: str = ""
    lineNumber: int = -1


class _Node(msgspec.Struct):
    id: int
    callFrame: _CallFrame
    children: list[int] = []


class _Profile(msgspec.Struct):
    nodes: list[_Node]
    startTime: int = 0
    samples: list[int] = []
    timeDeltas: list[int] = []


def sniff(source: TraceSource) -> bool:
    """Whether it is a JSON object that begins with nodes that have call frames."""
    return not source.is_folder and bool(_HEAD.match(source.head)) and b'"callFrame"' in source.head


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One sampled trace with one thread. The root, and samples of an idle thread, have no calls."""
    progress("Reading", 0, 0)
    try:
        profile = msgspec.json.decode(whole(source, budget), type=_Profile, strict=False)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableTrace(f"it is not as V8 writes CPU profiles: {error}") from None
    builder = TraceBuilder(NAME, budget)
    builder.describe(recorder="V8", clock="")
    samples = _samples(profile, builder, budget)
    thread = builder.thread(0, 0)
    samples.hand_to(builder, thread)
    return [builder.trace(builder.build())]


def _samples(profile: _Profile, builder: TraceBuilder, budget: Budget) -> StackSamples:
    """The stack of each sample, at its time."""
    parents, functions = _tree(profile, builder, budget)
    found, time = StackSamples(budget), profile.startTime
    if uneven := abs(len(profile.samples) - len(profile.timeDeltas)):
        builder.omissions[BAD_TIME] += uneven
    for node, passed in zip(profile.samples, profile.timeDeltas, strict=False):
        time += passed
        if not -_MOST_TIME < time < _MOST_TIME:
            builder.omissions[BAD_TIME] += 1
            time -= passed
            continue
        if node not in parents:
            builder.omissions[NO_NODE] += 1
            continue
        stack, at = list[int](), node
        while at in parents:
            if functions[at] >= 0:
                stack.append(functions[at])
            at = parents[at]
        found.add(time * 1000, reversed(stack))
    return found


def _tree(profile: _Profile, builder: TraceBuilder, budget: Budget) -> tuple[dict[int, int], dict[int, int]]:
    """Parent and function of each node that hangs on a root by its id; a parent that is no node ends a stack."""
    nodes = {node.id: node for node in profile.nodes}
    inner = {child for node in profile.nodes for child in node.children}
    parents: dict[int, int] = {}
    functions: dict[int, int] = {}
    waiting = [(node, min(nodes) - 1) for node in nodes if node not in inner]
    while waiting:
        node, parent = waiting.pop()
        if node in parents or node not in nodes:  # a node of two parents, or of none
            continue
        budget.spend(count=1, size=200)
        parents[node] = parent
        frame = nodes[node].callFrame
        functions[node] = -1 if frame.functionName in (_ROOT, _IDLE) else builder.function(*_function(frame))
        waiting.extend((child, node) for child in nodes[node].children)
    return parents, functions


def _function(frame: _CallFrame) -> tuple[str, str, str, int]:
    """Name, module, file and line. What has no file (`node:fs`, `(program)`) has its address as its module."""
    name = frame.functionName or "(anonymous)"
    line = frame.lineNumber + 1 if 0 <= frame.lineNumber < _MOST_LINE else 0
    if frame.url.startswith(_FILE):
        return name, "", _path(frame.url), line
    if frame.url.startswith("/"):  # of a CommonJS module, before Node 12
        return name, "", frame.url, line
    return name, frame.url, "", line


def _path(url: str) -> str:
    """The path of a file's address, whose escapes are bytes of UTF-8 (`urllib` may not be imported here)."""
    text = url[len(_FILE) :].encode("utf-8", "replace")
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), text).decode("utf-8", "replace")

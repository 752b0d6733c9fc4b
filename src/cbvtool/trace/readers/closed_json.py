"""JSON that was cut off, closed after its last complete value."""

from __future__ import annotations

import re

from cbvtool.budget import Budget

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_CLOSING = {b"[": b"]", b"{": b"}"}
MOST_DEPTH = 1_000


def closed(data: bytes, budget: Budget) -> bytes:
    """The longest beginning of `data` that becomes JSON by closing what is open.

    A number or word at the very end counts as cut off; so does a key without its value. What is nested deeper than
    `MOST_DEPTH`, and what is no JSON before its end, comes back as it is or shorter: a parser refuses it. Raises
    OverBudget and Cancelled.
    """
    stack: list[bytes] = []
    good, good_stack = 0, b""  # where a value ended, and what closes the rest
    is_key = False  # the next text is a key, or was one
    end = 0
    for number, token in enumerate(_TOKEN.finditer(data)):
        if number % 65_536 == 0:
            budget.spend()
        if data[end : token.start()].strip():  # such as the quote of a text that was cut off
            break
        text, end = token[0], token.end()
        first = text[:1]
        if first in _CLOSING:
            stack.append(first)
            if len(stack) > MOST_DEPTH:
                break
            is_key = first == b"{"
            if first == b"[":
                good, good_stack = end, _closing(stack)
            continue
        if first in (b"]", b"}"):
            if not stack or _CLOSING[stack.pop()] != first:
                break
            good, good_stack = end, _closing(stack)
            is_key = False
        elif first == b",":
            is_key = bool(stack) and stack[-1] == b"{"
        elif first == b":":
            is_key = False
        elif not is_key and (end < len(data) or first == b'"'):
            good, good_stack = end, _closing(stack)
    return data[:good] + good_stack


def _closing(stack: list[bytes]) -> bytes:
    return b"".join(_CLOSING[bracket] for bracket in reversed(stack))

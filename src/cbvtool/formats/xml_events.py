"""Safe reading of untrusted XML with expat, without entities, in pieces; and an escape for invalid characters."""

from __future__ import annotations

import re
from typing import Protocol
from xml.parsers import expat

from cbvtool.budget import Budget
from cbvtool.formats.content import Damaged

_PIECE = 2**16
# Bytes of memory of an open element, and of one of its default attributes.
OWNER_SIZE, DEFAULT_SIZE = 500, 100
# XML has no control characters, and trims texts. The escape is that of Office Open XML (ECMA-376, ST_Xstring): _x0001_,
# and _x005F_ for an underscore that would begin an escape.
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ODD = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\A\s|\s\Z|_(?=x[0-9A-Fa-f]{4}_)")
_MARKS = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class Handler(Protocol):
    """Callbacks for elements; their names come without a prefix, attribute names with it."""

    def start(self, name: str, given: dict[str, str], before: str) -> None:
        """Called when an element begins; `before` is the text directly before it."""

    def end(self, name: str, text: str) -> None:
        """Called when an element ends; `text` is the text directly before its end."""


def parse(data: bytes, handler: Handler, budget: Budget) -> None:
    """Call `handler` for the elements in `data`.

    Nothing outside the file is ever read. A file that defines entities is refused, because these can expand small files
    to huge ones. Raises Damaged for invalid XML, OverBudget for elements that are nested without end.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    text: list[str] = []

    def start(name: str, given: dict[str, str]) -> None:
        before = "".join(text)
        text.clear()
        handler.start(name.rpartition(":")[2] if ":" in name else name, given, before)

    def end(name: str) -> None:
        handler.end(name.rpartition(":")[2] if ":" in name else name, "".join(text))
        text.clear()

    def refuse(*_: object) -> None:
        raise Damaged("it defines XML entities, which are not expanded")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.EntityDeclHandler = refuse
    try:
        # expat scans an incomplete tag again with each piece; growing pieces keep the total linear.
        begin, size = 0, _PIECE
        while begin < len(data):
            budget.spend()
            parser.Parse(data[begin : begin + size], False)
            begin, size = begin + size, size + size // 4
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # odd encodings cause the last two
        raise Damaged(f"it is not XML ({error})") from None


def unescaped(text: str) -> str:
    """`text` with the escapes of `escaped` removed."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def escaped(text: str) -> str:
    """`text` in a form that XML can hold, in an attribute or an element; `unescaped` reverses it."""
    return text if text.isalnum() else _ODD.sub(lambda odd: f"_x{ord(odd[0]):04X}_", text).translate(_MARKS)

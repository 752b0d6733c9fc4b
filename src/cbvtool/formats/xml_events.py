"""Reading XML from strangers: expat, without entities, piece by piece; and writing what XML has no word for."""

from __future__ import annotations

import re
from typing import Protocol
from xml.parsers import expat

from cbvtool.budget import Budget
from cbvtool.formats.content import Damaged

_PIECE = 2**16
# Bytes of memory of an element that is not over, and of one attribute that it has by default.
OWNER_SIZE, DEFAULT_SIZE = 500, 100
# XML knows no control characters, and drops blanks at the ends of a text. The escape is that of Office Open XML
# (ECMA-376, ST_Xstring): _x0001_, and _x005F_ for an underscore that would begin one.
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ODD = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\A\s|\s\Z|_(?=x[0-9A-Fa-f]{4}_)")
_MARKS = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class Handler(Protocol):
    """What is called for elements, by their names without a prefix; attributes keep theirs."""

    def start(self, name: str, given: dict[str, str], before: str) -> None:
        """An element begins; `before` is the text directly before it."""

    def end(self, name: str, text: str) -> None:
        """An element ends; `text` is the text directly before its end."""


def parse(data: bytes, handler: Handler, budget: Budget) -> None:
    """Tell `handler` of the elements in `data`.

    Nothing outside the file is ever read, and a file that defines entities is refused: that is how small files become
    large ones. Raises Damaged for what is no XML, OverBudget for elements inside one another without end.
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
        # A name or tag that is not over is looked through again with each piece: pieces that grow keep that linear.
        begin, size = 0, _PIECE
        while begin < len(data):
            budget.spend()
            parser.Parse(data[begin : begin + size], False)
            begin, size = begin + size, size + size // 4
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two come of odd encodings
        raise Damaged(f"it is not XML ({error})") from None


def unescaped(text: str) -> str:
    """`text` as it was before `escaped`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def escaped(text: str) -> str:
    """`text` as XML can hold it, in an attribute or an element; `unescaped` takes it back."""
    return text if text.isalnum() else _ODD.sub(lambda odd: f"_x{ord(odd[0]):04X}_", text).translate(_MARKS)

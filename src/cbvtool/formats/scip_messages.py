"""The parts of SCIP's messages that are read (https://github.com/sourcegraph/scip, `scip.proto`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from cbvtool.budget import Budget
from cbvtool.formats.content import Damaged

_Field = descriptor_pb2.FieldDescriptorProto
_TEXT, _INT, _BOOL = _Field.TYPE_STRING, _Field.TYPE_INT32, _Field.TYPE_BOOL

# Message -> (field, its number, its type or message, repeated). Fields that are not listed here are skipped.
_MESSAGES: dict[str, list[tuple[str, int, int | str, bool]]] = {
    "Index": [("metadata", 1, "Metadata", False), ("documents", 2, "Document", True)],
    "Metadata": [("tool_info", 2, "ToolInfo", False), ("project_root", 3, _TEXT, False)],
    "ToolInfo": [("name", 1, _TEXT, False), ("version", 2, _TEXT, False)],
    "Document": [
        ("relative_path", 1, _TEXT, False),
        ("occurrences", 2, "Occurrence", True),
        ("symbols", 3, "SymbolInformation", True),
    ],
    "Occurrence": [
        ("range", 1, _INT, True),
        ("symbol", 2, _TEXT, False),
        ("symbol_roles", 3, _INT, False),
        ("enclosing_range", 7, _INT, True),
    ],
    "SymbolInformation": [
        ("symbol", 1, _TEXT, False),
        ("relationships", 4, "Relationship", True),
        ("kind", 5, _INT, False),
        ("display_name", 6, _TEXT, False),
    ],
    "Relationship": [("symbol", 1, _TEXT, False), ("is_implementation", 3, _BOOL, False)],
}


def message_classes() -> dict[str, type[message.Message]]:
    """Message classes by name."""
    file = descriptor_pb2.FileDescriptorProto(name="cbvtool/scip.proto", package="scip", syntax="proto3")
    for name, fields in _MESSAGES.items():
        made = file.message_type.add(name=name)
        for field, number, kind, repeated in fields:
            label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
            if isinstance(kind, str):
                made.field.add(
                    name=field, number=number, label=label, type=_Field.TYPE_MESSAGE, type_name=f".scip.{kind}"
                )
            else:
                made.field.add(name=field, number=number, label=label, type=kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"scip.{name}")) for name in _MESSAGES}


class Index:
    """An index whose documents are parsed one by one, because all at once would take forty times their bytes.

    metadata  the parsed `Metadata`
    spans     begin and end of the bytes of each document
    """

    def __init__(self, data: bytes, budget: Budget) -> None:
        self._data, self._budget = data, budget
        self._classes = message_classes()
        self.metadata: Any = self._classes["Metadata"]()
        self.spans: list[tuple[int, int]] = []
        for field, begin, end in _fields(data, 0, len(data)):
            if field == _METADATA:
                self._merge(self.metadata, begin, end)
            elif field == _DOCUMENT:
                budget.spend(size=_SPAN_SIZE)
                self.spans.append((begin, end))

    def document(self, span: tuple[int, int]) -> Any:
        """The parsed `Document` in a span. Raises Damaged, and OverBudget for one that is too large."""
        begin, end = span
        size = _TEXT_RATIO * (end - begin)
        if end - begin > _SMALL:  # it may consist of many messages of two bytes each
            size += _MESSAGE_SIZE * sum(1 for _ in _fields(self._data, begin, end))
        self._budget.spend(size=size)
        self._budget.spend(size=-size)
        return self._merge(self._classes["Document"](), *span)

    def _merge(self, into: Any, begin: int, end: int) -> Any:
        try:
            into.MergeFromString(self._data[begin:end])
        except message.DecodeError:
            raise Damaged(_REASON) from None
        return into


_METADATA, _DOCUMENT = 1, 2  # fields of an index
_SPAN_SIZE = 1_000  # least memory in bytes of a document as a file in the graph
# Bytes of memory of a parsed document: for each byte, and in addition for each message in it.
_TEXT_RATIO, _MESSAGE_SIZE = 4, 160
_SMALL = 2**20  # bytes of a document whose messages need not be counted
_REASON = "it is not a SCIP index, or it is cut off"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types (https://protobuf.dev/programming-guides/encoding)


def _fields(data: bytes, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(number, begin, end) of each field that holds bytes, of the message from `begin` to `end`. Raises Damaged."""
    place = begin
    while place < end:
        tag, place = _varint(data, place)
        wire, field = tag & 7, tag >> 3
        size = 0
        if not field:
            raise Damaged(_REASON)
        if wire == _VARINT:
            _, place = _varint(data, place)
        elif wire == _BYTES:
            size, place = _varint(data, place)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise Damaged(_REASON)
        if place + size > end:
            raise Damaged(_REASON)
        if wire == _BYTES:
            yield field, place, place + size
        place += size


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """The number that begins at `place`, and the position after it. Raises Damaged."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise Damaged(_REASON)

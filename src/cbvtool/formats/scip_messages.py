"""The messages of SCIP indexes, as far as they are read (https://github.com/sourcegraph/scip, `scip.proto`)."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from cbvtool.formats.content import Damaged

_Field = descriptor_pb2.FieldDescriptorProto
_TEXT, _INT, _BOOL = _Field.TYPE_STRING, _Field.TYPE_INT32, _Field.TYPE_BOOL

# Message -> (field, its number, its type or message, repeated). Fields that are not named here are skipped.
_MESSAGES: dict[str, list[tuple[str, int, int | str, bool]]] = {
    "Index": [("metadata", 1, "Metadata", False), ("documents", 2, "Document", True)],
    "Metadata": [("tool_info", 2, "ToolInfo", False), ("project_root", 3, _TEXT, False)],
    "ToolInfo": [("name", 1, _TEXT, False), ("version", 2, _TEXT, False)],
    "Document": [
        ("relative_path", 1, _TEXT, False), ("occurrences", 2, "Occurrence", True),
        ("symbols", 3, "SymbolInformation", True),
    ],
    "Occurrence": [
        ("range", 1, _INT, True), ("symbol", 2, _TEXT, False), ("symbol_roles", 3, _INT, False),
        ("enclosing_range", 7, _INT, True),
    ],
    "SymbolInformation": [
        ("symbol", 1, _TEXT, False), ("relationships", 4, "Relationship", True), ("kind", 5, _INT, False),
        ("display_name", 6, _TEXT, False),
    ],
    "Relationship": [("symbol", 1, _TEXT, False), ("is_implementation", 3, _BOOL, False)],
}  # fmt: skip


def _index_class() -> type[message.Message]:
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
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index"))


def parse(data: bytes) -> Any:
    """The `Index` message in `data`. Raises Damaged."""
    index = _index_class()()
    try:
        index.ParseFromString(data)
    except message.DecodeError:
        raise Damaged("it is no SCIP index, or it is cut off") from None
    return index

"""A small database of HPCToolkit, version 4."""

from __future__ import annotations

import struct


class Database:
    """A writer of meta.db and profile.db, version 4."""

    def __init__(self, kind: bytes, sections: int) -> None:
        self.data = bytearray(b"HPCTOOLKIT" + kind + bytes([4, 0]) + bytes(16 * sections))

    def put(self, form: str, *numbers: float) -> int:
        self.data += bytes(-len(self.data) % 8)
        at = len(self.data)
        self.data += struct.pack("<" + form, *numbers)
        return at

    def text(self, text: str) -> int:
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at

    def section(self, number: int, at: int) -> None:
        struct.pack_into("<QQ", self.data, 16 + 16 * number, 8, at)


def database_files() -> dict[str, bytes]:
    """main thread > main (1) > line 12 (2) > solve (3) > line 21 (4); rank 1, thread 2 has 3 + 6."""
    meta = Database(b"meta", 8)
    title, entry, main, solve, metric = (
        meta.text(text) for text in ("app", "main thread", "main", "solve", "CPUTIME (sec)")
    )
    module = meta.put("I4xQ", 0, meta.text("app.so"))
    file = meta.put("I4xQ", 0, meta.text("app.c"))
    functions = [meta.put("QQQQII", name, module, 16, file, line, 0) for name, line in ((main, 10), (solve, 20))]
    line21 = meta.put("QQIBBBBH6xQI4x", 0, 0, 4, 2, 0, 2, 2, 0, file, 21)
    of_solve = meta.put("QQIBBBBH6xQ", 48, line21, 3, 1, 1, 0, 1, 0, functions[1])
    line12 = meta.put("QQIBBBBH6xQI4x", 40, of_solve, 2, 2, 0, 2, 2, 0, file, 12)
    of_main = meta.put("QQIBBBBH6xQ", 48, line12, 1, 1, 1, 0, 1, 0, functions[0])
    entries = meta.put("QQIH2xQ", 40, of_main, 9, 1, entry)
    names_at = [meta.text(name) for name in ("RANK", "THREAD")]
    kinds = meta.put("QQ", *names_at)
    scopes = [meta.put("QBB6x", meta.text(name), kind, 0) for name, kind in (("point", 1), ("execution", 2))]
    instances = meta.put("QH6xQH6x", scopes[0], 0, scopes[1], 3)
    metrics = meta.put("QQQHH4x", metric, instances, 0, 2, 0)
    for number, at in enumerate(
        (
            meta.put("QQ", title, title),
            meta.put("QB", kinds, 2),
            meta.put("QIBBBxQHB", metrics, 1, 32, 16, 24, scopes[0], 2, 16),
            meta.put("QHB", entries, 1, 32),
        )
    ):
        meta.section(number, at)
    meta.data += bytes(8)
    profile = Database(b"prof", 2)
    given = [(1, 3, 9.0), (2, 0, 3.0), (3, 3, 6.0), (4, 0, 6.0), (77, 0, 1.0)]
    value = len(profile.data)
    profile.data += b"".join(struct.pack("<Hd", number, amount) for _, number, amount in given)
    index = len(profile.data)
    profile.data += b"".join(struct.pack("<IQ", context, at) for at, (context, _, _) in enumerate(given))
    identity = profile.put("H6xBBHIQBBHIQ", 2, 0, 0, 0, 1, 1, 1, 0, 0, 2, 2)
    infos = profile.put("QQI4xQQI4x", 0, 0, 0, 0, 0, 1)
    profile.put("QQI4xQQI4x", len(given), value, len(given), index, identity, 0)
    profile.section(0, profile.put("QIB", infos, 2, 48))
    profile.data += bytes(8)
    return {"meta.db": bytes(meta.data), "profile.db": bytes(profile.data)}

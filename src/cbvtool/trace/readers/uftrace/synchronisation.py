"""What library calls say of waiting, releasing, reading and writing: which argument names the object."""

from __future__ import annotations

import struct

from cbvtool.trace.making.roles import known_roles, of_language
from cbvtool.trace.readers.uftrace.arguments import RecordedValue

# A try (pthread_mutex_trylock) waits for nothing. Source: the functions of POSIX.
ROLES = of_language(known_roles(), ["c"])
RETURNS_BYTES = frozenset(name for name, roles in ROLES.items() if roles[0].kind in ("file", "socket"))


def shown(value: RecordedValue, raw: bytes) -> tuple[str, int]:
    """A recorded value as text, and as the number that names an object (0 for texts and floating point)."""
    if value.size < 0:
        return raw.decode("utf-8", "replace"), 0
    if value.floating:
        return _floating(raw), 0
    unsigned = int.from_bytes(raw, "little")
    signed = int.from_bytes(raw, "little", signed=True)
    if value.format in ("x", "p"):
        return hex(unsigned), unsigned
    if value.format == "o":
        return oct(unsigned), unsigned
    if value.format == "u":
        return str(unsigned), unsigned
    if value.format == "c":
        return repr(chr(unsigned)) if unsigned < 256 else str(unsigned), unsigned
    if value.format == "t":
        return f"{len(raw)} bytes", 0
    # A number whose kind nobody knows: addresses are the large ones.
    text = str(signed) if abs(signed) < 1 << 32 or value.format in ("d", "i") else hex(unsigned)
    return text, signed


def _floating(raw: bytes) -> str:
    codes = {4: "<f", 8: "<d"}
    return f"{struct.unpack(codes[len(raw)], raw)[0]:g}" if len(raw) in codes else raw.hex()

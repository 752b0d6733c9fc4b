"""What library calls say of waiting, releasing, reading and writing: which argument names the object."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from cbvtool.trace.readers.uftrace.arguments import Value


@dataclass(frozen=True)
class Role:
    """What a function does to the object in argument `argument`.

    kind     of the object
    does     "waits", "releases", "reads" or "writes"
    """

    argument: int
    kind: str
    does: str


_WAIT_LOCK = (Role(1, "mutex", "waits"),)
_RELEASE_LOCK = (Role(1, "mutex", "releases"),)
_WAIT_CONDITION = (Role(1, "condition", "waits"), Role(2, "mutex", "releases"))
_RELEASE_CONDITION = (Role(1, "condition", "releases"),)
_READ, _WRITE = (Role(1, "file", "reads"),), (Role(1, "file", "writes"),)
_RECEIVE, _SEND = (Role(1, "socket", "reads"),), (Role(1, "socket", "writes"),)

# Source: the functions of POSIX. A try (pthread_mutex_trylock) waits for nothing.
ROLES: dict[str, tuple[Role, ...]] = {
    "pthread_mutex_lock": _WAIT_LOCK,
    "pthread_mutex_timedlock": _WAIT_LOCK,
    "pthread_mutex_unlock": _RELEASE_LOCK,
    "pthread_spin_lock": (Role(1, "spin lock", "waits"),),
    "pthread_spin_unlock": (Role(1, "spin lock", "releases"),),
    "pthread_rwlock_rdlock": (Role(1, "read-write lock", "waits"),),
    "pthread_rwlock_wrlock": (Role(1, "read-write lock", "waits"),),
    "pthread_rwlock_unlock": (Role(1, "read-write lock", "releases"),),
    "pthread_cond_wait": _WAIT_CONDITION,
    "pthread_cond_timedwait": _WAIT_CONDITION,
    "pthread_cond_clockwait": _WAIT_CONDITION,
    "pthread_cond_signal": _RELEASE_CONDITION,
    "pthread_cond_broadcast": _RELEASE_CONDITION,
    "pthread_barrier_wait": (Role(1, "barrier", "waits"), Role(1, "barrier", "releases")),
    "pthread_join": (Role(1, "thread", "waits"),),
    "sem_wait": (Role(1, "semaphore", "waits"),),
    "sem_timedwait": (Role(1, "semaphore", "waits"),),
    "sem_post": (Role(1, "semaphore", "releases"),),
    "read": _READ,
    "pread": _READ,
    "pread64": _READ,
    "readv": _READ,
    "write": _WRITE,
    "pwrite": _WRITE,
    "pwrite64": _WRITE,
    "writev": _WRITE,
    "recv": _RECEIVE,
    "recvfrom": _RECEIVE,
    "recvmsg": _RECEIVE,
    "send": _SEND,
    "sendto": _SEND,
    "sendmsg": _SEND,
    "fread": (Role(4, "stream", "reads"),),
    "fwrite": (Role(4, "stream", "writes"),),
    "fgets": (Role(3, "stream", "reads"),),
    "fputs": (Role(2, "stream", "writes"),),
}
RETURNS_BYTES = frozenset(name for name, roles in ROLES.items() if roles[0].kind in ("file", "socket"))


def shown(value: Value, raw: bytes) -> tuple[str, int]:
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

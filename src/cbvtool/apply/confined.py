"""Runs a command that may write to a few places alone, by Landlock (Linux 6.2). Started as a program of its own:

    python -I confined.py WRITABLE ... -- COMMAND ...

What the command starts is confined, too. In a network namespace of its own it gets the loopback device, if it may.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Sequence

# linux/landlock.h; the numbers of the calls are those of all architectures
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_WRITES = _WRITE_FILE | _TRUNCATE | sum(1 << bit for bit in range(4, 14))  # remove, make, link and rename
_KNOWS_TRUNCATE = 3  # the version before cannot forbid it
_NO_NEW_PRIVILEGES, _AMBIENT, _CLEAR_ALL = 38, 47, 4  # linux/prctl.h
_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41  # of a network device: linux/sockios.h, linux/if.h


def main(arguments: list[str]) -> None:
    """Confine this process, and become the command. Raises OSError where the system cannot."""
    at = arguments.index("--")
    libc = ctypes.CDLL(None, use_errno=True)
    device = ctypes.create_string_buffer(struct.pack("16sh", b"lo", _UP_AND_RUNNING), 40)
    libc.ioctl(libc.socket(2, 2, 0), _SET_FLAGS, device)  # refused in the network of everybody else
    libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    _confine(libc, arguments[:at])
    os.execvp(arguments[at + 1], arguments[at + 1 :])  # noqa: S606 - the user's command, which has a shell where it needs one


def _confine(libc: ctypes.CDLL, writable: Sequence[str]) -> None:
    if _called(libc, _CREATE_RULESET, None, 0, _VERSION) < _KNOWS_TRUNCATE:
        raise OSError("Landlock is too old.")
    rules = _called(libc, _CREATE_RULESET, struct.pack("=Q", _WRITES), 8, 0)
    for place in writable:
        allowed = _WRITES if os.path.isdir(place) else _WRITE_FILE | _TRUNCATE
        beneath = struct.pack("=Qi", allowed, os.open(place, os.O_PATH))
        _called(libc, _ADD_RULE, rules, _PATH_BENEATH, beneath, 0)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _called(libc, _RESTRICT_SELF, rules, 0)


def _called(libc: ctypes.CDLL, number: int, *arguments: int | bytes | None) -> int:
    result = int(libc.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


if __name__ == "__main__":
    main(sys.argv[1:])

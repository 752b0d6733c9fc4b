"""Say in one sentence why cbvtool cannot be installed on this machine, before pip fails in many.

Prints nothing and exits with 0 where it can. Runs on any Python 3, so it uses nothing newer.
"""

import platform
import struct
import sys
import sysconfig

PYTHONS = ((3, 11), (3, 14))
MACHINES = {"Linux": ("x86_64", "amd64"), "Darwin": ("arm64",), "Windows": ("amd64", "x86_64")}
NEEDS = "cbvtool runs on Linux x86-64 (glibc), macOS arm64 and Windows x64 with CPython 3.11 to 3.14"


def obstacle(system, machine, version, implementation="cpython", bits=64, libc="glibc", gil=True):
    # type: (str, str, tuple[int, ...], str, int, str, bool) -> str | None
    """The one sentence, or None. `version` is (major, minor, micro); `libc` matters on Linux alone."""
    name = ".".join(str(part) for part in version[:3])
    if implementation != "cpython":
        return NEEDS + "; this is " + implementation + "."
    if not PYTHONS[0] <= tuple(version[:2]) <= PYTHONS[1]:
        return NEEDS + "; this is Python " + name + "."
    if tuple(version[:3]) == (3, 14, 1):
        return (
            "NetworkX, which cbvtool needs, cannot run on Python 3.14.1: take any other release of Python 3.11 to 3.14."
        )
    if not gil:
        return NEEDS + "; this Python is built without the global interpreter lock, for which Qt has no package."
    if machine.lower() not in MACHINES.get(system, ()):
        return NEEDS + "; this is " + system + " on " + machine + ", for which Qt 5 has no package."
    if bits != 64:
        return NEEDS + "; this Python is a 32-bit one."
    if system == "Linux" and libc != "glibc":
        return NEEDS + "; this Linux has another C library."
    return None


def here():
    # type: () -> str | None
    """The obstacle on this machine, with this Python."""
    return obstacle(
        platform.system(),
        platform.machine(),
        tuple(sys.version_info[:3]),
        sys.implementation.name,
        struct.calcsize("P") * 8,
        platform.libc_ver()[0],
        not sysconfig.get_config_var("Py_GIL_DISABLED"),
    )


if __name__ == "__main__":
    found = here()
    if found:
        print(found)
        sys.exit(2)

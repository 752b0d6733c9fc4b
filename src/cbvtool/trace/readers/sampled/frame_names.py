"""Names of functions as native profilers print them: offset, marks of kernel and JIT, Java's slashes."""

from __future__ import annotations

import re

_OFFSET = re.compile(r"\+0x[0-9a-fA-F]+$")
_MARKS = {"_[k]": "[kernel]", "_[j]": "[jit]", "_[i]": "[inlined]"}
_JAVA = re.compile(r"L?((?:[\w$]+/)+)([\w$]+)(?:;::|:\.|::|\.)([\w$<>~]+)(?:\(.*)?$")


def frame_name(text: str) -> tuple[str, str]:
    """(name, module) of a frame: `vfs_read_[k]` is vfs_read of [kernel], `java/util/List:.add` List.add of java.util.

    Source: the marks that FlameGraph's stackcollapse-perf.pl appends (--kernel, --jit, --inline), and the class names
    of perf-map-agent and async-profiler.
    """
    name = _OFFSET.sub("", text.strip())
    module = _MARKS.get(name[-4:], "")
    if module and len(name) > len("_[k]"):
        name = name[:-4]
    else:
        module = ""
    java = _JAVA.match(name)
    if java:
        return f"{java[2]}.{java[3]}", java[1].rstrip("/").replace("/", ".")
    return name, module

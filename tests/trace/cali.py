"""Profiles of a program on many ranks in the text format that Caliper writes (`.cali`), made up."""

from __future__ import annotations

from collections.abc import Mapping

from tests.trace.ensemble.made import Paths

S = 1e9
_HEAD = """__rec=node,id=12,attr=10,data=64,parent=3
__rec=node,id=14,attr=8,data=attribute.unit,parent=12
__rec=node,id=83,attr=14,data=sec,parent=5
__rec=node,id=85,attr=10,data=65,parent=83
__rec=node,id=86,attr=8,data=min#inclusive#sum#time.duration,parent=85
__rec=node,id=87,attr=8,data=avg#inclusive#sum#time.duration,parent=85
__rec=node,id=88,attr=8,data=max#inclusive#sum#time.duration,parent=85
__rec=node,id=41,attr=10,data=268,parent=3
__rec=node,id=42,attr=8,data=function,parent=41
__rec=node,id=43,attr=10,data=1612,parent=3
"""
_FIRST_NAME, _FIRST_NODE = 1_000, 10_000  # ids


def cali_text(paths: Paths, parameters: Mapping[str, object], uneven: float = 0.1) -> str:
    """What each call path takes by itself (ns, mean over ranks) as inclusive seconds: lowest, mean, highest.

    uneven   how far the lowest and the highest rank are from the mean, a part of it
    """
    lines: list[str] = []
    whole: dict[tuple[str, ...], float] = {}
    for path, own in paths.items():
        for end in range(1, len(path) + 1):
            whole[path[:end]] = whole.get(path[:end], 0.0) + own / S
    node = {path: _FIRST_NODE + number for number, path in enumerate(whole)}
    for path, seconds in whole.items():
        above = f",parent={node[path[:-1]]}" if len(path) > 1 else ""
        lines.append(f"__rec=node,id={node[path]},attr=42,data={path[-1]}{above}")
        values = "=".join(f"{seconds * share:.6f}" for share in (1 - uneven, 1.0, 1 + uneven))
        lines.append(f"__rec=ctx,ref={node[path]},attr=86=87=88,data={values}")
    last = ""
    for number, (name, value) in enumerate(parameters.items()):
        at = _FIRST_NAME + 2 * number
        lines.append(f"__rec=node,id={at},attr=8,data={name},parent=43")
        lines.append(f"__rec=node,id={at + 1},attr={at},data={value}{last}")
        last = f",parent={at + 1}"
    lines.append(f"__rec=globals,ref={_FIRST_NAME + 2 * len(parameters) - 1}")
    return _HEAD + "\n".join(lines) + "\n"

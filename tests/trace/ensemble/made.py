"""Made-up ensembles, with and without something in them that parameters explain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.ensemble.runs import ProfiledRun
from cbvtool.trace.making.profile_builder import ProfileBuilder
from cbvtool.trace.model.profile import Profile

Paths = dict[tuple[str, ...], float]  # call path -> ns that its last function takes by itself


def profile(paths: Paths, *, inclusive: bool = False) -> Profile:
    """A profile of exclusive times of call paths; names are `module.function`."""
    made = ProfileBuilder("test", Budget("The profile"))
    nodes: dict[tuple[str, ...], int] = {}
    for path in paths:
        for end in range(1, len(path) + 1):
            if path[:end] not in nodes:
                name = path[end - 1]
                function = made.function(name, name.partition(".")[0])
                nodes[path[:end]] = made.node(function, nodes.get(path[: end - 1], -1))
    for path, node in nodes.items():
        if inclusive:
            value = sum(own for each, own in paths.items() if each[: len(path)] == path)
        else:
            value = paths.get(path, 0.0)
        made.add(node, "time", value, unit="ns", inclusive=inclusive)
    return made.profile()


def run(name: str, paths: Paths, **parameters: object) -> ProfiledRun:
    return ProfiledRun(name, profile(paths), {key: str(value) for key, value in parameters.items()})


def tree_paths(rng: np.random.Generator, nodes: int, modules: int = 8) -> list[tuple[str, ...]]:
    """So many call paths of a random tree, each after the one above it."""
    paths: list[tuple[str, ...]] = [("m0.main",)]
    while len(paths) < nodes:
        above = paths[int(rng.integers(0, len(paths)))]
        if len(above) < 9:
            paths.append((*above, f"m{int(rng.integers(0, modules))}.f{len(paths)}"))
    return paths


def series(paths: Sequence[tuple[str, ...]], times: np.ndarray) -> list[ProfiledRun]:
    """A run for each row of times (ns; runs x paths)."""
    return [
        run(f"run {number}", dict(zip(paths, row.tolist(), strict=True)), number=number)
        for number, row in enumerate(times)
    ]

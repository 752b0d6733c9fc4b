"""A made-up library that calls itself, measured 18 times: with one of three data streams its look-ups take long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import Profile
from tests.trace.ensemble.made import Paths, profile

S = 1e9
STREAMS = ("rows", "columns", "wavelets")
SLOW = "wavelets"  # its keys collide in the tables of both trees
SIZES = (64, 96, 128, 160, 192, 256)


def stream_of(run: int) -> str:
    """Of each of the 18 runs, in turn."""
    return STREAMS[run % len(STREAMS)]


def slow_runs() -> tuple[int, ...]:
    """Rows of the runs with the stream whose look-ups take long."""
    return tuple(run for run in range(len(STREAMS) * len(SIZES)) if stream_of(run) == SLOW)


def stream_runs(seed: int = 3) -> list[Profile]:
    """Inserting splits cells, which inserts again, as deep as the size asks for; both look things up."""
    rng = np.random.default_rng(seed)
    found = []
    for run in range(len(STREAMS) * len(SIZES)):
        size, stream = SIZES[run // len(STREAMS)], stream_of(run)
        look_up = 6.0 if stream == SLOW else 1.0
        work = size / 128
        path: tuple[str, ...] = ("app.main",)
        own: dict[tuple[str, ...], float] = {
            path: 0.5,
            (*path, "app.read"): 1.2 * work,
            (*path, "mesh.smooth"): 2.5 * work,
            (*path, "mesh.smooth", "vector.dot"): 1.0 * work,
        }
        for level in range(2 + run // 9):
            path = (*path, "amtree.insert")
            own[path] = 0.5 * work / (level + 1)
            own[(*path, "amtree.get_node")] = (1.0 + 0.2 * work) * look_up / (level + 1)
            own[(*path, "vector.dot")] = 0.4 * work
            path = (*path, "octree.split")
            own[path] = 0.3 * work / (level + 1)
            own[(*path, "octree.get_cell")] = (0.6 + 0.1 * work) * look_up / (level + 1)
        noise = rng.normal(1.0, 0.01, len(own)).tolist()
        paths: Paths = {each: value * S * more for (each, value), more in zip(own.items(), noise, strict=True)}
        made = profile(paths)
        header = replace(made.header, parameters={"stream": stream, "size": str(size)})
        found.append(replace(made, header=header))
    return found

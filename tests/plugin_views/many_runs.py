"""A made-up program measured a hundred times at 10 to 16 processes: at 16 it waits for MPI, and one run is odd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cbvtool.api import Profile
from tests.trace.ensemble.made import Paths, profile

S = 1e9
ODD = 41  # the run whose checkpoints take long
RUNS = 100


def processes_of(run: int) -> int:
    """10 to 16, in turn."""
    return 10 + run % 7


def many_runs(runs: int = RUNS, seed: int = 5) -> list[Profile]:
    """Computation takes less with more processes, waiting more; checkpoints are written by every other run."""
    rng = np.random.default_rng(seed)
    found = []
    for run in range(runs):
        count = processes_of(run)
        noise = rng.normal(1.0, 0.02, 16)
        compute = 900.0 / count
        wait = (6.0 + 0.3 * count) * (2.6 if count == 16 else 1.0)
        top = ("app.main",)
        step = (*top, "app.step")
        forces, grid = (*step, "physics.forces"), (*step, "mesh.refine")
        own = {
            top: 1.0,
            (*top, "io.read"): 4.0,
            step: 2.0,
            forces: compute * 0.5,
            (*forces, "math.solve"): compute * 0.25,
            (*forces, "math.solve", "math.dot"): compute * 0.1,
            (*forces, "math.solve", "math.dot", "mpi.Allreduce"): wait * 0.5,
            (*forces, "mpi.Sendrecv"): wait * 0.3,
            grid: compute * 0.12,
            (*grid, "physics.limits"): compute * 0.04,
            (*grid, "mpi.Barrier"): wait * 0.2,
            (*step, "timer.tick"): 0.2,
        }
        if run % 2 or run == ODD:
            own[(*top, "io.write")] = 3.0
            own[(*top, "io.write", "mpi.Gather")] = 28.0 if run == ODD else 1.5
        paths: Paths = {path: value * S * float(noise[at]) for at, (path, value) in enumerate(own.items())}
        made = profile(paths)
        header = replace(made.header, parameters={"processes": str(count), "node": f"n{run % 3}"})
        found.append(replace(made, header=header))
    return found

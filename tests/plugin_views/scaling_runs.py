"""A made-up program on 27 to 343 ranks: it computes as long on all of them, and waits least on 216."""

from __future__ import annotations

import json
from pathlib import Path

from tests.trace.cali import S, cali_text
from tests.trace.ensemble.made import Paths

RANKS = (27, 64, 125, 216, 343)
_WAITS = {27: 9.0, 64: 16.0, 125: 18.0, 216: 4.0, 343: 15.0}  # s in MPI, in all
TABLE = json.dumps(
    {"Program": ["main", "cycle"], "Forces": ["forces_*"], "Steps": ["time_step"], "MPI": ["MPI_*"], "NA": ["none"]}
)


def write_scaling_runs(folder: Path) -> list[Path]:
    """A `.cali` file for each run, in the order of ranks."""
    files = []
    for ranks, waits in _WAITS.items():
        cycle = ("main", "cycle")
        forces, steps = (*cycle, "forces_all"), (*cycle, "time_step")
        own: Paths = {
            ("main",): 0.2,
            cycle: 0.8,
            forces: 3.0,
            (*forces, "forces_volume"): 24.0 + 0.001 * ranks,
            (*forces, "MPI_Waitall"): 0.3 * waits,
            (*forces, "MPI_Isend"): 0.1,
            steps: 0.5,
            (*steps, "MPI_Allreduce"): 0.7 * waits,
        }
        paths: Paths = {path: seconds * S for path, seconds in own.items()}
        told = {"mpi.world.size": ranks, "elapsed_time": f"{sum(own.values()) * 1.0002:.6f}", "cluster": "made"}
        file = folder / f"{ranks}_cores.cali"
        file.write_text(cali_text(paths, told), "utf-8")
        files.append(file)
    return files

"""The benchmarks of the window still run: they reach into what others change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.long
def test_the_benchmark_of_the_view_runs() -> None:
    run = subprocess.run(
        [sys.executable, BENCHMARKS / "bench_view.py", "--rounds", "1", "--sizes", "20x30", "--size", "300x200"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "frame while orbiting" in run.stdout

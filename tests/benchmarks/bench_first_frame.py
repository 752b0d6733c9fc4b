"""From the start of a fresh process to the first painted frame: bench_first_frame.py [FOLDER] [--rounds N].

Caches of cbvtool are empty, those of the file system warm. Without a display, Qt's offscreen platform is used; the
3D picture is drawn in the same way on both. Default subject: the installed networkx, about 580 modules.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]


def networkx_folder() -> Path:
    """Where networkx is installed."""
    spec = importlib.util.find_spec("networkx")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def seconds_to_first_frame(subject: Path) -> float:
    """Seconds from starting `cbvtool open` to the line that it prints once the first frame is on the screen."""
    with tempfile.TemporaryDirectory() as fresh:
        environment = os.environ | {f"XDG_{name}_HOME": fresh for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment |= {"CBVTOOL_TIME_FIRST_FRAME": "1", "PYTHONPATH": str(HOME / "src"), "XDG_RUNTIME_DIR": fresh}
        if not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
            environment["QT_QPA_PLATFORM"] = "offscreen"
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "cbvtool", "open", str(subject)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        taken = time.perf_counter() - start
        if process.wait(60) != 0 or not line.startswith("first frame"):
            raise SystemExit(f"cbvtool open {subject} showed no frame")
    return taken


def main() -> None:
    """Print the time of every round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subject", nargs="?", type=Path, default=networkx_folder())
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    seconds_to_first_frame(chosen.subject)  # warms the file cache
    times = [seconds_to_first_frame(chosen.subject) for _ in range(chosen.rounds)]
    load = os.getloadavg()[0]
    print(f"{chosen.subject.name}: first frame after {', '.join(f'{t:.2f}' for t in times)} s")
    print(f"median {statistics.median(times):.2f} s, best {min(times):.2f} s; {os.cpu_count()} cores, load {load:.1f}")


if __name__ == "__main__":
    main()

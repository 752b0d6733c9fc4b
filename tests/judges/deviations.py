"""Findings on 400 made-up runs: make judge-deviations

100 with one disturbance (found with its interval among the first three), 100 without, 100 with a rank for which all
others wait at a barrier, 100 with too few processors and a rank that does what no other does (found with its interval
as the first). Exits with 1 when fewer than 95, 100, 95 and 95 are right.
"""

from __future__ import annotations

import argparse

from tests.trace.resources.planted import crowded, disturbed, straggling, undisturbed


def main(arguments: list[str] | None = None) -> int:
    """Print how many are right; 1 when they are too few."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1000)
    seed = parser.parse_args(arguments).seed
    right = True
    for name, judge, least in (
        ("disturbed, found at its place", disturbed, 95),
        ("undisturbed, nothing found", undisturbed, 100),
        ("straggler found", straggling, 95),
        ("amid noise, found first", crowded, 95),
    ):
        wrong = [number for number in range(seed, seed + 100) if not judge(number)]
        print(f"{name}: {100 - len(wrong)} of 100; not {wrong}", flush=True)
        right &= 100 - len(wrong) >= least
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())

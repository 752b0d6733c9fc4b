"""Optimal partitions against all partitions that there are: make judge-partitions COUNT=3000

Random small models; of each, the best partition for nine values of p, the coarser of equal ones, and the list of all
optimal partitions against the upper envelope of the lines of all partitions. Exits with 1 when one is wrong.
"""

from __future__ import annotations

import argparse

import numpy as np

from tests.trace.resources.envelope import faults, small_case


def main(arguments: list[str] | None = None) -> int:
    """Print what is wrong; 1 when anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    rng, wrong = np.random.default_rng(chosen.seed), 0
    for number in range(chosen.count):
        if found := faults(small_case(rng)):
            wrong += 1
            print(f"case {number}: {'; '.join(found)}")
    print(f"{chosen.count - wrong:,} of {chosen.count:,} are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())

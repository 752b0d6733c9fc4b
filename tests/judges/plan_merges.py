"""Random pairs of histories merged: `make judge-merge COUNT=500`. Each is replayed in both orders; see test_merging."""

from __future__ import annotations

import sys

from tests.plan.alternatives.test_merging import judged


def main(count: int) -> int:
    """Judge `count` pairs that share nothing, and all others that come up meanwhile."""
    seeds = range(0)
    found, wrong = judged(seeds)
    while found["apart, merged"] + found["apart, clash"] < count:
        seeds = range(seeds.stop, seeds.stop + count)
        more, faults = judged(seeds)
        found, wrong = found + more, wrong + faults
    print(f"pairs: {seeds.stop:,}")
    for what, number in sorted(found.items()):
        print(f"{what}: {number:,}")
    print(f"wrong: {len(wrong):,}", *wrong[:10], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))

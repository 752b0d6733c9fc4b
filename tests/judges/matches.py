"""Similarities, best matches and groups of random pairs of call trees against TD-1 and TD-2 read call by call.

matches.py [PAIRS]: 10,000 pairs of trees of up to 40 calls; status 1 when one differs.
"""

from __future__ import annotations

import sys

from cbvtool.trace.compare import similarity
from tests.trace.compare.test_matches import differences, pairs


def main() -> int:
    """Try so many pairs as the command line says."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    wrong = {}
    for seed in range(count):
        similarity.DENSE = (2, 4, 1000)[seed % 3]  # sets are large, or small, or both
        if found := differences(*pairs(seed)):
            wrong[seed] = found
    for seed, found in list(wrong.items())[:20]:
        print(f"pair {seed}: {', '.join(found)}")
    print(f"{count:,} pairs of call trees, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Made-up runs of one version and of one with a function that is 20 % slower: what the comparison says (TD-13).

runs.py [TRIALS]: 20 trials of 10 + 10 runs each; status 1 when more than one of the same version deviates, or when the
slower function is named in fewer than 19 of 20, or another one is.
"""

from __future__ import annotations

import sys

from tests.trace.compare.test_runs import compared_runs


def main() -> int:
    """Print two lines."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    false, named, others = 0, 0, 0
    for trial in range(trials):
        false += bool(compared_runs(10, seed=1000 * trial)[0].deviations)
        found = {one.function for one in compared_runs(10, slow=1.2, seed=1000 * trial)[0].deviations}
        named += "leaf_5" in found
        others += bool(found - {"leaf_5"})
    print(f"the same version, {trials} trials: {false} with a finding (asked: at most one of 20)")
    print(f"a function 20 % slower: named in {named} of {trials} (asked: 19 of 20), another one in {others}")
    return 1 if false > trials / 20 or named < 0.95 * trials or others > trials / 20 else 0


if __name__ == "__main__":
    sys.exit(main())

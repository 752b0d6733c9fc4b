"""Findings about made-up ensembles of runs: make judge-ensembles

Effects: 100 ensembles (100 runs, 150 nodes, 6 parameters) with six planted ones each, 100 with none. Trends: 100 series
of 40 commits with a step of 5 % at 2 % noise and 5 repeats, 100 flat ones.
"""

from __future__ import annotations

from tests.trace.ensemble.planted import is_flagged, judged, steps_near


def main() -> int:
    """Print what was found; 1 when it is too little, or too much is false."""
    return 0 if steps_found() & effects_found() else 1


def steps_found() -> bool:
    """A step within one commit in at least 90 of 100; flat series flagged in at most 7 of 100."""
    found = sum(steps_near(seed) for seed in range(100))
    flat = sum(is_flagged(seed) for seed in range(100))
    print(f"trends: {found} of 100 steps found within one commit; {flat} of 100 flat series flagged", flush=True)
    return found >= 90 and flat <= 7


def effects_found() -> bool:
    """At least 95 % of planted effects, at most 5 % of findings false; none planted: findings in at most 10 of 100."""
    told = [judged(seed) for seed in range(100)]
    planted, found, false = (sum(column) for column in zip(*told, strict=True))
    print(
        f"effects: {found:,} of {planted:,} planted ones found, {false:,} of {found + false:,} findings false",
        flush=True,
    )
    odd = sum(judged(seed, planted=0).false > 0 for seed in range(1000, 1100))
    print(f"no effect planted: a finding in {odd} of 100", flush=True)
    return found >= 0.95 * planted and false <= 0.05 * (found + false) and odd <= 10


if __name__ == "__main__":
    raise SystemExit(main())

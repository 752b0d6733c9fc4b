"""Made-up ensembles of which it is known what explains them, and what is said of them (CF-8)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cbvtool.trace.ensemble.effects import run_effects
from cbvtool.trace.ensemble.ensemble import united
from cbvtool.trace.ensemble.parameters import parameters_of
from cbvtool.trace.ensemble.runs import ProfiledRun
from cbvtool.trace.ensemble.trends import CHANCE, breaks, means_of, steps
from cbvtool.trace.model.profile import Profile
from tests.trace.ensemble.made import profile, tree_paths

NUMBERS, CATEGORIES = ("threads", "size", "step"), ("solver", "mesh", "cluster")
NOISE, MACHINE = 0.05, 0.03  # of each part; of a run as a whole
PLANTED = 6


class Judged(NamedTuple):
    """Planted effects, those that were found, and findings that were not planted."""

    planted: int
    found: int
    false: int


def judged(seed: int, *, planted: int = PLANTED, runs: int = 100, nodes: int = 150) -> Judged:
    """One ensemble: so many pairs of node and parameter go together, by 5 to 15 % of its time (standard deviation)."""
    rng = np.random.default_rng([21, seed])
    paths = tree_paths(rng, nodes)
    said = {name: rng.choice([1, 2, 4, 8, 16, 32], runs) for name in NUMBERS}
    said |= {name: rng.integers(0, 2 + place, runs) for place, name in enumerate(CATEGORIES)}
    times = rng.lognormal(14, 1, nodes) * np.exp(rng.normal(0, NOISE, (runs, nodes)))
    times *= np.exp(rng.normal(0, MACHINE, (runs, 1)))
    names = list(said)
    pairs = {(int(node), str(rng.choice(names))) for node in rng.choice(nodes, planted, replace=False)}
    for node, name in pairs:
        values = np.log2(said[name]) if name in NUMBERS else rng.permutation(7)[said[name]].astype(float)
        times[:, node] *= 1 + rng.choice([-1, 1]) * rng.uniform(0.05, 0.15) * (values - values.mean()) / values.std()
    made = [
        ProfiledRun(
            f"run {row}",
            own,
            {name: str(column[row]) if name in NUMBERS else f"{name}-{column[row]}" for name, column in said.items()},
        )
        for row, own in enumerate(_profiles(paths, times))
    ]
    ensemble = united(made)
    parameters = parameters_of(ensemble.parameters)
    rows = {path: row for row, path in enumerate(_paths(ensemble))}
    right = {(rows[paths[node]], name) for node, name in pairs}
    told = Counter(
        (one.part, parameters[one.parameter].name) in right
        for one in run_effects(ensemble.exclusive, parameters)
        if one.is_found
    )
    return Judged(len(right), told[True], told[False])


def _profiles(paths: list[tuple[str, ...]], times: np.ndarray) -> list[Profile]:
    """A profile of one shape for each row of times (ns; runs x paths)."""
    shape = profile({path: row + 1.0 for row, path in enumerate(paths)})
    [metric] = shape.metrics
    columns = metric.mean.astype(np.int64) - 1
    return [
        replace(shape, metrics=(replace(metric, mean=own, low=own, high=own, by_place=None),))
        for own in times[:, columns]
    ]


def steps_near(seed: int) -> bool:
    """Whether the step of 5 % in one series of 40 commits, 5 runs each with 2 % noise, is found within one commit."""
    values, position = _series(seed)
    at = int(np.random.default_rng(seed).integers(5, 36))
    values[position >= at] *= 1.05
    return any(abs(one.at - at) <= 1 for one in steps(*means_of(values, position, 40)))


def is_flagged(seed: int) -> bool:
    """Whether something is found in such a series without a step that chance alone is not said to do."""
    means, runs = means_of(*_series(seed), 40)
    return bool(steps(means, runs)) or any(one.chance <= CHANCE for one in breaks(means))


def _series(seed: int) -> tuple[np.ndarray, np.ndarray]:
    return 1 + np.random.default_rng([7, seed]).normal(0, 0.02, 200), np.repeat(np.arange(40), 5)


def _paths(ensemble) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for function, parent in zip(ensemble.function.tolist(), ensemble.parent.tolist(), strict=True):
        found.append((*(found[parent] if parent >= 0 else ()), ensemble.functions.name[function]))
    return found

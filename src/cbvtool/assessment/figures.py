"""The figures by which a plan is judged, and their formulae."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.rules import components

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Reach:
    """Figures of the dependencies between n files, which a move of files leaves as they are.

    propagation_cost  share of the pairs of files of which one reaches the other, each reaching itself
                      (A. MacCormack, J. Rusnak, C. Baldwin, Management Science 52(7), 2006)
    ccd               cumulative component dependency: the sum over files of how many each reaches, itself included
    nccd              the same, divided by that of a balanced binary tree of n files
                      (J. Lakos, Large-Scale C++ Software Design, 1996, section 4.12)
    feedback          relations between files that run backwards in an order which has few of them: an upper bound of
                      what must be cut to be free of cycles (P. Eades, X. Lin, W. F. Smyth, IPL 47(6), 1993)
    """

    propagation_cost: float
    ccd: int
    nccd: float
    feedback: int


@dataclass(frozen=True)
class PlanWork:
    """What a plan asks people to do, as its task list tells it, which reads the code.

    places   different places in today's code that must change
    minutes  estimated effort of the tasks that are not done
    """

    places: int = 0
    minutes: int = 0


@dataclass(frozen=True)
class Figures:
    """What a graph is like, seen as modules. Only sure dependencies between different files count.

    violations   broken rules: pairs of files that break one, once for each rule; None without rules
    tangled      modules in cycles; imports for a type checker alone close none
    largest      modules in the largest tangle, which is a set of modules that all depend on one another
    modularity   Q of the modules, -0.5 to 1; 0 without relations
    turbo_mq     the sum of the cluster factors of the modules, 0 to their number
    across       crossings: relations across modules
    co_change    how often two files of different modules changed in one commit; None without a history
    estimate     lines that the relations of the graph tell to name what the plan moves, renames, removes or cuts off:
                 steps are ranked by it where reading the code would take too long; nobody is shown it
    disruption   share of the leaves that the plan moves or removes, 0 to 1
    reach        None = not computed
    work         what the task list of the plan asks for; None = nobody has listed it
    """

    violations: int | None
    tangled: int
    largest: int
    modularity: float
    turbo_mq: float
    across: int
    co_change: int | None
    estimate: int
    disruption: float
    reach: Reach | None = None
    work: PlanWork | None = None


@dataclass(frozen=True)
class Judgement:
    """Two graphs side by side."""

    before: Figures
    after: Figures


def modularity(internal: float, expected: float, total: float) -> float:
    """Q of a directed graph with weights: sum over modules c of W_cc / m - (out_c in_c) / m^2.

    internal   sum of W_cc, the weight of the relations inside module c
    expected   sum of out_c in_c, the weights that leave and enter the files of module c, those inside it included
    total      m, the weight of all relations

    E. A. Leicht, M. E. J. Newman, Community structure in directed networks, PRL 100, 118703, 2008, equation 3.
    """
    return internal / total - expected / total**2 if total > 0 else 0.0


def cluster_factor(inside: Floats, outward: Floats, inward: Floats) -> Floats:
    """CF of each module, 2 mu / (2 mu + epsilon): float64[k], 0 where nothing is inside.

    inside            mu: weight of the relations inside each module
    outward, inward   weight of those that start in it, and end in it, those inside included

    TurboMQ is the sum of the cluster factors. B. S. Mitchell, S. Mancoridis, On the automatic modularization of
    software systems using the Bunch tool, IEEE TSE 32(3), 2006, section 3.
    """
    across = outward + inward - 2 * inside
    whole = 2 * inside + across
    return np.where(inside > 0, 2 * inside / np.where(whole > 0, whole, 1.0), 0.0)


def tangles(codes: Codes) -> tuple[int, int]:
    """(modules in cycles, modules in the largest tangle) of a graph of modules.

    codes   int64[k]: one number for each relation, `code_of` its ends, which differ
    """
    if not len(codes):
        return 0, 0
    component = components(*ends_of(codes))[1]
    sizes = np.bincount(component)
    sizes = sizes[sizes > 1]
    return int(sizes.sum()), int(sizes.max(initial=0))


def code_of(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> Codes:
    """int64[k]: one number for each pair of keys; the order of the numbers is that of the pairs."""
    return (source.astype(np.int64) << 32) | target.astype(np.int64)


def ends_of(codes: Codes) -> tuple[Codes, Codes]:
    """The pairs of keys of `code_of`."""
    return codes >> 32, codes & 0xFFFFFFFF

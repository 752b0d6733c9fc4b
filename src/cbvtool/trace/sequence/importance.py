"""How much each call contributes to a row of pixels: the rarer around it, the more (Holten et al. 2007, §5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

WINDOW, POWER = 25, -1.0
STRONGEST = 5.0  # powers beyond -5..5 look the same


def call_weights(
    identity: npt.NDArray[np.int32], window: int = WINDOW, power: float = POWER
) -> npt.NDArray[np.float64]:
    """float64[m]: `W_i = f_i ** power`, f_i the share of calls equal to call i in the `window` calls around it.

    identity  int32[m]; calls of -1 are equal to one another
    window    at least 1: the calls `i - window // 2` up to one before `i - window // 2 + window`, fewer at both ends

    Source: EX-3; Holten et al. 2007, equation 2.
    """
    if window < 1:
        raise ValueError("a window of at least one call")
    weight = np.ones(len(identity))
    if len(identity) and power != 0.0:
        kinds = max(int(identity.max()), -1) + 2
        _weigh(identity, window, power, np.zeros(kinds, np.int64), np.empty(window + 1), weight)
    return weight


@kernel
def _weigh(identity: Any, window: int, power: float, count: Any, table: Any, weight: Any) -> None:
    """count: int64[identities + 1], zeros. table: float64[window + 1], of whole windows."""
    m, before = len(identity), window // 2
    for c in range(1, window + 1):
        table[c] = (c / window) ** power
    low, high = 0, 0
    for i in range(m):
        while high < min(i - before + window, m):
            count[identity[high] + 1] += 1
            high += 1
        while low < i - before:
            count[identity[low] + 1] -= 1
            low += 1
        c = count[identity[i] + 1]
        weight[i] = table[c] if high - low == window else (c / (high - low)) ** power

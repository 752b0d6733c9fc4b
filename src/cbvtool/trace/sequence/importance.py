"""How much each call contributes to a row of pixels: the rarer around it, the more (Holten et al. 2007, §5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Int32s = npt.NDArray[np.int32]

WINDOW, POWER = 25, -1.0
STRONGEST = 5.0  # powers beyond -5..5 look the same


def call_weights(
    identity: Int32s, window: int = WINDOW, power: float = POWER, repeats: Int32s | None = None
) -> npt.NDArray[np.float64]:
    """float64[m]: `W_i = f_i ** power`, f_i the share of calls equal to call i in the `window` calls around it.

    identity  int32[m]; calls of -1 are equal to one another
    window    at least 1: the calls `i - window // 2` up to one before `i - window // 2 + window`, fewer at both ends
    repeats   `call_repeats` of both, where it is known

    Source: EX-3; Holten et al. 2007, equation 2.
    """
    if window < 1:
        raise ValueError("a window of at least one call")
    m, before = len(identity), window // 2
    if m == 0 or power == 0.0:
        return np.ones(m)
    count = call_repeats(identity, window) if repeats is None else repeats
    table = np.ones(window + 1)
    table[1:] = (np.arange(1, window + 1) / window) ** power
    weight: npt.NDArray[np.float64] = table[count]
    for ends in (np.arange(min(before, m)), np.arange(max(m - window + before + 1, 0), m)):  # windows that are cut off
        calls = np.minimum(ends - before + window, m) - np.maximum(ends - before, 0)
        weight[ends] = (count[ends] / calls) ** power
    return weight


def call_repeats(identity: Int32s, window: int = WINDOW) -> Int32s:
    """int32[m]: how many calls in the window around each one are equal to it, itself included; see `call_weights`."""
    if window < 1:
        raise ValueError("a window of at least one call")
    repeats = np.ones(len(identity), np.int32)
    if len(identity):
        _count(identity, window, np.zeros(max(int(identity.max()), -1) + 2, np.int64), repeats)
    return repeats


@kernel
def _count(identity: Any, window: int, count: Any, repeats: Any) -> None:
    """count: int64[identities + 1], zeros."""
    m, before = len(identity), window // 2
    low, high = 0, 0
    for i in range(m):
        while high < min(i - before + window, m):
            count[identity[high] + 1] += 1
            high += 1
        while low < i - before:
            count[identity[low] + 1] -= 1
            low += 1
        repeats[i] = count[identity[i] + 1]

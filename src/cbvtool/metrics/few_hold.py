"""A sentence that says which share of a total a few files hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FEW = 5  # files that the sentence is about, in a large project
ONE_OF = 20  # at most one in so many files
MANY_TIMES = 3.0  # times the share that they would have if all files were equal: less is not worth a sentence


def few_hold(amounts: npt.NDArray[np.float64], what: str) -> str:
    """`5 of 1,006 files hold 31 % of the changes`; empty unless a few files stand out.

    amounts   float64[f], of each file; NaN = none. Negative values have no share, so that there is no sentence
    what      word for the amounts, plural
    """
    amount = np.nan_to_num(amounts)
    few = min(FEW, len(amount) // ONE_OF)
    if few < 1 or amount.min() < 0 or amount.sum() <= 0:
        return ""
    share = float(np.sort(amount)[-few:].sum() / amount.sum())
    if share < MANY_TIMES * few / len(amount):
        return ""
    percent = max(round(100 * share), 1)
    return f"{few} of {len(amount):,} files hold{'s' * (few == 1)} {percent} % of the {what}"

"""Longest common subsequences with bounded work, and heaviest chains of weighted pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Ints = npt.NDArray[np.int32]


@kernel
def common_subsequence(one: Ints, other: Ints, most_steps: int) -> Ints:
    """int32[len(one)]: the place in `other` of each element that is part of a common subsequence, ascending, else -1.

    It is a longest one where the two differ in at most `most_steps` elements (those that only one side has are not
    counted); else pieces of it are. At most `most_steps` times the length of both, in time. Numbers are from 0 on, and
    less than the length of both together. Source: Myers 1986, the greedy algorithm.
    """
    found = np.full(len(one), -1, np.int32)
    here, there = _present(one, other), _present(other, one)
    short, long = one[here], other[there]
    low = 0
    while low < len(short) and low < len(long) and short[low] == long[low]:
        found[here[low]] = there[low]
        low += 1
    last, other_last = len(short), len(long)
    while last > low and other_last > low and short[last - 1] == long[other_last - 1]:
        last -= 1
        other_last -= 1
        found[here[last]] = there[other_last]
    x, y = low, low
    while x < last and y < other_last:
        x, y = _steps(short, long, x, last, y, other_last, most_steps, here, there, found)
    return found


@kernel
def _present(one: Ints, other: Ints) -> Ints:
    """The places in `one` of the elements that `other` has, too."""
    has = np.zeros(len(one) + len(other), np.bool_)
    for value in other:
        has[value] = True
    return np.flatnonzero(has[one]).astype(np.int32)


@kernel
def _steps(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    one: Ints, other: Ints, x0: int, x1: int, y0: int, y1: int, most: int, here: Ints, there: Ints, found: Ints
) -> tuple[int, int]:
    """Myers' steps from (x0, y0) on, at most `most`; writes the pairs, and returns the place that was reached."""
    n, m = x1 - x0, y1 - y0
    most = min(most, n + m)
    reached = np.zeros(2 * most + 3, np.int32)  # x on each diagonal x - y, counted from x0
    kept = np.empty((most + 1) * (most + 2) // 2, np.int32)  # the same after each step, every other diagonal
    step, best_x, best_y, at = 0, 0, 0, 0
    centre = most + 1
    done = False
    while True:
        for diagonal in range(-step, step + 1, 2):
            if step == 0:
                x = 0
            elif diagonal == -step or (
                diagonal != step and reached[centre + diagonal - 1] < reached[centre + diagonal + 1]
            ):
                x = reached[centre + diagonal + 1]
            else:
                x = reached[centre + diagonal - 1] + 1
            x = min(x, n + 1)
            y = x - diagonal
            while x < n and 0 <= y < m and one[x0 + x] == other[y0 + y]:
                x += 1
                y += 1
            reached[centre + diagonal] = x
            kept[at + (diagonal + step) // 2] = x
            if x <= n and 0 <= y <= m:
                if x + y > best_x + best_y:
                    best_x, best_y = x, y
                if x >= n and y >= m:
                    done = True
                    break
        if done or step == most:
            break
        at += step + 1
        step += 1
    x, y = best_x, best_y
    # Where the steps end early, the best place may have been reached some steps before.
    while step > 0:
        diagonal = x - y
        if (diagonal + step) % 2 == 0 and -step <= diagonal <= step and kept[at + (diagonal + step) // 2] == x:
            break
        at -= step
        step -= 1
    while step > 0:
        diagonal = x - y
        earlier = at - step  # where the step before begins in `kept`, for diagonals from 1 - step on
        down = kept[earlier + (diagonal + step) // 2] if diagonal < step else -1
        right = kept[earlier + (diagonal + step) // 2 - 1] if diagonal > -step else -1
        if diagonal == -step or (diagonal != step and right < down):
            before = down
            other_before = down - diagonal - 1
            begin = before
        else:
            before = right
            other_before = right - diagonal + 1
            begin = before + 1
        while x > begin:
            x -= 1
            y -= 1
            found[here[x0 + x]] = there[y0 + y]
        x, y = before, other_before
        at = earlier
        step -= 1
    while x > 0:
        x -= 1
        y -= 1
        found[here[x0 + x]] = there[y0 + y]
    return x0 + max(best_x, 0), y0 + max(best_y, 0)


@kernel
def heaviest_chain(weight: npt.NDArray[np.float32]) -> Ints:
    """int32[p]: for each row of the matrix the column that it is paired with, ascending, or -1; the most weight in sum.

    weight  float32[p, q], 0 = no pair. p * q steps.
    """
    p, q = weight.shape
    best = np.zeros(q + 1)
    move = np.zeros((p, q), np.int8)  # 1 = paired, 2 = without the row, 3 = without the column
    for i in range(p):
        diagonal = 0.0
        for j in range(q):
            above = best[j + 1]
            taken = diagonal + weight[i, j] if weight[i, j] > 0 else -1.0
            if taken > above and taken > best[j]:
                move[i, j] = 1
                best[j + 1] = taken
            elif above >= best[j]:
                move[i, j] = 2
            else:
                move[i, j] = 3
                best[j + 1] = best[j]
            diagonal = above
    found = np.full(p, -1, np.int32)
    i, j = p - 1, q - 1
    while i >= 0 and j >= 0:
        if move[i, j] == 1:
            found[i] = j
            i -= 1
            j -= 1
        elif move[i, j] == 2:
            i -= 1
        else:
            j -= 1
    return found

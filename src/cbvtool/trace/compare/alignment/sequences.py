"""Longest common subsequences with bounded work."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.compare.alignment.columns import Rows
from cbvtool.trace.kernels import kernel


@kernel
def common_subsequence(one: Rows, other: Rows, most_steps: int) -> Rows:
    """int64[len(one)]: the place in `other` of each element that is part of a common subsequence, ascending, else -1.

    It is a longest one where the two differ in at most `most_steps` elements (those that only one side has are not
    counted); else pieces of it are. At most `most_steps` times the length of both, in time. Numbers are from 0 on, and
    less than the length of both together. Source: Myers 1986, the greedy algorithm.
    """
    found = no_places(len(one))
    here, there = _present(one, other), _present(other, one)
    short, long = _taken(one, here), _taken(other, there)
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
def no_places(count: int) -> Rows:
    """int64[count]: -1 in all of them."""
    found = np.empty(count, np.int64)
    for place in range(count):
        found[place] = -1
    return found


@kernel
def _present(one: Rows, other: Rows) -> Rows:
    """The places in `one` of the elements that `other` has, too."""
    has = np.zeros(len(one) + len(other), np.int64)
    for value in other:
        has[value] = 1
    found = np.empty(len(one), np.int64)
    count = 0
    for place in range(len(one)):
        if has[one[place]]:
            found[count] = place
            count += 1
    return found[:count]


@kernel
def _taken(values: Rows, places: Rows) -> Rows:
    """The values at some places."""
    found = np.empty(len(places), np.int64)
    for place in range(len(places)):
        found[place] = values[places[place]]
    return found


@kernel
def _steps(  # noqa: PLR0913 -- a compiled loop takes columns, not objects
    one: Rows, other: Rows, x0: int, x1: int, y0: int, y1: int, most: int, here: Rows, there: Rows, found: Rows
) -> tuple[int, int]:
    """Myers' steps from (x0, y0) on, at most `most`; writes the pairs, and returns the place that was reached."""
    n, m = x1 - x0, y1 - y0
    most = min(most, n + m)
    reached = np.zeros(2 * most + 3, np.int64)  # x on each diagonal x - y, counted from x0
    kept = np.empty((most + 1) * (most + 2) // 2, np.int64)  # the same after each step, every other diagonal
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

"""Activity: commits, or changed lines, over bins of time and stacked by group (CBV-9)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.mining.changes import Changes
from cbvtool.mining.churn import Churn

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Times = npt.NDArray[np.int64]

STACKS = {"module": "Module", "author": "Author", "kind": "Kind of file"}  # criteria for groups
MEASURES = {"commits": "Commits", "churn": "Changed lines"}  # quantities that are added up
MOST = 7  # groups with a name; the last one holds all others
OTHERS = "Others"
TOP_FILES = "(files at the top)"
NO_SUFFIX = "(no suffix)"
EARLIEST, LATEST = -62_135_596_800, 253_402_300_799  # seconds since the epoch, for the years 1 to 9999 of the calendar
SHARED = 0.75  # share of all touches from which a folder is divided, instead of being one group
OUTSIDE = 0.002  # largest share of commits, at each end, whose dates are taken for wrong
LONELY = 3.0  # a few commits farther away than this many times the extent of all others are left out

# Widths of bins, the narrowest first: (NumPy's unit, number of units, name).
WIDTHS = (
    ("h", 1, "hour"),
    ("h", 6, "6 hours"),
    ("D", 1, "day"),
    ("D", 7, "week"),
    ("M", 1, "month"),
    ("M", 3, "quarter"),
    ("Y", 1, "year"),
    ("Y", 5, "5 years"),
    ("Y", 25, "25 years"),
    ("Y", 100, "century"),
    ("Y", 1000, "millennium"),
)
_FIRST = {"D": 4, "Y": -1970}  # origin from which units are counted: Monday, 5 January 1970; the year 0


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of stacks, the one with most touches first.

    names     name of each group; the last is `OTHERS` if there are too many to name each
    of_touch  int32[r]: the group of each touch of the changes
    """

    names: tuple[str, ...]
    of_touch: Ints


@dataclass(frozen=True, eq=False)
class Bins:
    """b consecutive bins of time, along the calendar (UTC).

    edges  int64[b + 1], seconds since the epoch; a bin includes its first edge but not its last
    width  name of the width: `month`
    """

    edges: Times
    width: str

    def __len__(self) -> int:
        return len(self.edges) - 1


@dataclass(frozen=True, eq=False)
class Activity:
    """The activity in each bin.

    bins    of time
    groups  names of the groups
    amount  float64[g, b]: commits or lines of each group
    """

    bins: Bins
    groups: tuple[str, ...]
    amount: Floats

    @property
    def total(self) -> Floats:
        """float64[b] of all groups together."""
        total: Floats = self.amount.sum(axis=0)
        return total


def groups(changes: Changes, by: str, most: int = MOST, names: tuple[str, ...] = ()) -> Groups:
    """The groups of all touches; `by` is one of `STACKS`. `names`: names of authors to use instead of their own."""
    if by == "author":
        names = names or tuple(map(changes.name_of, range(len(changes.authors))))
        group, rows = _numbered(names)
        of_touch = rows[changes.author[changes.touch_commit]]
    else:
        often = np.bincount(changes.touch_path, minlength=len(changes.paths))
        kinds = _modules(changes.paths, often) if by == "module" else [_kind(path) for path in changes.paths]
        group, rows = _numbered(kinds)
        of_touch = rows[changes.touch_path]
    often = np.bincount(of_touch, minlength=len(group))
    order = np.argsort(-often, kind="stable")
    order = order[often[order] > 0]
    kept = order if len(order) <= most + 1 else order[:most]
    place = np.full(max(len(group), 1), len(kept), np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    named = tuple(group[row] for row in kept.tolist())
    return Groups(named if len(kept) == len(order) else (*named, OTHERS), place[of_touch])


def commit_weights(changes: Changes, counted: npt.NDArray[np.bool_] | None = None) -> Floats:
    """float64[r]: the weight of each touch, which is its share of its commit, so that every commit counts once.

    counted  bool[r]: touches that count; None = all
    """
    one = np.ones(len(changes.touch_commit)) if counted is None else counted.astype(np.float64)
    often = np.bincount(changes.touch_commit, one, len(changes.sha))
    return np.divide(one, often[changes.touch_commit], out=np.zeros(len(one)), where=one > 0)


def churn_weights(churn: Churn, counted: npt.NDArray[np.bool_] | None = None) -> Floats:
    """float64[r]: lines added and deleted by each touch; unknown numbers (of a binary file) count as 0."""
    lines = churn.lines.astype(np.float64)
    return lines if counted is None else np.where(counted, lines, 0.0)


def bins(first: int, last: int, most: int) -> Bins:
    """Bins over `first` to `last` (seconds, both included): the narrowest calendar width with at most `most` bins."""
    first, last = max(min(first, last), EARLIEST), min(max(first, last), LATEST)
    for unit, step, width in WIDTHS:
        begin, end = (np.datetime64(time, "s").astype(f"datetime64[{unit}]").astype(int) for time in (first, last))
        begin -= (begin - _FIRST.get(unit, 0)) % step
        if (end - begin) // step < max(most, 1) or (unit, step, width) == WIDTHS[-1]:
            break
    marks = np.arange(begin, end + step + 1 - (end - begin) % step, step)
    edges = marks.astype(f"datetime64[{unit}]").astype("datetime64[s]").astype(np.int64)
    edges.flags.writeable = False
    return Bins(edges, width)


def activity(changes: Changes, stacked: Groups, weight: Floats, over: Bins) -> Activity:
    """The activity of every group in every bin: the sum of `weight` (float64[r], of the touches)."""
    first, last = np.searchsorted(changes.time, (over.edges[0], over.edges[-1]))
    rows = slice(*np.searchsorted(changes.touch_commit, (first, last)).tolist())
    bin_of_commit = np.searchsorted(over.edges, changes.time, "right") - 1
    place = stacked.of_touch[rows].astype(np.int64) * len(over) + bin_of_commit[changes.touch_commit[rows]]
    amount = np.bincount(place, weight[rows], len(stacked.names) * len(over)).astype(np.float64)
    return Activity(over, stacked.names, amount.reshape(len(stacked.names), len(over)))


def extent(changes: Changes) -> tuple[int, int] | None:
    """The times of the first and the last commit, seconds since the epoch; None without commits."""
    if not len(changes.time):
        return None
    return max(int(changes.time[0]), EARLIEST), min(int(changes.time[-1]), LATEST)


def usual_extent(changes: Changes) -> tuple[int, int] | None:
    """As `extent`, without a few remote commits: their dates may be wrong, and would compress everything else."""
    whole = extent(changes)
    if whole is None:
        return None
    few = max(round(len(changes.time) * OUTSIDE), 1)
    if len(changes.time) < 5 * few:
        return whole
    inner = int(changes.time[few]), int(changes.time[-1 - few])
    first = inner[0] if inner[0] - whole[0] > LONELY * max(inner[1] - inner[0], 1) else whole[0]
    last = inner[1] if whole[1] - inner[1] > LONELY * max(inner[1] - inner[0], 1) else whole[1]
    return first, last


def _numbered(names: tuple[str, ...] | list[str]) -> tuple[list[str], Ints]:
    """(distinct names, int32[n]: the index of each)."""
    row_of = {name: row for row, name in enumerate(dict.fromkeys(names))}
    return list(row_of), np.fromiter(map(row_of.__getitem__, names), np.int32, len(names))


def _modules(paths: tuple[str, ...], often: npt.NDArray[np.integer]) -> list[str]:
    """The module of each path: its first folder, or, inside a folder with nearly all changes, its next one.

    often  int[p]: number of touches of each path
    """
    above = ""
    while True:
        share = Counter[str]()
        for path, touches in zip(paths, often.tolist(), strict=True):
            if path.startswith(above) and (folder := _first_folder(path, above)):
                share[folder] += touches
        name, most = share.most_common(1)[0] if share else ("", 0)
        if most < SHARED * often.sum() or not any(
            path.startswith(name) and _first_folder(path, name) for path in paths
        ):
            return [_module(above, path) for path in paths]
        above = name


def _first_folder(path: str, above: str) -> str:
    """`src/shop/` for the path `src/shop/core/cart.py` and the folder `src/`.

    Empty for a file directly in that folder.
    """
    end = path.find("/", len(above))
    return path[: end + 1] if end >= 0 else ""


def _module(above: str, path: str) -> str:
    inside = path.startswith(above)
    folder = _first_folder(path, above if inside else "")
    return folder[:-1] or (f"(files in {above[:-1]})" if inside and above else TOP_FILES)


def _kind(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if dot and stem and suffix else NO_SUFFIX

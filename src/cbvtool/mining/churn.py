"""Churn: the number of lines that each touch of a history added and deleted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Churn:
    """Lines of the r touches of a `Changes`, in their order.

    added, deleted  int32[r]  lines; -1 = unknown: the file is binary, or its contents are not in the repository
    notes           one sentence each about missing data
    """

    added: npt.NDArray[np.int32]
    deleted: npt.NDArray[np.int32]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.added.flags.writeable = False
        self.deleted.flags.writeable = False

    @staticmethod
    def unknown(count: int, note: str = "") -> Churn:
        """Unknown churn of `count` touches, with a sentence that says why."""
        column = np.full(count, UNKNOWN, np.int32)
        return Churn(column, column.copy(), (note,) if note else ())

    def of(self, rows: npt.NDArray[np.integer]) -> Churn:
        """The churn of the touches in `rows`."""
        return Churn(self.added[rows], self.deleted[rows], self.notes)

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """int64[r]: lines added and deleted by each touch, 0 where unknown."""
        return np.maximum(self.added, 0).astype(np.int64) + np.maximum(self.deleted, 0)

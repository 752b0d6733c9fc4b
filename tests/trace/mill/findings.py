"""What a recording of the mill holds, beside what `expected.json` says must be found in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.waits.correspondences import correspondences
from cbvtool.trace.waits.totals import NOBODY, LongWaits, longest_waits

MILL = Path(__file__).parents[3] / "sample_projects" / "mill"
Bools = npt.NDArray[np.bool_]


def expected(language: str = "python") -> dict[str, Any]:
    """What must be found in a recording of the mill in that language, findings by name."""
    found: dict[str, Any] = json.loads((MILL / "expected.json").read_text("utf-8"))
    cases = [{**case, **case.get(language, {})} for case in found["findings"]]
    write = {**found["slow write"], **found["slow write"].get(language, {})}
    return {**found, "slow write": write, "findings": {case["name"]: case for case in cases}}


@dataclass(frozen=True, eq=False)
class Told:
    """A recording of the mill, and its waits, the longest first."""

    trace: Trace
    expected: dict[str, Any]

    @cached_property
    def waits(self) -> LongWaits:
        """All of them."""
        return longest_waits(self.trace, correspondences(self.trace), None)

    def thread(self, row: int) -> str:
        """Its name; "" = nobody."""
        return self.trace.threads.name[row] if row != NOBODY else ""

    def function(self, call: int) -> str:
        """That of a call."""
        return str(self.trace.functions.name[self.trace.calls.function[call]])

    def object(self, row: int) -> tuple[str, str]:
        """Kind and name."""
        objects = self.trace.table("objects")
        if not 0 <= row < len(objects):
            return "", ""
        return tuple(self.trace.strings[int(objects[column][row])] for column in ("kind", "name"))  # type: ignore[return-value]

    def of(self, finding: dict[str, Any]) -> list[int]:
        """Rows of the waits that a finding is about."""
        return [at for at in range(len(self.waits)) if self.is_about(at, finding)]

    def is_about(self, at: int, finding: dict[str, Any]) -> bool:
        """Whether a finding is about the row of a wait."""
        kind, name = self.object(int(self.waits.object[at]))
        mine = self.thread(int(self.waits.thread[at])) in finding["threads"]
        return mine and kind == finding["kind"] and name.startswith(finding["object"])

    def time(self, rows: list[int]) -> int:
        """ns of these waits."""
        return int((self.waits.end - self.waits.start)[rows].sum())

    def life(self, names: list[str]) -> int:
        """ns that threads of these names lived."""
        threads = self.trace.threads
        rows = [row for row, name in enumerate(threads.name) if name in names]
        return int((threads.last - threads.first)[rows].sum())

    def calls(self, function: str) -> list[int]:
        """Rows of the calls of a function."""
        names = self.trace.functions.name
        wanted = [row for row, name in enumerate(names) if name == function]
        return [int(row) for row in np.flatnonzero(np.isin(self.trace.calls.function, wanted))]


def within(value: float, bounds: list[float]) -> bool:
    """Whether a share is as large as expected."""
    return bounds[0] <= value <= bounds[1] + 1e-9

"""Functions that are being collected, each of them once."""

from __future__ import annotations

import numpy as np

from cbvtool.trace.model.trace import Functions


class FunctionPool:
    """Functions in the order in which they came. Two that differ in name, module, file or line are two."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str, int], int] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, name: str, module: str, file: str, line: int) -> int:
        """The row of a function, a new one if it was not named yet. A line that no file has is unknown."""
        line = line if 0 <= line < 2**31 else 0
        return self._rows.setdefault((name, module, file, line), len(self._rows))

    def functions(self) -> Functions:
        """The functions collected so far."""
        rows = list(self._rows)
        return Functions(
            tuple(name for name, _, _, _ in rows),
            tuple(module for _, module, _, _ in rows),
            tuple(file for _, _, file, _ in rows),
            np.array([line for _, _, _, line in rows], np.int32),
        )

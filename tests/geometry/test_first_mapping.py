"""The first picture shows what says something about the graph (CBV-4), instead of being all grey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from cbvtool.geometry.state.first_mapping import first_mapping
from cbvtool.geometry.state.view_state import Mapping as MetricMapping

MEASURED, NOT = np.array([np.nan, 1.0]), np.full(2, np.nan)


class Measured(Mapping[str, np.ndarray]):
    """Columns of which some hold values; it says which ones were asked for."""

    def __init__(self, *names: str) -> None:
        self.names, self.asked = names, set[str]()

    def __getitem__(self, name: str) -> np.ndarray:
        self.asked.add(name)
        return MEASURED if name in self.names else NOT

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@pytest.mark.parametrize(
    ("measured", "recorded", "expected"),
    [
        (("sloc", "change_frequency", "nl3", "bytes"), (), ("sloc", "change_frequency", "nl3")),
        (("sloc", "nl3"), (), ("sloc", "fan_in", "nl3")),
        (("bytes",), (), ("bytes", "fan_in", "fan_out")),
        ((), (), ("leaves", "fan_in", "fan_out")),
        (("salary",), ("salary",), ("leaves", "salary", "salary")),
        (("salary", "age", "seats"), ("salary", "age", "seats"), ("leaves", "salary", "age")),
        (("nl3", "salary"), ("salary",), ("leaves", "salary", "nl3")),
    ],
)
def test_what_is_not_measured_is_replaced(
    measured: tuple[str, ...], recorded: tuple[str, ...], expected: tuple[str, str, str]
) -> None:
    values = Measured(*measured)
    assert first_mapping(values, recorded) == MetricMapping(*expected)
    assert not values.asked & {"fan_in", "fan_out"}, "slow ones are not measured to decide"

"""Optimal partitions against every partition that there is (OC-2)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.trace.resources.cells import ResourceCells
from cbvtool.trace.resources.information import information_of, interval
from cbvtool.trace.resources.optima import all_optima, first_optima
from cbvtool.trace.resources.partition import Partition, best_partition
from tests.trace.resources.brute_force import P, figures, random_cells
from tests.trace.resources.envelope import faults, small_case


def larger(seed: int, leaves: int = 12, slices: int = 15) -> ResourceCells:
    """A model with too many partitions to try them all."""
    return random_cells(np.random.default_rng(seed), leaves, slices)


def areas(partition: Partition) -> list[tuple[int, int, int]]:
    """(row, first, last) of each."""
    return list(zip(partition.row.tolist(), partition.first.tolist(), partition.last.tolist(), strict=True))


@pytest.mark.parametrize("part", range(4))
def test_partitions_are_those_of_brute_force(part: int) -> None:
    """OC-2: nine values of p, the whole list, ties to the coarser; 3,000 cases are tried by `make judge-partitions`."""
    rng = np.random.default_rng([part, 21])
    for number in range(15):
        assert faults(small_case(rng)) == [], number


@given(st.integers(0, 10**6))
def test_areas_tile_the_plane(seed: int) -> None:
    """OC-2: each cell lies in one area, for every partition of the list."""
    cells = larger(seed)
    tree = cells.tree
    for partition in all_optima(information_of(cells)).partitions:
        covered = np.zeros((len(tree.leaves), cells.slices), np.int64)
        for row, first, last in areas(partition):
            covered[tree.first_leaf[row] : tree.first_leaf[tree.end[row]], first : last + 1] += 1
        assert (covered == 1).all()


@given(st.integers(0, 10**6), st.sampled_from([0.5, 3.0, 1e-9, 7e9, 1 / 3]))
def test_scaling_all_times_changes_nothing(seed: int, factor: float) -> None:
    """OC-2."""
    cells = larger(seed, 5, 8)
    scaled = replace(cells, amount=cells.amount * factor)
    one, other = all_optima(information_of(cells)), all_optima(information_of(scaled))
    assert np.allclose(one.low, other.low, atol=1e-9)
    assert [areas(each) for each in one.partitions] == [areas(each) for each in other.partitions]


@given(st.integers(0, 10**6))
def test_gain_and_loss_never_fall_with_p(seed: int) -> None:
    """OC-2: nor does the number of areas rise from the first partition to the last."""
    optima = all_optima(information_of(larger(seed)))
    assert optima.complete
    assert (np.diff(optima.gain) >= -1e-12).all()
    assert (np.diff(optima.loss) >= -1e-12).all()
    assert (np.diff(optima.low) > 0).all()
    assert optima.partitions[0].loss == pytest.approx(0, abs=1e-9)
    assert len(optima.partitions[-1]) == 1
    for p in P:
        best, listed = best_partition(information_of(larger(seed)), p), optima.partitions[optima.at(p)]
        assert p * best.gain - (1 - p) * best.loss == pytest.approx(p * listed.gain - (1 - p) * listed.loss, abs=1e-9)


def test_qualities_are_those_of_the_formulae() -> None:
    """OC-2: gain and loss of each area, cell by cell."""
    cells = larger(3)
    information = information_of(cells)
    for row in range(len(cells.tree)):
        for first in range(cells.slices):
            for last in range(first, cells.slices):
                at = interval(cells.slices, first, last)
                found = information.gain[row, at], information.loss[row, at]
                assert found == pytest.approx(figures(cells, (row, first, last)), abs=1e-12)


def test_the_first_picture_is_made_of_few_values_of_p() -> None:
    """OC-2: each is of the list; before the largest drop of gain + loss stands the one that is marked."""
    cells = larger(8, 12, 30)
    information = information_of(cells)
    first, every = first_optima(information), all_optima(information)
    assert not first.complete
    assert 1 < len(first) <= 11
    lists = [areas(each) for each in every.partitions]
    assert all(areas(each) in lists for each in first.partitions)
    drops = np.diff(every.gain + every.loss)
    assert drops[every.marked] == drops.max()
    assert 0 < first.clearest < len(first) - 1


def test_partitions_need_not_be_nested() -> None:
    """OC-2: a coarser one may cut what a finer one had kept, so that pictures change by overlap."""
    for seed in range(40):
        cells = larger(seed, 8, 10)
        numbers = [painted(cells, each) for each in all_optima(information_of(cells)).partitions]
        for fine, coarse in pairwise(numbers):
            if any(len(np.unique(coarse[fine == area])) > 1 for area in np.unique(fine)):
                return
    pytest.fail("all are nested")


def painted(cells: ResourceCells, partition: Partition) -> npt.NDArray[np.int64]:
    """int64[l, k]: the area in which each cell lies."""
    tree = cells.tree
    numbers = np.full((len(tree.leaves), cells.slices), -1)
    for number, (row, first, last) in enumerate(areas(partition)):
        numbers[tree.first_leaf[row] : tree.first_leaf[tree.end[row]], first : last + 1] = number
    return numbers


def test_a_model_that_is_too_large_is_refused_in_a_sentence() -> None:
    """OC-2: before memory is taken."""
    cells = larger(1, 12, 4)
    wide = replace(cells, edges=np.arange(20_001, dtype=np.int64))
    with pytest.raises(ValueError, match="choose fewer slices"):
        information_of(wide)


def test_empty_models_have_one_partition() -> None:
    """OC-2: nothing happened: one area, which loses nothing."""
    cells = larger(5, 4, 4)
    optima = all_optima(information_of(replace(cells, amount=np.zeros_like(cells.amount))))
    assert [len(each) for each in optima.partitions] == [1]
    assert (optima.gain[0], optima.loss[0]) == (0, 0)

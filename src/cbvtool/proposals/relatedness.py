"""How near files are to what is looked at: by uses, by what they have in common, by history, by names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.prepared import coupled
from cbvtool.findings.finding import Examined
from cbvtool.graph import LiftedEdges, lift
from cbvtool.rules import dependencies, files

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Column = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
_MOST_COMMON = 400  # files that use one thing, beyond which having it in common says nothing
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, eq=False)
class Nearness:
    """How near each file is to some nodes: float64[n] by key of the file, 0 for those nodes themselves.

    uses, used_by       dependencies from and to the nodes, each file weighed less the more others have to do with it
    together            changes in the same commits
    same_uses, same_users   having in common what is used, or who uses them
    names               words of the name in common
    used, users, changes    how many places, and how many commits, stand behind the first three
    """

    uses: Column
    used_by: Column
    together: Column
    same_uses: Column
    same_users: Column
    names: Column
    used: Column
    users: Column
    changes: Column


class Relatedness:
    """What is worked out once for a code base."""

    def __init__(self, examined: Examined) -> None:
        self._examined = examined
        self._n = len(examined.graph)
        self._file = files(examined.graph)
        self._lifted: LiftedEdges = lift(
            examined.graph.edges, self._file, dependencies(examined.graph, type_checking=True)
        )

    def of(self, keys: tuple[int, ...]) -> Nearness:
        """How near all files are to the subtrees of `keys`."""
        graph, sites = self._examined.graph, self._examined.sites
        inside = np.zeros(self._n, np.bool_)
        for key in keys:
            inside[graph.subtree(key)] = True
        edges, depends = graph.edges, dependencies(graph, type_checking=True)
        out = depends & inside[edges.source] & ~inside[edges.target]
        into = depends & ~inside[edges.source] & inside[edges.target]
        used = self._by_file(edges.target[out], sites[out])
        users = self._by_file(edges.source[into], sites[into])
        own = np.unique(self._file[inside & (self._file >= 0)])
        changes: Column = np.asarray(self._together[own].sum(axis=0), np.float64).ravel()
        changes = changes * float(inside[own].any())  # definitions have no history of their own
        outside = ~inside
        return Nearness(
            np.log1p(used) / np.log(2 + self._users) * outside,
            np.log1p(users) / np.log(2 + self._used) * outside,
            changes / np.sqrt(1 + self._changed) * outside,
            _alike(self._uses, used > 0, self._users, self._used) * outside,
            _alike(self._uses.T.tocsr(), users > 0, self._used, self._users) * outside,
            self._named_like(own) * outside,
            used * outside,
            users * outside,
            changes * outside,
        )

    def _by_file(self, ends: npt.NDArray[np.int32], weight: npt.NDArray[np.int64]) -> Column:
        file = self._file[ends]
        return np.bincount(file[file >= 0], weight[file >= 0].astype(np.float64), self._n).astype(np.float64)

    @cached_property
    def _uses(self) -> csr_array[Any, Any]:
        """[n, n]: 1 where a file uses another."""
        from scipy.sparse import coo_array

        ends = self._lifted.source, self._lifted.target
        return coo_array((np.ones(len(ends[0])), ends), shape=(self._n, self._n)).tocsr()

    @cached_property
    def _users(self) -> Column:
        """float64[n]: how many files use each."""
        return np.bincount(self._lifted.target, minlength=self._n).astype(np.float64)

    @cached_property
    def _used(self) -> Column:
        """float64[n]: how many files each uses."""
        return np.bincount(self._lifted.source, minlength=self._n).astype(np.float64)

    @cached_property
    def _together(self) -> csr_array[Any, Any]:
        """[n, n]: in how many commits two files changed together; symmetric."""
        from scipy.sparse import coo_array

        found = coupled(self._examined.graph, self._examined.changes)
        if found is None:
            return coo_array((self._n, self._n)).tocsr()
        half = coo_array((found.support.astype(np.float64), (found.first, found.second)), shape=(self._n, self._n))
        return (half + half.T).tocsr()

    @cached_property
    def _changed(self) -> Column:
        """float64[n]: sums of the rows of `_together`."""
        return np.asarray(self._together.sum(axis=1), np.float64).ravel()

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        """Files by the words of their names."""
        found: dict[str, list[int]] = {}
        for key in self._examined.files.tolist():
            for word in words_of(self._examined.graph.names[key]):
                found.setdefault(word, []).append(key)
        return found

    def _named_like(self, own: npt.NDArray[np.int32]) -> Column:
        near = np.zeros(self._n)
        for word in {word for key in own.tolist() for word in words_of(self._examined.graph.names[key])}:
            keys = np.setdiff1d(self._words.get(word, []), own).astype(np.int64)
            if len(keys):
                near[keys] += 1 / len(keys) / np.log(2 + len(keys))
        return near


def _alike(links: csr_array[Any, Any], chosen: npt.NDArray[np.bool_], degree: Column, others: Column) -> Column:
    """float64[n]: how much each file has in common with one that is linked with those `chosen`.

    links    [n, n]: 1 where a file is linked with another
    degree   float64[n]: how many are linked with each, which makes it say less
    others   float64[n]: with how many each is linked, which makes having one in common say less
    """
    says = chosen & (degree > 1) & (degree <= _MOST_COMMON)
    weight = np.where(says, 1 / np.sqrt(np.maximum(degree, 1)) / np.log(1 + np.maximum(degree, 1)), 0.0)
    near: Column = links @ weight / np.sqrt(1 + others)
    return near


def words_of(name: str) -> set[str]:
    """The words of the name of a file, in small letters."""
    return {word.lower() for word in _WORD.findall(name.rsplit(".", 1)[0])}

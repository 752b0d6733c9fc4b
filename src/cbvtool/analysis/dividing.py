"""Resolving the names of one language family: here, or divided among the processes that read the files.

Who finds what does not matter: the files always come in the same groups, and each group is resolved as if it were
the only one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from cbvtool.analysis.again import Earlier
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import Divided, DividedResolver, Prepared, Staged, resolver
from cbvtool.analysis.pool import PATIENCE, NoProcess, Workers
from cbvtool.analysis.resolution import Folder, Resolution

if TYPE_CHECKING:  # see `pool`
    from concurrent.futures import Future

GROUP = 6_000  # uses in the files that are resolved together, each file rounded up
_FILE = 20  # and what a file is worth beside them
# Uses below which no processes are started for this alone: about a second's work, and they take a third to get ready.
INLINE_USES = 60_000


class _Subject(NamedTuple):
    """A resolver, what it is given, and what is known of all its files together (see `Prepared`)."""

    resolver: str
    folder: Folder
    facts: Mapping[int, FileFacts]
    prepared: bytes = b""

    def divided(self) -> Divided:
        """The files, ready to be resolved."""
        found = cast(DividedResolver, resolver(self.resolver)).divided(self.folder, self.facts)
        if self.prepared and isinstance(found, Prepared):
            found.prepare(self.prepared)
        return found


def resolved(
    given: tuple[str, Folder, Mapping[int, FileFacts]], workers: Workers, report: Callable[[int, int], None],
    earlier: Earlier | None = None,
) -> Resolution:  # fmt: skip
    """What the resolver finds, as far as it is divided with the help of what was found `earlier`.

    `report` is told how many files are done, of how many (0 = unknown); it may raise.
    """
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

    subject = _Subject(*given)
    facts = subject.facts
    report(0, 0)
    module = resolver(subject.resolver)
    if not hasattr(module, "divided"):
        return module.resolve(subject.folder, facts)
    groups = groups_of(facts)
    family = earlier.family(*given, groups) if earlier else None
    found = family.known() if family else {}
    missing = {row: group for row, group in enumerate(groups) if row not in found}
    if family and missing:
        subject = subject._replace(prepared=family.prepared())
    here = subject.divided()
    new = isinstance(here, Prepared) and family is not None and len(missing) > 0 and not subject.prepared

    def tell() -> None:
        report(sum(len(groups[row]) for row in found), len(facts))

    uses = sum(len(facts[file].uses) for group in missing.values() for file in group)
    alone = len(missing) < 2 or not workers.pay(uses, INLINE_USES)
    with _sent(subject, {} if alone else missing, workers, new) as (futures, preparing):
        result = here.rest()
        if futures:
            import_module("cbvtool.analysis.build")  # NumPy loads while others work
        while futures:
            for future in wait(futures, PATIENCE, FIRST_COMPLETED).done:
                row = futures.pop(future)
                with suppress(BrokenExecutor):
                    found[row] = future.result()
            tell()
        if family and preparing:
            with suppress(BrokenExecutor):
                family.add_prepared(preparing.result())
    for row, group in enumerate(groups):
        if row not in found:
            tell()
            found[row] = here.relate(group)
        result.extend(found[row])
    if family:
        for row in missing:
            family.add(row, found[row])
        if alone and new and isinstance(here, Prepared):
            family.add_prepared(here.prepared())
    return result


def is_staged(name: str) -> bool:
    """Whether the resolver offers what is quick apart (see `Staged`)."""
    return getattr(resolver(name), "STAGED", False)


def structure(name: str, folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """What is known before values are followed."""
    here = cast(Staged, cast(DividedResolver, resolver(name)).divided(folder, facts))
    result = here.rest()
    result.extend(here.structure())
    return result


def groups_of(facts: Mapping[int, FileFacts]) -> list[list[int]]:
    """The files in order, in groups with about as many uses.

    An edit leaves the groups as they are but for that of the file, as a rule: a file counts as the next power of two.
    """
    groups: list[list[int]] = []
    size = GROUP
    for row in sorted(facts):
        if size >= GROUP:
            groups.append([])
            size = 0
        groups[-1].append(row)
        size += 1 << (len(facts[row].uses) + _FILE).bit_length()
    return groups


@contextmanager
def _sent(
    subject: _Subject, groups: Mapping[int, list[int]], workers: Workers, prepare: bool
) -> Iterator[tuple[dict[Future[Resolution], int], Future[bytes] | None]]:
    """The `groups` as they are resolved in processes, by their rows; nothing where that cannot be.

    prepare  what all of them have in common is wanted, too
    """
    import pickle
    from concurrent.futures import BrokenExecutor, wait
    from tempfile import TemporaryDirectory

    sent: dict[Future[Resolution], int] = {}
    preparing: Future[bytes] | None = None
    if not groups:
        yield sent, None
        return
    with TemporaryDirectory(prefix="cbvtool-") as ours:
        # One file that all of them read: what goes through their pipe, only one of them gets.
        path = os.path.join(ours, "facts")
        with suppress(NoProcess, BrokenExecutor, OSError):
            with open(path, "wb") as file:
                pickle.dump(subject, file, pickle.HIGHEST_PROTOCOL)
            for row, group in groups.items():
                sent[workers.submit(_relate, path, group)] = row
            preparing = workers.submit(_prepared, path) if prepare else None
        try:
            yield sent, preparing
        finally:
            left: list[Future[Any]] = [*sent, *filter(None, [preparing])]
            wait([future for future in left if not future.cancel()])


def _relate(path: str, files: Sequence[int]) -> Resolution:
    """What workers do."""
    return _loaded(path).relate(files)


def _prepared(path: str) -> bytes:
    """And one of them in the end."""
    return cast(Prepared, _loaded(path)).prepared()


@lru_cache(1)
def _loaded(path: str) -> Divided:
    import pickle

    with open(path, "rb") as file:
        subject: _Subject = pickle.load(file)  # noqa: S301 - written by `_sent`, where nobody else may write
    return subject.divided()

"""Resolving the names of one language family: here, or divided among the processes that read the files.

Who finds what does not matter: the files always come in the same groups, and each group is resolved as if it were
the only one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from cbvtool.analysis.again import Earlier
from cbvtool.analysis.attended import TooMuch, attended
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import Divided, DividedResolver, Prepared, Staged, resolver
from cbvtool.analysis.limits import Lost, NoProcess, resolve_seconds, too_long, too_much_memory
from cbvtool.analysis.pool import PATIENCE, Workers
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.walk import readable

if TYPE_CHECKING:  # see `pool`
    from cbvtool.analysis.crew import Crew

GROUP = 6_000  # uses in the files that are resolved together, each file rounded up
_MOST_LOST = 2  # groups that are stopped, after which the others are not tried
_PREPARING = -1  # the row of what all groups have in common
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


def resolved(  # noqa: C901 - asks the workers, then tries here what they lost: one step after the other
    given: tuple[str, Folder, Mapping[int, FileFacts]], workers: Workers, report: Callable[[int, int], None],
    earlier: Earlier | None = None,
) -> Resolution:  # fmt: skip
    """What the resolver finds, as far as it is divided with the help of what was found `earlier`.

    `report` is told how many files are done, of how many (0 = unknown); it may raise.
    """
    subject = _Subject(*given)
    facts = subject.facts
    report(0, 0)
    module = resolver(subject.resolver)
    seconds = resolve_seconds(sum(len(found.uses) for found in facts.values()))
    if not hasattr(module, "divided"):
        return attended(lambda: module.resolve(subject.folder, facts), lambda: report(0, 0), seconds)
    groups = groups_of(facts)
    family = earlier.family(*given, groups) if earlier else None
    found = family.known() if family else {}
    missing = {row: group for row, group in enumerate(groups) if row not in found}
    if family and missing:
        subject = subject._replace(prepared=family.prepared())
    here = attended(subject.divided, lambda: report(0, 0), seconds)
    new = isinstance(here, Prepared) and family is not None and len(missing) > 0 and not subject.prepared

    def tell() -> None:
        report(sum(len(groups[row]) for row in found), len(facts))

    uses = sum(len(facts[file].uses) for group in missing.values() for file in group)
    alone = len(missing) < 2 or not workers.pay(uses, INLINE_USES)
    lost: dict[int, str] = {}
    with _sent(subject, {} if alone else missing, workers, new, seconds) as crew:
        result = attended(here.rest, tell, seconds)
        if crew:
            import_module("cbvtool.analysis.build")  # NumPy loads while others work
        with suppress(NoProcess):
            while crew and crew.busy and len(lost) < _MOST_LOST:
                for row, _, answer in crew.found(PATIENCE):
                    if isinstance(answer, Exception):
                        raise answer
                    if isinstance(answer, Lost):
                        if answer.certain:  # else it is tried here
                            lost[row] = answer.reason
                    elif row == _PREPARING and family:
                        family.add_prepared(answer)
                    else:
                        found[row] = answer
                tell()
    if len(lost) >= _MOST_LOST:  # the others would take as long
        lost |= dict.fromkeys(missing.keys() - found.keys() - lost.keys(), next(iter(lost.values())))
    end = time.process_time() + seconds
    for row, group in missing.items():
        if row not in found and row not in lost:
            tell()
            try:
                found[row] = attended(partial(here.relate, group), tell, end - time.process_time())
            except TooMuch as error:
                reason = str(error) if str(error) == too_much_memory() else too_long(seconds)
                lost |= dict.fromkeys(missing.keys() - found.keys() - lost.keys(), reason)
    for row in range(len(groups)):
        if row in found:
            result.extend(found[row])
    result.notes += _missing(subject, groups, lost)
    if family:
        for row in missing.keys() & found.keys():
            family.add(row, found[row])
        if alone and new and not lost and isinstance(here, Prepared):
            family.add_prepared(here.prepared())
    return result


def _missing(subject: _Subject, groups: Sequence[Sequence[int]], lost: Mapping[int, str]) -> Iterator[str]:
    """A sentence for each reason why relations are missing."""
    for reason in dict.fromkeys(lost.values()):
        files = sorted(file for row in lost if lost[row] == reason and row != _PREPARING for file in groups[row])
        if files:
            first = f"{readable(subject.folder.paths[files[0]])!r}"
            others = (
                f" and {len(files) - 1:,} other files" if len(files) > 2 else " and another file" * (len(files) == 2)
            )
            yield f"The relations of {first}{others} are missing: to resolve them {reason}."


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
    subject: _Subject, groups: Mapping[int, list[int]], workers: Workers, prepare: bool, seconds: float
) -> Iterator[Crew | None]:
    """The crew at work on the `groups`, each known by its row; None where that cannot be.

    prepare  what all of them have in common is wanted, too, as `_PREPARING`
    """
    import pickle
    from tempfile import TemporaryDirectory

    if not groups:
        yield None
        return
    with TemporaryDirectory(prefix="cbvtool-") as ours:
        # One file that all of them read: what goes through their pipe, only one of them gets.
        path = os.path.join(ours, "facts")
        crew = None
        with suppress(NoProcess, OSError):
            with open(path, "wb") as file:
                pickle.dump(subject, file, pickle.HIGHEST_PROTOCOL)
            crew = workers.start()
            for row, group in groups.items():
                crew.add(partial(_relate, path), [group], seconds, row)
            if prepare:
                crew.add(_prepared, [path], seconds, _PREPARING)
        try:
            yield crew
        finally:
            if crew and crew.busy:  # nobody waits for them any more
                workers.close()


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

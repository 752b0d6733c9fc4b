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
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, NamedTuple, cast

from cbvtool.analysis.again import Earlier
from cbvtool.analysis.attended import TooMuch, attended
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import Divided, DividedResolver, Prepared, Staged, resolver
from cbvtool.analysis.limits import NoProcess, NoResult, resolve_seconds, too_long, too_much_memory
from cbvtool.analysis.pool import PATIENCE, Workers
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.walk import readable

if TYPE_CHECKING:  # see `pool`
    from cbvtool.analysis.crew import Crew

GROUP = 6_000  # uses in the files that are resolved together, each file rounded up
_FACTS, _SHARED = "facts", "shared"  # files for the workers
_ROUNDS = 8  # in which workers share what all groups have in common; usual projects take four or five
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
            found.prepare([self.prepared])
        return found


def resolved(  # noqa: C901 - asks the workers, then tries here what they lost: one step after the other
    given: tuple[str, Folder, Mapping[int, FileFacts]],
    workers: Workers,
    report: Callable[[int, int], None],
    earlier: Earlier | None = None,
) -> Resolution:
    """What the resolver finds, as far as it is divided with the help of what was found `earlier`.

    `report` gets how many files are done, of how many (0 = unknown); it may raise.
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
    shares = isinstance(here, Prepared) and not subject.prepared
    with _sent(subject, workers, alone) as sent:
        parts = _parts(groups, facts, sent.crew.size) if sent and shares else []
        try:
            if sent and parts:
                sent.share(parts, seconds)
            elif sent:
                sent.relate(missing, parts, seconds)
        except NoProcess:
            sent = None
        result = attended(here.rest, tell, seconds)
        if sent:
            import_module("cbvtool.analysis.build")  # NumPy loads while others work
        with suppress(NoProcess):
            if sent and parts:
                reason = sent.shared(parts, seconds, tell)
                if reason:  # every group would take as long
                    lost |= dict.fromkeys(missing, reason)
                else:
                    sent.relate(missing, parts, seconds)
                    if new:
                        sent.prepare(seconds)
            while sent and sent.crew.busy and len(lost) < _MOST_LOST:
                for rows, i, answer in sent.crew.found(PATIENCE):
                    if isinstance(answer, Exception):
                        raise answer
                    if isinstance(answer, NoResult):
                        if answer.certain:  # else it is tried here
                            lost[rows[i]] = answer.reason
                    elif rows[i] == _PREPARING and family:
                        family.add_prepared(answer)
                    else:
                        found[rows[i]] = answer
                tell()
    if len(lost) >= _MOST_LOST:  # the others would take as long
        lost |= dict.fromkeys(missing.keys() - found.keys() - lost.keys(), next(iter(lost.values())))
    spent = 0.0  # by these groups alone: whoever shares the process with them may be busy, too

    def relate_here(group: Sequence[int]) -> Resolution:
        nonlocal spent
        began = time.thread_time()
        try:
            return here.relate(group)
        finally:
            spent += time.thread_time() - began

    for row, group in missing.items():
        if row not in found and row not in lost:
            tell()
            try:
                found[row] = attended(partial(relate_here, group), tell, seconds - spent)
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
def _sent(subject: _Subject, workers: Workers, alone: bool) -> Iterator[_Sent | None]:
    """The subject where workers find it; None where that cannot be, or for somebody who works `alone`."""
    import pickle
    from tempfile import TemporaryDirectory

    if alone:
        yield None
        return
    with TemporaryDirectory(prefix="cbvtool-") as ours:
        sent = None
        with suppress(NoProcess, OSError):
            # One file that all of them read: what goes through their pipe, only one of them gets.
            with open(os.path.join(ours, _FACTS), "wb") as file:
                pickle.dump(subject, file, pickle.HIGHEST_PROTOCOL)
            sent = _Sent(ours, workers.start())
        try:
            yield sent
        finally:
            if sent and sent.crew.busy:  # nobody waits for them any more
                workers.close()


class _Sent:
    """A subject that the workers of `crew` find in the file _FACTS in `folder`, in _SHARED what they found of it."""

    def __init__(self, folder: str, crew: Crew) -> None:
        self.folder, self.crew = folder, crew
        self.known: list[bytes] = []  # what was shared

    def share(self, parts: Sequence[Sequence[Sequence[int]]], seconds: float) -> None:
        """Have a round begun (see `Prepared.share`)."""
        for part in parts:
            files = [file for group in part for file in group]
            self.crew.add(partial(_share, self.folder, tuple(self.known)), [files], seconds)

    def shared(self, parts: Sequence[Sequence[Sequence[int]]], seconds: float, tell: Callable[[], None]) -> str:
        """Wait for what the files have in common, from the round on that has begun; returns why nobody will ever know.

        After some rounds the rest is left to each worker: a chain of functions may be as long as somebody likes. Each
        round ends before the next begins, so that it does not matter who finds what first.
        """
        import pickle

        new: list[bytes] = []
        for turn in range(_ROUNDS):
            if turn:
                self.share(parts, seconds)
            new = []
            while self.crew.busy:
                for _, _, answer in self.crew.found(PATIENCE):
                    if isinstance(answer, Exception):
                        raise answer
                    if isinstance(answer, NoResult):
                        if answer.certain:
                            return answer.reason
                        raise NoProcess  # all is tried here
                    if answer:
                        new.append(answer)
                tell()
            if not new:
                break
            self.known += new
        with open(os.path.join(self.folder, _SHARED), "wb") as file:
            pickle.dump((self.known, not new), file, pickle.HIGHEST_PROTOCOL)
        return ""

    def relate(
        self, missing: Mapping[int, Sequence[int]], parts: Sequence[Sequence[Sequence[int]]], seconds: float
    ) -> None:
        """Have all groups `missing` resolved, each known by its row.

        Of each part most go together to one worker, as a rule to the one that has shared what is in it.
        """
        row_of = {group[0]: row for row, group in missing.items()}
        rows = [[row_of[group[0]] for group in part if group[0] in row_of] for part in parts] or [[*missing]]
        kept = [len(part) * 3 // 4 if parts else 0 for part in rows]
        together = [part[:count] for part, count in zip(rows, kept, strict=True) if count]
        rest = [part[count:] for part, count in zip(rows, kept, strict=True)]
        apart = [[row] for some in zip_longest(*rest) for row in some if row is not None]
        for some in (*together, *apart):
            self.crew.add(partial(_relate, self.folder), [missing[row] for row in some], seconds, some)

    def prepare(self, seconds: float) -> None:
        """Have told what all groups have in common, as `_PREPARING`."""
        self.crew.add(_prepared, [self.folder], seconds, [_PREPARING])


def _parts(groups: Sequence[Sequence[int]], facts: Mapping[int, FileFacts], count: int) -> list[list[Sequence[int]]]:
    """The groups in order, in at most `count` parts with about as many uses."""
    sizes = [sum(len(facts[row].uses) for row in group) for group in groups]
    parts: list[list[Sequence[int]]] = [[] for _ in range(count)]
    for group, before in zip(groups, accumulate(sizes, initial=0), strict=False):
        parts[min(before * count // max(sum(sizes), 1), count - 1)].append(group)
    return [part for part in parts if part]


def _share(folder: str, known: Sequence[bytes], files: Sequence[int]) -> bytes:
    """What workers do first, in rounds."""
    return cast(Prepared, _loaded(folder)).share(files, known)


def _relate(folder: str, files: Sequence[int]) -> Resolution:
    """And then."""
    return _ready(folder).relate(files)


def _prepared(folder: str) -> bytes:
    """And one of them in the end."""
    return cast(Prepared, _ready(folder)).prepared()


@lru_cache(1)
def _loaded(folder: str) -> Divided:
    import pickle

    with open(os.path.join(folder, _FACTS), "rb") as file:
        subject: _Subject = pickle.load(file)  # noqa: S301 - written by `_sent`, where nobody else may write
    return subject.divided()


@lru_cache(1)
def _ready(folder: str) -> Divided:
    import pickle

    found = _loaded(folder)
    with suppress(FileNotFoundError), open(os.path.join(folder, _SHARED), "rb") as file:
        cast(Prepared, found).prepare(*pickle.load(file))  # noqa: S301 - as above
    return found

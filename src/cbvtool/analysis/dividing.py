"""Resolves the names of one language family, in this process or divided among the processes that read the files.

The result does not depend on how the work is divided: the files always form the same groups, and each group is resolved
as if it were the only one.
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
from cbvtool.analysis.languages import Divided, DividedResolver, Lasting, Prepared, Staged, resolver
from cbvtool.analysis.limits import NoProcess, NoResult, resolve_seconds, too_long, too_much_memory
from cbvtool.analysis.live import LiveAnalysis, LiveFamily
from cbvtool.analysis.pool import PATIENCE, Workers
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.analysis.walk import readable

if TYPE_CHECKING:  # see `pool`
    from cbvtool.analysis.crew import Crew

GROUP = 6_000  # uses in a group of files that are resolved together; each file counts rounded up
_FACTS, _SHARED = "facts", "shared"  # names of files for the workers
_ROUNDS = 8  # most rounds of exchanging shared data among workers; common projects take four or five
_MOST_LOST = 2  # groups that exceed their budget, after which the others are not tried
_PREPARING = -1  # row number that stands for preparing the data that all groups share
_FILE = 20  # cost of a file, in uses, in addition to its own uses
# With fewer uses, no processes are started just to resolve: about a second of work, and starting takes a third of it.
INLINE_USES = 60_000


class _Subject(NamedTuple):
    """A resolver with its input, and the data that all its files share (see `Prepared`)."""

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
    live: LiveAnalysis | None = None,
) -> Resolution:
    """The resolver's result; what `live` and `earlier` hold is reused if the resolver is a `DividedResolver`.

    `report` gets how many files are done, and of how many (0 = unknown); it may raise.
    """
    subject = _Subject(*given)
    facts = subject.facts
    report(0, 0)
    module = resolver(subject.resolver)
    seconds = resolve_seconds(sum(len(found.uses) for found in facts.values()))
    if not hasattr(module, "divided"):
        return attended(lambda: module.resolve(subject.folder, facts), lambda: report(0, 0), seconds)
    if live and (edited := _edited(subject, live, report, seconds)):
        return edited
    groups = groups_of(facts)
    family = earlier.family(*given, groups) if earlier else None
    found = family.known() if family else {}
    missing = {row: group for row, group in enumerate(groups) if row not in found}
    if family and (missing or live):
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
            import_module("cbvtool.analysis.build")  # load NumPy while the workers are busy
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
                        if answer.certain:  # otherwise it is tried again in this process
                            lost[rows[i]] = answer.reason
                    elif rows[i] == _PREPARING and family:
                        family.add_prepared(answer)
                    else:
                        found[rows[i]] = answer
                tell()
    if len(lost) >= _MOST_LOST:  # the other groups would take as long
        lost |= dict.fromkeys(missing.keys() - found.keys() - lost.keys(), next(iter(lost.values())))
    spent = 0.0  # processor time of these groups alone: other threads of the process may be busy, too

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
    if live and not lost and isinstance(here, Lasting):
        live.families[subject.resolver] = LiveFamily(subject.folder, facts, here)
        live.families[subject.resolver].take(found.values())
    return result


def _edited(
    subject: _Subject, live: LiveAnalysis, report: Callable[[int, int], None], seconds: float
) -> Resolution | None:
    """The result by what `live` holds of the same files; None = nothing, or it takes too long in one process."""
    family = live.families.pop(subject.resolver, None)  # what is broken off half-way is lost
    if family is None or not family.is_of(subject.folder, subject.facts):
        return None
    done = 0, 0

    def count(some: int, of: int) -> None:
        nonlocal done
        done = some, of

    with suppress(TooMuch):
        begin = cast(Callable[[], Lasting], subject.divided)
        result = attended(partial(family.edited, subject.facts, begin, count), lambda: report(*done), seconds)
        live.families[subject.resolver] = family
        return result
    return None


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
    """Whether the resolver can return its quick relations separately (see `Staged`)."""
    return getattr(resolver(name), "STAGED", False)


def structure(name: str, folder: Folder, facts: Mapping[int, FileFacts]) -> Resolution:
    """The relations that the resolver finds without following values."""
    here = cast(Staged, cast(DividedResolver, resolver(name)).divided(folder, facts))
    result = here.rest()
    result.extend(here.structure())
    return result


def groups_of(facts: Mapping[int, FileFacts]) -> list[list[int]]:
    """The files in order, in groups with about the same number of uses.

    The uses of a file are rounded up to a power of two, so that an edit rarely changes a group other than that of the
    file.
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
    """The resolver's input, stored where workers find it.

    None if that is impossible, or if the caller works `alone`.
    """
    import pickle
    from tempfile import TemporaryDirectory

    if alone:
        yield None
        return
    with TemporaryDirectory(prefix="cbvtool-") as ours:
        sent = None
        with suppress(NoProcess, OSError):
            # One file that all workers read: a message through the pipe would reach only one of them.
            with open(os.path.join(ours, _FACTS), "wb") as file:
                pickle.dump(subject, file, pickle.HIGHEST_PROTOCOL)
            sent = _Sent(ours, workers.start())
        try:
            yield sent
        finally:
            if sent and sent.crew.busy:  # their results are not needed any more
                workers.close()


class _Sent:
    """Input for the workers of `crew`: they find it in the file _FACTS in `folder`, and shared data in _SHARED."""

    def __init__(self, folder: str, crew: Crew) -> None:
        self.folder, self.crew = folder, crew
        self.known: list[bytes] = []  # the data shared so far

    def share(self, parts: Sequence[Sequence[Sequence[int]]], seconds: float) -> None:
        """Start a round of sharing (see `Prepared.share`)."""
        for part in parts:
            files = [file for group in part for file in group]
            self.crew.add(partial(_share, self.folder, tuple(self.known)), [files], seconds)

    def shared(self, parts: Sequence[Sequence[Sequence[int]]], seconds: float, tell: Callable[[], None]) -> str:
        """Wait for the data that all files share, beginning with the round in progress.

        Returns why it failed; empty = it succeeded.

        After `_ROUNDS` rounds, each worker computes the rest itself, because a chain of functions may be arbitrarily
        long. Each round ends before the next begins, so that the order of the workers does not matter.
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
                        raise NoProcess  # everything is tried in this process
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
        """Queue all groups in `missing`, row -> files, to be resolved.

        Groups of one part go mostly to one worker, as a rule to the one that has computed shared data for them.
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
        """Let a worker compute the data that all groups share, as the result in row `_PREPARING`."""
        self.crew.add(_prepared, [self.folder], seconds, [_PREPARING])


def _parts(groups: Sequence[Sequence[int]], facts: Mapping[int, FileFacts], count: int) -> list[list[Sequence[int]]]:
    """The groups in order, divided into at most `count` parts with about the same number of uses."""
    sizes = [sum(len(facts[row].uses) for row in group) for group in groups]
    parts: list[list[Sequence[int]]] = [[] for _ in range(count)]
    for group, before in zip(groups, accumulate(sizes, initial=0), strict=False):
        parts[min(before * count // max(sum(sizes), 1), count - 1)].append(group)
    return [part for part in parts if part]


def _share(folder: str, known: Sequence[bytes], files: Sequence[int]) -> bytes:
    """Run in a worker: one round of sharing."""
    return cast(Prepared, _loaded(folder)).share(files, known)


def _relate(folder: str, files: Sequence[int]) -> Resolution:
    """Run in a worker after the rounds: resolve a group."""
    return _ready(folder).relate(files)


def _prepared(folder: str) -> bytes:
    """Run in one worker at the end: all shared data."""
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
